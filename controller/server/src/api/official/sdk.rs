//! `/ws/sdk`: the WebSocket of SDK clients.
//!
//! Every client receives the same messages: positions and pose 50 times a second, the status at once and then every second,
//! and the end of every task. A slow client misses the oldest messages. When a client disconnects, its move stops and the
//! robot holds its position.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::any;
use firmware_bridge::control_loop::LoopSnapshot;
use firmware_bridge::kinematics::FittedPosture;
use firmware_bridge::posture::Posture;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval, timeout};
use uuid::Uuid;

use super::command::{Command, GotoTarget, obey};
use super::pose::{antennas, head_joints, present};
use super::recorder::Recorder;
use super::sensors::ImuReading;
use super::{Broadcast, Robot, daemon, now};
use crate::api::caller::{MediaAccess, MessageAuthor};
use minismith_control::motion_executor::{Finished, MoveRequest};

/// Interval of position messages, as in the official daemon.
const CYCLE_PERIOD: Duration = Duration::from_millis(20);

/// Position messages per status message: one second, as in the official daemon.
const STATUS: u64 = 50;

/// How long a move may overrun its duration: the official client gives up after one more second.
const MOVE_END_TIMEOUT: Duration = Duration::from_millis(800);

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new().route("/ws/sdk", any(open))
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ServerMessage {
    JointPositions { head_joint_positions: [f64; 7], antennas_joint_positions: [f64; 2] },
    HeadPose { head_pose: [[f64; 4]; 4] },
    ImuData(ImuReading),
    TaskProgress { uuid: Uuid, finished: bool, error: Option<String>, timestamp: String },
}

impl ServerMessage {
    fn worded(&self) -> Utf8Bytes {
        serde_json::to_string(self).unwrap_or_default().into()
    }
}

/// Serialises the positions and the pose.
fn positions(snapshot: &LoopSnapshot, posture: &Posture) -> [Utf8Bytes; 2] {
    let joints = snapshot.state.present().unwrap_or_default();
    let rows = posture.head.to_row_major();
    let mut head_pose = [[0.0; 4]; 4];
    for (row, numbers) in head_pose.iter_mut().zip(rows.chunks_exact(4)) {
        row.copy_from_slice(numbers);
    }
    let positions = ServerMessage::JointPositions {
        head_joint_positions: head_joints(&joints),
        antennas_joint_positions: antennas(&posture.antennas),
    };
    [positions.worded(), ServerMessage::HeadPose { head_pose }.worded()]
}

fn status(robot: &Robot, media: MediaAccess) -> Utf8Bytes {
    daemon::reported(robot, media).to_string().into()
}

/// Broadcasts the robot's state while the server runs. The client takes one second without messages for a lost connection, so
/// the status is sent during faults, too.
pub(super) async fn report(robot: Arc<Robot>) {
    let mut cycles = interval(CYCLE_PERIOD);
    cycles.set_missed_tick_behavior(MissedTickBehavior::Skip);
    for cycle in 0_u64.. {
        while robot.broadcast.receiver_count() == 0 {
            // Without a client, nothing wakes a processor.
            robot.connected.notified().await;
        }
        cycles.tick().await;
        let snapshot = robot.snapshot();
        if let Ok(FittedPosture { posture, .. }) = present(&snapshot) {
            let imu = robot.imu(&posture).map(|reading| ServerMessage::ImuData(reading).worded());
            for message in positions(&snapshot, &posture).into_iter().chain(imu) {
                // The last client may have disconnected.
                let _heard = robot.broadcast.send(message.into());
            }
        }
        if cycle % STATUS == 0 {
            for media in [MediaAccess::Local, MediaAccess::Remote, MediaAccess::None] {
                let text = status(&robot, media);
                let _heard = robot.broadcast.send(Broadcast { text, for_media: Some(media) });
            }
        }
    }
}

async fn open(
    State(robot): State<Arc<Robot>>,
    speaker: MessageAuthor,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade.max_message_size(super::MAX_MESSAGE_BYTES).on_upgrade(|socket| converse(socket, robot, speaker))
}

