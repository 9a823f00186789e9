"""Prints the routes of the official daemon, one a line: the method (WS for a WebSocket) and the path.

They are read from its sources: some are there on the Wireless only, where their modules can be imported.
"""

import ast
import sys
from importlib.util import find_spec
from pathlib import Path

METHODS = {"get": "GET", "post": "POST", "put": "PUT", "delete": "DELETE", "patch": "PATCH", "websocket": "WS"}
# The page of the daemon itself, and what serves it.
OWN_PAGE = ("/", "/logs", "/settings", "/static")


def text(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def routes(source):
    """Yields the routes that a module declares by decorators of its router."""
    module = ast.parse(source)
    prefixes = {"app": ""}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = node.value.func
            if getattr(called, "id", None) == "APIRouter":
                given = [text(word.value) for word in node.value.keywords if word.arg == "prefix"]
                prefixes[node.targets[0].id] = (given or [""])[0]
    for node in ast.walk(module):
        for decorator in getattr(node, "decorator_list", []):
            function = decorator.func if isinstance(decorator, ast.Call) else None
            router = getattr(getattr(function, "value", None), "id", None)
            if router in prefixes and function.attr in METHODS and decorator.args:
                yield METHODS[function.attr], prefixes[router] + (text(decorator.args[0]) or ""), router


def main():
    package = Path(find_spec("reachy_mini").submodule_search_locations[0])
    found = set()
    for file in sorted((package / "daemon" / "app").rglob("*.py")):
        for method, path, router in routes(file.read_text()):
            if router == "app" or path == "/ws/sdk":
                if path not in OWN_PAGE:
                    found.add(f"{method} {path}")
            else:
                found.add(f"{method} /api{path}")
    print("\n".join(sorted(found)))


if __name__ == "__main__":
    sys.exit(main())
