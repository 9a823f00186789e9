//! A fleet with certificates on Zenoh's own router: each role does what it may, and every attack ends at the router or the robot.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails shows where"
)]
#![allow(clippy::disallowed_methods, reason = "tests start the real programs")]

mod support;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{KeyPair, SigningKey as _};
use serde_json::{Value, json};
use support::{Fleet, Robot, free_port, json_of, outcomes, until};
use uuid::Uuid;
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

const SOON: Duration = Duration::from_secs(30);

/// A fleet with certificates.
struct Secure {
    fleet: Fleet,
}

impl Secure {
    /// Makes a fleet and enrols members; none where the router is not installed.
    fn with(members: &[(&str, &str)]) -> Option<Secure> {
        support::zenohd()?;
        let port = free_port();
        let mut secure = Secure {
            fleet: Fleet {
                folder: tempfile::tempdir().unwrap(),
                port,
                endpoint: format!("tls/127.0.0.1:{port}"),
                router: None,
            },
        };
        let made = secure.run("owner", &["init", "--owner", "anna", "--port", &port.to_string(), "--json"]);
        assert_eq!(json_of(&made).1, 0);
        for (member, role) in members {
            secure.enrol(member, role);
        }
        secure.restart_router();
        Some(secure)
    }

    /// Returns the folder of a member's computer.
    fn place(&self, member: &str) -> PathBuf {
        self.fleet.folder.path().join(member)
    }

    fn identity(&self, member: &str) -> PathBuf {
        self.place(member).join("lab/identity")
    }

    fn command(&self, member: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minismith-fleet"));
        command.arg("--folder").arg(self.place(member)).args(arguments).stdin(Stdio::null());
        command
    }

    fn run(&self, member: &str, arguments: &[&str]) -> Output {
        self.command(member, arguments).output().unwrap()
    }

    fn json(&self, member: &str, arguments: &[&str]) -> (Value, i32) {
        json_of(&self.run(member, &[arguments, &["--json"]].concat()))
    }

