"""What CPython's parser finds in a source, and the hash of its tree. The walk is a loop: no source is too deep for it.

The tree's normal form is that of the policy (`workshop/policy/shape.rs`): a line a word, a node before its parts.
"""

import ast
import hashlib
import operator
import struct

# What means nothing, or is told by its place.
LEFT_OUT = {"ctx", "kind", "simple", "type_comment", "type_ignores"}


def parts_of(kind):
    fields = [field for field in reversed(kind._fields) if field not in LEFT_OUT]
    if not fields:
        return None
    get = operator.attrgetter(*fields)
    return get if len(fields) > 1 else lambda node: (get(node),)


# For each kind of node: its word, how its parts are taken (the last first), and whether its line counts.
KINDS = {
    kind: (kind.__name__, parts_of(kind), issubclass(kind, (ast.stmt, ast.ExceptHandler)))
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def constant(value):
    match value:
        case str():
            return f"{len(value)}:{value}"
        case bool() | None:
            return str(value)
        case int():
            return f"i{value:x}"
        case float():
            return "f" + struct.pack(">d", value).hex()
        case bytes():
            return "b" + value.hex()
        case complex():
            return "f" + struct.pack(">dd", value.real, value.imag).hex()
        case _:
            return "Ellipsis"


def joined(values):
    """Neighbouring texts of an f-string as one; an empty one is none."""
    pieces = []
    for value in values:
        if not isinstance(value, ast.Constant):
            pieces.append(value)
        elif pieces and isinstance(pieces[-1], str):
            pieces[-1] += value.value
        elif value.value:
            pieces.append(value.value)
    return pieces


def facts(source):
    imports, names, attributes, calls = set(), set(), set(), set()
    tree = ast.parse(source)
    # What the parser lets pass and the compiler does not is no Python either: `return` outside of a function.
    compile(tree, "<tool>", "exec", dont_inherit=True)
    words, left = [], [tree.body]
    while left:
        part = left.pop()
        kind = type(part)
        if kind is list:
            words.append(f"[{len(part)}")
            left.extend(reversed(part))
            continue
        if kind is str:
            words.append(f"{len(part)}:{part}")
            continue
        if part is None:
            words.append("-")
            continue
        if kind is int:
            words.append(f"i{part:x}")
            continue
        word, parts, counts = KINDS[kind]
        match part:
            case ast.Constant():
                words.append(constant(part.value))
                continue
            case ast.Name():
                names.add(part.id)
            case ast.Attribute():
                attributes.add(part.attr)
            case ast.Call():
                if name := dotted(part.func):
                    calls.add(name)
            case ast.JoinedStr():
                words.append(word)
                left.append(joined(part.values))
                continue
            case ast.arg():
                names.add(part.arg)
            case ast.keyword():
                if part.arg is not None:
                    names.add(part.arg)
            case ast.alias():
                names.add(part.asname or part.name.split(".")[0])
            case ast.Import():
                imports.update(alias.name for alias in part.names)
            case ast.ImportFrom():
                module = "." * part.level + (f"{part.module}." if part.module else "")
                imports.update(module + alias.name for alias in part.names)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(part.name)
            case ast.Global() | ast.Nonlocal():
                names.update(part.names)
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                if part.name is not None:
                    names.add(part.name)
            case ast.MatchMapping():
                if part.rest is not None:
                    names.add(part.rest)
            case ast.MatchClass():
                attributes.update(part.kwd_attrs)
            case ast.MatchSingleton():
                words += word, constant(part.value)
                continue
        words.append(f"{word}{part.lineno}" if counts else word)
        if parts is not None:
            left.extend(parts(part))
    form = "".join(f"{word}\n" for word in words)
    # A lone half of a surrogate pair is no text: it has no bytes that the policy's parser could hash as well.
    digest = hashlib.sha256(form.encode(errors="surrogatepass")).hexdigest()
    return imports, names, attributes, calls, digest


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
