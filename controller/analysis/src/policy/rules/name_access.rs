//! Rules about what a tool could get access to: modules, attributes, names and decorators.

use super::{Rule, Verdict::Reject};

/// The rules, in reading order.
pub(super) const RULES: &[Rule] = &[
    UNLISTED_IMPORT,
    STAR_IMPORT,
    RELATIVE_IMPORT,
    UNLISTED_ATTRIBUTE,
    MODULE_AS_VALUE,
    MODULE_REBOUND,
    PATCHED_IMPORT,
    DUNDER_ATTRIBUTE,
    PRIVATE_ATTRIBUTE,
    INTERPRETER_ATTRIBUTE,
    UNSAFE_ATTRIBUTE,
    DUNDER_NAME,
    FORBIDDEN_BUILTIN,
    BUILTIN_REBOUND,
    CLASS_BY_TYPE,
    CLASS_KEYWORD,
    MAGIC_METHOD,
    UNLISTED_DECORATOR,
    FORMAT_STRING,
    RESTRICTED_USE,
];

/// A module or name outside the allow-list.
pub const UNLISTED_IMPORT: Rule = Rule {
    id: "unlisted-import",
    verdict: Reject,
    reason: "Only modules and names that were reviewed and found harmless may be imported.",
    advice: "use what `minismith rules` lists as importable",
    good: "from math import sin\nprint(sin(n))",
    bad: "import subprocess\nprint(n)",
};

/// `from module import *`.
pub const STAR_IMPORT: Rule = Rule {
    id: "star-import",
    verdict: Reject,
    reason: "It hides which names a tool uses.",
    advice: "name what you import",
    good: "from math import pi\nprint(pi)",
    bad: "from math import *\nprint(n)",
};

/// `from . import x`.
pub const RELATIVE_IMPORT: Rule = Rule {
    id: "relative-import",
    verdict: Reject,
    reason: "A tool of one file has no other modules; a toolkit can import only its own modules this way.",
    advice: "put the code into this file, or make it a toolkit: a folder with its modules",
    good: "print(n)",
    bad: "from .helpers import nod\nprint(n)",
};

/// An attribute of a module outside its allow-list.
pub const UNLISTED_ATTRIBUTE: Rule = Rule {
    id: "unlisted-attribute",
    verdict: Reject,
    reason: "Modules contain other modules, files and processes as attributes.",
    advice: "use what `minismith rules` lists of this module",
    good: "import numpy as np\nprint(np.linalg.norm([n, n]))",
    bad: "import numpy as np\nprint(np.load('x'))",
};

/// A module that is used as a value.
pub const MODULE_AS_VALUE: Rule = Rule {
    id: "module-as-value",
    verdict: Reject,
    reason: "If a module is a value, it is unknown which of its attributes are used.",
    advice: "write `module.name` where you use it; rename with `import module as name`",
    good: "import random as dice\nprint(dice.random())",
    bad: "import random\ndice = random\nprint(dice.random())",
};

/// A name bound to a module and to something else.
pub const MODULE_REBOUND: Rule = Rule {
    id: "module-rebound",
    verdict: Reject,
    reason: "A module's name must mean that module everywhere in the file.",
    advice: "rename the other one",
    good: "import time\nseconds = time.monotonic()\nprint(seconds)",
    bad: "import time\ntime = time.monotonic()\nprint(time)",
};

/// An attribute of an imported object that is assigned or deleted.
pub const PATCHED_IMPORT: Rule = Rule {
    id: "patched-import",
    verdict: Reject,
    reason: "A tool must not change what it imported: the same names would mean something else.",
    advice: "keep your own value under your own name",
    good: "import math\nhalf_turn = math.pi\nprint(half_turn)",
    bad: "import math\nmath.pi = 3\nprint(n)",
};

/// `x.__y__`.
pub const DUNDER_ATTRIBUTE: Rule = Rule {
    id: "dunder-attribute",
    verdict: Reject,
    reason: "`__class__`, `__globals__` and similar attributes lead to every object of the interpreter.",
    advice: "use the public interface: `type(x)`, `super().__init__()` and `x.__name__` are fine",
    good: "print(type(n).__name__)",
    bad: "print(n.__class__)",
};

/// `x._y`.
pub const PRIVATE_ATTRIBUTE: Rule = Rule {
    id: "private-attribute",
    verdict: Reject,
    reason: "Private attributes of libraries contain modules and internals.",
    advice: "use the public interface; `self._x` is fine where your own class defines it",
    good: "class Counter:\n    \"\"\"Counts.\"\"\"\n\n    def __init__(self) -> None:\n        self._count = 0\n\n\ndef example(n: int = 1) -> int:\n    \"\"\"Count.\"\"\"\n    Counter()\n    return n",
    bad: "import random\ngenerator = random.Random(n)\nprint(generator._randbelow(3))",
};

/// Frames, code objects, tracebacks, and internals of generators.
pub const INTERPRETER_ATTRIBUTE: Rule = Rule {
    id: "interpreter-attribute",
    verdict: Reject,
    reason: "Frames and code objects lead to the globals of every function.",
    advice: "do not use the interpreter's internals",
    good: "steps = (i for i in range(n))\nprint(next(steps))",
    bad: "steps = (i for i in range(n))\nprint(steps.gi_frame)",
};

