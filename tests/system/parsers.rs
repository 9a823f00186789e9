//! The two Python parsers agree: the policy reads the same syntax tree as CPython.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minismith_analysis::draft::{Draft, MAX_BYTES};
use minismith_analysis::policy::facts_of;
use minismith_protocol::{GuestMessage, HostReply, Job, Limits, SyntaxFacts};
use minismith_toolchain::guest::Guest;

use crate::guest::context::host;

/// Returns the Python files of a folder.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "py")).collect();
    paths.sort();
    let read = |path: PathBuf| Some((path.clone(), std::fs::read_to_string(path).ok()?));
    paths.into_iter().filter_map(read).collect()
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the standard library of the guests' interpreter.
fn standard_library() -> PathBuf {
    let venv = std::fs::read_to_string(workspace().join(".venv/pyvenv.cfg")).unwrap();
    let home = venv.lines().find_map(|line| line.strip_prefix("home = ")).unwrap();
    let lib = Path::new(home).parent().unwrap().join("lib");
    let mut versions: Vec<PathBuf> =
        std::fs::read_dir(lib).unwrap().map(|entry| entry.unwrap().path()).collect();
    versions.retain(|path| path.join("bisect.py").is_file());
    versions.pop().unwrap()
}

/// Returns CPython's findings in several texts, passed as the modules of one job.
fn seen_by_python(texts: &[String]) -> Vec<Result<SyntaxFacts, String>> {
    let limits = Limits { turn_seconds: 60.0, wall_seconds: 120.0, cpu_seconds: 60, ..Limits::default() };
    let mut guest = host().fork(limits).unwrap();
    let modules: BTreeMap<String, String> =
        texts.iter().enumerate().map(|(at, text)| (format!("m{at:04}"), text.clone())).collect();
    let job = Job { module: "a".into(), modules, limits, ..Job::default() };
    match guest.turn(&HostReply::Start { job: Box::new(job) }, None).unwrap() {
        GuestMessage::Parsed { facts: Ok(facts) } => {
            facts.into_iter().filter(|(name, _)| name != "a").map(|(_, facts)| Ok(facts)).collect()
        }
        GuestMessage::Parsed { facts: Err(complaint) } => vec![Err(complaint)],
        other => panic!("{other:?}"),
    }
}

/// Returns the policy's findings, computed on a stack of a set size.
fn seen_by_policy(text: &str) -> Option<SyntaxFacts> {
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(32 << 20);
        reader.spawn_scoped(scope, || facts_of(text)).unwrap().join().unwrap()
    })
}

#[test]
fn parsers_agree_on_tools_and_the_standard_library() {
    let mut all = sources(&workspace().join("tests/cases/good"));
    let tools = all.len();
    let corpus = workspace().join("../shared/corpus/benign");
    if corpus.is_dir() {
        all.extend(sources(&corpus));
    } else {
        println!("skipped: there is no {}", corpus.display());
    }
    all.extend(sources(&standard_library()));
    // A text that is no draft (too long, or in another encoding) reaches neither parser.
    all.retain(|(_, source)| source.len() <= MAX_BYTES && Draft::read("text", source.as_bytes()).is_ok());
    assert!(tools > 10 && all.len() > 100 + tools, "{} texts", all.len());
    for several in all.chunks(40) {
        let texts: Vec<String> = several.iter().map(|(_, source)| source.clone()).collect();
        for ((path, source), seen) in several.iter().zip(seen_by_python(&texts)) {
            let vetted = seen_by_policy(source).expect("a text that the policy's parser reads");
            assert_eq!(Ok(vetted), seen, "{}", path.display());
        }
    }
}

#[test]
fn parsers_agree_on_the_hash_of_every_node_kind() {
    let source = include_str!("../cases/grammar.txt");
    let vetted = seen_by_policy(source).unwrap();
    assert_eq!(seen_by_python(&[source.to_owned()]), [Ok(vetted)]);
}

/// Texts that differ in one detail outside names, imports, attributes and calls.
#[test]
fn tree_hash_changes_when_only_structure_differs() {
    let pairs = [
        ("a = b + c", "a = b - c"),
        ("a = b - c", "a = c - b"),
        ("a = 1", "a = 2"),
        ("a = 1", "a = 1.0"),
        ("a = 'b'", "a = b'b'"),
        ("a = 'b'", "a = 'c'"),
        ("a < b", "a <= b"),
        ("a and b", "a or b"),
        ("not a", "-a"),
        ("a\nb", "b\na"),
        ("if a:\n    b\n    c", "if a:\n    b\nc"),
        ("a = b = c", "a = c\nb = c"),
        ("f(a, b)", "f(b, a)"),
        ("f(a, *b)", "f(*a, b)"),
        ("f'{a!r}'", "f'{a!s}'"),
        ("f'{a:1}'", "f'{a}1'"),
        ("{a: b}", "{b: a}"),
        ("{a, b}", "[a, b]"),
        ("[a for b in c if d]", "[a for b in d if c]"),
        ("def a(b, /, c): d", "def a(b, c, /): d"),
        ("def a(*, b, c): d", "def a(b, *, c): d"),
        ("for a in b: c\nelse: d", "for a in b: c; d"),
        ("try: a\nfinally: b", "try: a\nexcept: b"),
        ("a[b:c]", "a[b, c]"),
        ("a\nb", "a\n\nb"),
        ("True", "None"),
        ("...", "None"),
        ("match a:\n    case [1]: b", "match a:\n    case 1: b"),
        ("from .a import b", "from a import b"),
    ];
    for (one, other) in pairs {
        let tree = |text: &str| seen_by_policy(text).unwrap().tree;
        assert_ne!(tree(one), tree(other), "{one} | {other}");
    }
    for (one, other) in
        [("a = 'b' 'c'", "a = 'bc'"), ("a = f'b' f'{c}'", "a = f'b{c}'"), ("a = (b)", "a = b")]
    {
        let tree = |text: &str| seen_by_policy(text).unwrap().tree;
        assert_eq!(tree(one), tree(other), "{one} | {other}");
    }
}

/// A source that only the policy's parser accepts is rejected: the host reports an error.
#[test]
fn source_is_rejected_when_only_one_parser_accepts_it() {
    for text in ["f() = 1", "None = 1", "a + b += 1", "f(x for x in y, 1)", "return 1", "x = *a"] {
        assert!(seen_by_policy(text).is_some(), "{text}");
        let seen = seen_by_python(&[text.to_owned()]);
        assert!(
            matches!(seen.as_slice(), [Err(complaint)] if complaint.starts_with("SyntaxError")),
            "{seen:?}"
        );
    }
    for text in ["x.\u{fb01} = 1", "x = '\\ud800'", "x = f'{a:\\x41}'"] {
        let seen = seen_by_python(&[text.to_owned()]);
        assert_ne!(seen, [Ok(seen_by_policy(text).unwrap())], "{text}");
    }
}
