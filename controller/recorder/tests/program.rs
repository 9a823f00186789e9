//! Tests the program: killed, without a viewer, with a viewer that does not read, with real ones, and with a full disk.

// Test helpers may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use minismith_protocol::trace_format::Message;
use re_log_channel::{DataSourceMessage, LogReceiver};
use re_sdk::external::re_grpc_client;
use re_sdk::external::re_grpc_server::{self, shutdown};
use re_sdk::log::LogMsg;

use support::{Recorded, cycles, end, lines, live, of_every_kind};

// The program promises five seconds. A busy machine gets more time.
const TIMEOUT: Duration = Duration::from_secs(30);
// For events that happen soon.
const POLL_ATTEMPTS: usize = 600;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The running recorder. Dropping it kills it.
struct Recorder(Child);

/// Result of the program.
struct Over {
    code: Option<i32>,
    reported: serde_json::Value,
    complaints: String,
}

impl Recorder {
    // The program is the subject of the test.
    #[allow(clippy::disallowed_methods)]
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minismith-recorder"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Recorder(command.spawn().unwrap())
    }

    fn report(&mut self, messages: &[Message]) {
        self.0.stdin.as_mut().unwrap().write_all(lines(messages).as_bytes()).unwrap();
    }

    /// Closes its input and waits for its end.
    #[track_caller]
    fn finish(mut self) -> Over {
        drop(self.0.stdin.take());
        let (mut output, mut errors) = (self.0.stdout.take().unwrap(), self.0.stderr.take());
        let (done, over) = channel();
        std::thread::spawn(move || {
            let (mut reported, mut complaints) = (String::new(), String::new());
            output.read_to_string(&mut reported).unwrap();
            errors.as_mut().map(|errors| errors.read_to_string(&mut complaints));
            done.send((reported, complaints))
        });
        let (reported, complaints) = over.recv_timeout(TIMEOUT).expect("the recorder does not end");
        let code = self.0.wait().unwrap().code();
        Over { code, reported: serde_json::from_str(&reported).unwrap_or_default(), complaints }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ended_already = self.0.kill();
        let _reaped_already = self.0.wait();
    }
}

fn until(mut so: impl FnMut() -> bool) -> bool {
    let (_open, pause) = channel::<()>();
    (0..POLL_ATTEMPTS).any(|_| so() || (pause.recv_timeout(POLL_INTERVAL).is_ok()))
}

fn folder() -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.rrd");
    let named = path.to_str().unwrap().to_owned();
    (folder, path, named)
}

fn first(count: u64) -> Vec<Message> {
    [vec![Message::Header(live())], cycles(0..count)].concat()
}

fn known(path: &Path) -> Vec<i64> {
    Recorded::read(path).curves("/legs/stewart_1").iter().map(|(cycle, _)| *cycle).collect()
}

/// Asserts that a file contains this many cycles, each once.
#[track_caller]
fn is_whole(path: &Path, count: i64) {
    assert_eq!(known(path), (0..count).collect::<Vec<_>>());
}

#[test]
fn data_before_a_kill_is_readable() {
    let (_folder, path, named) = folder();
    let mut recorder = Recorder::start(&["--to", &named]);
    recorder.report(&first(1_000));
    // The input pauses, so everything received is written.
    assert!(until(|| known(&path).len() == 1_000), "{} beats", known(&path).len());
    recorder.report(&cycles(1_000..1_450));
    assert!(until(|| known(&path).len() >= 1_400));
    recorder.0.kill().unwrap();
    recorder.0.wait().unwrap();
    let known = known(&path);
    assert!(known.iter().copied().eq(0..known.len() as i64));
}

#[test]
fn absent_viewer_does_not_affect_the_file() {
    let (_folder, path, named) = folder();
    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let mut recorder = Recorder::start(&["--to", &named, "--connect", &at(nobody)]);
    recorder.report(&[first(3_000), of_every_kind(2_999), vec![end(3_000)]].concat());
    let over = recorder.finish();
    assert_eq!((over.code, &over.reported["beats"]), (Some(0), &3_000.into()), "{}", over.complaints);
    assert_eq!(over.reported["written"], std::fs::metadata(&path).unwrap().len());
    assert!(over.reported["dropped_for_viewer"].as_u64().unwrap() > 100, "{}", over.reported);
    is_whole(&path, 3_000);
}

fn at(address: SocketAddr) -> String {
    format!("rerun+http://{address}/proxy")
}

#[test]
fn blocked_viewer_does_not_affect_the_file() {
    let (_folder, path, named) = folder();
    let deaf = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut recorder = Recorder::start(&["--to", &named, "--connect", &at(deaf.local_addr().unwrap())]);
    // More than the connection and its queue can hold.
    recorder.report(&[first(9_000), vec![end(9_000)]].concat());
    let over = recorder.finish();
    assert_eq!((over.code, &over.reported["beats"]), (Some(0), &9_000.into()), "{}", over.complaints);
    assert_eq!(over.complaints.matches("too slow").count(), 1, "{}", over.complaints);
    assert_eq!(over.complaints.matches("did not reach").count(), 1, "{}", over.complaints);
    assert!(over.reported["dropped_for_viewer"].as_u64().unwrap() > 100, "{}", over.reported);
    is_whole(&path, 9_000);
}