async fn converse(mut socket: WebSocket, robot: Arc<Robot>, speaker: MessageAuthor) {
    let mut reported = robot.broadcast.subscribe();
    robot.connected.notify_one();
    let media = speaker.media();
    let mut greeting = vec![status(&robot, media)];
    let snapshot = robot.snapshot();
    if let Ok(FittedPosture { posture, .. }) = present(&snapshot) {
        greeting.extend(positions(&snapshot, &posture));
    }
    for message in greeting {
        if socket.send(Message::Text(message)).await.is_err() {
            return;
        }
    }
    let mut client = Client { robot, speaker, recorder: Recorder::default(), task: None, targets: 0 };
    loop {
        tokio::select! {
            message = reported.recv() => match message {
                Ok(Broadcast { for_media, .. }) if for_media.is_some_and(|wanted| wanted != media) => {}
                Ok(message) => if socket.send(Message::Text(message.text)).await.is_err() { return },
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            heard = socket.recv() => match heard {
                Some(Ok(Message::Text(text))) => {
                    if let Some(answer) = client.hear(&text).await
                        && socket.send(Message::Text(answer.into())).await.is_err()
                    {
                        return;
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
        }
    }
}

/// A client. When it disconnects, its move is stopped.
struct Client {
    robot: Arc<Robot>,
    speaker: MessageAuthor,
    recorder: Recorder,
    task: Option<Uuid>,
    /// Number of streamed targets.
    targets: u64,
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(task) = self.task {
            self.robot.executor.stop(task);
        }
        if self.targets > 0 {
            self.speaker.note("/ws/sdk: targets", &format!("{} in all", self.targets));
        }
    }
}

impl Client {
    /// Executes a message and returns the response to this client.
    async fn hear(&mut self, text: &str) -> Option<String> {
        let command = match serde_json::from_str::<Command>(text) {
            Ok(command) => command,
            Err(error) => {
                tracing::warn!("invalid message from a client: {error}");
                return None;
            }
        };
        let refusal = self.speaker.caller.require_role(command.least()).err();
        if let Some(what) = command.noted() {
            let outcome = if refusal.is_some() { "refused" } else { "heard" };
            self.speaker.note(&format!("/ws/sdk: {what}"), outcome);
        }
        if let Some(refusal) = refusal {
            tracing::warn!("cannot execute a client's message: {refusal}");
            // The client waits for the end of the task.
            if let Command::Task { uuid, .. } = command {
                finish(&self.robot, uuid, Err(refusal.to_string()));
            }
            return None;
        }
        match command {
            Command::StartRecording => self.recorder.start(),
            Command::AppendRecord { record } => self.recorder.append(&record),
            Command::StopRecording => return Some(self.recorder.stop()),
            Command::Task { uuid, req } => self.begin(uuid, &req),
            command => {
                if self.robot.lifecycle().is_running() {
                    self.targets += u64::from(command.noted().is_none());
                    obey(&self.robot, &self.speaker.caller, command).await;
                }
            }
        }
        None
    }

    /// Starts a move; all clients receive its end, as in the official daemon.
    fn begin(&mut self, id: Uuid, goto: &GotoTarget) {
        let (ended, end) = tokio::sync::oneshot::channel();
        let Some(seconds) = goto.seconds() else {
            let why = "unknown task: send a duration, and head, antennas or body_yaw";
            return finish(&self.robot, id, Err(why.into()));
        };
        let begun = match goto.motion(&self.robot) {
            _ if !self.robot.lifecycle().is_running() => Err("Backend not running".to_owned()),
            Err(refusal) => Err(refusal.to_string()),
            Ok(motion) => self
                .robot
                .executor
                .begin(id, MoveRequest::Motions(vec![motion]), move |done| {
                    // The waiting task may have timed out.
                    let _heard = ended.send(done);
                })
                .map_err(|busy| busy.to_string()),
        };
        let robot = self.robot.clone();
        match begun {
            Err(why) => finish(&robot, id, Err(why)),
            Ok(()) => {
                self.task = Some(id);
                let patience = Duration::from_secs_f64(seconds) + MOVE_END_TIMEOUT;
                tokio::spawn(async move {
                    let done = match timeout(patience, end).await {
                        Ok(Ok(done)) => done,
                        Ok(Err(_)) => Err("the server is shutting down".into()),
                        Err(_) => {
                            Err("the move takes longer than requested: the safety envelope slows it down; it goes on".into())
                        }
                    };
                    finish(&robot, id, done);
                });
            }
        }
    }
}

fn finish(robot: &Robot, uuid: Uuid, done: Finished) {
    let reported = ServerMessage::TaskProgress { uuid, finished: true, error: done.err(), timestamp: now() };
    // The client may have disconnected.
    let _heard = robot.broadcast.send(reported.worded().into());
}
