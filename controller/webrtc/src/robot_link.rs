//! The robot for one peer: its messages go to the controller, with its own rights, and the responses come back.
//!
//! Streams of targets and moves go through the SDK's WebSocket, one per peer. When it ends, so does the session; the controller
//! stops the moves that were asked for on it. The rest are requests to the REST API, at most [`MAX_JOBS`] at a time.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use crate::commands::{CLEAR_SOUND_PATH, Request, RestRequest, failed, understand, with};
use crate::controller::{Caller, Controller, ControllerError, ControllerSocket, Credentials, SDK_PATH};
use crate::playback::{Cancel, MoveSound, Playback};
use crate::robot_state::RobotState;
use crate::uploaded_sounds::SoundPlayer;
use crate::uploads::{Kind, UploadedMove, UploadedSound, Uploads};

/// Requests and moves of one peer that may run at the same time.
const MAX_JOBS: usize = 16;

/// Messages that wait for the controller, and responses that wait for the peer.
const QUEUE_CAPACITY: usize = 64;

/// The time between two looks at whether a move has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The longest time that waking up and going to sleep take.
const PLAY_TIMEOUT: Duration = Duration::from_secs(20);

/// The end of something that was asked for.
enum Done {
    /// A response for the peer.
    Reply(Value),
    /// What the state's REST part is; the peer waits for the state, or not.
    State {
        /// Whether a move runs.
        is_move_running: Option<bool>,
        /// The motors' control mode.
        motor_mode: Option<Value>,
        /// Whether the peer waits.
        for_peer: bool,
    },
}

/// What the peer asks of the session itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoseStream {
    /// Begin to send poses.
    Begin,
    /// Send no more.
    End,
}

/// The robot for one peer.
pub struct RobotLink {
    controller: Controller,
    who: Arc<Credentials>,
    caller: Caller,
    commands: mpsc::Sender<Message>,
    reports: SplitStream<ControllerSocket>,
    done: (mpsc::Sender<Done>, mpsc::Receiver<Done>),
    jobs: JoinSet<()>,
    state: RobotState,
    gotos: HashSet<Uuid>,
    /// Moves that the REST API plays for the peer.
    playing: Arc<Mutex<HashSet<String>>>,
    pose_stream: Option<PoseStream>,
    /// Whether the peer has asked to silence its own sound.
    is_silenced: bool,
    moves: Uploads<UploadedMove>,
    sounds: Uploads<UploadedSound>,
    sound_player: SoundPlayer,
    /// The uploaded sound that was begun last.
    playing_sound: Option<String>,
    /// The uploaded move that plays, and how to end it.
    playing_upload: Option<(String, Cancel)>,
}

impl RobotLink {
    /// Connects to the controller with a peer's rights.
    ///
    /// # Errors
    /// [`ControllerError`] says why not.
    pub async fn open(
        controller: Controller,
        who: Arc<Credentials>,
        caller: Caller,
    ) -> Result<Self, ControllerError> {
        let (sink, reports) = controller.socket(SDK_PATH, &who).await?.split();
        let (commands, inbox) = mpsc::channel(QUEUE_CAPACITY);
        let mut jobs = JoinSet::new();
        jobs.spawn(send(sink, inbox));
        let sound_player = SoundPlayer::new(controller.clone(), who.clone());
        Ok(RobotLink {
            controller,
            who,
            caller,
            commands,
            reports,
            done: mpsc::channel(QUEUE_CAPACITY),
            jobs,
            state: RobotState::default(),
            gotos: HashSet::new(),
            playing: Arc::default(),
            pose_stream: None,
            is_silenced: false,
            moves: Uploads::default(),
            sounds: Uploads::default(),
            sound_player,
            playing_sound: None,
            playing_upload: None,
        })
    }

