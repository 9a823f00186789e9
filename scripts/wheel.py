"""Makes a Python wheel of programs that are built: `pip install` then brings the command `minismith`.

usage: wheel.py MACHINE VERSION OUT NOTICES PROGRAM...

MACHINE is x86_64 or aarch64; PROGRAM are the files `minismith` and `minismith-tool-host-3.N`, one for each version of Python.
NOTICES has the licences of all that is in them. The same files and SOURCE_DATE_EPOCH give the same bytes. Prints the path.
"""

import base64
import hashlib
import os
import sys
import time
import zipfile
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
# The programs need glibc 2.36; see docs/building.md.
GLIBC = "manylinux_2_36"


def main(machine, version, out, notices, *programs):
    programs = [Path(program) for program in programs]
    hosts = sorted(program.name for program in programs if program.name.startswith("minismith-tool-host-3."))
    if machine not in ("x86_64", "aarch64") or not hosts or not any(program.name == "minismith" for program in programs):
        sys.exit(__doc__)
    minors = [int(host.rsplit(".", 1)[1]) for host in hosts]
    missing = "".join(f",!=3.{minor}.*" for minor in range(min(minors), max(minors)) if minor not in minors)
    tag = f"py3-none-{GLIBC}_{machine}"
    information = f"minismith-{version}.dist-info"
    metadata = f"""Metadata-Version: 2.3
Name: minismith
Version: {version}
Summary: Controller of the Reachy Mini robot that writes, verifies and then runs its own tools
License: Apache-2.0
Requires-Python: >=3.{min(minors)}{missing},<3.{max(minors) + 1}
Requires-Dist: numpy>=2,<3
Requires-External: libasound.so.2
Requires-External: libpython3 (shared, of the same version)
Description-Content-Type: text/markdown

{(TREE / "README.md").read_text()}"""
    files = {
        "minismith/__init__.py": (TREE / "packaging/wheel/__init__.py").read_bytes(),
        "minismith/__main__.py": (TREE / "packaging/wheel/__main__.py").read_bytes(),
        f"{information}/METADATA": metadata.encode(),
        f"{information}/WHEEL": f"Wheel-Version: 1.0\nGenerator: minismith\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{information}/entry_points.txt": b"[console_scripts]\nminismith = minismith.__main__:main\n",
        f"{information}/licenses/LICENSE": (TREE / "LICENSE").read_bytes(),
        f"{information}/licenses/NOTICES.txt": Path(notices).read_bytes(),
    }
    files |= {f"minismith/bin/{program.name}": program.read_bytes() for program in programs}
    record = [f"{name},sha256={digest(content)},{len(content)}" for name, content in sorted(files.items())]
    files[f"{information}/RECORD"] = ("\n".join([*record, f"{information}/RECORD,,"]) + "\n").encode()

    path = Path(out) / f"minismith-{version}-{tag}.whl"
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as wheel:
        # The information comes last, as the format advises.
        for name, content in sorted(files.items(), key=lambda file: (information in file[0], file[0])):
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16
            wheel.writestr(entry, content)
    print(path)


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
