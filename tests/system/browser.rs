//! The dashboard in a real browser: each end-to-end test of `controller/dashboard/e2e` is a program that opens the page
//! of a test server, acts as a user would, and prints its checks as JSON. They need Node and Chromium, which `make
//! test-peers` installs. A browser uses both processors, so each test has the machine to itself (`.config/nextest.toml`).

#![allow(clippy::disallowed_methods, reason = "a browser is a program of its own")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use minismith_tests::{RunningCommand, TestDir, program, workspace};
use minismith_voice::audio::Clip;
use serde_json::{Value, json};

use super::server_fixture::Served;

/// Timeouts are long, since the browser uses up the processors.
const PATIENT: &str = "bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n";

/// A server that records motions and camera images.
const RECORDED: &str = "journal: {file: journal.jsonl}\ntraces: {directory: traces, camera_fps: 5}\n";

/// Returns the last line that a script of ours prints; none where the script cannot run here.
fn said_by(script: &str) -> Option<String> {
    let output = Command::new(workspace().join("scripts").join(script)).output().unwrap();
    let words = String::from_utf8(output.stdout).unwrap();
    output.status.success().then(|| words.trim().to_owned())
}

/// Returns Node and Chromium; prints a note and returns none where one is missing.
fn browser() -> Option<(PathBuf, String)> {
    let packages = workspace().join("controller/dashboard/node_modules/playwright-core");
    let found = if packages.is_dir() { said_by("node").zip(said_by("chromium")) } else { None };
    if found.is_none() {
        println!(
            "skipped: there is no Node, no Chromium or none of the dashboard's packages (make test-peers brings them)"
        );
    }
    found.map(|(node, chromium)| (PathBuf::from(node).join("node"), chromium))
}

/// Runs an end-to-end test in Firefox, and asserts that all its checks pass.
fn in_firefox(test: &str, keys: &str) {
    let Some(firefox) = said_by("firefox") else {
        println!("skipped: there is no Firefox (make test-peers brings it)");
        return;
    };
    let served = Served::on(bench(keys));
    let url = format!("http://{}", served.address);
    run_e2e(test, &[("MINISMITH_URL", url), ("MINISMITH_E2E_FIREFOX", firefox)]);
}

/// Runs an end-to-end test and asserts that all its checks pass.
pub(super) fn run_e2e(test: &str, environment: &[(&str, String)]) {
    let Some((node, chromium)) = browser() else { return };
    let folder = workspace().join("controller/dashboard/e2e");
    let output = Command::new(node)
        .arg(folder.join(format!("{test}.mjs")))
        .env("MINISMITH_CHROMIUM", chromium)
        .envs(environment.iter().map(|(name, value)| (name, value.as_str())))
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let reported = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    let last = reported.lines().last().unwrap_or_default();
    let seen: Value =
        serde_json::from_str(last).unwrap_or_else(|_| panic!("{test}: {reported}\n{complaints}"));
    let checks = seen["checks"].as_array().unwrap();
    let failed: Vec<&Value> = checks.iter().filter(|check| check["ok"] != true).collect();
    assert!(failed.is_empty() && output.status.success(), "{test}: {failed:#?}\n{complaints}");
    assert!(checks.len() >= 4, "{test} has only {} checks", checks.len());
    println!("{test}: {} checks passed", checks.len());
    for measured in reported.lines().filter(|line| line.starts_with("measured: ")) {
        println!("{test}: {measured}");
    }
}

/// Returns a test folder with a predefined tool.
fn bench(keys: &str) -> TestDir {
    let bench = TestDir::configured(&format!("{PATIENT}{keys}"));
    bench.add_predefined("greet");
    bench
}

/// Runs an end-to-end test on a server of its own.
fn on_a_server(test: &str) {
    let served = Served::on(bench(""));
    run_e2e(test, &[("MINISMITH_URL", format!("http://{}", served.address))]);
}

#[test]
fn user_chats_with_the_robot_and_stops_it() {
    on_a_server("talk");
}

#[test]
fn page_creates_rehearses_approves_and_runs_a_tool() {
    on_a_server("tools");
}

