//! The allow-lists of the motion profile: the modules that a tool may import, and the names that it may use
//! from them.
//!
//! A listed name computes on plain data. The lists exclude:
//!
//! * files (`np.load`, `json.dump`), processes and sockets (`asyncio.create_subprocess_exec`);
//! * text that becomes code (`typing.get_type_hints`, `dataclasses.make_dataclass`);
//! * attributes by computed names (`operator.attrgetter`, `string.Formatter`, `functools.update_wrapper`,
//!   and `dataclasses.fields`, whose names can be changed);
//! * raw memory (`np.ctypeslib`, `np.frombuffer`);
//! * everything that does not follow the clock or seed of the execution context (`time.clock_gettime`,
//!   `random.SystemRandom`).

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::science_imports;

/// One module and its permitted public names, separated by spaces.
#[derive(Clone, Copy)]
struct Module {
    path: &'static str,
    names: &'static str,
}

/// The modules of the standard library, of numpy and of the robot; those of scipy and OpenCV are in [`science_imports`].
const MODULES: &[Module] = &[
    Module { path: "__future__", names: "annotations" },
    Module { path: "abc", names: "ABC abstractmethod" },
    Module {
        path: "asyncio",
        names: "ALL_COMPLETED Barrier BoundedSemaphore CancelledError Condition Event FIRST_COMPLETED FIRST_EXCEPTION \
                Future InvalidStateError LifoQueue Lock PriorityQueue Queue QueueEmpty QueueFull Semaphore Task \
                TaskGroup TimeoutError as_completed create_task current_task ensure_future gather get_event_loop get_running_loop \
                iscoroutine iscoroutinefunction run shield sleep timeout timeout_at wait wait_for",
    },
    Module { path: "bisect", names: "bisect bisect_left bisect_right insort insort_left insort_right" },
    Module {
        path: "calendar",
        names: "day_abbr day_name isleap leapdays month_abbr month_name monthcalendar monthrange timegm weekday",
    },
    Module {
        path: "cmath",
        names: "acos acosh asin asinh atan atanh cos cosh e exp inf isclose isfinite isinf isnan log log10 nan phase pi \
                polar rect sin sinh sqrt tan tanh tau",
    },
    Module {
        path: "collections",
        names: "ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque namedtuple",
    },
    Module {
        path: "collections.abc",
        names: "AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable Collection Container Coroutine Generator \
                Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence \
                MutableSet Reversible Sequence Set Sized ValuesView",
    },
    Module {
        path: "contextlib",
        names: "AbstractAsyncContextManager AbstractContextManager AsyncExitStack ContextDecorator ExitStack aclosing \
                asynccontextmanager closing contextmanager nullcontext suppress",
    },
    Module { path: "colorsys", names: "hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb" },
    Module { path: "copy", names: "copy deepcopy" },
    Module {
        path: "dataclasses",
        names: "FrozenInstanceError InitVar KW_ONLY asdict astuple dataclass field is_dataclass replace",
    },
    Module { path: "datetime", names: "MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo" },
    Module {
        path: "decimal",
        names: "Decimal DivisionByZero InvalidOperation ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN \
                ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP getcontext localcontext",
    },
    Module {
        path: "enum",
        names: "CONFORM CONTINUOUS EJECT Enum Flag IntEnum IntFlag KEEP NAMED_FLAGS STRICT StrEnum UNIQUE auto member \
                nonmember unique verify",
    },
    Module { path: "fractions", names: "Fraction" },
    Module {
        path: "functools",
        names: "cache cached_property cmp_to_key lru_cache partial reduce total_ordering wraps",
    },
    Module {
        path: "heapq",
        names: "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    },
    Module {
        path: "itertools",
        names: "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse \
                groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest",
    },
    Module { path: "json", names: "JSONDecodeError dumps loads" },
    Module {
        path: "math",
        names: "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 \
                expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm \
                ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt \
                tan tanh tau trunc ulp",
    },
    Module { path: "minismith", names: "InputFile OutputFiles exec_function" },
    Module {
        path: "motion",
        names: "Event Ramp Step antennas as_long_as body clap face head neutral otherwise perform photo play ramp repeat sequence sound thing \
                tilted together touch until voice wait when whenever",
    },
    Module { path: "numbers", names: "Complex Integral Number Rational Real" },
    Module {
        path: "numpy",
        names: "abs absolute add all allclose amax amin angle any append apply_along_axis apply_over_axes arange arccos \
                arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array \
                array2string array_equal array_equiv array_repr array_split array_str asanyarray asarray \
                ascontiguousarray astype atleast_1d atleast_2d atleast_3d average bincount bitwise_and bitwise_not \
                bitwise_or bitwise_xor block bool bool_ broadcast_arrays broadcast_shapes broadcast_to c_ cbrt ceil choose \
                clip column_stack complex128 complex64 compress concatenate conj conjugate convolve copy copysign \
                corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum deg2rad degrees delete diag diagflat \
                diagonal diff digitize divide divmod dot double dsplit dstack dtype e ediff1d einsum empty empty_like \
                equal errstate exp exp2 expand_dims expm1 extract eye fabs fill_diagonal finfo flatnonzero flip fliplr \
                flipud float16 float32 float64 float_power floating floor floor_divide fmax fmin fmod frexp fromfunction \
                fromiter full full_like gcd generic geomspace gradient greater greater_equal hamming hanning heaviside \
                histogram histogram2d hsplit hstack hypot identity iinfo imag indices inf inner insert int16 int32 int64 \
                int8 int_ integer interp intersect1d invert isclose iscomplex iscomplexobj isfinite isin isinf isnan \
                isneginf isposinf isreal isrealobj isscalar issubdtype ix_ kron lcm ldexp left_shift less less_equal \
                lexsort linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or \
                logical_xor logspace matmul max maximum mean median meshgrid mgrid min minimum mod modf moveaxis \
                multiply nan nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin \
                nanpercentile nanprod nanquantile nanstd nansum nanvar ndarray ndenumerate ndim ndindex negative newaxis \
                nextafter nonzero not_equal number ogrid ones ones_like outer pad partition percentile pi piecewise place \
                poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval positive pow power prod \
                promote_types ptp put put_along_axis putmask quantile r_ rad2deg radians ravel ravel_multi_index real \
                real_if_close reciprocal remainder repeat reshape resize result_type right_shift rint roll rollaxis roots \
                rot90 round row_stack searchsorted select setdiff1d setxor1d shape sign signbit signedinteger sin sinc \
                single sinh size sort split sqrt square squeeze stack std str_ subtract sum swapaxes take \
                take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril tril_indices triu triu_indices \
                true_divide trunc uint16 uint32 uint64 uint8 union1d unique unravel_index unsignedinteger unwrap vander \
                var vdot vectorize vsplit vstack where zeros zeros_like",
    },
    Module {
        path: "numpy.fft",
        names: "fft fft2 fftfreq fftn fftshift ifft ifft2 ifftn ifftshift irfft rfft rfftfreq",
    },
    Module {
        path: "numpy.linalg",
        names: "LinAlgError cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm \
                matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals \
                tensordot tensorinv tensorsolve trace vecdot vector_norm",
    },
    Module {
        path: "numpy.random",
        names: "Generator RandomState SeedSequence beta binomial choice default_rng dirichlet exponential gamma geometric \
                gumbel laplace logistic lognormal multinomial multivariate_normal normal pareto permutation poisson \
                power rand randint randn random random_sample ranf rayleigh sample seed shuffle standard_normal \
                triangular uniform vonmises weibull",
    },
    Module { path: "numpy.typing", names: "ArrayLike DTypeLike NDArray" },
    Module {
        path: "operator",
        names: "abs add and_ concat contains countOf delitem eq floordiv ge getitem gt index indexOf inv invert is_ \
                is_not itemgetter le lshift lt matmul mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth \
                xor",
    },
    Module {
        path: "random",
        names: "Random betavariate choice choices expovariate gammavariate gauss getrandbits lognormvariate \
                normalvariate paretovariate randbytes randint random randrange sample seed shuffle triangular uniform \
                vonmisesvariate weibullvariate",
    },
    Module {
        path: "re",
        names: "A ASCII DOTALL I IGNORECASE M MULTILINE Match NOFLAG Pattern RegexFlag S U UNICODE VERBOSE X compile \
                error escape findall finditer fullmatch match search split sub subn",
    },
    Module { path: "reachy_mini", names: "ReachyMini" },
    Module { path: "reachy_mini.motion", names: "" },
    Module { path: "reachy_mini.motion.move", names: "Move" },
    Module { path: "reachy_mini.reachy_mini", names: "ReachyMini" },
    Module { path: "reachy_mini.utils", names: "create_head_pose" },
    Module {
        path: "reachy_mini.utils.interpolation",
        names: "InterpolationTechnique minimum_jerk time_trajectory",
    },
    Module {
        path: "statistics",
        names: "NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean linear_regression \
                mean median median_grouped median_high median_low mode multimode pstdev pvariance quantiles stdev \
                variance",
    },
    Module {
        path: "string",
        names: "Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable \
                punctuation whitespace",
    },
    Module { path: "textwrap", names: "dedent fill indent shorten wrap" },
    Module {
        path: "time",
        names: "ctime gmtime localtime monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns \
                sleep strftime time time_ns",
    },
    Module {
        path: "typing",
        names: "AbstractSet Annotated Any AnyStr AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable ClassVar \
                Collection Container Counter Coroutine DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable \
                ItemsView Iterable Iterator KeysView List Literal LiteralString Mapping Match MutableMapping \
                MutableSequence MutableSet NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict ParamSpec \
                Pattern Protocol Required Reversible Self Sequence Set Sized SupportsFloat SupportsInt Text \
                Tuple Type TypeAlias TypeGuard TypeVar TypedDict Union ValuesView assert_never cast final overload \
                runtime_checkable",
    },
];

/// Modules whose calls depend on time or have side effects; constants must not call them.
const IMPURE: &[&str] = &["abc", "asyncio", "contextlib", "numpy.random", "random", "time"];

/// Builtins that only compute; a tool may call them while it loads.
const PURE_BUILTINS: &str = "abs all any bool bytes chr complex dict divmod enumerate float frozenset int len list map max \
                             min object ord pow property range reversed round set slice sorted str sum tuple zip";

/// Returns whether a tool may call this builtin while it loads.
pub(super) fn is_pure_builtin(name: &str) -> bool {
    PURE_BUILTINS.split(' ').any(|pure| pure == name)
}

/// The lists as hash tables, because every check looks up every name.
static NAMES: LazyLock<HashMap<&str, HashSet<&str>>> =
    LazyLock::new(|| all().map(|module| (module.path, module.names.split_whitespace().collect())).collect());

/// Returns every module that a tool may import.
fn all() -> impl Iterator<Item = Module> {
    let science = science_imports::MODULES.iter().map(|(path, names)| Module { path, names });
    MODULES.iter().copied().chain(science)
}

/// Returns whether a tool may import the module.
pub(super) fn is_module(path: &str) -> bool {
    NAMES.contains_key(path)
}

/// Returns the module `path.name`, if a tool may import it.
pub(super) fn below(path: &str, name: &str) -> Option<&'static str> {
    let length = path.len() + 1 + name.len();
    let mut modules = all().map(|module| module.path).filter(|below| below.len() == length);
    modules.find(|below| below.strip_prefix(path).and_then(|rest| rest.strip_prefix('.')) == Some(name))
}

