//! Rules about what makes a file a tool: its entry point, types and documentation, and its behaviour while
//! it loads.

use super::{
    Rule,
    Verdict::{Pass, Reject},
};

/// A call of `exec_function(name)` with a computed name.
pub const COMPUTED_CALLEE: Rule = Rule {
    id: "computed-callee",
    verdict: Reject,
    reason: "The source must name the tools that it calls, so that they can be checked before it runs.",
    advice: "write the other tool's name as a string: exec_function(\"nod_yes\", times=2)",
    good: "from minismith import exec_function\nexec_function(\"nod_yes\", times=n)",
    bad: "from minismith import exec_function\nexec_function(\"nod\" + \"_yes\")",
};

/// The rules, in reading order.
pub(super) const RULES: &[Rule] = &[
    COMPUTED_CALLEE,
    NO_ENTRY,
    MISSING_DOCSTRING,
    UNDOCUMENTED_PARAMETER,
    UNREADABLE_TEXT,
    MISSING_TYPE_HINT,
    UNSUPPORTED_PARAMETER,
    UNSUPPORTED_TYPE,
    ENTRY_YIELDS,
    MODULE_LEVEL_CODE,
    EAGER_CALL,
];

/// No public function, or several of which none has the file's name.
pub const NO_ENTRY: Rule = Rule {
    id: "no-entry",
    verdict: Reject,
    reason: "A tool is called through its one public function.",
    advice: "define one public top-level function, or name one as the file; start helpers with an underscore",
    good: "def example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
    bad: "# def example\ndef _helper(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
};

/// An entry point without a docstring.
pub const MISSING_DOCSTRING: Rule = Rule {
    id: "missing-docstring",
    verdict: Reject,
    reason: "People and models choose a tool by its description.",
    advice: "start the entry with a docstring: one sentence, then Args and Returns",
    good: "def example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
    bad: "def example(n: int = 1) -> int:\n    return n",
};

/// A parameter that the docstring does not describe.
pub const UNDOCUMENTED_PARAMETER: Rule = Rule {
    id: "undocumented-parameter",
    verdict: Pass,
    reason: "Callers choose arguments by their description.",
    advice: "add `name: meaning, between low and high.` under Args in the docstring",
    good: "def example(n: int = 1) -> int:\n    \"\"\"Count.\n\n    Args:\n        n: How far.\n    \"\"\"\n    return n",
    bad: "def example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
};

/// A description that is too long, or contains characters that nobody sees.
pub const UNREADABLE_TEXT: Rule = Rule {
    id: "unreadable-text",
    verdict: Reject,
    reason: "People and models read names and descriptions; hidden or endless text is for deceiving one of them.",
    advice: "describe the tool in at most 2000 characters, a parameter or the result in at most 500, without control \
             characters and invisible ones; a name has at most 64 characters",
    good: "def example(n: int = 1) -> int:\n    \"\"\"Count.\n\n    Args:\n        n: How far.\n    \"\"\"\n    return n",
    bad: "def example(n: int = 1) -> int:\n    \"\"\"Count.\\x1b[2J\n\n    Args:\n        n: How far.\n    \"\"\"\n    return n",
};

/// A public function without complete annotations.
pub const MISSING_TYPE_HINT: Rule = Rule {
    id: "missing-type-hint",
    verdict: Reject,
    reason: "Arguments are checked against the types before a tool runs.",
    advice: "annotate every parameter and the result of public functions",
    good: "def example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
    bad: "def example(n=1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
};

/// A parameter that cannot be passed by name.
pub const UNSUPPORTED_PARAMETER: Rule = Rule {
    id: "unsupported-parameter",
    verdict: Reject,
    reason: "A tool is called with named arguments; only the robot is positional, and comes first.",
    advice: "use ordinary named parameters, with `robot: ReachyMini` first if the tool needs the robot",
    good: "def example(n: int = 1, *, m: int = 2) -> int:\n    \"\"\"Count.\"\"\"\n    return n + m",
    bad: "def example(*numbers: int) -> int:\n    \"\"\"Count.\"\"\"\n    return 1",
};

/// A type that is not plain data.
pub const UNSUPPORTED_TYPE: Rule = Rule {
    id: "unsupported-type",
    verdict: Reject,
    reason: "Arguments arrive as JSON.",
    advice: "use int, float, str, bool, list[...], tuple[...], dict[str, ...], Literal[...], `X | None` or Any; minismith.InputFile \
             is one file",
    good: "def example(n: list[float] | None = None) -> int:\n    \"\"\"Count.\"\"\"\n    return 1",
    bad: "def example(n: set[int]) -> int:\n    \"\"\"Count.\"\"\"\n    return 1",
};

/// An entry point that is a generator.
pub const ENTRY_YIELDS: Rule = Rule {
    id: "entry-yields",
    verdict: Reject,
    reason: "A generator does nothing until it is iterated; a tool's result is plain data.",
    advice: "return a value or a list",
    good: "def example(n: int = 1) -> list[int]:\n    \"\"\"Count.\"\"\"\n    return [n]",
    bad: "def example(n: int = 1) -> object:\n    \"\"\"Count.\"\"\"\n    yield n",
};

/// Statements at module level that have an effect.
pub const MODULE_LEVEL_CODE: Rule = Rule {
    id: "module-level-code",
    verdict: Reject,
    reason: "Loading a tool must do nothing.",
    advice: "keep imports, constants, functions and classes at the top level; move the rest into the entry",
    good: "LIMIT = 3\n\n\ndef example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return min(n, LIMIT)",
    bad: "for i in range(3):\n    print(i)\n\n\ndef example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    return n",
};

/// A call that runs while the tool loads.
pub const EAGER_CALL: Rule = Rule {
    id: "eager-call",
    verdict: Reject,
    reason: "Constants, defaults and class bodies are evaluated while the tool loads, before its checks end.",
    advice: "call it inside the entry; at the top level only your own classes, numpy, math and other pure \
             constructors may be called",
    good: "import math\n\nQUARTER = math.radians(90)\n\n\ndef example(n: int = 1) -> float:\n    \"\"\"Count.\"\"\"\n    return n * QUARTER",
    bad: "import time\n\nSTART = time.monotonic()\n\n\ndef example(n: int = 1) -> float:\n    \"\"\"Count.\"\"\"\n    return START",
};
