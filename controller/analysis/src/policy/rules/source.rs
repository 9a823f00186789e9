//! Rules about the bytes of a tool: text that two parsers might read differently is rejected.

use super::{Rule, Verdict::Reject};

/// The rules, in reading order.
pub(super) const RULES: &[Rule] = &[
    BAD_NAME,
    RESERVED_NAME,
    TOO_LONG,
    NOT_UTF8,
    BYTE_ORDER_MARK,
    CONTROL_CHARACTER,
    BIDIRECTIONAL_CONTROL,
    ENCODING_COOKIE,
    TOO_NESTED,
    SYNTAX_ERROR,
    NEWER_SYNTAX,
    NON_ASCII_IDENTIFIER,
];

/// A file name that is not a module name.
pub const BAD_NAME: Rule = Rule {
    id: "bad-name",
    verdict: Reject,
    reason: "A tool's name is the name of its file, its folder, its module and its function.",
    advice: "use lower-case letters, digits and underscores, a letter first, at most 64",
    good: "# file: nod_twice.py",
    bad: "# file: Nod-Twice.py",
};

/// A name that means something else already, or looks like one that does.
pub const RESERVED_NAME: Rule = Rule {
    id: "reserved-name",
    verdict: Reject,
    reason: "A tool called like an order to stop, a function of the program or a word of Python is taken for it.",
    advice: "choose a name that says what only this tool does, such as nod_three_times",
    good: "# def example\ndef nod_three_times(n: int = 1) -> int:\n    \"\"\"Count.\n\n    Args:\n        n: A number.\n    \"\"\"\n    return n",
    bad: "# def example\ndef emergency_st0p(n: int = 1) -> int:\n    \"\"\"Count.\n\n    Args:\n        n: A number.\n    \"\"\"\n    return n",
};

/// A file that is too long.
pub const TOO_LONG: Rule = Rule {
    id: "source-too-long",
    verdict: Reject,
    reason: "The time to read a tool must be bounded.",
    advice: "split the tool, or compute its tables",
    good: "# <70 x>",
    bad: "# <70000 x>",
};

/// Bytes that are not UTF-8.
pub const NOT_UTF8: Rule = Rule {
    id: "not-utf8",
    verdict: Reject,
    reason: "Parsers read bytes in another encoding differently.",
    advice: "save the file as UTF-8",
    good: "# caf\u{e9}",
    bad: "# caf<byte E9>",
};

/// A file that starts with U+FEFF.
pub const BYTE_ORDER_MARK: Rule = Rule {
    id: "byte-order-mark",
    verdict: Reject,
    reason: "Some parsers count it as text, others do not.",
    advice: "save the file as UTF-8 without a byte order mark",
    good: "def example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
    bad: "<U+FEFF>def example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
};

/// NUL, lone carriage returns, form feeds and other invisible characters.
pub const CONTROL_CHARACTER: Rule = Rule {
    id: "control-character",
    verdict: Reject,
    reason: "Invisible characters end a line for one parser and not for another.",
    advice: "delete it, or write it as an escape in a string",
    good: "print('a\\x0cb')",
    bad: "print('a<U+000C>b')",
};

/// Characters that reorder text.
pub const BIDIRECTIONAL_CONTROL: Rule = Rule {
    id: "bidirectional-control",
    verdict: Reject,
    reason: "They make the code look different from what runs.",
    advice: "delete it",
    good: "print('left to right')",
    bad: "print('<U+202E>left to right')",
};

/// A PEP 263 declaration.
pub const ENCODING_COOKIE: Rule = Rule {
    id: "encoding-cookie",
    verdict: Reject,
    reason: "CPython decodes the file as declared, so comments may become code.",
    advice: "delete the line: tools are UTF-8",
    good: "# plain\ndef example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
    bad: "# -*- coding: utf-7 -*-\ndef example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
};

/// Nesting beyond what people write.
pub const TOO_NESTED: Rule = Rule {
    id: "too-nested",
    verdict: Reject,
    reason: "Deep nesting exhausts parsers.",
    advice: "flatten it: use a loop, a list or a function",
    good: "print(((n)))",
    bad: "print(<80 (>n<80 )>)",
};

/// Text that the parser rejects.
pub const SYNTAX_ERROR: Rule = Rule {
    id: "syntax-error",
    verdict: Reject,
    reason: "It is not Python.",
    advice: "correct the syntax",
    good: "print(n)",
    bad: "print(n",
};

/// Syntax of Python 3.12 and later.
pub const NEWER_SYNTAX: Rule = Rule {
    id: "newer-syntax",
    verdict: Reject,
    reason: "Tools run on Python 3.11.",
    advice: "write it in the syntax of Python 3.11",
    good: "numbers = list[int]",
    bad: "type numbers = list[int]",
};

/// An identifier with letters beyond ASCII.
pub const NON_ASCII_IDENTIFIER: Rule = Rule {
    id: "non-ascii-identifier",
    verdict: Reject,
    reason: "CPython normalises such names: another spelling reaches the same object.",
    advice: "use ASCII letters in names",
    good: "angle = n",
    bad: "w\u{ef}nkel = n",
};
