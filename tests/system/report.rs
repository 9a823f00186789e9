//! A tool's report files: the image of its motion, its page and its recording.

use std::fs;
use std::path::Path;

use minismith_analysis::manifest::ToolManifest;
use minismith_control::recorder::NoRecording;
use minismith_tests::{TestDir, program};
use minismith_toolchain::tool_run::Outcome;
use minismith_toolchain::workshop::attachments::page::{self, Files, Subject};
use minismith_toolchain::workshop::rehearsal::{CaseResult, RehearsalOptions};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

/// A tool that turns so fast that the envelope must clamp it.
const HASTY: &str = r#"from reachy_mini import ReachyMini


def hasty(robot: ReachyMini, degrees: float = 50.0) -> str:
    """Turn the body in haste.

    Args:
        robot: The robot.
        degrees: How far, between -60 and 60.

    Returns:
        What was done.
    """
    robot.goto_target(body_yaw=degrees * 0.017453292519943295, duration=0.3)
    print("one two three")
    return "turned"
"#;

/// Whether the recorder is built. Prints a note if not.
fn has_recorder() -> bool {
    let built = program("minismith").with_file_name("minismith-recorder").is_file();
    if !built {
        println!("skipped in part: there is no minismith-recorder; `make recorder` builds it");
    }
    built
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Returns the elements of an image with this class.
fn of_class<'a>(image: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let words = |node: &Node| node.attribute("class").unwrap_or_default().to_owned();
    image.descendants().filter(|node| words(node).split(' ').any(|word| word == class)).collect()
}

fn title<'a>(node: Node<'a, 'a>) -> &'a str {
    node.children().find(|child| child.has_tag_name("title")).and_then(|title| title.text()).unwrap()
}

/// Returns the degrees of a chart's axis at a height of the image, from two of its ticks.
fn degrees_at(chart: Node, y: f64) -> f64 {
    let ticks: Vec<(f64, f64)> = chart
        .children()
        .filter(|node| node.attribute("text-anchor") == Some("end"))
        .map(|node| {
            let degrees = node.text().unwrap().trim_end_matches('°').parse().unwrap();
            // The baseline of a text is slightly below its tick.
            (node.attribute("y").unwrap().parse::<f64>().unwrap() - 4.0, degrees)
        })
        .collect();
    let (first, last) = (ticks[0], ticks[ticks.len() - 1]);
    first.1 + (y - first.0) * (last.1 - first.1) / (last.0 - first.0)
}

#[test]
fn tool_is_stored_with_its_image_page_and_recording() {
    let bench = TestDir::new();
    let file = bench.write("hasty.py", HASTY);
    let added = bench.run(&["tool", "add", file.to_str().unwrap(), "--json"]).exits(0).json();
    let report = &added["registered"]["report"];
    assert_eq!(report["words"], 3);
    assert!(number(&report["peak_memory_bytes"]) > 1e6, "{report}");
    let shown = bench.run(&["tool", "show", "hasty", "--json"]).exits(0).json();
    let beside = |suffix: &str| {
        let file =
            shown["files"][suffix].as_str().unwrap_or_else(|| panic!("no {suffix}: {}", shown["files"]));
        assert!(file.ends_with(&format!("hasty/v1.{suffix}")), "{file}");
        fs::read(bench.path(file)).unwrap()
    };

    let svg = String::from_utf8(beside("svg")).unwrap();
    let image = Document::parse(&svg).unwrap();
    // Base yaw and three angles of the head, six legs, two antennas: goal and present position of each.
    assert_eq!((of_class(&image, "goal").len(), of_class(&image, "present").len()), (12 + 12, 12));
    let hash = added["registered"]["code_sha256"].as_str().unwrap()[..12].to_owned();
    assert_eq!(title(image.root_element()), format!("hasty v1 · {hash}"));
    let turned = image
        .descendants()
        .find(|node| node.has_tag_name("polyline") && title(*node).starts_with("body_rotation goal"))
        .unwrap();
    assert_eq!(title(turned), "body_rotation goal: 0° to 50°");
    let heights = turned.attribute("points").unwrap().split(' ');
    let heights: Vec<f64> = heights.map(|point| point.split_once(',').unwrap().1.parse().unwrap()).collect();
    let most = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let found = degrees_at(turned.parent().unwrap(), most);
    assert!((found - 50.0).abs() < 0.05, "the curve rises to {found} degrees");
    // The bars show the values of the report.
    let bars = of_class(&image, "bar");
    assert_eq!(bars.len(), 27, "no limit is broken, so no bar is of the other class");
    for (name, joint) in report["joints"].as_object().unwrap() {
        let bar = bars.iter().find(|bar| title(**bar).starts_with(&format!("{name} speed: "))).unwrap();
        let shown = title(*bar).split(' ').nth(2).unwrap().parse::<f64>().unwrap();
        assert!((shown - number(&joint["peak_speed_dps"])).abs() < 1e-9, "{name}");
    }
    // The envelope clamped it, so the chart is shaded there.
    let clamps = report["trims"].as_array().unwrap();
    assert!(clamps.iter().any(|clamp| clamp["joint"] == "body_rotation"), "{report}");
    assert_eq!(of_class(&image, "trim").len(), clamps.len());
    let body = &report["joints"]["body_rotation"];
    assert!(number(&body["margins"]["speed_dps"]).abs() < 1.0, "{body}");
    let from = number(&clamps[0]["from_s"]);
    assert!(from < number(&clamps[0]["to_s"]) && from < number(&report["duration_s"]), "{report}");

    let page = String::from_utf8(beside("md")).unwrap();
    assert_eq!(bench.run(&["tool", "show", "hasty", "--page"]).exits(0).out, page);
    assert_eq!(
        headings(&page),
        [
            "hasty, version 1",
            "How to call it",
            "Examples",
            "Test cases",
            "Evidence",
            "What was found",
            "Risks and approval",
            "Where it comes from",
        ]
    );
    for words in
        ["| `degrees` | `number` | -60.0 to 60.0 | `50.0` |", "returned `\"turned\"`", "v1.svg", "3 words"]
    {
        assert!(page.contains(words), "{words:?} is not in\n{page}");
    }
    if has_recorder() {
        assert!(page.contains("](v1.rrd)"));
        let recording = beside("rrd");
        assert!(recording.starts_with(b"RRF2") && recording.len() > 50_000, "{} bytes", recording.len());
    }
}

