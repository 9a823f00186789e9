//! [`Page`]: a page of Markdown, with its blocks, headings, links and tables.

use std::collections::BTreeMap;
use std::fs;

use minismith_tests::workspace;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::block::{Block, Kind};
use super::expect;

#[derive(Debug)]
pub(super) struct Page {
    /// From the workspace's folder.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) blocks: Vec<Block>,
    pub(super) headings: Vec<Heading>,
    pub(super) links: Vec<Link>,
    pub(super) tables: Vec<Table>,
    /// Words in code, outside blocks.
    pub(super) codes: Vec<Code>,
}

#[derive(Debug)]
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) text: String,
    pub(super) anchor: String,
    pub(super) line: usize,
}

#[derive(Debug)]
pub(super) struct Link {
    pub(super) to: String,
    pub(super) line: usize,
}

#[derive(Debug)]
pub(super) struct Code {
    pub(super) text: String,
    pub(super) line: usize,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) columns: usize,
    pub(super) line: usize,
}

impl Page {
    pub(super) fn read(path: &str) -> Page {
        let file = workspace().join(path);
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Page::parse(path, text)
    }

    pub(super) fn parse(path: &str, text: String) -> Page {
        let line_at = |offset: usize| text[..offset].matches('\n').count() + 1;
        let (mut blocks, mut headings, mut links, mut tables) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut codes = Vec::new();
        let mut block: Option<Block> = None;
        let mut heading: Option<(usize, String)> = None;
        let mut seen = BTreeMap::new();
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            let line = line_at(range.start);
            if let Event::Code(text) = &event {
                codes.push(Code { text: text.to_string(), line });
            }
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = match &kind {
                        CodeBlockKind::Fenced(info) => info.to_string(),
                        CodeBlockKind::Indented => "an indented block".to_owned(),
                    };
                    block = Some(Block { kind: Kind::read(&info), text: String::new(), line });
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(block.take()),
                Event::Start(Tag::Heading { level, .. }) => heading = Some((level as usize, String::new())),
                Event::End(TagEnd::Heading(_)) => {
                    let Some((level, text)) = heading.take() else { continue };
                    let anchor = anchor(&text, &mut seen);
                    headings.push(Heading { level, text, anchor, line });
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    links.push(Link { to: dest_url.to_string(), line });
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    let sources = html.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
                    links.extend(sources.map(|to| Link { to: to.to_owned(), line }));
                }
                Event::Start(Tag::Table(alignments)) => {
                    tables.push(Table { columns: alignments.len(), line })
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(block) = &mut block {
                        block.text.push_str(&text);
                    }
                    if let Some((_, heading)) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        Page { path: path.to_owned(), text, blocks, headings, links, tables, codes }
    }

    /// Returns violations of the convention, each with its line.
    pub(super) fn defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        for block in &self.blocks {
            let mut defect = |line: usize, text: &str| defects.push(format!("{}:{line}: {text}", self.path));
            match &block.kind {
                Kind::Unknown(info) => defect(block.line, &format!("`{info}` is no kind of block")),
                Kind::NoRun(reason) if reason.len() < 10 => defect(block.line, "`no-run:` without a reason"),
                Kind::Console(_) if block.commands().is_empty() => defect(block.line, "no command"),
                Kind::File(name) if name.contains('/') || name.contains(' ') => {
                    defect(block.line, "a file's name without a folder is needed");
                }
                _ => {}
            }
            for command in block.commands() {
                if let Some(why) = expect::vague(&command.expected) {
                    defect(command.line, why);
                }
            }
        }
        defects
    }

    /// Returns the text from a heading to the next one of its level or above.
    pub(super) fn section(&self, heading: &Heading) -> String {
        let next =
            self.headings.iter().find(|other| other.line > heading.line && other.level <= heading.level);
        let end = next.map_or(usize::MAX, |next| next.line - 1);
        let lines = self.text.lines().enumerate().map(|(at, line)| (at + 1, line));
        let inside = lines.filter(|(at, _)| *at > heading.line && *at <= end);
        inside.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the anchor that forges make of a heading: lower case, spaces as hyphens, other signs left out.
fn anchor(text: &str, seen: &mut BTreeMap<String, usize>) -> String {
    let signs = text.trim().to_lowercase().replace(' ', "-");
    let anchor: String =
        signs.chars().filter(|sign| sign.is_alphanumeric() || "-_".contains(*sign)).collect();
    let times = seen.entry(anchor.clone()).and_modify(|times| *times += 1).or_insert(0);
    if *times == 0 { anchor } else { format!("{anchor}-{times}") }
}

#[test]
fn page_is_split_into_blocks() {
    let text = "# One `two`, three\n\n## Again\n\nA [link](a.md#b).\n\n```sh\nls\n```\n\n## Again\n\n| a | b | c |\n| - | - | - |\n";
    let page = Page::parse("page.md", text.to_owned());
    let anchors: Vec<&str> = page.headings.iter().map(|heading| heading.anchor.as_str()).collect();
    assert_eq!(anchors, ["one-two-three", "again", "again-1"]);
    assert_eq!((page.links[0].to.as_str(), page.links[0].line), ("a.md#b", 5));
    assert_eq!((page.tables[0].columns, page.tables[0].line), (3, 13));
    assert_eq!(page.defects(), ["page.md:7: `sh` is no kind of block"]);
    assert!(
        page.section(&page.headings[1]).contains("link") && !page.section(&page.headings[1]).contains('|')
    );
}