/// Returns whether a tool may use `name` from the module.
pub(super) fn allows(path: &str, name: &str) -> bool {
    NAMES.get(path).is_some_and(|names| names.contains(name))
}

/// Returns whether a tool may call this name while it loads.
pub(super) fn is_pure(path: &str, name: &str) -> bool {
    let clock_or_robot = matches!(
        (path, name),
        ("datetime", "datetime" | "date") | ("motion", "perform") | ("reachy_mini", "ReachyMini")
    );
    !IMPURE.contains(&path) && !clock_or_robot
}

/// Returns the package outside the standard library that a module belongs to. The robot's own package is
/// supplied.
pub(super) fn package(path: &str) -> Option<&'static str> {
    let root = path.split('.').next().unwrap_or_default();
    let mut packages = science_imports::PACKAGES.iter().chain(&["numpy"]);
    packages.find(|package| **package == root).copied()
}

/// Returns whether a package belongs to those that only some guests have.
pub(super) fn is_science(package: &str) -> bool {
    science_imports::PACKAGES.contains(&package)
}

/// Returns the listed name (or module, if `path` is empty) that is most similar to `name`.
pub(super) fn resembling(path: &str, name: &str) -> Option<&'static str> {
    let candidates: Vec<&str> = match find(path) {
        Some(module) => module.names.split_whitespace().collect(),
        None => all().map(|module| module.path).collect(),
    };
    nearest(name, candidates)
}