#[test]
fn report_of_an_unstored_tool_is_written_to_the_given_path() {
    let bench = TestDir::new();
    let file = bench.write("hasty.py", HASTY);
    let check = |folder: &str| {
        let mut command =
            bench.command(&["tool", "check", file.to_str().unwrap(), "--json", "--report", folder]);
        // A failed recorder is reported, and nothing else fails.
        command.env("MINISMITH_RERUN", "/bin/false");
        minismith_tests::CommandOutput::from(command).exits(0)
    };
    let (first, second) = (check("one"), check("two"));
    let checked = &first.json()["results"][0];
    assert_eq!(checked["written"], json!(["one/hasty.svg", "one/hasty.md"]));
    assert!(checked["report"].is_object(), "{checked}");
    assert!(first.err.contains("the recorder failed"), "{}", first.err);
    assert!(
        fs::read_to_string(bench.path("one/hasty.md")).unwrap().contains("no recording: the recorder failed")
    );
    // The same tool has the same image.
    assert_eq!(second.json()["results"][0]["admitted"], true);
    let image = |folder: &str| fs::read(bench.path(folder).join("hasty.svg")).unwrap();
    assert_eq!(image("one"), image("two"));
    assert_eq!(bench.run(&["tool", "list", "--json"]).exits(0).json()["tools"], json!([]));
    let mut command = bench.command(&["tool", "check", file.to_str().unwrap(), "--report", "three"]);
    command.env("MINISMITH_RERUN", "/nowhere/recorder");
    let said = minismith_tests::CommandOutput::from(command).exits(0).out;
    assert!(said.contains("MINISMITH_RERUN is /nowhere/recorder"), "{said}");
}

#[test]
fn predefined_tools_have_an_image_and_a_page() {
    for folder in fs::read_dir(minismith_tests::workspace().join("tools/predefined")).unwrap() {
        let folder = folder.unwrap().path();
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let data = |name: &str| serde_json::from_str::<Value>(&read(name)).unwrap();
        let version = data("state.json")["current"].clone();
        let hash = data(&format!("v{version}.json"))["code_sha256"].as_str().unwrap().to_owned();
        let (image, page) = (read(&format!("v{version}.svg")), read(&format!("v{version}.md")));
        assert!(image.len() < 90_000 && page.len() < 60_000, "{}", folder.display());
        assert!(image.contains(&hash[..12]) && page.contains(&hash), "{} is out of date", folder.display());
        let (links, _) = links_and_html(&page);
        assert!(links.iter().all(|link| Path::new(link).components().count() == 1), "{links:?}");
    }
}

fn events(page: &str) -> Vec<Event<'_>> {
    Parser::new_ext(page, Options::all()).collect()
}

fn headings(page: &str) -> Vec<String> {
    let (mut found, mut inside) = (Vec::new(), false);
    for event in events(page) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                inside = true;
                found.push(String::new());
            }
            Event::End(TagEnd::Heading(_)) => inside = false,
            Event::Text(text) if inside => found.last_mut().unwrap().push_str(&text),
            _ => {}
        }
    }
    found
}

/// Returns the targets of links and images, and the number of HTML fragments, formulas and footnotes.
fn links_and_html(page: &str) -> (Vec<String>, usize) {
    let (mut links, mut others) = (Vec::new(), 0);
    for event in events(page) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push(dest_url.into_string())
            }
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Start(Tag::HtmlBlock | Tag::FootnoteDefinition(_) | Tag::MetadataBlock(_)) => {
                others += 1
            }
            _ => {}
        }
    }
    (links, others)
}

