"""Lists everything that Minismith is made of: its crates, the dashboard's packages, the Python packages and models it installs.

Usage: inventory.py sbom FILE       a software bill of materials: CycloneDX 1.6, JSON
       inventory.py notices FILE    the licences of what is in the programs, with their texts

Everything is read from what pins it: Cargo.lock (through `cargo metadata`), package-lock.json and requirements/. The same
commit gives the same file: the time is SOURCE_DATE_EPOCH, by default that of the commit.
"""

import argparse
import base64
import datetime
import json
import os
import re
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ["minismith", "minismith-tool-host", "minismith-fleet", "minismith-recorder"]
TARGETS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]
DASHBOARD = ROOT / "controller" / "dashboard"

# The licences of Python packages. Their index tells them in too many ways to be read, so a new package needs a line here.
PYTHON_LICENCES = {
    "contourpy": "BSD-3-Clause",
    "cycler": "BSD-3-Clause",
    "et_xmlfile": "MIT",
    "fonttools": "MIT",
    "h5py": "BSD-3-Clause",
    "kiwisolver": "BSD-3-Clause",
    "matplotlib": "PSF-2.0",
    "numpy": "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0",
    # Its wheel contains FFmpeg.
    "opencv-python-headless": "Apache-2.0 AND LGPL-2.1-or-later",
    "openpyxl": "MIT",
    "packaging": "Apache-2.0 OR BSD-2-Clause",
    "pandas": "BSD-3-Clause",
    "pillow": "MIT-CMU",
    "pyarrow": "Apache-2.0",
    "pyparsing": "MIT",
    "pypdf": "BSD-3-Clause",
    "python-dateutil": "BSD-3-Clause",
    "PyYAML": "MIT",
    "scipy": "BSD-3-Clause",
    "tzdata": "Apache-2.0",
    "xllamacpp": "MIT",
}

MIT_TEXT = """Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to
whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""


class Unknown(Exception):
    """The inventory would be incomplete; the text says what is missing."""


def output_of(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def epoch() -> int:
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output_of("git", "log", "-1", "--format=%ct"))


# Crates.


class Crates:
    """The crates of the programs: what each needs, and which are in a program rather than only in its build."""

    def __init__(self) -> None:
        platforms = [argument for target in TARGETS for argument in ("--filter-platform", target)]
        cargo = os.environ.get("CARGO", "cargo")
        data = json.loads(output_of(cargo, "metadata", "--format-version", "1", "--locked", *platforms))
        self.packages = {package["id"]: package for package in data["packages"]}
        nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
        sums = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
        self.sums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in sums}
        roots = [package["id"] for package in data["packages"] if package["name"] in PROGRAMS]
        self.linked = self._reach(roots, nodes, lambda kinds, macro: not macro and None in kinds)
        self.all = self._reach(roots, nodes, lambda kinds, macro: kinds - {"dev"})
        self.needs = {
            one: [there for there, kinds in self._edges(nodes[one]) if there in self.all and kinds - {"dev"}]
            for one in self.all
        }

    @staticmethod
    def _edges(node: dict) -> list:
        return [(edge["pkg"], {kind["kind"] for kind in edge["dep_kinds"]}) for edge in node["deps"]]

    def _is_macro(self, one: str) -> bool:
        return any("proc-macro" in target["kind"] for target in self.packages[one]["targets"])

    def _reach(self, roots: list, nodes: dict, follows) -> set:
        reached, waiting = set(), list(roots)
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += [there for there, kinds in self._edges(nodes[one]) if follows(kinds, self._is_macro(there))]
        return reached

    def sorted(self, ids: set) -> list:
        return sorted((self.packages[one] for one in ids), key=lambda package: (package["name"], package["version"]))


def crate_url(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version'].replace('+', '%2B')}"


def expression(licence: str) -> str:
    """A licence as SPDX writes it: crates once wrote `MIT/Apache-2.0`."""
    return re.sub(r"\s*/\s*", " OR ", licence)


def crate_component(package: dict, crates: Crates) -> dict:
    about = {
        "type": "application" if package["name"] in PROGRAMS else "library",
        "bom-ref": crate_url(package),
        "name": package["name"],
        "version": package["version"],
        "scope": "required" if package["id"] in crates.linked else "excluded",
        "licenses": [{"expression": expression(package["license"])}],
        "purl": crate_url(package),
    }
    if package["description"]:
        about["description"] = " ".join(package["description"].split())
    checksum = crates.sums.get((package["name"], package["version"]))
    if checksum:
        about["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return about


def inside_crates(crates: Crates) -> list:
    """What is in a crate and was written elsewhere, where the crate's own version does not tell its."""
    found = []
    for package in crates.sorted(crates.all):
        folder = Path(package["manifest_path"]).parent
        if package["name"] == "libsqlite3-sys":
            text = (folder / "sqlite3" / "sqlite3.h").read_text(errors="replace")
            version = re.search(r'#define SQLITE_VERSION\s+"([^"]+)"', text)
            found.append(("SQLite", version and version[1], "blessing", package))
        if package["name"] == "utoipa-swagger-ui-vendored":
            version = [name.stem.removeprefix("v") for name in (folder / "res").glob("v*.zip")]
            found.append(("Swagger UI", version[0] if len(version) == 1 else None, "Apache-2.0", package))
    if {name for name, *_ in found} != {"SQLite", "Swagger UI"} or not all(version for _, version, *_ in found):
        raise Unknown("the versions of SQLite and Swagger UI were not found in their crates; see inside_crates")
    return [
        {
            "type": "library",
            "bom-ref": f"pkg:generic/{name.lower().replace(' ', '-')}@{version}",
            "name": name,
            "version": version,
            "scope": "required",
            "licenses": [{"license": {"id": licence}}],
            "purl": f"pkg:generic/{name.lower().replace(' ', '-')}@{version}",
            "properties": [{"name": "minismith:in", "value": crate_url(package)}],
        }
        for name, version, licence, package in found
    ]


