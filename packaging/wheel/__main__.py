"""Runs the program `minismith` with the Python that this package is installed for."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program. Its tools run with this Python, unless the environment names another one."""
    programs = Path(__file__).resolve().parent / "bin"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    environment = dict(os.environ)
    environment.setdefault("MINISMITH_TOOL_HOST", str(programs / f"minismith-tool-host-{version}"))
    environment.setdefault("MINISMITH_PYTHON", sys.executable)
    os.execve(programs / "minismith", ["minismith", *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
