//! Each route of the official daemon: what the table in the documentation says of it is what a server does.

use minismith_tests::workspace;
use serde::Deserialize;
use tungstenite::Error;

use super::server_fixture::served;

/// What a route of the official daemon is here.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Here {
    Works,
    Differs,
    #[serde(rename = "left out")]
    LeftOut,
}

/// Routes of which the same can be said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    here: Here,
    /// How it differs, or why it is left out.
    #[serde(default)]
    note: String,
    /// The method (`WS` for a WebSocket) and the path.
    pub(super) routes: Vec<String>,
}

/// Returns the table.
pub(super) fn groups() -> Vec<Group> {
    let text = std::fs::read_to_string(workspace().join("tests/cases/official_routes.yaml")).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

/// Returns a path with a made-up name in place of each parameter.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "nothing" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[test]
fn each_official_route_answers_as_the_table_says() {
    let served = served();
    let mut wrong = Vec::new();
    for group in groups() {
        for route in &group.routes {
            let (method, path) = route.split_once(' ').unwrap();
            let path = filled(path);
            let (status, answer) = if method == "WS" {
                match tungstenite::connect(format!("ws://{}{path}", served.address)) {
                    Ok(_) => (101, String::new()),
                    Err(Error::Http(response)) => (
                        response.status().as_u16(),
                        String::from_utf8_lossy(response.body().as_deref().unwrap_or_default()).into_owned(),
                    ),
                    Err(error) => panic!("{route}: {error}"),
                }
            } else {
                let (status, answer) = served.ask(&format!("{method} {path}"), "");
                (status, answer.to_string())
            };
            // What is there may still reject a name that does not exist, or a request without a body.
            let is_there = !matches!(status, 401 | 403 | 405 | 501) && !answer.contains("unknown path");
            let is_refused = matches!(status, 401 | 403 | 404 | 501);
            let fits = if group.here == Here::LeftOut { is_refused } else { is_there };
            if !fits {
                wrong.push(format!("{route} is to be {:?}: {status} {answer}", group.here));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn table_in_the_documentation_is_that_of_the_cases() {
    let rows = groups().into_iter().map(|group| {
        assert!(group.here == Here::Works || !group.note.is_empty(), "{:?} has no reason", group.routes);
        let routes: Vec<String> = group.routes.iter().map(|route| format!("`{route}`")).collect();
        let here = match group.here {
            Here::Works => "works",
            Here::Differs => "differs",
            Here::LeftOut => "left out",
        };
        format!("| {} | {here} | {} |", routes.join(", "), group.note)
    });
    let rows: Vec<String> = rows.collect();
    let page = std::fs::read_to_string(workspace().join("docs/official-api.md")).unwrap();
    let (_, table) = page.split_once("| official | here | |\n| --- | --- | --- |\n").unwrap();
    let shown: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    for (shown, row) in shown.iter().zip(&rows) {
        assert_eq!(shown, row, "write the row of tests/cases/official_routes.yaml into docs/official-api.md");
    }
    assert_eq!(shown.len(), rows.len());
}
