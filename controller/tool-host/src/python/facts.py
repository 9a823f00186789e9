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


# What a kind of node is noted for; `found` is the imports, names, attributes and calls so far.


def call(node, found):
    if name := dotted(node.func):
        found[3].add(name)


def keyword(node, found):
    if node.arg is not None:
        found[1].add(node.arg)


def imported_from(node, found):
    module = "." * node.level + (f"{node.module}." if node.module else "")
    found[0].update(module + alias.name for alias in node.names)


def named(node, found):
    if node.name is not None:
        found[1].add(node.name)


def mapping(node, found):
    if node.rest is not None:
        found[1].add(node.rest)


NOTED = {
    ast.Call: call,
    ast.arg: lambda node, found: found[1].add(node.arg),
    ast.keyword: keyword,
    ast.alias: lambda node, found: found[1].add(node.asname or node.name.split(".")[0]),
    ast.Import: lambda node, found: found[0].update(alias.name for alias in node.names),
    ast.ImportFrom: imported_from,
    ast.FunctionDef: named,
    ast.AsyncFunctionDef: named,
    ast.ClassDef: named,
    ast.Global: lambda node, found: found[1].update(node.names),
    ast.Nonlocal: lambda node, found: found[1].update(node.names),
    ast.ExceptHandler: named,
    ast.MatchAs: named,
    ast.MatchStar: named,
    ast.MatchMapping: mapping,
    ast.MatchClass: lambda node, found: found[2].update(node.kwd_attrs),
}


def facts(source):
    found = imports, names, attributes, calls = set(), set(), set(), set()
    tree = ast.parse(source)
    # What the parser lets pass and the compiler does not is no Python either: `return` outside of a function.
    compile(tree, "<tool>", "exec", dont_inherit=True)
    words, left = [], [tree.body]
    while left:
        part = left.pop()
        kind = type(part)
        if kind is str:
            words.append(f"{len(part)}:{part}")
        elif kind is list:
            words.append(f"[{len(part)}")
            left.extend(reversed(part))
        elif part is None:
            words.append("-")
        elif kind is ast.Constant:
            words.append(constant(part.value))
        elif kind is int:
            words.append(f"i{part:x}")
        elif kind is ast.JoinedStr:
            words.append("JoinedStr")
            left.append(joined(part.values))
        elif kind is ast.MatchSingleton:
            words += "MatchSingleton", constant(part.value)
        else:
            if kind is ast.Name:
                names.add(part.id)
            elif kind is ast.Attribute:
                attributes.add(part.attr)
            elif note := NOTED.get(kind):
                note(part, found)
            word, parts, counts = KINDS[kind]
            words.append(f"{word}{part.lineno}" if counts else word)
            if parts is not None:
                left.extend(parts(part))
    words.append("")
    # A lone half of a surrogate pair is no text: it has no bytes that the policy's parser could hash as well.
    digest = hashlib.sha256("\n".join(words).encode(errors="surrogatepass")).hexdigest()
    return imports, names, attributes, calls, digest


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