# The dashboard.


def node_packages() -> list:
    """The packages of the dashboard that are in its page, and where each is installed."""
    lock = json.loads((DASHBOARD / "package-lock.json").read_text())
    return [
        (place.rpartition("node_modules/")[2], entry, DASHBOARD / place)
        for place, entry in sorted(lock["packages"].items())
        if place and not entry.get("dev")
    ]


def node_component(name: str, entry: dict) -> dict:
    algorithm, _, value = entry["integrity"].partition("-")
    names = {"sha512": "SHA-512", "sha256": "SHA-256"}
    # cargo-deny asks this of the crates.
    allowed = tomllib.loads((ROOT / "deny.toml").read_text())["licenses"]["allow"]
    if entry["license"] not in allowed:
        raise Unknown(f"{name} of the dashboard has the licence {entry['license']}, which deny.toml does not allow")
    url = f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"
    return {
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": entry["version"],
        "scope": "required",
        "hashes": [{"alg": names[algorithm], "content": base64.b64decode(value).hex()}],
        "licenses": [{"expression": entry["license"]}],
        "purl": url,
    }


def node_needs(packages: list) -> dict:
    urls = {name: node_component(name, entry)["purl"] for name, entry, _ in packages}
    return {
        urls[name]: sorted(urls[needed] for needed in entry.get("dependencies", {}) if needed in urls)
        for name, entry, _ in packages
    }


# Python packages and models.


def python_components(file: str, scope: str) -> list:
    text = (ROOT / "requirements" / file).read_text().replace("\\\n", " ")
    components = []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        name, _, version = words[0].partition("==")
        if not version or name not in PYTHON_LICENCES:
            raise Unknown(f"requirements/{file}: {words[0]}: pin its version, and add its licence to PYTHON_LICENCES")
        url = f"pkg:pypi/{name.lower().replace('_', '-')}@{version}"
        component = {
            "type": "library",
            "bom-ref": url,
            "name": name,
            "version": version,
            "scope": scope,
            "licenses": [{"expression": PYTHON_LICENCES[name]}],
            "purl": url,
        }
        # One for each kind of machine: which of them is installed, pip decides.
        hashes = [word.removeprefix("--hash=sha256:") for word in words[1:] if word.startswith("--hash=sha256:")]
        if hashes:
            component["properties"] = [{"name": "minismith:wheel:sha256", "value": value} for value in hashes]
        components.append(component)
    return components


