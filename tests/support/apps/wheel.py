"""Makes the wheel of an app from one file.

usage: wheel.py NAME SOURCE.py FOLDER      prints the path of the wheel
"""

import sys
import zipfile
from pathlib import Path

name, source, folder = sys.argv[1:]
info = f"{name}-1.0.dist-info"
files = {
    f"{name}/__init__.py": "",
    f"{name}/main.py": Path(source).read_text(),
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nSummary: A test\nRequires-Dist: reachy-mini\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{info}/entry_points.txt": f"[reachy_mini_apps]\n{name} = {name}.main:App\n",
}
files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
path = Path(folder) / f"{name}-1.0-py3-none-any.whl"
with zipfile.ZipFile(path, "w") as wheel:
    for inner, text in files.items():
        wheel.writestr(inner, text)
print(path)
