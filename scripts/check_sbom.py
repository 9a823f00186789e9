"""Reads a bill of materials with the library of CycloneDX, holds it against the schema, and checks each licence expression.

Usage: check_sbom.py FILE    with the packages of requirements/sbom.txt
"""

import json
import sys
from collections import Counter
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from license_expression import get_spdx_licensing


def problems(text: str) -> list:
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if error is not None:
        return [f"it does not fit the schema of CycloneDX 1.6: {error}"]
    licences = get_spdx_licensing()
    found = []
    for component in json.loads(text)["components"]:
        for licence in component["licenses"]:
            if "expression" in licence:
                found += [f"{component['name']}: {said}" for said in licences.validate(licence["expression"]).errors]
    # Every reference leads somewhere.
    Bom.from_json(json.loads(text)).validate()
    return found


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    found = problems(text)
    for problem in found:
        print(f"{sys.argv[1]}: {problem}", file=sys.stderr)
    if not found:
        components = Bom.from_json(json.loads(text)).components
        kinds = Counter(component.purl.type if component.purl else "model" for component in components)
        counted = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
        print(f"{sys.argv[1]} fits CycloneDX 1.6: {len(components)} components ({counted}).")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
