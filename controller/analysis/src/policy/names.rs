//! The names that the rules refer to, as data: lists separated by spaces.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A set of names; the checks look up every name of a source.
pub(super) struct List {
    text: &'static str,
    names: LazyLock<HashSet<&'static str>>,
}

/// Creates the list from the names in a text.
macro_rules! list {
    ($text:literal) => {
        List { text: $text, names: LazyLock::new(|| $text.split_whitespace().collect()) }
    };
}

/// Returns every list as text, for the digest.
pub(super) fn text() -> String {
    let lists = [
        &FORBIDDEN_BUILTINS,
        &BUILTINS,
        &CLASSES,
        &INTERPRETER_ATTRIBUTES,
        &UNSAFE_ATTRIBUTES,
        &MAGIC_METHODS,
        &PUBLIC_UNDERSCORES,
    ]
    .map(|list| list.text);
    format!("{}\n{DECORATORS:?}\n", lists.join("\n"))
}

/// Returns every builtin.
pub(super) fn builtins() -> impl Iterator<Item = &'static str> {
    [&FORBIDDEN_BUILTINS, &BUILTINS].into_iter().flat_map(|list| list.text.split_whitespace())
}

/// Returns whether `name` is on `list`.
pub(super) fn listed(list: &List, name: &str) -> bool {
    list.names.contains(name)
}

/// Builtins that run text as code, open files, wait for a keyboard, end the interpreter, or access
/// attributes by computed names.
pub(super) static FORBIDDEN_BUILTINS: List = list!(
    "\
    breakpoint compile copyright credits delattr dir eval exec exit getattr globals help input license \
    locals memoryview open quit setattr vars"
);

/// The other builtins; a tool must not rebind them.
pub(super) static BUILTINS: List = list!(
    "\
    Exception abs aiter all anext any ascii bin bool bytearray bytes callable chr classmethod complex dict \
    divmod enumerate filter float format frozenset hasattr hash hex id int isinstance issubclass iter len \
    list map max min next object oct ord pow print property range repr reversed round set slice sorted \
    staticmethod str sum super tuple type zip"
);

/// Builtin classes that compare as classes do, and whose square brackets only record their contents.
pub(super) static CLASSES: List = list!(
    "\
    bool bytearray bytes complex dict float frozenset int list range set slice str tuple"
);

/// Attributes of frames, code objects, tracebacks, generators, coroutines and tasks.
pub(super) static INTERPRETER_ATTRIBUTES: List = list!(
    "\
    ag_await ag_code ag_frame co_code co_consts co_names cr_await cr_code cr_frame cr_origin f_back \
    f_builtins f_code f_globals f_locals f_trace func_code func_globals get_coro get_stack gi_code gi_frame \
    gi_yieldfrom im_func im_self mro obj print_stack tb_frame tb_next"
);

/// Attributes of arrays that write files or access raw memory, and of event loops that affect more than the
/// tool.
pub(super) static UNSAFE_ATTRIBUTES: List = list!(
    "\
    add_reader add_signal_handler add_writer attrname bit_generator call_soon_threadsafe cffi connect_accepted_socket \
    connect_read_pipe connect_write_pipe create_connection create_datagram_endpoint create_server \
    create_unix_connection create_unix_server ctypes dump getaddrinfo getfield getnameinfo resize \
    run_in_executor sendfile set_default_executor set_exception_handler set_state set_task_factory setfield setflags \
    start_tls subprocess_exec subprocess_shell tofile"
);

/// Special methods that a class may define, in addition to the operators.
pub(super) static MAGIC_METHODS: List = list!(
    "\
    __abs__ __add__ __aenter__ __aexit__ __aiter__ __and__ __anext__ __bool__ __call__ __contains__ \
    __enter__ __eq__ __exit__ __float__ __floordiv__ __ge__ __getitem__ __gt__ __hash__ __iadd__ __init__ \
    __int__ __invert__ __isub__ __iter__ __le__ __len__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ \
    __next__ __or__ __pos__ __post_init__ __pow__ __radd__ __repr__ __reversed__ __rmul__ __rsub__ \
    __rtruediv__ __setitem__ __str__ __sub__ __truediv__ __xor__"
);

/// Documented methods of named tuples and enum members that start with an underscore.
pub(super) static PUBLIC_UNDERSCORES: List = list!(
    "\
    _asdict _fields _make _replace"
);

/// Permitted decorators as module and name; builtins have no module.
pub(super) const DECORATORS: &[(&str, &str)] = &[
    ("", "classmethod"),
    ("", "property"),
    ("", "staticmethod"),
    ("abc", "abstractmethod"),
    ("contextlib", "asynccontextmanager"),
    ("contextlib", "contextmanager"),
    ("dataclasses", "dataclass"),
    ("enum", "unique"),
    ("enum", "verify"),
    ("functools", "cache"),
    ("functools", "cached_property"),
    ("functools", "lru_cache"),
    ("functools", "total_ordering"),
    ("functools", "wraps"),
    ("typing", "final"),
    ("typing", "overload"),
    ("typing", "runtime_checkable"),
];
