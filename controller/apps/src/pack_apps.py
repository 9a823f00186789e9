"""Makes wheels of the apps that are installed in a Python environment, and prints a list of them as JSON.

Nothing of the apps runs: their files are copied as they are recorded.
"""

import importlib.metadata as metadata
import json
import re
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlparse

# Written by the installation, and not part of a wheel.
OF_THE_INSTALLATION = ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")


def files_of(package, site):
    """Yields the names in the wheel and the paths of the package's files."""
    for file in package.files or []:
        path = Path(package.locate_file(file)).resolve()
        is_info = file.parts[0].endswith(".dist-info")
        if "__pycache__" in file.parts or is_info and file.name in OF_THE_INSTALLATION:
            continue
        # Programs lie outside, and a link could lead anywhere.
        if ".." not in file.parts and path.is_file() and path.is_relative_to(site):
            yield file.as_posix(), path


def tag_of(package):
    lines = (package.read_text("WHEEL") or "").splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("Tag:")), "py3-none-any")


def packed(package, site, into):
    """Writes the wheel of a package, and returns its path."""
    name = re.sub(r"[^A-Za-z0-9.]+", "_", package.metadata["Name"])
    wheel = into / f"{name}-{package.version}-{tag_of(package)}.whl"
    names = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, path in files_of(package, site):
            archive.write(path, inside)
            names.append(inside)
        info = next(inside.split("/")[0] for inside in names if inside.split("/")[0].endswith(".dist-info"))
        names.append(f"{info}/RECORD")
        archive.writestr(names[-1], "".join(f"{inside},,\n" for inside in names))
    return wheel


def main():
    environment, into = (Path(argument).resolve() for argument in sys.argv[1:])
    found = []
    for site in sorted(environment.glob("lib/python3*/site-packages")):
        for package in metadata.distributions(path=[str(site)]):
            apps = [point.name for point in package.entry_points if point.group == "reachy_mini_apps"]
            if not apps:
                continue
            origin = json.loads(package.read_text("direct_url.json") or "{}")
            if origin.get("dir_info", {}).get("editable"):
                # Its files stay in a folder of its author.
                source = Path(unquote(urlparse(origin["url"]).path))
            else:
                source = packed(package, site, into)
            found.append({"name": apps[0], "version": package.version, "source": str(source)})
    print(json.dumps(found))


main()
