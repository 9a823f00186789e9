//! A server that is killed at any moment: it starts again, and nothing is lost that it has confirmed.
//!
//! Three clients add and switch tools, talk, and read meanwhile. The moments are pseudo-random and the same in each run.
//! `MINISMITH_KILLS=200` kills it more often.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use minismith_tests::TestDir;
use serde_json::{Value, json};

use super::server_fixture::Served;

/// How often the server is killed in `make test`.
const KILLS: u64 = 5;

/// The latest moment, after the first answer.
const LATEST: Duration = Duration::from_millis(1500);
/// How many times as often it is killed at most, if nothing was confirmed so soon.
const MOST_ROUNDS: u64 = 4;

/// What the server has confirmed.
#[derive(Default)]
struct Confirmed {
    /// Each tool, and whether it was last switched on; none where the last request was not answered.
    tools: Vec<(String, Option<bool>)>,
    turns: u64,
}

/// Sends a request; none if the server was killed before its answer.
fn request(address: &str, what: &str, body: &Value) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).ok()?;
    let body = body.to_string();
    let head = format!(
        "{what} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    // A body that ends early was not answered either.
    Some((head.split(' ').nth(1)?.parse().ok()?, serde_json::from_str(body).ok()?))
}

fn code_of(name: &str) -> String {
    format!(
        "def {name}() -> int:\n    \"\"\"Tell the number of {name}.\n\n    Returns:\n        It.\n    \"\"\"\n    return 1\n"
    )
}

/// Adds tools and switches them off and on.
fn make_tools(address: &str, round: u64, confirmed: &Mutex<Confirmed>, is_over: &AtomicBool) {
    for number in 0.. {
        let name = name_of(round, number);
        let Some((status, added)) =
            request(address, "POST /api/v1/tools", &json!({ "code": code_of(&name) }))
        else {
            return;
        };
        assert!(status < 300, "{name}: {added}");
        confirmed.lock().unwrap().tools.push((name.clone(), Some(true)));
        for (word, is_on) in [("deactivate", false), ("activate", true), ("deactivate", false)] {
            let set = |state| confirmed.lock().unwrap().tools.last_mut().unwrap().1 = state;
            set(None);
            let path = format!("POST /api/v1/tools/{name}/{word}");
            let Some((status, answer)) = request(address, &path, &json!({})) else { return };
            assert_eq!(status, 200, "{path}: {answer}");
            set(Some(is_on));
            if is_over.load(Ordering::Relaxed) {
                return;
            }
        }
    }
}

/// Returns a name that looks like no other: one that does is rejected.
fn name_of(round: u64, number: u64) -> String {
    let mut scattered = (round * 1000 + number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut name = String::from("count_");
    for _ in 0..12 {
        name.push(char::from(b"abdfghjkmprstvwz"[usize::try_from(scattered % 16).unwrap()]));
        scattered /= 16;
    }
    name
}

fn talk(address: &str, confirmed: &Mutex<Confirmed>, is_over: &AtomicBool) {
    for text in ["what can you do", "look left 2 degrees"].iter().cycle() {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let body = json!({ "text": text, "session": "evening" });
        let Some((status, answer)) = request(address, "POST /api/v1/chat", &body) else { return };
        assert_eq!(status, 200, "{answer}");
        confirmed.lock().unwrap().turns += 1;
    }
}

/// Checks what was confirmed on a server that has started again. Of a tool whose last request was not answered, either state
/// is right.
fn check(served: &Served, confirmed: &Confirmed) {
    let health = served.value("/health");
    assert_eq!(health["fault"], Value::Null, "{health}");
    for (name, is_on) in &confirmed.tools {
        let tool = served.value(&format!("/api/v1/tools/{name}"));
        assert!(is_on.is_none_or(|is_on| tool["active"] == is_on), "{name} should be {is_on:?}: {tool}");
    }
    if confirmed.turns > 0 {
        let listed = served.value("/api/v1/sessions");
        let turns = listed["sessions"][0]["turns"].as_u64().unwrap();
        assert!(turns >= confirmed.turns, "{} turns were confirmed: {listed}", confirmed.turns);
    }
}

#[test]
fn server_that_is_killed_at_any_moment_loses_nothing_that_it_confirmed() {
    let kills = std::env::var("MINISMITH_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let mut bench = TestDir::configured(
        "journal: {file: journal.jsonl}\nbus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n",
    );
    let confirmed = Mutex::new(Confirmed::default());
    // A multiplicative generator, by Lehmer: the moments are spread, and the same in each run.
    let mut moment = 48_271_u64;
    let is_confirmed = |confirmed: &Confirmed| !confirmed.tools.is_empty() && confirmed.turns > 0;
    for round in 0..MOST_ROUNDS * kills {
        // A busy machine may confirm nothing so soon: it gets more time, round after round.
        if round >= kills && is_confirmed(&confirmed.lock().unwrap()) {
            break;
        }
        let served = Served::on(bench);
        check(&served, &confirmed.lock().unwrap());
        moment = moment * 48_271 % 0x7fff_ffff;
        let latest = LATEST * (1 + u32::try_from(round / kills).unwrap());
        let pause = latest.mul_f64(moment as f64 / f64::from(0x7fff_ffff_u32));
        let is_over = AtomicBool::new(false);
        let address = served.address.clone();
        bench = std::thread::scope(|scope| {
            scope.spawn(|| make_tools(&address, round, &confirmed, &is_over));
            scope.spawn(|| talk(&address, &confirmed, &is_over));
            std::thread::park_timeout(pause);
            let bench = served.kill();
            is_over.store(true, Ordering::Relaxed);
            bench
        });
    }
    let confirmed = confirmed.into_inner().unwrap();
    let served = Served::on(bench);
    check(&served, &confirmed);
    let bench = served.stop();
    let checked = bench.run(&["journal", "check", "--json"]);
    println!(
        "{kills} kills, {} tools and {} turns confirmed: {}",
        confirmed.tools.len(),
        confirmed.turns,
        checked.out
    );
    assert!(is_confirmed(&confirmed), "nothing was confirmed");
    assert_eq!(checked.code, Some(0), "{}", checked.out);
}