#[test]
fn tool_goes_to_another_controller_as_a_signed_file() {
    let [here, there] = ["", ""].map(|keys| Served::on(bench(keys)));
    let url = |served: &Served| format!("http://{}", served.address);
    run_e2e("share", &[("MINISMITH_URL", url(&here)), ("MINISMITH_SECOND", url(&there))]);
}

#[test]
fn tour_ends_with_a_tool_and_reasons_are_given() {
    on_a_server("help");
}

/// Defines a test that runs an end-to-end test in Firefox.
macro_rules! in_firefox {
    ($($name:ident: $test:literal),+ $(,)?) => {
        mod firefox {
            $(
                #[test]
                fn $name() {
                    super::in_firefox($test, "");
                }
            )+
        }
    };
}

in_firefox! {
    user_chats_with_the_robot_and_stops_it: "talk",
    conversation_shows_how_a_sentence_was_taken: "understood",
    page_creates_rehearses_approves_and_runs_a_tool: "tools",
    editor_helps_while_a_tool_is_written: "tool-editor",
    motion_is_edited_on_a_timeline_and_runs: "timeline",
    tour_ends_with_a_tool_and_reasons_are_given: "help",
    page_searches_and_exports_the_journal: "journal",
    robot_holds_when_a_driving_tab_closes: "drive",
    image_shows_what_the_limits_hold_back: "drive-limits",
    page_replays_the_last_seconds_of_driving: "drive-past",
    only_one_of_two_users_drives_and_both_see_it: "two-operators",
}

#[test]
fn firefox_plots_live_signals_and_recordings() {
    in_firefox("plots", RECORDED);
}

#[test]
fn conversation_shows_how_a_sentence_was_taken() {
    on_a_server("understood");
}

#[test]
fn editor_helps_while_a_tool_is_written() {
    on_a_server("tool-editor");
}

#[test]
fn motion_is_edited_on_a_timeline_and_runs() {
    on_a_server("timeline");
}

#[test]
fn operator_sees_commands_and_stops_a_fleet() {
    fleet_in_browser(&[]);
}

#[test]
fn firefox_shows_and_commands_a_fleet() {
    match said_by("firefox") {
        Some(firefox) => fleet_in_browser(&[("MINISMITH_E2E_FIREFOX", firefox)]),
        None => println!("skipped: there is no Firefox (make test-peers brings it)"),
    }
}