    /// Does what a message asks for, and returns the response if it has one at once.
    pub fn take(&mut self, text: &str) -> Option<Value> {
        while self.jobs.try_join_next().is_some() {}
        match understand(text) {
            Request::Nothing => None,
            Request::Upload(kind, step) => {
                match kind {
                    Kind::Move => self.moves.take(step),
                    Kind::Sound => self.sounds.take(step),
                }
                None
            }
            Request::PlayUpload { id, frequency_hz, initial_goto_s, sound_lead_s } => {
                self.play_upload(id, frequency_hz, initial_goto_s, sound_lead_s)
            }
            Request::PlaySound(id) => self.play_sound(id),
            Request::CancelSound(id) => {
                if self.playing_sound.take_if(|playing| *playing == id).is_some() {
                    let player = self.sound_player.clone();
                    self.jobs.spawn(async move { player.stop().await });
                }
                None
            }
            Request::CancelUpload(id) => {
                if let Some((playing, cancel)) = &self.playing_upload
                    && *playing == id
                {
                    cancel.cancel();
                }
                None
            }
            Request::Reply(reply) => Some(reply),
            Request::Forward { message, reply } => Some(self.forward(message, reply)),
            Request::Goto { id, message } => self.goto(id, message),
            Request::Status { command, pointer, name } => {
                let value = self.state.status(pointer);
                let reply = command.map_or_else(|| json!({}), |command| json!({ "command": command }));
                Some(with(reply, name, value))
            }
            Request::PoseStream(is_wanted) => {
                self.pose_stream = Some(if is_wanted { PoseStream::Begin } else { PoseStream::End });
                let command = if is_wanted { "subscribe_pose" } else { "unsubscribe_pose" };
                Some(json!({ "status": "ok", "command": command }))
            }
            Request::State => self.refresh(true),
            Request::Stop => {
                if let Some((_, cancel)) = &self.playing_upload {
                    cancel.cancel();
                }
                self.job("stop_move", |link| stop(link.controller.clone(), link.who.clone()))
            }
            Request::Rest(request) => {
                self.is_silenced |= request.path == CLEAR_SOUND_PATH;
                let command = request
                    .reply
                    .get("command")
                    .and_then(Value::as_str)
                    .unwrap_or("set_motor_mode")
                    .to_owned();
                self.job(&command.clone(), |link| {
                    ask(link.controller.clone(), link.who.clone(), command, request)
                })
            }
            Request::Play { command, path } => self.job(command, |link| {
                play(link.controller.clone(), link.who.clone(), link.playing.clone(), command, path)
            }),
        }
    }

    /// Returns what the peer has asked of the session since the last call.
    pub fn pose_stream(&mut self) -> Option<PoseStream> {
        self.pose_stream.take()
    }

    /// Returns whether the peer has asked to silence its own sound since the last call.
    pub fn was_silenced(&mut self) -> bool {
        std::mem::take(&mut self.is_silenced)
    }

    /// Waits for the next message for the peer; none if the link to the controller has ended. Nothing is lost if the future is
    /// dropped.
    pub async fn next_reply(&mut self) -> Option<Value> {
        loop {
            tokio::select! {
                done = self.done.1.recv() => match done? {
                    Done::Reply(reply) => return Some(reply),
                    Done::State { is_move_running, motor_mode, for_peer } => {
                        self.state.update(is_move_running, motor_mode);
                        if for_peer {
                            return Some(json!({ "state": self.state.snapshot() }));
                        }
                    }
                },
                report = self.reports.next() => match report?.ok()? {
                    Message::Text(text) => if let Some(reply) = self.hear(&text) {
                        return Some(reply);
                    },
                    Message::Close(_) => return None,
                    _ => {}
                },
            }
        }
    }

    /// Returns the pose for the stream of poses; none until one is known.
    pub fn pose(&mut self) -> Option<Value> {
        self.state.pose_frame()
    }

    /// Asks for the part of the state that the controller does not send by itself.
    pub fn refresh_pose(&mut self) {
        let _none = self.refresh(false);
    }

    /// Stops what the peer plays, as the controller does for its own clients.
    pub async fn close(self) {
        let playing: Vec<String> =
            self.playing.lock().unwrap_or_else(PoisonError::into_inner).drain().collect();
        drop(self.jobs);
        self.sound_player.clean_up().await;
        if self.playing_upload.is_some_and(|(_, cancel)| !cancel.is_over()) {
            self.sound_player.stop().await;
        }
        for uuid in playing {
            let body = json!({ "uuid": uuid });
            if let Err(error) =
                self.controller.request("POST", "/api/move/stop", &self.who, Some(&body)).await
            {
                tracing::warn!("cannot stop the move of a peer that has left: {error}");
            }
        }
    }