/// Attributes that write files, forge memory or control the event loop.
pub const UNSAFE_ATTRIBUTE: Rule = Rule {
    id: "unsafe-attribute",
    verdict: Reject,
    reason: "Some attributes of arrays write files or access raw memory; some of the event loop start processes.",
    advice: "return the data instead; use numpy's functions (`np.resize`) instead of methods on raw memory",
    good: "import numpy as np\nprint(np.zeros(3).tolist())",
    bad: "import numpy as np\nnp.zeros(3).tofile('x')",
};

/// The names `__builtins__`, `__file__` and others of this kind.
pub const DUNDER_NAME: Rule = Rule {
    id: "dunder-name",
    verdict: Reject,
    reason: "Names with two underscores belong to the interpreter.",
    advice: "choose a name without leading double underscores; only `__name__` may be read",
    good: "print(__name__)",
    bad: "print(__builtins__)",
};

/// Any use of `exec`, `open`, `getattr` and others of this kind.
pub const FORBIDDEN_BUILTIN: Rule = Rule {
    id: "forbidden-builtin",
    verdict: Reject,
    reason: "These run text as code, open files, wait for a keyboard, or access attributes by computed names.",
    advice: "write the operation directly; using this name for something of your own is rejected too",
    good: "actions = {'nod': abs}\nprint(actions['nod'](n))",
    bad: "print(list(map(eval, ['1'])))",
};

/// A builtin's name that is rebound.
pub const BUILTIN_REBOUND: Rule = Rule {
    id: "builtin-rebound",
    verdict: Reject,
    reason: "`print` and `self` must have their usual meaning for every reader.",
    advice: "choose another name, such as `maximum` or `max_`",
    good: "maximum = n\nprint(maximum)",
    bad: "max = n\nprint(max)",
};

/// `type` as a value, or anything made from it.
pub const CLASS_BY_TYPE: Rule = Rule {
    id: "class-by-type",
    verdict: Reject,
    reason: "A class made by `type`, or by the class of a class, has members that are not visible in the source.",
    advice: "write `class`; `type(x).__name__`, `type(x) is int` and `f'{type(x)}'` are fine",
    good: "print(type(n) is int)",
    bad: "print(type('Thing', (), {}))",
};

/// A metaclass, or another keyword of a class.
pub const CLASS_KEYWORD: Rule = Rule {
    id: "class-keyword",
    verdict: Reject,
    reason: "A metaclass runs code when a class is only defined.",
    advice: "leave the keyword out; `total=` of a TypedDict is fine",
    good: "class Step:\n    \"\"\"A step.\"\"\"\nprint(Step())",
    bad: "class Step(metaclass=int):\n    \"\"\"A step.\"\"\"\nprint(n)",
};

/// A special method that is not on the list.
pub const MAGIC_METHOD: Rule = Rule {
    id: "magic-method",
    verdict: Reject,
    reason: "Some special methods run implicitly: on definition, on lookup, on deletion.",
    advice: "use an ordinary method; `__init__`, `__post_init__`, `__enter__`, `__call__` and operators are fine",
    good: "class Step:\n    \"\"\"A step.\"\"\"\n    def __len__(self) -> int:\n        return 1\nprint(len(Step()))",
    bad: "class Step:\n    \"\"\"A step.\"\"\"\n    def __getattr__(self, name: str) -> int:\n        return 1\nprint(Step())",
};

/// A decorator that is not on the list.
pub const UNLISTED_DECORATOR: Rule = Rule {
    id: "unlisted-decorator",
    verdict: Reject,
    reason: "A decorator runs when the tool is loaded and may replace what it decorates.",
    advice: "call the function explicitly; dataclass, property, staticmethod, classmethod, contextmanager, cache, \
             lru_cache and `wraps(f)` are fine",
    good: "from functools import cache\n@cache\ndef double(x: int) -> int:\n    return 2 * x\nprint(double(n))",
    bad: "def twice(f: object) -> object:\n    return f\n@twice\ndef double(x: int) -> int:\n    return 2 * x\nprint(n)",
};

/// A `.format` call that could access attributes.
pub const FORMAT_STRING: Rule = Rule {
    id: "format-string",
    verdict: Reject,
    reason: "A format string can access attributes and items by their names: `'{0.__class__}'`.",
    advice: "use an f-string; `.format` is fine on a literal with plain fields",
    good: "print('{} {:.2f}'.format(n, 1.0))",
    bad: "print('{0.real}'.format(n))",
};

/// A name that is harmless only in certain positions.
pub const RESTRICTED_USE: Rule = Rule {
    id: "restricted-use",
    verdict: Reject,
    reason: "An enumeration, a TypedDict, a data class or an `np.ndarray` made by a call takes names and memory from data; \
             so each of these names is allowed in one position.",
    advice: "enumerations and TypedDict: `class Name(...)`; dataclass and cached_property: `@` above a definition; \
             `field(...)`: a field's value in its class; np.ndarray: a type in annotations and as an argument of isinstance",
    good: "from enum import Enum\nclass Side(Enum):\n    LEFT = 1\nprint(Side(1))",
    bad: "from enum import Enum\nprint(Enum('Side', {'LEFT': 1}))",
};