/// Runs the end-to-end test of the fleet with two robots and an operator, and asserts that all its checks pass.
fn fleet_in_browser(more: &[(&str, String)]) {
    let program = program("minismith-fleet");
    if !program.is_file() {
        return println!("skipped: there is no minismith-fleet (make fleet)");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let endpoint = format!("tcp/127.0.0.1:{port}");
    let mut command = Command::new(program);
    command.args(["router", "--listen", &endpoint]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut router = RunningCommand::from(command);
    assert!(router.line().is_some_and(|line| line.contains(&endpoint)));
    let fleet = format!("router: {endpoint}, directory: fleet");
    let hall = Served::on(bench(&format!("fleet: {{robot: hall, {fleet}}}\n")));
    let kitchen = Served::on(bench(&format!(
        "fleet: {{robot: kitchen, groups: [dancers], camera_fps: 5, operator: desk, {fleet}}}\n"
    )));
    let url = [("MINISMITH_URL", format!("http://{}", kitchen.address))];
    run_e2e("fleet", &[&url, more].concat());
    drop((kitchen, hall, router));
}

#[test]
fn page_searches_and_exports_the_journal() {
    on_a_server("journal");
}

#[test]
fn page_plots_live_signals_and_recordings() {
    let served = Served::on(bench(RECORDED));
    run_e2e("plots", &[("MINISMITH_URL", format!("http://{}", served.address))]);
}

#[test]
fn robot_holds_when_a_driving_tab_closes() {
    on_a_server("drive");
}

#[test]
fn image_shows_what_the_limits_hold_back() {
    on_a_server("drive-limits");
}

#[test]
fn page_replays_the_last_seconds_of_driving() {
    on_a_server("drive-past");
}

#[test]
fn tilt_of_a_phone_steers_while_a_button_is_held() {
    on_a_server("drive-tilt");
}

#[test]
fn user_talks_through_the_robot() {
    let (served, played) = Served::with_speaker(bench(""));
    run_e2e("drive-talk", &[("MINISMITH_URL", format!("http://{}", served.address))]);
    let bytes = std::fs::read(&played).unwrap();
    let loud = bytes.as_chunks::<2>().0.iter().filter(|pair| i16::from_le_bytes(**pair).abs() > 300).count();
    assert!(loud > 500, "the beeps of the browser's microphone: {loud} loud samples of {}", bytes.len() / 2);
}

#[test]
fn only_one_of_two_users_drives_and_both_see_it() {
    on_a_server("two-operators");
}

#[test]
fn page_offers_each_role_its_permitted_actions() {
    let bench = bench("server: {anonymous_role: none}\n");
    let tokens: Value = ["viewer", "operator", "engineer", "owner"]
        .map(|role| {
            let made = bench.run(&["token", "add", role, "--role", role, "--json"]).exits(0).json();
            (role.to_owned(), made["token"].clone())
        })
        .into_iter()
        .collect();
    let served = Served::on(bench);
    let url = format!("http://{}", served.address);
    run_e2e("roles", &[("MINISMITH_URL", url), ("MINISMITH_TOKENS", tokens.to_string())]);
}

/// Returns an utterance between silences, as a WAV file of a typical microphone.
fn recorded(bench: &TestDir, text: &str) -> PathBuf {
    let output = Command::new("espeak-ng").args(["-v", "en-us", "-s", "150", "--stdout", text]).output();
    let output =
        output.unwrap_or_else(|error| panic!("espeak-ng is needed (scripts/sound --speak): {error}"));
    assert!(output.status.success());
    // The header of a stream does not contain its length.
    let pairs = output.stdout[44..].chunks_exact(2);
    let samples = pairs.map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32768.0).collect();
    let speech = Clip::new(22_050, samples).resampled(48_000).unwrap();
    let still = |seconds: u64| Clip::silence(48_000, Duration::from_secs(seconds)).samples;
    let file = bench.path("said.wav");
    Clip::new(48_000, [still(3), speech.samples, still(4)].concat()).save(&file).unwrap();
    file
}

#[test]
fn user_speaks_through_the_page() {
    let models = workspace().join(".cache/models");
    assert!(models.join("hibari.onnx").is_file(), "there are no models; run `make models`");
    let bench = bench(&format!("models: {{directory: {}}}\n", models.display()));
    // In the synthetic voice, other short sentences ("nod twice") are often misheard, which is no fault of the page.
    let file = recorded(&bench, "look up");
    let served = Served::on(bench);
    let environment = [
        ("MINISMITH_URL", format!("http://{}", served.address)),
        ("MINISMITH_VOICE", file.display().to_string()),
    ];
    run_e2e("voice", &environment);
}

#[test]
fn page_fits_a_phone_and_is_accessible() {
    on_a_server("phone");
}

#[test]
fn page_shows_the_true_state_over_a_bad_connection() {
    on_a_server("slow-network");
}

#[test]
fn woken_tab_shows_the_robot_as_it_is() {
    let served = Served::on(bench(""));
    let url = format!("http://{}", served.address);
    run_e2e("asleep", &[("MINISMITH_URL", url), ("MINISMITH_PID", served.id().to_string())]);
}

#[test]
fn twenty_pages_are_live_at_once() {
    on_a_server("many-pages");
}

#[test]
fn page_shows_a_server_restart() {
    let bench = bench("");
    let arguments = json!(["serve", "--robot", "mock"]);
    let environment = [
        ("MINISMITH_PROGRAM", program("minismith").display().to_string()),
        ("MINISMITH_ARGS", arguments.to_string()),
        ("MINISMITH_FOLDER", bench.path(".").display().to_string()),
    ];
    run_e2e("server-restart", &environment);
}