    fn forward(&self, message: Value, reply: Value) -> Value {
        let command = message.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let disables_torque = command == "set_torque" && message.get("on") != Some(&Value::Bool(true));
        if self.commands.try_send(Message::text(message.to_string())).is_err() {
            return failed(&command, "too many messages at once: the robot is busy with earlier ones");
        }
        // The controller refuses it too, and notes it, but tells nobody.
        if self.caller.may(&command, disables_torque) { reply } else { self.refused(&command) }
    }

    fn goto(&mut self, id: Uuid, message: Value) -> Option<Value> {
        if self.gotos.len() >= MAX_JOBS {
            return Some(failed("goto_target", "too many moves at once"));
        }
        if self.commands.try_send(Message::text(message.to_string())).is_err() {
            return Some(failed("goto_target", "too many messages at once"));
        }
        self.gotos.insert(id);
        None
    }

    fn play_sound(&mut self, id: String) -> Option<Value> {
        let told = json!({ "type": "play_uploaded_audio", "upload_id": id });
        let Some(sound) = self.sounds.ready(&id).cloned() else {
            let reason = "no such uploaded sound: upload a WAV file first, in order";
            return Some(with(told, "error", reason.into()));
        };
        let refusal = self.job("play_uploaded_audio", |link| {
            let (player, told) = (link.sound_player.clone(), told.clone());
            async move {
                Done::Reply(match player.play(&sound).await {
                    Ok(()) => with(told, "started", true.into()),
                    Err(error) => with(told, "error", error.to_string().into()),
                })
            }
        });
        if let Some(refusal) = refusal {
            return Some(with(told, "error", refusal.get("error").cloned().unwrap_or_default()));
        }
        self.playing_sound = Some(id);
        None
    }

    fn play_upload(
        &mut self,
        id: String,
        frequency_hz: f64,
        initial_goto_s: f64,
        sound_lead_s: f64,
    ) -> Option<Value> {
        let told = |key: &str, value: Value| {
            with(json!({ "type": "play_uploaded_move", "upload_id": id }), key, value)
        };
        let Some(uploaded) = self.moves.take_ready(&id) else {
            return Some(told("error", "no such uploaded move: upload it first, in order".into()));
        };
        if !self.caller.may("set_target", false) {
            return Some(told("error", "the role viewer watches and does not move the robot".into()));
        }
        if self.playing_upload.as_ref().is_some_and(|(_, cancel)| !cancel.is_over()) {
            return Some(told("error", "another uploaded move is playing".into()));
        }
        let cancel = Cancel::default();
        let started = with(told("started", true.into()), "duration_s", uploaded.duration_s().into());
        // The official class gives a move and its sound one id.
        let sound = self.sounds.take_ready(&id).map(|sound| {
            let player = self.sound_player.clone();
            MoveSound { player, sound, lead_s: sound_lead_s }
        });
        let has_audio = sound.is_some();
        let playback = Playback { id: id.clone(), uploaded, frequency_hz, initial_goto_s, sound };
        let refusal = self.job("play_uploaded_move", |link| {
            let (commands, cancel) = (link.commands.clone(), cancel.clone());
            async move { Done::Reply(playback.run(commands, cancel).await) }
        });
        if let Some(refusal) = refusal {
            return Some(told("error", refusal.get("error").cloned().unwrap_or_default()));
        }
        self.playing_upload = Some((id, cancel));
        Some(with(started, "has_audio", has_audio.into()))
    }

    fn refused(&self, command: &str) -> Value {
        let Caller { name, role } = &self.caller;
        failed(command, &format!("{name:?} has the role {role}, which may not do this"))
    }

    /// Starts a job, and returns an error if too many run.
    fn job<F>(&mut self, command: &str, work: impl FnOnce(&Self) -> F) -> Option<Value>
    where
        F: Future<Output = Done> + Send + 'static,
    {
        if self.jobs.len() > MAX_JOBS {
            return Some(failed(command, "too many requests at once"));
        }
        let (work, done) = (work(self), self.done.0.clone());
        self.jobs.spawn(async move {
            // The session may have ended.
            let _heard = done.send(work.await).await;
        });
        None
    }

