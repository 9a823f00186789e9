//! Who may use which route: each role tries every route of the running server. `tests/cases/authorization.yaml` says what has
//! to come of it, apart from the code that decides it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use minismith_runtime::role::Role;
use minismith_server::auth::routes::{is_official, least};
use minismith_tests::{RunningCommand, TestDir, workspace};
use serde::Deserialize;
use serde_json::{Value, json};

use super::cli::{listening, send};
use super::repository_rules::sources;

const ROLES: [(&str, Role); 4] = [
    ("viewer", Role::Viewer),
    ("operator", Role::Operator),
    ("engineer", Role::Engineer),
    ("owner", Role::Owner),
];

/// One line of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    route: String,
    #[serde(default)]
    body: Value,
    /// Roles that the handler rejects.
    #[serde(default)]
    refused: Vec<String>,
    status: Option<u16>,
    also: Option<String>,
}

impl Line {
    fn method(&self) -> &str {
        self.route.split_once(' ').unwrap().0
    }

    /// Returns the path that is sent: with names that nobody has.
    fn path(&self) -> String {
        if let Some(path) = &self.also {
            return path.clone();
        }
        let path = self.route.split_once(' ').unwrap().1;
        let step = |step: &str| match step {
            "{id}" => "b52f76d0-fa08-474a-bfff-056b19e4916e".to_owned(),
            "{mode}" => "enabled".to_owned(),
            step if step.starts_with('{') => "nobody".to_owned(),
            step => step.to_owned(),
        };
        path.split('/').map(step).collect::<Vec<_>>().join("/")
    }

    /// Returns what a role must get: the gate's decision, or the handler's.
    fn is_allowed(&self, least: Role, (name, role): (&str, Role)) -> bool {
        role >= least && !self.refused.iter().any(|refused| refused == name)
    }
}

/// Returns the table, in its order, each line with its least role.
fn table() -> Vec<(Role, Line)> {
    let text = std::fs::read_to_string(workspace().join("tests/cases/authorization.yaml")).unwrap();
    let mut table: BTreeMap<String, Vec<Line>> = serde_yaml::from_str(&text).unwrap();
    let lines = ROLES.map(|(name, role)| {
        table.remove(name).unwrap().into_iter().map(move |line| (role, line)).collect::<Vec<_>>()
    });
    assert!(table.is_empty(), "unknown roles: {:?}", table.keys());
    lines.into_iter().flatten().collect()
}

struct Server {
    bench: TestDir,
    _program: RunningCommand,
    address: String,
    tokens: BTreeMap<&'static str, String>,
}

impl Server {
    fn start(more: &str) -> Server {
        let bench = TestDir::configured(&format!("server: {{anonymous_role: none}}\n{more}"));
        let tokens = ROLES.map(|(role, _)| {
            let made = bench.run(&["token", "add", role, "--role", role, "--json"]).exits(0).json();
            (role, made["token"].as_str().unwrap().to_owned())
        });
        let mut program = bench.start(&["serve", "--json", "--port", "0"]);
        let address = listening(&program.line().unwrap());
        Server { bench, _program: program, address, tokens: tokens.into() }
    }

    /// Sends a request and returns the status. The response may be a stream without an end, so only its head is read.
    fn status(&self, role: Option<&str>, line: &Line) -> u16 {
        let (address, path) = (&self.address, line.path());
        let body = match line.method() {
            "GET" => String::new(),
            _ if line.body.is_null() => "{}".to_owned(),
            _ => line.body.to_string(),
        };
        let token = role.map(|role| format!("Authorization: Bearer {}\r\n", self.tokens[role]));
        let head = format!(
            "{} {path} HTTP/1.1\r\nHost: {address}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            line.method(),
            token.unwrap_or_default(),
            body.len()
        );
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let (mut answer, mut piece) = (Vec::new(), [0; 512]);
        while !answer.windows(2).any(|end| end == b"\r\n") {
            let read = stream.read(&mut piece).unwrap();
            assert!(read > 0, "{} {path}: no response", line.method());
            answer.extend_from_slice(&piece[..read]);
        }
        let answer = String::from_utf8_lossy(&answer);
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    fn owner(&self, what: &str) -> Value {
        let token = format!("Authorization: Bearer {}", self.tokens["owner"]);
        send(&self.address, what, &[&token], "").1
    }

    /// Returns what a rejected request must not change.
    fn state(&self) -> Value {
        let posture = self.owner("GET /api/v1/state");
        json!({
            "motion": posture["motion_state"],
            "torque": posture["joints"].as_array().unwrap().iter().map(|joint| joint["torque"].clone()).collect::<Vec<_>>(),
            "goal": posture["joints"].as_array().unwrap().iter().map(|joint| joint["goal_deg"].clone()).collect::<Vec<_>>(),
            "lease": self.owner("GET /api/v1/lease"),
            "sessions": self.owner("GET /api/v1/sessions"),
            "tools": self.owner("GET /api/v1/tools"),
            "daemon": self.owner("GET /api/daemon/status")["state"],
            "name": self.owner("GET /api/daemon/robot-name"),
            "sounds": self.owner("GET /api/media/sounds"),
            "apps": self.owner("GET /api/apps/list-available"),
        })
    }
}

/// Returns the routes of the sources: those that the OpenAPI document does not describe.
fn routes_of_sources() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| file.starts_with("controller/server/src/")) {
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let calls = [".route(", ".route_service("].into_iter().flat_map(|call| text.split(call).skip(1));
        for call in calls {
            // A path that is a constant is that of the OpenAPI document.
            let Some(rest) = call.trim_start().strip_prefix('"') else {
                assert!(
                    file.ends_with("api/openapi.rs") || file.ends_with("api/names.rs"),
                    "{file}: {call:.60}"
                );
                continue;
            };
            let (path, rest) = rest.split_once('"').unwrap();
            let handlers = rest.lines().next().unwrap();
            let methods =
                [("get(", "GET"), ("post(", "POST"), ("put(", "PUT"), ("delete(", "DELETE"), ("any(", "GET")];
            let mut of_route: Vec<&str> = methods
                .into_iter()
                .filter(|(call, _)| handlers.contains(call))
                .map(|(_, method)| method)
                .collect();
            if handlers.trim_start_matches([',', ' ']).starts_with("service") {
                of_route = vec!["GET", "POST"];
            }
            assert!(!of_route.is_empty(), "{file}: {path} has no method: {handlers}");
            found.extend(of_route.into_iter().map(|method| format!("{method} {path}")));
        }
    }
    found
}

