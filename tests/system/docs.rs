//! The documentation, run: every command block of `README.md` and `docs/*.md` that needs no hardware prints what the
//! page shows.
//!
//! # Blocks
//!
//! The first word of a fenced block says what it is. Any other word is a defect.
//!
//! | block | meaning |
//! | --- | --- |
//! | `console` | Commands and their output. The test runs them. |
//! | `sh no-run: REASON` | Commands that are only shown: they need hardware, a long installation, or never end. |
//! | `python file=NAME`, `yaml file=NAME`, `json file=NAME`, `text file=NAME` | A file. The test writes it into the page's folder. |
//! | `yaml` | A part of `config.yaml`. The program must accept it. |
//! | `python no-run: REASON`, `json`, `text` | Shown only. |
//!
//! # Commands and output
//!
//! In a `console` block, a line that begins with `$ ` is a command. It continues on the next line while it ends in a
//! backslash. The lines below it are what it prints to standard output and standard error. All commands of a block run
//! in one shell, and all blocks of a page in one folder, from top to bottom. The folder has the tools that come with the
//! program and nothing else. What a block starts with `&` ends with the block.
//!
//! In the output:
//!
//! * `...` on a line of its own stands for one or more lines.
//! * ` ...` at the end of a line stands for the rest of that line.
//! * `~0.4` stands for a number from half to twice that value, `-~5` for its negative.
//! * `<id>`, or any lower-case word in angle brackets, stands for text without spaces.
//!
//! Each command needs at least one line with text of its own: output that would match anything is a defect.
//!
//! # Words after `console`
//!
//! * `server`: a server runs on the simulated robot while the rest of the page is run. The page says
//!   `127.0.0.1:8000`; the test takes a free port and replaces the address both ways. Where the block begins with
//!   `minismith serve ...`, the server gets those options, and its first line is compared.
//! * `robot`: emulated servos run at `/dev/ttyACM0`, which the test replaces by a pseudo-terminal.
//! * `exit=N`: the last command exits with this code; without it, every command exits with 0.
//! * `needs=PATH`: the block runs only where the workspace has this path, such as `.cache/models`, which is linked
//!   into the page's folder. `needs=NAME` without a slash or dot names a program. The test says when it skips a block.

mod block;
mod expect;
mod links;
mod page;
mod reference;
mod session;

use std::collections::BTreeSet;
use std::fs;

use block::Kind;
use minismith_tests::workspace;
use page::Page;

macro_rules! pages {
    ($($test:ident: $path:literal),* $(,)?) => {
        const PAGES: &[&str] = &[$($path),*];
        $(
            #[test]
            fn $test() {
                session::run(&Page::read($path));
            }
        )*
    };
}

pages! {
    readme: "README.md",
    install: "docs/install.md",
    building: "docs/building.md",
    commands: "docs/commands.md",
    voice: "docs/voice.md",
    dashboard: "docs/dashboard.md",
    tools: "docs/tools.md",
    predefined_tools: "docs/predefined-tools.md",
    motion: "docs/motion.md",
    editors: "docs/editors.md",
    first_day: "docs/first-day.md",
    real_robot: "docs/real-robot.md",
    official_api: "docs/official-api.md",
    apps: "docs/apps.md",
    beside_the_official_software: "docs/beside-the-official-software.md",
    fleet: "docs/fleet.md",
    http_api: "docs/http-api.md",
    mcp_and_openai: "docs/mcp-and-openai.md",
    language_models: "docs/language-models.md",
    languages: "docs/languages.md",
    files: "docs/files.md",
    vision: "docs/vision.md",
    recordings: "docs/recordings.md",
    safety: "docs/safety.md",
    remote_access: "docs/remote-access.md",
    configuration: "docs/configuration.md",
    cli: "docs/cli.md",
    benchmarks: "docs/benchmarks.md",
    troubleshooting: "docs/troubleshooting.md",
    glossary: "docs/glossary.md",
}

/// Pages for contributors. Their links and tags are checked, but their blocks do not run.
const UNRUN: &[&str] = &["CONTRIBUTING.md", "SECURITY.md"];

#[test]
fn every_page_has_a_test() {
    let folder = fs::read_dir(workspace().join("docs")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut found: BTreeSet<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    found.insert("README.md".to_owned());
    assert_eq!(found, PAGES.iter().map(|path| (*path).to_owned()).collect());

    let pages: Vec<Page> = PAGES.iter().map(|path| Page::read(path)).collect();
    let count = |kind: fn(&Kind) -> bool| -> usize {
        pages.iter().flat_map(|page| &page.blocks).filter(|block| kind(&block.kind)).count()
    };
    let run = count(|kind| matches!(kind, Kind::Console(options) if options.lacking().is_none()));
    let skipped = count(|kind| matches!(kind, Kind::Console(options) if options.lacking().is_some()));
    println!(
        "{} pages: {run} command blocks are run, {skipped} skipped for what is not installed here, {} only shown, \
         {} configurations read",
        pages.len(),
        count(|kind| matches!(kind, Kind::NoRun(_))),
        count(|kind| matches!(kind, Kind::Configuration)),
    );
    assert!(run > pages.len(), "{run} blocks are run");
}

#[test]
fn pages_open_with_a_command_that_runs() {
    for page in PAGES.iter().filter(|path| path.starts_with("docs/")).map(|path| Page::read(path)) {
        let section =
            page.headings.iter().find(|heading| heading.level > 1).map_or(usize::MAX, |found| found.line);
        let first = page.blocks.first().filter(|block| block.line < section);
        let runs = first.is_some_and(|block| matches!(block.kind, Kind::Console(_)));
        assert!(runs, "{} does not begin with a command that the test runs", page.path);
    }
}

#[test]
fn blocks_are_tagged_as_described() {
    let defects: Vec<String> =
        PAGES.iter().chain(UNRUN).map(|path| Page::read(path)).flat_map(|page| page.defects()).collect();
    assert!(defects.is_empty(), "{}", defects.join("\n"));
}

#[test]
fn readme_fits_its_size() {
    let readme = Page::read("README.md");
    let lines = readme.text.lines().count();
    assert!(lines <= 150, "README.md has {lines} lines, at most 150 are allowed");
    for table in &readme.tables {
        assert!(
            table.columns <= 2,
            "README.md:{}: a table of {} columns, at most 2",
            table.line,
            table.columns
        );
    }
}

#[test]
fn links_resolve() {
    let pages: Vec<Page> =
        PAGES.iter().chain(UNRUN).chain(&["ARCHITECTURE.md"]).map(|path| Page::read(path)).collect();
    let dead = links::dead(&pages);
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn named_sources_exist() {
    let pages: Vec<Page> = PAGES.iter().chain(UNRUN).map(|path| Page::read(path)).collect();
    let missing = links::missing_sources(&pages);
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn command_line_page_names_every_command_and_flag() {
    let wrong = reference::command_line(&Page::read("docs/cli.md"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn configuration_page_names_every_key_and_default() {
    let wrong = reference::configuration(&Page::read("docs/configuration.md"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn predefined_tools_page_names_every_tool_and_parameter() {
    let wrong = reference::predefined_tools(&Page::read("docs/predefined-tools.md"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