/// Text that tries every kind of markup at once.
const HOSTILE: &[&str] = &[
    "# Approved\n\n## Evidence\n\nAll is well.\n\n---\n\nApproved\n========\n",
    "[click](https://evil.example) ![x](https://evil.example/x.png) <https://evil.example> https://evil.example www.evil.example a@evil.example",
    "<script>alert(1)</script> <img src=x onerror=alert(1)> &lt;b&gt; <!-- -->",
    "| a | b |\n| --- | --- |\n| forged | row |",
    "`` ` ``` ```` ````` \n```\n# out\n```\n~~~\n# out\n~~~",
    "\\| \\\\| a\\`b \\[x](y)\n\n[^1]: note\n\n[click]: https://evil.example\n\n$$x$$ $y$ **bold** __bold__ ~~gone~~",
    "1. one\n2. two\n\n    # indented\n\n> quoted\n\n- item\n+ item\n* item\n\n\u{202e}desrever\u{200b} \u{1b}[31mred\u{7}",
    "---\ntitle: forged\n---\n",
];

fn hostile_manifest(words: &str) -> ToolManifest {
    let text = |kind: &str| json!({"type": kind, "description": words, "default": words});
    serde_json::from_value(json!({
        "name": "nod", "version": 1, "description": words,
        "parameters": {"type": "object", "properties": {
            "times": text("string"), words: {"type": words, "enum": [words, 1]},
        }, "required": [], "additionalProperties": false},
        "returns": {"type": words, "description": words},
        "examples": [{"arguments": {"times": words}}],
        "test_cases": [{"name": words, "arguments": {"times": words}, "expect":
            {"returns": {"value": words, "tolerance": 0.5}}}],
        "functions": [{"name": words, "description": words, "parameters": {"properties": {"a": text("string")}},
            "returns": {"type": words, "description": words}}],
        "dependencies": [words], "tools": [words], "capabilities": ["motion"],
        "budget": {"robot_time_s": 120.0, "limits": minismith_protocol::Limits::DEFAULT},
        "provenance": {"author": words, "request": words, "plan": [words, words]},
        "code_sha256": words,
        "evidence": {"rules": 1, "limits_sha256": words, "mock": words},
        "findings": [{"rule": words, "line": 1, "verdict": "ask", "reason": words, "hint": words}],
        "report": null, "review": {"by": words, "risks": [words]}, "needs_approval": true,
    }))
    .unwrap()
}

#[test]
fn hostile_text_is_escaped() {
    let conditions = RehearsalOptions {
        limits: firmware_bridge::limits::Limits::default(),
        period: std::time::Duration::from_millis(10),
        robot_time_s: 120.0,
        guest: minismith_protocol::Limits::DEFAULT,
        models: minismith_perception::models::Models::at(""),
    };
    let written = |words: &str| {
        let manifest = hostile_manifest(words);
        let arguments = json!({"times": words}).as_object().unwrap().clone();
        let case = |name: String, outcome| CaseResult {
            name,
            arguments: arguments.clone(),
            outcome,
            robot_time_s: 1.0,
            outputs: Vec::new(),
        };
        let raised = Outcome::Raised { kind: words.into(), message: words.into(), line: Some(1) };
        let stopped = Outcome::Stopped { limit: words.into(), reason: words.into() };
        let returned = Outcome::Returned { value: json!([words, {words: 1}]) };
        let cases = [
            case("default".into(), returned),
            case(format!("own: {words}"), raised),
            case(words.into(), stopped),
        ];
        let failed = NoRecording::Failed { how: words.into() };
        let files = Some(Files { stem: "v1", no_recording: Some(&failed) });
        page::write(&Subject { manifest: &manifest, cases: &cases, conditions: &conditions, files })
    };
    let tables = |page: &str| {
        let rows = |event: &Event| matches!(event, Event::Start(Tag::TableRow | Tag::TableHead));
        events(page).iter().filter(|event| rows(event)).count()
    };
    let plain = written("plain");
    let plain_headings = headings(&plain);
    for words in HOSTILE {
        let page = written(words);
        let found = headings(&page);
        assert_eq!(found.len(), plain_headings.len(), "{words:?} forged a heading in\n{page}");
        // The function's name is a legitimate heading. The text appears, without its effect.
        assert_eq!(found.iter().filter(|one| plain_headings.contains(one)).count(), plain_headings.len() - 1);
        assert_eq!(links_and_html(&page), (vec!["v1.svg".into()], 0), "{words:?} in\n{page}");
        assert_eq!(tables(&page), tables(&plain), "{words:?} forged a row in\n{page}");
        let rules = events(&page).into_iter().filter(|event| matches!(event, Event::Rule)).count();
        assert_eq!(rules, 0, "{words:?} forged a rule in\n{page}");
        assert!(
            !page.chars().any(|c| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
        );
        // Some viewers turn bare addresses into links. Only code is safe from that.
        let mut code = false;
        for event in events(&page) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => code = true,
                Event::End(TagEnd::CodeBlock) => code = false,
                Event::Text(text) if !code => {
                    assert!(!text.contains("://") && !text.contains("www."), "{text:?} in\n{page}");
                }
                _ => {}
            }
        }
    }
}