/// Runs Rerun's own client or server on a thread that ends with the test.
fn runtime(work: impl Future<Output = ()> + Send + 'static) {
    std::thread::spawn(|| {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
    });
}

fn hand_on(from: &LogReceiver, to: &Sender<LogMsg>) {
    while let Ok(message) = from.recv() {
        if let Some(DataSourceMessage::LogMsg(message)) = message.into_data()
            && to.send(message).is_err()
        {
            return;
        }
    }
}

/// Receives messages as a viewer, until this many cycles have arrived and `rest` holds. Chunks of different entities
/// arrive in no fixed order.
fn sees(messages: &Receiver<LogMsg>, count: usize, rest: impl Fn(&Recorded) -> bool) {
    let mut seen = Recorded::default();
    while seen.curves("/legs/stewart_1").len() < count || !rest(&seen) {
        let message = messages.recv_timeout(TIMEOUT);
        seen.take(message.unwrap_or_else(|_| {
            let (cycles, entities) = (seen.curves("/legs/stewart_1").len(), seen.chunks.keys());
            panic!("{cycles} cycles, {} blueprints, {entities:?}", seen.blueprints)
        }));
    }
}

#[test]
fn listening_viewer_receives_everything() {
    let (_folder, path, named) = folder();
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let (see, seen) = channel();
    runtime(async move {
        let (viewer, _) = re_grpc_server::spawn_with_recv(address, Default::default(), shutdown::never());
        std::thread::spawn(move || hand_on(&viewer, &see));
        std::future::pending::<()>().await;
    });
    let mut recorder = Recorder::start(&["--to", &named, "--connect", &at(address)]);
    recorder.report(&[first(500), of_every_kind(499)].concat());
    sees(&seen, 500, |so_far| so_far.chunks.contains_key("/about") && so_far.blueprints == 1);
    recorder.report(&[cycles(500..700), vec![end(700)]].concat());
    let over = recorder.finish();
    assert_eq!(
        (over.code, &over.reported["dropped_for_viewer"]),
        (Some(0), &0.into()),
        "{}",
        over.complaints
    );
    sees(&seen, 200, |_| true);
    is_whole(&path, 700);
}

/// Returns the server's address from its output.
fn served(recorder: &mut Recorder) -> (SocketAddr, BufReader<ChildStderr>) {
    let mut errors = BufReader::new(recorder.0.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    let address = line.split("rerun+http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    (address.parse().unwrap(), errors)
}

#[test]
fn late_viewer_receives_earlier_data() {
    let mut recorder = Recorder::start(&["--serve", "0"]);
    let (address, _errors) = served(&mut recorder);
    assert!(address.ip().is_loopback());
    TcpStream::connect(address).unwrap();
    // The port is in use: another recorder reports that before it reads anything.
    let over = Recorder::start(&["--serve", &address.to_string()]).finish();
    assert_eq!(over.code, Some(2));
    assert!(over.complaints.contains("choose another port"), "{}", over.complaints);
    recorder.report(&[first(500), of_every_kind(499)].concat());
    let (see, seen) = channel();
    runtime(async move {
        let here = re_async::AsyncRuntimeHandle::from_current_tokio_runtime_or_wasmbindgen().unwrap();
        let messages = re_grpc_client::stream(&here, at(address).parse().unwrap());
        std::thread::spawn(move || hand_on(&messages, &see));
        std::future::pending::<()>().await;
    });
    sees(&seen, 500, |so_far| so_far.chunks.contains_key("/about"));
    recorder.report(&cycles(500..700));
    sees(&seen, 200, |_| true);
    recorder.report(&[end(700)]);
    let over = recorder.finish();
    assert_eq!((over.code, &over.reported["beats"]), (Some(0), &700.into()));
}

#[test]
fn full_disk_is_reported_once_and_viewers_continue() {
    let mut recorder = Recorder::start(&["--to", "/dev/full", "--serve", "0"]);
    recorder.report(&[first(1_000), vec![end(1_000)]].concat());
    let over = recorder.finish();
    assert_eq!((over.code, &over.reported["beats"]), (Some(1), &1_000.into()), "{}", over.complaints);
    assert_eq!(over.complaints.matches("No space left").count(), 1, "{}", over.complaints);
    assert_eq!((&over.reported["written"], &over.reported["dropped_for_viewer"]), (&0.into(), &0.into()));
}

#[test]
fn startup_errors_are_reported() {
    let (_folder, _, named) = folder();
    let mut recorder = Recorder::start(&["--to", &format!("{named}/none.rrd")]);
    recorder.report(&first(0));
    let over = recorder.finish();
    assert_eq!(
        (over.code, over.complaints.contains("choose a folder")),
        (Some(2), true),
        "{}",
        over.complaints
    );
    let over = Recorder::start(&[]).finish();
    assert_eq!((over.code, over.complaints.starts_with("usage:")), (Some(2), true), "{}", over.complaints);
    let over = Recorder::start(&["--connect", "nowhere"]).finish();
    assert_eq!(
        (over.code, over.complaints.contains("invalid viewer address")),
        (Some(2), true),
        "{}",
        over.complaints
    );
}