fn routes_of_document(document: &Value) -> BTreeSet<String> {
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().keys();
        methods
            .filter(|method| ["get", "post", "put", "delete", "patch"].contains(&method.as_str()))
            .map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    operations.collect()
}

#[test]
fn each_route_accepts_exactly_the_roles_of_the_table() {
    let server = Server::start("");
    let table = table();
    let listed: BTreeSet<String> = table.iter().map(|(_, line)| line.route.clone()).collect();
    let mut known = routes_of_document(&server.owner("GET /api/v1/openapi.json"));
    known.extend(routes_of_sources());
    known.insert("GET /api/v1/openapi.json".into());
    let missing: Vec<&String> = known.difference(&listed).collect();
    assert!(missing.is_empty(), "these routes need a line in tests/cases/authorization.yaml: {missing:#?}");
    let gone: Vec<&String> = listed.difference(&known).collect();
    assert!(gone.is_empty(), "these routes are gone: {gone:#?}");

    let mut wrong = Vec::new();
    for (role, line) in &table {
        let gate = least(line.method() == "GET", &line.path());
        if gate != *role {
            wrong.push(format!(
                "{} {}: the gate needs {gate:?}, the table {role:?}",
                line.method(),
                line.path()
            ));
        }
    }
    // First everything that is rejected: nothing of it may have an effect.
    let before = server.state();
    let mut tried = 0;
    let mut expect = |who: Option<&str>, line: &Line, is_allowed: bool| {
        let status = server.status(who, line);
        let right = match (who, is_allowed) {
            (_, true) => status != 401 && status != 403,
            (None, false) => status == 401,
            (Some(who), false) => {
                let is_by_handler = line.refused.iter().any(|refused| refused == who);
                status == line.status.filter(|_| is_by_handler).unwrap_or(403)
            }
        };
        tried += 1;
        if !right {
            let who = who.unwrap_or("nobody");
            wrong.push(format!(
                "{} {} by {who}: {status}, allowed: {is_allowed}",
                line.method(),
                line.path()
            ));
        }
    };
    for (least, line) in &table {
        expect(None, line, false);
        for role in ROLES.into_iter().filter(|role| !line.is_allowed(*least, *role)) {
            expect(Some(role.0), line, false);
        }
    }
    assert_eq!(server.state(), before, "a rejected request had an effect");
    for (least, line) in &table {
        for role in ROLES.into_iter().filter(|role| line.is_allowed(*least, *role)) {
            expect(Some(role.0), line, true);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("{} routes, {tried} requests", listed.len());
    assert!(server.bench.path("config.yaml").is_file());
}

/// A peer that only its address identifies uses the official API, and sound, as an operator, and never disables torque.
#[test]
fn trusted_peer_gets_the_official_routes_of_an_operator() {
    let server = Server::start("compat: {trusted_peers: [127.0.0.1]}\n");
    let mut wrong = Vec::new();
    for (least, line) in table() {
        let path = line.path();
        let expected = match () {
            () if !is_official(&path) && !matches!(&*path, "/api/v1/microphone" | "/api/v1/speaker") => 401,
            () if !line.is_allowed(least, ("operator", Role::Operator)) => 403,
            () => 200,
        };
        let status = server.status(None, &line);
        let right = if expected == 200 { status != 401 && status != 403 } else { status == expected };
        if !right {
            wrong.push(format!("{} {path}: {status}, expected {expected}", line.method()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
