"""Extracts facts from a source with CPython's parser, and hashes its tree. The walk is iterative, so depth is no problem.

The normal form of the tree is the policy's (`workshop/policy/shape.rs`): one word per line, a node before its parts.
"""

import ast
import hashlib
import operator
import struct

# Fields without meaning, or whose meaning follows from their position. Type parameters exist since CPython 3.12: the policy's tree
# has a word for them only where a source uses them, so such a source is refused.
OMITTED_FIELDS = {"ctx", "kind", "simple", "type_comment", "type_ignores", "type_params"}


def parts_of(kind):
    fields = [field for field in reversed(kind._fields) if field not in OMITTED_FIELDS]
    if not fields:
        return None
    get = operator.attrgetter(*fields)
    return get if len(fields) > 1 else lambda node: (get(node),)


# For each node type: its name, a getter of its parts (in reverse order), and whether its line counts.
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
    """Joins neighbouring strings of an f-string, and drops empty ones."""
    pieces = []
    for value in values:
        if not isinstance(value, ast.Constant):
            pieces.append(value)
        elif pieces and isinstance(pieces[-1], str):
            pieces[-1] += value.value
        elif value.value:
            pieces.append(value.value)
    return pieces


# Functions that record the facts of a node. `found` contains imports, names, attributes and calls.


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


RECORDERS = {
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
    # Compile it too, because some errors are found only then: for example `return` outside a function.
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
            elif note := RECORDERS.get(kind):
                note(part, found)
            word, parts, counts = KINDS[kind]
            words.append(f"{word}{part.lineno}" if counts else word)
            if parts is not None:
                left.extend(parts(part))
    words.append("")
    # A lone surrogate has no valid encoding, so the policy's parser cannot produce the same hash.
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
