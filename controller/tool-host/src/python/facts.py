"""What CPython's parser finds in a source. The walk is a loop, so no source is too deep for it."""

import ast


def facts(source):
    imports, names, attributes, calls = set(), set(), set(), set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                imports.update(alias.name for alias in node.names)
            case ast.ImportFrom():
                module = "." * node.level + (f"{node.module}." if node.module else "")
                imports.update(module + alias.name for alias in node.names)
            case ast.alias():
                names.add(node.asname or node.name.split(".")[0])
            case ast.Name():
                names.add(node.id)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.arg():
                names.add(node.arg)
            case ast.keyword() if node.arg is not None:
                names.add(node.arg)
            case ast.Global() | ast.Nonlocal():
                names.update(node.names)
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() if node.name is not None:
                names.add(node.name)
            case ast.MatchMapping() if node.rest is not None:
                names.add(node.rest)
            case ast.MatchClass():
                attributes.update(node.kwd_attrs)
            case ast.Attribute():
                attributes.add(node.attr)
            case ast.Call() if name := dotted(node.func):
                calls.add(name)
    return imports, names, attributes, calls


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