    /// Starts to enrol a member and returns the code.
    fn offer(&self, member: &str, role: &str) -> (std::process::Child, String) {
        let listen = format!("tcp/127.0.0.1:{}", free_port());
        let mut child = self
            .command("owner", &["enrol", member, "--role", role, "--listen", &listen, "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let offered: Value = serde_json::from_str(&line).unwrap();
        (child, offered["code"].as_str().unwrap().to_owned())
    }

    fn enrol(&self, member: &str, role: &str) {
        let (mut offering, code) = self.offer(member, role);
        let (enrolled, exit) = self.json(member, &["enrol", "--code", &code]);
        assert_eq!((exit, enrolled["enrolled"].as_str()), (0, Some(member)), "{enrolled}");
        assert!(offering.wait().unwrap().success());
    }

    /// Starts the router with the configuration that the fleet has now.
    fn restart_router(&mut self) {
        self.fleet.router = None;
        let config = self.place("owner").join("lab/authority/router.json5");
        self.fleet.start_zenohd(&config).unwrap();
    }

    fn join(&self, robot: &mut Robot) {
        let place = self.identity(&robot.name);
        robot.join(&self.fleet.endpoint, &["--identity", place.to_str().unwrap()]);
    }

    /// Connects a peer with the certificate of a member.
    fn peer(&self, identity: &Path) -> Result<Session, String> {
        let file = |name: &str| identity.join(name).display().to_string();
        let config = json!({
            "mode": "client",
            "connect": { "endpoints": [self.fleet.endpoint], "timeout_ms": 3000, "exit_on_failure": true },
            "scouting": { "multicast": { "enabled": false } },
            "transport": { "link": { "tls": {
                "root_ca_certificate": file("fleet.pem"),
                "enable_mtls": identity.join("key.pem").exists(),
                "connect_private_key": identity.join("key.pem").exists().then(|| file("key.pem")),
                "connect_certificate": identity.join("key.pem").exists().then(|| file("certificate.pem")),
            } } },
        });
        let config = zenoh::Config::from_json5(&config.to_string()).unwrap();
        zenoh::open(config).wait().map_err(|error| error.to_string())
    }
}

fn answers(session: &Session, key: &str, payload: &str) -> Vec<Value> {
    let get = session.get(key).payload(payload).timeout(Duration::from_secs(2)).wait().unwrap();
    get.iter()
        .filter_map(|reply| serde_json::from_slice(&reply.result().ok()?.payload().to_bytes()).ok())
        .collect()
}

#[test]
fn each_role_does_what_it_may_and_no_more() {
    let members = [("kitchen", "robot"), ("hall", "robot"), ("ben", "operator"), ("vera", "viewer")];
    let Some(mut secure) = Secure::with(&members) else { return };
    let mut kitchen = Robot::start("kitchen", "");
    secure.join(&mut kitchen);
    until("the robot", SOON, || {
        secure.json("owner", &["list"]).0["robots"][0]["status"]["controller"] == true
    });

    // Owner and operator command it; a viewer sees it.
    let (said, code) = secure.json("owner", &["say", "--to", "kitchen", "look left 10 degrees"]);
    assert_eq!(code, 0, "{said}");
    let (said, code) = secure.json("ben", &["say", "--to", "kitchen", "look straight ahead"]);
    assert_eq!(code, 0, "{said}\n{}", kitchen.log());
    let (list, _) = secure.json("vera", &["list"]);
    assert_eq!(list["robots"][0]["name"], "kitchen", "{list}");
    let watched = secure.run("vera", &["watch", "--state", "--json", "--seconds", "2"]);
    assert!(
        String::from_utf8_lossy(&watched.stdout).contains("\"kind\":\"state\""),
        "a viewer sees the state"
    );
    for arguments in [&["say", "--to", "kitchen", "look left 20 degrees", "--timeout", "2"][..], &["stop"]] {
        let (refused, code) = secure.json("vera", arguments);
        assert_eq!(code, 1, "{refused}");
        assert_eq!(refused["replies"][0]["outcome"], "absent", "{refused}");
    }

    // A viewer, and another robot, use the keys of others.
    let vera = secure.peer(&secure.identity("vera")).unwrap();
    let status = answers(&vera, "minismith/lab/kitchen/status", "")[0].clone();
    let now = status["time_ms"].as_f64().unwrap();
    let look = json!({
        "id": Uuid::new_v4(), "epoch": status["epoch"], "issued_ms": now, "expires_ms": now + 20_000.0,
        "do": { "type": "say", "text": "look left 20 degrees" },
    })
    .to_string();
    let hall = secure.peer(&secure.identity("hall")).unwrap();
    for (who, session) in [("vera", &vera), ("hall", &hall)] {
        for key in ["ask/vera", "ask/hall", "ask/ben", "ask/anna", "ask/*"] {
            for robot in ["kitchen", "*"] {
                let key = format!("minismith/lab/{robot}/{key}");
                assert!(answers(session, &key, &look).is_empty(), "{who} {key}");
            }
        }
    }
    // A robot reads nothing of another, and does not speak in its name.
    let heard = vera.declare_subscriber("minismith/lab/**").wait().unwrap();
    let spied = hall.declare_subscriber("minismith/**").wait().unwrap();
    assert!(answers(&hall, "minismith/lab/kitchen/status", "").is_empty());
    let token = hall.liveliness().declare_token("minismith/lab/cellar/alive").wait().unwrap();
    let queryable = hall
        .declare_queryable("minismith/lab/kitchen/ask/ben")
        .callback(|query| drop(query.reply("minismith/lab/kitchen/ask/ben", "{}").wait()))
        .wait()
        .unwrap();
    for key in ["minismith/lab/kitchen/state", "minismith/lab/kitchen/events", "minismith/lab/cellar/status"]
    {
        hall.put(key, "forged").wait().unwrap();
        hall.delete(key).wait().unwrap();
    }
    std::thread::park_timeout(Duration::from_secs(2));
    let forged = heard.drain().filter(|sample| sample.payload().to_bytes() == b"forged".as_slice()).count();
    assert_eq!(forged, 0, "a robot published in the name of another");
    // What it sent itself comes back without the router.
    let is_own = |sample: &Sample| {
        sample.kind() == SampleKind::Delete || sample.payload().to_bytes() == b"forged".as_slice()
    };
    let read = spied.drain().filter(|sample| !is_own(sample)).count();
    assert_eq!(read, 0, "a robot read what another published");
    let (list, _) = secure.json("owner", &["list"]);
    assert_eq!(list["robots"].as_array().unwrap().len(), 1, "{list}");
    let (said, code) = secure.json("ben", &["say", "--to", "kitchen", "nod"]);
    assert_eq!(code, 0, "the robot itself answered: {said}\n{}", kitchen.log());
    drop((token, queryable));
    assert!(kitchen.yaw_deg().abs() < 2.0, "a member without the right moved the robot");

    // Revoked: the robot refuses it at once, by name, and the router after its restart.
    let (revoked, code) = secure.json("owner", &["revoke", "ben"]);
    assert_eq!(code, 0, "{revoked}");
    let (said, code) = secure.json("ben", &["say", "--to", "kitchen", "look left 20 degrees"]);
    assert_eq!((code, said["replies"][0]["refusal"].as_str()), (1, Some("forbidden")), "{said}");
    assert!(kitchen.log().contains("ben is revoked in this fleet"), "{}", kitchen.log());
    secure.restart_router();
    until("the robot", SOON, || {
        secure.json("owner", &["list"]).0["robots"].as_array().is_some_and(|robots| robots.len() == 1)
    });
    let (list, _) = secure.json("ben", &["list"]);
    assert_eq!(list["robots"], json!([]), "a revoked member sees nothing");
    let (said, code) = secure.json("ben", &["say", "--to", "kitchen", "look left 20 degrees"]);
    assert_eq!((code, said["replies"][0]["outcome"].as_str()), (1, Some("absent")), "{said}");
    assert!(kitchen.yaw_deg().abs() < 2.0);
    // An old command of it, sent by the owner, is still refused: it is bound to its key, and to its time.
    let anna = secure.peer(&secure.identity("owner")).unwrap();
    let replies = answers(&anna, "minismith/lab/kitchen/ask/anna", &look);
    assert_ne!(replies[0]["outcome"], "done", "{replies:?}");
}

#[test]
fn a_server_is_an_operator_by_its_certificate_and_no_more_than_that() {
    let Some(secure) = Secure::with(&[("hall", "robot"), ("desk", "operator"), ("ben", "viewer")]) else {
        return;
    };
    let mut hall = Robot::start("hall", "");
    secure.join(&mut hall);
    let server = |operator: &str, identity: &str| {
        let identity = secure.identity(identity);
        let keys =
            format!("operator: {operator}, operator_identity: {}, directory: fleet", identity.display());
        Robot::start(operator, &format!("fleet: {{{keys}}}\n"))
    };
    let (commanding, viewing) = (server("desk", "desk"), server("ben", "ben"));
    for server in [&commanding, &viewing] {
        until("the robot", SOON, || server.get("/api/v1/fleet")["robots"][0]["status"].is_object());
    }
    let ask = |server: &Robot, command: &str, body: &str| {
        let (status, answer) = server.request("POST", &format!("/api/v1/fleet/{command}"), body);
        assert_eq!(status, 200, "{answer}");
        outcomes(&answer)
    };
    let nod = r#"{"to": ["hall"], "text": "look left 20 degrees"}"#;
    assert_eq!(ask(&viewing, "say", nod), [("hall".into(), "absent".into())], "a viewer commands nothing");
    assert!(hall.yaw_deg().abs() < 1.0);
    assert_eq!(ask(&commanding, "say", nod), [("hall".into(), "done".into())]);
    assert!((hall.yaw_deg() - 20.0).abs() < 2.0, "{}", hall.yaw_deg());

    // The certificate names its member.
    let view = server("carl", "desk").get("/api/v1/fleet");
    assert!(view["error"].as_str().unwrap().contains("identity is desk, not carl"), "{view}");
    // That of a robot sees who is present, and nothing of them.
    let view = server("hall", "hall").get("/api/v1/fleet");
    assert!(view["robots"].as_array().unwrap().iter().all(|robot| robot["status"].is_null()), "{view}");
}

#[test]
fn a_robot_passes_withdrawals_of_operators_on_and_invents_none() {
    let members = [("hall", "robot"), ("studio", "robot"), ("mallory", "robot"), ("desk", "operator")];
    let Some(secure) = Secure::with(&members) else { return };
    let (mut hall, mut studio) = (Robot::start("hall", ""), Robot::start("studio", ""));
    hall.add_peek_left();
    secure.join(&mut hall);
    secure.join(&mut studio);
    let ask = |arguments: &[&str]| {
        let (answer, code) = secure.json("desk", arguments);
        assert_eq!(code, 0, "{answer}");
        answer
    };
    ask(&["share", "peek_left", "--from", "hall"]);
    ask(&["get", "peek_left", "--to", "studio"]);
    let is_active = |robot: &Robot| robot.get("/api/v1/tools/peek_left")["active"] == true;
    assert!(is_active(&hall) && is_active(&studio));
    let code_sha256 = hall.get("/api/v1/tools/peek_left").pointer("/manifest/code_sha256").cloned().unwrap();

    // A robot of the fleet claims that it was withdrawn: without a proof, and with one that it has signed itself.
    let identity = secure.identity("mallory");
    let mallory = secure.peer(&identity).unwrap();
    let file = |name: &str| std::fs::read_to_string(identity.join(name)).unwrap();
    let key = KeyPair::from_pem(&file("key.pem")).unwrap();
    let message = format!("minismith withdrawal\nlab\npeek_left\n{}\n", code_sha256.as_str().unwrap());
    let signature = STANDARD.encode(key.sign(message.as_bytes()).unwrap());
    let withdrawal = json!({ "tool": "peek_left", "code_sha256": code_sha256 });
    let mut signed = withdrawal.clone();
    signed["proof"] = json!({ "certificate": file("certificate.pem"), "signature": signature });
    for (claimed, reason) in [(withdrawal, "no proof of an operator"), (signed, "mallory is a robot")] {
        let claims = json!([claimed]).to_string();
        let answering = mallory
            .declare_queryable("minismith/lab/mallory/withdrawn")
            .callback(move |query| {
                query.reply("minismith/lab/mallory/withdrawn", claims.clone()).wait().unwrap();
            })
            .wait()
            .unwrap();
        let token = mallory.liveliness().declare_token("minismith/lab/mallory/alive").wait().unwrap();
        for robot in [&hall, &studio] {
            until("the refusal", SOON, || {
                let log = robot.log();
                log.contains("that mallory passed on was ignored") && log.contains(reason)
            });
            assert!(is_active(robot));
        }
        token.undeclare().wait().unwrap();
        answering.undeclare().wait().unwrap();
    }

    // An operator's reaches a robot that was away, through one that was there.
    studio.agent.take().unwrap().kill();
    let withdrawn = ask(&["withdraw", "peek_left"]);
    assert!(!is_active(&hall), "{withdrawn}");
    assert!(is_active(&studio));
    secure.join(&mut studio);
    until("the withdrawal on return", SOON, || !is_active(&studio));
}

#[test]
fn strangers_do_not_connect() {
    let Some(secure) = Secure::with(&[]) else { return };
    let Some(other) = Secure::with(&[]) else { return };
    // Without a certificate; with one of another fleet; without TLS; and with another fleet's idea of the router.
    let nobody = secure.place("nobody");
    std::fs::create_dir_all(&nobody).unwrap();
    std::fs::copy(secure.identity("owner").join("fleet.pem"), nobody.join("fleet.pem")).unwrap();
    for file in ["key.pem", "certificate.pem"] {
        std::fs::create_dir_all(secure.place("foreign")).unwrap();
        std::fs::copy(other.identity("owner").join(file), secure.place("foreign").join(file)).unwrap();
    }
    std::fs::copy(secure.identity("owner").join("fleet.pem"), secure.place("foreign").join("fleet.pem"))
        .unwrap();
    for (place, who) in [
        (nobody, "no certificate"),
        (secure.place("foreign"), "a certificate of another fleet"),
        (other.identity("owner"), "a member of another fleet"),
    ] {
        // TLS 1.3 refuses a client after its handshake, so it may seem connected for a moment.
        if let Ok(session) = secure.peer(&place) {
            std::thread::park_timeout(Duration::from_millis(500));
            let tokens = session.liveliness().get("minismith/**").timeout(Duration::from_secs(1)).wait();
            assert_eq!(tokens.map_or(0, |tokens| tokens.iter().count()), 0, "{who}");
            assert_eq!(session.info().routers_zid().wait().count(), 0, "{who} is connected");
        }
    }
    let plain = format!("tcp/127.0.0.1:{}", secure.fleet.port);
    let output = secure.run("nobody-else", &["--router", &plain, "list"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    // A member does not let others connect past the router, and with it past their roles.
    let output = secure.run("owner", &["join", "anna", "--listen", "tls/127.0.0.1:0"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    // A member does not fall back to a connection without TLS.
    let output = secure.run("owner", &["--router", &plain, "list"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("has no TLS"));
}

#[test]
fn codes_work_once_and_keys_are_private() {
    let Some(secure) = Secure::with(&[("kitchen", "robot")]) else { return };
    for key in [
        secure.identity("kitchen").join("key.pem"),
        secure.identity("owner").join("key.pem"),
        secure.place("owner").join("lab/authority/fleet.key"),
        secure.place("owner").join("lab/authority/router/key.pem"),
    ] {
        let mode = std::fs::metadata(&key).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", key.display());
    }
    // The private key of a member never left its computer.
    let key = std::fs::read_to_string(secure.identity("kitchen").join("key.pem")).unwrap();
    let known =
        Command::new("grep").args(["-rlF", key.lines().nth(1).unwrap()]).arg(secure.place("owner")).output();
    assert!(known.unwrap().stdout.is_empty());

    // A code that was used, and one that was guessed.
    let (mut offering, code) = secure.offer("hall", "robot");
    let (enrolled, exit) = secure.json("hall", &["enrol", "--code", &code]);
    assert_eq!(exit, 0, "{enrolled}");
    offering.wait().unwrap();
    let (again, exit) = secure.json("thief", &["enrol", "--code", &code]);
    assert_eq!(exit, 1, "{again}");
    let (mut offering, code) = secure.offer("cellar", "robot");
    let guess = format!("{}/AAAAAAAAAAAAAAAAAAAAAA", code.rsplit_once('/').unwrap().0);
    for _ in 0..5 {
        let (refused, exit) = secure.json("thief", &["enrol", "--code", &guess]);
        assert_eq!(exit, 1, "{refused}");
    }
    assert_eq!(offering.wait().unwrap().code(), Some(1), "five wrong codes end the enrolment");
    let (late, exit) = secure.json("cellar", &["enrol", "--code", &code]);
    assert_eq!(exit, 1, "{late}");
    assert!(!secure.identity("thief").exists());

    // A name is given once, also after its revocation.
    for name in ["hall", "anna"] {
        let (refused, exit) = secure.json("owner", &["enrol", name]);
        assert_eq!((exit, refused["refusal"].is_string()), (1, true), "{refused}");
    }
    assert_eq!(secure.json("owner", &["revoke", "hall"]).1, 0);
    assert_eq!(secure.json("owner", &["enrol", "hall"]).1, 1);

    // A key that others can read is not used.
    let key = secure.identity("kitchen").join("key.pem");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = secure.run("kitchen", &["list"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("can be read by other users"));
}

#[test]
fn our_own_router_enforces_the_same_and_names_whom_it_refuses() {
    let Some(mut secure) = Secure::with(&[("kitchen", "robot"), ("vera", "viewer")]) else { return };
    secure.fleet.router = None;
    let log = secure.fleet.folder.path().join("router.log");
    let router = secure
        .command("owner", &["router"])
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let _router = support::Running(router);
    let mut kitchen = Robot::start("kitchen", "");
    secure.join(&mut kitchen);
    let sees = |member: &str| {
        let (list, _) = secure.json(member, &["list"]);
        list["robots"].as_array().map_or(0, Vec::len)
    };
    until("the robot", SOON, || sees("vera") == 1);
    let (refused, code) = secure.json("vera", &["stop"]);
    assert_eq!(code, 1, "{refused}");
    let refusals = || std::fs::read_to_string(&log).unwrap();
    until("the log", SOON, || {
        refusals().lines().any(|line| line.contains("refused") && line.contains("vera"))
    });
    assert!(refusals().contains("minismith/lab/*/ask/vera"), "{}", refusals());
    // A new member is known without a restart by hand, and a revoked one is not any more.
    secure.enrol("ben", "operator");
    until("the new member", SOON, || {
        secure.run("ben", &["say", "--to", "kitchen", "look left 10 degrees"]).status.code() == Some(0)
    });
    assert_eq!(secure.json("owner", &["revoke", "ben"]).1, 0);
    until("the end of its rights", SOON, || sees("owner") == 1 && sees("ben") == 0);
}
