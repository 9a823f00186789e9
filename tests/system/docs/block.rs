//! [`Block`]: one fenced block of a page, and its commands.

use minismith_tests::workspace;

/// What a fenced block is, by its info string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Commands that the test runs.
    Console(Options),
    /// Commands or code that are only shown, and why.
    NoRun(String),
    /// A file that is written into the page's folder.
    File(String),
    /// A part of the configuration.
    Configuration,
    /// Data that is only shown.
    Shown,
    /// An info string that the convention does not have.
    Unknown(String),
}

/// The words after `console`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) server: bool,
    pub(super) robot: bool,
    pub(super) exit: i32,
    pub(super) needs: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The line of the opening fence, from 1.
    pub(super) line: usize,
}

/// One command of a block, with the output that the page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) text: String,
    pub(super) expected: Vec<String>,
    /// Its line in the page, from 1.
    pub(super) line: usize,
}

impl Kind {
    pub(super) fn read(info: &str) -> Kind {
        let (language, rest) = info.trim().split_once(' ').unwrap_or((info.trim(), ""));
        let rest = rest.trim();
        let unknown = || Kind::Unknown(info.to_owned());
        if let Some(reason) = rest.strip_prefix("no-run:") {
            return match language {
                "sh" | "python" => Kind::NoRun(reason.trim().to_owned()),
                _ => unknown(),
            };
        }
        match (language, rest.strip_prefix("file=")) {
            ("python" | "yaml" | "json" | "text", Some(name)) => Kind::File(name.to_owned()),
            ("yaml", None) if rest.is_empty() => Kind::Configuration,
            ("json" | "text", None) if rest.is_empty() => Kind::Shown,
            ("console", None) => Options::read(rest).map_or_else(unknown, Kind::Console),
            _ => unknown(),
        }
    }
}

impl Options {
    fn read(words: &str) -> Option<Options> {
        let mut options = Options::default();
        for word in words.split_whitespace() {
            match word.split_once('=') {
                None if word == "server" => options.server = true,
                None if word == "robot" => options.robot = true,
                Some(("exit", code)) => options.exit = code.parse().ok()?,
                Some(("needs", path)) => options.needs.push(path.to_owned()),
                _ => return None,
            }
        }
        Some(options)
    }

    /// Returns a requirement of the block that this machine lacks: a program, or a path of the workspace.
    pub(super) fn lacking(&self) -> Option<&str> {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let there = |need: &&String| match need.contains(['/', '.']) {
            true => workspace().join(need).exists(),
            false => std::env::split_paths(&folders).any(|folder| folder.join(need).is_file()),
        };
        self.needs.iter().find(|need| !there(need)).map(String::as_str)
    }
}

impl Block {
    /// Returns the commands of a `console` block; none of any other.
    pub(super) fn commands(&self) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        if !matches!(self.kind, Kind::Console(_)) {
            return commands;
        }
        let mut continues = false;
        for (offset, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (_, Some(command)) if continues => {
                    command.text.push('\n');
                    command.text.push_str(line);
                }
                (Some(text), _) => {
                    commands.push(Command {
                        text: text.to_owned(),
                        expected: Vec::new(),
                        line: self.line + 1 + offset,
                    });
                }
                (None, Some(command)) => command.expected.push(line.to_owned()),
                (None, None) => panic!("line {}: output before any command", self.line + 1 + offset),
            }
            continues = line.ends_with('\\') && commands.last().is_some_and(|last| last.expected.is_empty());
        }
        for command in &mut commands {
            while command.expected.last().is_some_and(|line| line.trim().is_empty()) {
                command.expected.pop();
            }
        }
        commands
    }
}

#[test]
fn block_reads_info_strings() {
    assert_eq!(Kind::read("sh no-run: needs a robot"), Kind::NoRun("needs a robot".to_owned()));
    assert_eq!(Kind::read("yaml"), Kind::Configuration);
    assert_eq!(Kind::read("python file=wave.py"), Kind::File("wave.py".to_owned()));
    let options = Options { server: true, exit: 1, ..Options::default() };
    assert_eq!(Kind::read("console server exit=1"), Kind::Console(options));
    for unknown in ["sh", "bash", "", "console servers", "console exit=x", "python", "yaml no-run: why"] {
        assert_eq!(Kind::read(unknown), Kind::Unknown(unknown.to_owned()), "{unknown}");
    }
}

#[test]
fn block_splits_commands_and_output() {
    let text = "$ one \\\n  more\nfirst\n\nsecond\n\n$ two\n".to_owned();
    let block = Block { kind: Kind::read("console"), text, line: 10 };
    let expected = |text: &str, lines: &[&str], line| Command {
        text: text.to_owned(),
        expected: lines.iter().map(|line| (*line).to_owned()).collect(),
        line,
    };
    assert_eq!(
        block.commands(),
        [expected("one \\\n  more", &["first", "", "second"], 11), expected("two", &[], 17)]
    );
}