def model_components() -> list:
    components = []
    for line in (ROOT / "requirements" / "models.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        place, machine, digest, package, _, recipe, _, licence = line.split()
        name, _, version = package.rpartition("@") if package.startswith("@") else package.partition("==")
        kind = "npm" if package.startswith("@") else "pypi"
        named = licence.split(",")[0]
        components.append({
            "type": "library" if place.endswith(".so") else "data" if "photographs/" in place else "machine-learning-model",
            "bom-ref": f"model:{place}:{machine}",
            "name": place,
            "version": version,
            "scope": "optional",
            "hashes": [{"alg": "SHA-256", "content": digest}],
            "licenses": [{"license": {"id": named} if named in ("MIT", "Apache-2.0") else {"name": licence}}],
            "properties": [
                {"name": "minismith:machine", "value": machine},
                {"name": "minismith:package", "value": f"pkg:{kind}/{name.replace('@', '%40')}@{version}"},
                {"name": "minismith:recipe", "value": recipe},
            ],
        })
    return components


# The documents.


def sbom() -> str:
    crates = Crates()
    packages = node_packages()
    inside = inside_crates(crates)
    version = next(package["version"] for package in crates.packages.values() if package["name"] == "minismith")
    python = {}
    for file, scope in [("tools.txt", "required"), ("code.txt", "optional"), ("model.txt", "optional")]:
        for component in python_components(file, scope):
            python.setdefault(component["purl"], component)
    components = [crate_component(package, crates) for package in crates.sorted(crates.all)]
    components += inside + [node_component(name, entry) for name, entry, _ in packages]
    components += list(python.values()) + model_components()
    needs = {crate_url(crates.packages[one]): sorted(crate_url(crates.packages[there]) for there in set(crates.needs[one]))
             for one in crates.all}
    for component in inside:
        needs.setdefault(component["properties"][0]["value"], []).append(component["bom-ref"])
    needs |= node_needs(packages)
    whole = f"pkg:generic/minismith-distribution@{version}"
    programs = [reference for reference in needs if re.match(r"pkg:cargo/(%s)@" % "|".join(PROGRAMS), reference)]
    needs[whole] = sorted(programs + [node_component(name, entry)["purl"] for name, entry, _ in packages] + list(python))
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).isoformat(),
            "lifecycles": [{"phase": "pre-build"}],
            "component": {
                "type": "application",
                "bom-ref": whole,
                "name": "minismith-distribution",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "purl": whole,
            },
        },
        "components": components,
        "dependencies": [{"ref": reference, "dependsOn": needs[reference]} for reference in sorted(needs)],
    }
    # The same content has the same number.
    named = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))
    document["serialNumber"] = f"urn:uuid:{named}"
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def licence_texts(folder: Path) -> list:
    """The licence files of a package, each with its text."""
    begins = ("license", "licence", "copying", "notice", "unlicense", "copyright")
    files = [file for file in folder.iterdir() if file.is_file() and file.name.lower().startswith(begins)]
    # Of these some crates keep a folder, as a standard of the Free Software Foundation Europe has it.
    files += [file for name in ("LICENSES", "licenses") if (folder / name).is_dir() for file in (folder / name).iterdir()]
    return [(file.name, file.read_text(errors="replace").strip()) for file in sorted(files) if file.suffix not in (".rs", ".py")]


def without_file(name: str, licence: str, authors: list) -> list:
    """The terms of a package that names its licence and has no file of it."""
    if "Apache-2.0" in licence:
        return [("Apache-2.0, of which it has no file of its own", (ROOT / "LICENSE").read_text().strip())]
    if licence == "MIT":
        holders = ", ".join(author.partition(" <")[0] for author in authors) or f"the authors of {name}"
        return [("MIT, of which it has no file of its own", f"Copyright (c) {holders}\n\n{MIT_TEXT}")]
    raise Unknown(f"{name} ({licence}) has no licence file; add its terms to without_file")


def notices() -> str:
    crates = Crates()
    entries = []
    for package in crates.sorted(crates.linked):
        if package["source"] is None:
            continue
        licence = expression(package["license"])
        texts = licence_texts(Path(package["manifest_path"]).parent)
        texts = texts or without_file(package["name"], licence, package["authors"])
        where = package["repository"] or f"the crate {package['name']} on crates.io"
        entries.append((f"{package['name']} {package['version']}", licence, where, texts))
    for name, entry, folder in node_packages():
        if not folder.is_dir():
            raise Unknown(f"{folder.relative_to(ROOT)} is not installed; run `make dashboard`")
        texts = licence_texts(folder) or without_file(name, entry["license"], [])
        entries.append((f"{name} {entry['version']} (dashboard)", entry["license"], f"npm: {name}", texts))
    for component in inside_crates(crates):
        licence = component["licenses"][0]["license"]["id"]
        text = (ROOT / "LICENSE").read_text().strip() if licence == "Apache-2.0" else (
            "The authors of SQLite dedicated it to the public domain: https://www.sqlite.org/copyright.html")
        entries.append((f"{component['name']} {component['version']}", licence, component["properties"][0]["value"],
                        [(licence, text)]))
    entries.append(("The Rust standard library", "MIT OR Apache-2.0", "https://github.com/rust-lang/rust",
                    [("Apache-2.0", (ROOT / "LICENSE").read_text().strip())]))

    # Many share a text, above all that of Apache-2.0; each is printed once.
    numbers, printed = {}, []
    lines = [
        "The programs minismith, minismith-tool-host, minismith-fleet and minismith-recorder contain the works below, each",
        "under its own licence. Where it reads OR, you may choose. Works marked MPL-2.0 are used as they were published. The",
        "source of each, unchanged, is at the place named. The numbers lead to the texts.",
        "",
    ]
    for name, licence, where, texts in entries:
        references = []
        for title, text in texts:
            key = " ".join(text.split())
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                printed.append((numbers[key], title, text))
            references.append(f"{title} [{numbers[key]}]")
        lines += [f"{name}: {licence}", f"    {where}", f"    {', '.join(references)}"]
    for number, title, text in printed:
        lines += ["", "=" * 100, f"[{number}] {title}", "", text]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["sbom", "notices"])
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    try:
        text = sbom() if arguments.what == "sbom" else notices()
    except Unknown as problem:
        print(f"inventory: {problem}", file=sys.stderr)
        return 1
    arguments.file.parent.mkdir(parents=True, exist_ok=True)
    beside = arguments.file.with_name(arguments.file.name + ".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(arguments.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