/// Returns the candidate most similar to `name`, if one is similar enough.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Returns the modules and names that a tool may import, for people and models: one module a line.
#[must_use]
pub fn text() -> String {
    all().map(|module| format!("{}: {}\n", module.path, module.names)).collect()
}

/// Returns the path and the permitted names of each module that a tool may import.
pub(super) fn modules() -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    all().map(|module| (module.path, module.names.split_whitespace()))
}

/// Returns the names of the modules that a tool may import, without the modules inside them.
pub(super) fn roots() -> impl Iterator<Item = &'static str> {
    all().filter_map(|module| module.path.split('.').next())
}

fn find(path: &str) -> Option<Module> {
    all().find(|module| module.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_names_are_neither_private_nor_known_leaks() {
        let leaks = [
            ("statistics", "sys"),
            ("enum", "bltns"),
            ("contextlib", "os"),
            ("dataclasses", "inspect"),
            ("dataclasses", "make_dataclass"),
            ("dataclasses", "fields"),
            ("operator", "attrgetter"),
            ("operator", "methodcaller"),
            ("string", "Formatter"),
            ("typing", "get_type_hints"),
            ("functools", "update_wrapper"),
            ("numpy", "load"),
            ("numpy", "lib"),
            ("numpy", "ctypeslib"),
            ("asyncio", "create_subprocess_exec"),
            ("time", "clock_settime"),
            ("cv2", "imread"),
            ("cv2", "imwrite"),
            ("cv2", "VideoCapture"),
            ("cv2", "FileStorage"),
            ("cv2", "dnn"),
            ("cv2", "os"),
            ("scipy", "io"),
            ("scipy", "LowLevelCallable"),
            ("scipy.optimize", "differential_evolution"),
        ];
        for (path, name) in leaks {
            assert!(is_module(path) && !allows(path, name), "{path}.{name}");
        }
        for module in all() {
            assert!(module.names.split_whitespace().all(|name| !name.starts_with('_')), "{}", module.path);
        }
        assert!(!is_module("os") && !is_module("asyncio.base_events") && !is_module(""));
    }

    #[test]
    fn misspelt_names_get_a_suggestion() {
        assert_eq!(resembling("math", "radian"), Some("radians"));
        assert_eq!(resembling("", "nunpy"), Some("numpy"));
        assert_eq!(resembling("", "subprocess"), None);
    }
}
