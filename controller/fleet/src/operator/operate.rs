//! Acts for another program ([`Operator::operate`]), such as the server of a dashboard: one session, many requests.
//!
//! Both directions are JSON documents, one per line. The program sends `{"id": 1, "request": {"command": "say", "to": ["all"],
//! "text": "wave"}}`, with the fields of [`Request`]. It receives
//!
//! ```text
//! {"kind": "robots", "fleet", "caller", "robots"}     once a second; `robots` as `list --json` has them, also those that have gone
//! {"kind": "event", "robot", "data"}                  as `watch --json` has it
//! {"kind": "picture", "robot", "jpeg"}                a camera image, Base64
//! {"kind": "answer", "id", "answer"}                  what the command prints with `--json`
//! {"kind": "answer", "id", "error"}                   the request was wrong, or the session has ended
//! {"kind": "error", "error"}                          the fleet cannot be reached; the last line
//! ```
//!
//! Robots, events and pictures are dropped where the program does not read them in time; answers are not.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::watch;
use tokio::task::JoinSet;
use zenoh::handlers::RingChannel;

use super::Operator;
use super::print;
use super::request::{Answer, Request};
use super::roster::Roster;
use crate::error::FleetError;
use crate::keys::robot_of;

/// The longest request, bytes.
const MAX_REQUEST_BYTES: u64 = 64 << 10;

/// How many requests may wait for answers, besides stops.
const MAX_PENDING: usize = 32;

/// How many documents may wait to be printed.
const CAPACITY: usize = 64;

/// How many images may wait to be printed.
const PICTURE_CAPACITY: usize = 16;

/// The largest image that is passed on, bytes.
const MAX_PICTURE_BYTES: usize = 1 << 20;

/// The time between two questions for the robots.
const INTERVAL: Duration = Duration::from_secs(1);

/// One line of the input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: u64,
    request: Request,
}

impl Operator {
    /// Acts until the input ends and all its requests are answered, or the task is dropped.
    ///
    /// # Errors
    /// If the session is closed.
    pub async fn operate(self: &Arc<Self>) -> Result<(), FleetError> {
        let (sender, mut receiver) = channel::<Value>(CAPACITY);
        let (known, robots) = watch::channel(None::<Roster>);
        let events = sender.clone();
        let _events = self
            .session
            .declare_subscriber(self.all.of_kind("events"))
            .callback(move |sample| {
                let robot = robot_of(sample.key_expr().as_str());
                if let Some((robot, data)) = robot.zip(super::watch::read(&sample)) {
                    let _full = events.try_send(json!({ "kind": "event", "robot": robot, "data": data }));
                }
            })
            .await?;
        let watching = self.report_robots(&sender, known);
        let seeing = self.report_pictures(&sender);
        let printing = async {
            while let Some(document) = receiver.recv().await {
                print::document(&document);
            }
        };
        tokio::select! {
            watched = watching => watched,
            seen = seeing => seen,
            () = printing => Ok(()),
            () = self.answer_requests(&sender, robots) => Ok(()),
        }
    }

    /// Asks robots for something. A stop does not wait until it is known again who is there.
    async fn perform_soon(&self, request: &Request, known: Option<Roster>) -> Result<Answer, FleetError> {
        if known.is_some() && matches!(request, Request::Stop { .. }) {
            let answer = self.perform(request, known).await?;
            if answer.is_done() {
                return Ok(answer);
            }
            // One may have started again since, and got the epoch of before.
        }
        self.perform(request, None).await
    }

    /// Prints the robots once a second, those that have gone with what was last known.
    async fn report_robots(
        &self,
        sender: &Sender<Value>,
        known: watch::Sender<Option<Roster>>,
    ) -> Result<(), FleetError> {
        let mut seen = Roster::new();
        loop {
            let present = self.roster().await?;
            for robot in seen.values_mut() {
                robot.present = false;
            }
            for (name, mut robot) in present.clone() {
                // One that does not respond keeps what was last known, but its clock.
                robot.status = robot.status.or_else(|| seen.get(&name).and_then(|seen| seen.status.clone()));
                seen.insert(name, robot);
            }
            let _unused = known.send(Some(present));
            let robots = print::robots(&seen);
            let document =
                json!({ "kind": "robots", "fleet": self.fleet, "caller": self.caller, "robots": robots });
            let _full = sender.try_send(document);
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Prints the camera images of all robots that publish them.
    async fn report_pictures(&self, sender: &Sender<Value>) -> Result<(), FleetError> {
        let pictures = self
            .session
            .declare_subscriber(self.all.of_kind("camera"))
            .with(RingChannel::new(PICTURE_CAPACITY))
            .await?;
        loop {
            let sample = pictures.recv_async().await?;
            let payload = sample.payload();
            if let Some(robot) = robot_of(sample.key_expr().as_str())
                && payload.len() <= MAX_PICTURE_BYTES
            {
                let jpeg = STANDARD.encode(payload.to_bytes());
                let _full = sender.try_send(json!({ "kind": "picture", "robot": robot, "jpeg": jpeg }));
            }
        }
    }

    /// Answers the requests of the input, side by side, and returns when it has ended and all are answered.
    async fn answer_requests(
        self: &Arc<Self>,
        sender: &Sender<Value>,
        robots: watch::Receiver<Option<Roster>>,
    ) {
        let mut input = BufReader::new(tokio::io::stdin());
        let seats = Arc::new(Semaphore::new(MAX_PENDING));
        let mut pending = JoinSet::new();
        loop {
            let mut line = Vec::new();
            let read = (&mut input).take(MAX_REQUEST_BYTES).read_until(b'\n', &mut line).await;
            if !matches!(read, Ok(1..)) {
                break;
            }
            let Line { id, request } = match serde_json::from_slice(&line) {
                Ok(line) => line,
                Err(error) => {
                    let id =
                        serde_json::from_slice::<Value>(&line).ok().and_then(|line| line.get("id").cloned());
                    let error = format!("not a request: {error}");
                    let _ended = sender.send(json!({ "kind": "answer", "id": id, "error": error })).await;
                    continue;
                }
            };
            let seat = seats.clone().try_acquire_owned().ok();
            if seat.is_none() && !matches!(request, Request::Stop { .. }) {
                let error = format!("{MAX_PENDING} requests wait for answers; try again later");
                let _ended = sender.send(json!({ "kind": "answer", "id": id, "error": error })).await;
                continue;
            }
            while pending.try_join_next().is_some() {}
            let (operator, sender) = (self.clone(), sender.clone());
            let known = robots.borrow().clone();
            pending.spawn(async move {
                let document = match operator.perform_soon(&request, known).await {
                    Ok(answer) => {
                        json!({ "kind": "answer", "id": id, "answer": print::answer_document(&answer) })
                    }
                    Err(error) => json!({ "kind": "answer", "id": id, "error": error.to_string() }),
                };
                let _ended = sender.send(document).await;
                drop(seat);
            });
        }
        while pending.join_next().await.is_some() {}
        // What was sent is printed before this ends.
        while sender.capacity() < sender.max_capacity() {
            tokio::task::yield_now().await;
        }
    }
}