    fn refresh(&mut self, for_peer: bool) -> Option<Value> {
        self.job("get_state", |link| {
            let (controller, who) = (link.controller.clone(), link.who.clone());
            async move {
                let running = controller.request("GET", "/api/move/running", &who, None).await.ok();
                let motors = controller.request("GET", "/api/motors/status", &who, None).await.ok();
                Done::State {
                    is_move_running: running
                        .and_then(|moves| moves.as_array().map(|moves| !moves.is_empty())),
                    motor_mode: motors.and_then(|motors| motors.get("mode").cloned()),
                    for_peer,
                }
            }
        })
    }

    /// Takes a message of the controller, and returns the response that it is to the peer.
    fn hear(&mut self, text: &str) -> Option<Value> {
        let message: Value = serde_json::from_str(text).ok()?;
        if message.get("type").and_then(Value::as_str) != Some("task_progress") {
            self.state.hear(message);
            return None;
        }
        // The end of a move is sent to all clients.
        let id = message.get("uuid").and_then(Value::as_str).and_then(|id| id.parse().ok())?;
        self.gotos.remove(&id).then(|| match message.get("error").and_then(Value::as_str) {
            Some(error) => json!({ "error": error, "command": "goto_target" }),
            None => json!({ "status": "ok", "command": "goto_target", "completed": true }),
        })
    }
}

/// Sends messages to the controller until the session ends.
async fn send(mut sink: SplitSink<ControllerSocket, Message>, mut inbox: mpsc::Receiver<Message>) {
    while let Some(message) = inbox.recv().await {
        if sink.send(message).await.is_err() {
            return;
        }
    }
}

async fn ask(controller: Controller, who: Arc<Credentials>, command: String, request: RestRequest) -> Done {
    let RestRequest { method, path, body, mut reply, fields, whole } = request;
    Done::Reply(match controller.request(method, &path, &who, body.as_ref()).await {
        Ok(answer) => {
            for (from, to) in fields {
                reply = with(reply, to, answer.get(from).cloned().unwrap_or_default());
            }
            if let Some(name) = whole {
                reply = with(reply, name, answer);
            }
            reply
        }
        Err(error) => failed(&command, &error.to_string()),
    })
}

/// Returns the ids of the running moves.
async fn running(controller: &Controller, who: &Credentials) -> Result<Vec<String>, ControllerError> {
    let moves = controller.request("GET", "/api/move/running", who, None).await?;
    let id = |one: &Value| one.get("uuid").and_then(Value::as_str).map(str::to_owned);
    Ok(moves.as_array().into_iter().flatten().filter_map(id).collect())
}

async fn stop(controller: Controller, who: Arc<Credentials>) -> Done {
    let stopped = async {
        let moves = running(&controller, &who).await?;
        for uuid in &moves {
            controller.request("POST", "/api/move/stop", &who, Some(&json!({ "uuid": uuid }))).await?;
        }
        Ok::<_, ControllerError>(!moves.is_empty())
    };
    Done::Reply(match stopped.await {
        Ok(stopped) => json!({ "status": "ok", "command": "stop_move", "stopped": stopped }),
        Err(error) => failed("stop_move", &error.to_string()),
    })
}

async fn play(
    controller: Controller,
    who: Arc<Credentials>,
    playing: Arc<Mutex<HashSet<String>>>,
    command: &'static str,
    path: &'static str,
) -> Done {
    let begun = match controller.request("POST", path, &who, None).await {
        Ok(begun) => begun,
        Err(error) => return Done::Reply(failed(command, &error.to_string())),
    };
    let Some(uuid) = begun.get("uuid").and_then(Value::as_str).map(str::to_owned) else {
        return Done::Reply(failed(command, "the controller started no move"));
    };
    playing.lock().unwrap_or_else(PoisonError::into_inner).insert(uuid.clone());
    let mut waited = Duration::ZERO;
    let ended = loop {
        sleep(POLL_INTERVAL).await;
        waited += POLL_INTERVAL;
        match running(&controller, &who).await {
            Ok(moves) if !moves.contains(&uuid) => {
                break json!({ "status": "ok", "command": command, "completed": true });
            }
            Ok(_) if waited < PLAY_TIMEOUT => {}
            Ok(_) => break failed(command, "the move takes longer than expected; it goes on"),
            Err(error) => break failed(command, &error.to_string()),
        }
    };
    playing.lock().unwrap_or_else(PoisonError::into_inner).remove(&uuid);
    Done::Reply(ended)
}
