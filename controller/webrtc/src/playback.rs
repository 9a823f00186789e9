//! Plays an uploaded move ([`Playback`]): a stream of targets at a steady rate, and its sound.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use crate::commands::with;
use crate::net;
use crate::uploaded_sounds::SoundPlayer;
use crate::uploads::{UploadedMove, UploadedSound};

const PLAYING: u8 = 0;
const CANCELLED: u8 = 1;
const OVER: u8 = 2;

/// The interval at which a wait looks whether it is cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Ends a move that plays; clones are of the same.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicU8>);

impl Cancel {
    /// Ends the move, if it has not ended.
    pub fn cancel(&self) {
        // One that has ended stays so.
        let _was = self.0.compare_exchange(PLAYING, CANCELLED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the move has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed) == OVER
    }

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == CANCELLED
    }
}

/// A move that is to be played.
pub struct Playback {
    /// The id of the upload.
    pub id: String,
    /// The move.
    pub uploaded: UploadedMove,
    /// Targets per second.
    pub frequency_hz: f64,
    /// The duration of the way to its beginning, seconds; 0 for none.
    pub initial_goto_s: f64,
    /// Its sound.
    pub sound: Option<MoveSound>,
}

/// The sound of a move.
pub struct MoveSound {
    /// What plays it.
    pub player: SoundPlayer,
    /// The sound.
    pub sound: UploadedSound,
    /// How long before the motion it begins, seconds; below 0 after.
    pub lead_s: f64,
}

impl Playback {
    /// Plays it, and returns how it ended. When the future is dropped, no more targets are sent.
    pub async fn run(self, commands: mpsc::Sender<Message>, cancel: Cancel) -> Value {
        let ended = self.play(&commands, &cancel).await;
        cancel.0.store(OVER, Ordering::Relaxed);
        let has_audio = self.sound.is_some();
        let told = json!({ "type": "play_uploaded_move", "upload_id": self.id, "has_audio": has_audio });
        let (key, value) = ended;
        with(told, key, value)
    }

    async fn play(&self, commands: &mpsc::Sender<Message>, cancel: &Cancel) -> (&'static str, Value) {
        let Some(MoveSound { player, sound, lead_s }) = &self.sound else {
            return self.move_all(commands, cancel, 0.0).await;
        };
        // It is at the controller before the motion begins, so that both begin together.
        let stored = player.store(sound).await;
        if let Err(error) = &stored {
            tracing::warn!("the sound of an uploaded move is not stored: {error}");
        }
        let begin = async {
            let Ok(name) = &stored else { return };
            sleep(Duration::from_secs_f64(self.initial_goto_s + (-lead_s).max(0.0))).await;
            if let Err(error) = player.begin(name).await {
                tracing::warn!("the sound of an uploaded move does not play: {error}");
            }
        };
        let motion = self.move_all(commands, cancel, lead_s.max(0.0));
        tokio::pin!(begin, motion);
        let ended = tokio::select! {
            ended = &mut motion => ended,
            () = &mut begin => motion.await,
        };
        if let Ok(name) = &stored {
            player.remove(name).await;
        }
        if ended.0 == "cancelled" {
            player.stop().await;
        }
        ended
    }

    /// Moves to the beginning, waits, seconds, and sends the targets.
    async fn move_all(
        &self,
        commands: &mpsc::Sender<Message>,
        cancel: &Cancel,
        wait_s: f64,
    ) -> (&'static str, Value) {
        let lost = || ("error", Value::from("the robot takes no more messages"));
        if self.initial_goto_s > 0.0 {
            let request = self.uploaded.beginning(self.initial_goto_s);
            let goto = json!({ "type": "task", "uuid": Uuid::new_v4(), "req": request, "timestamp": "" });
            if commands.send(Message::text(goto.to_string())).await.is_err() {
                return lost();
            }
        }
        let begun = net::now();
        while begun.elapsed().as_secs_f64() < self.initial_goto_s + wait_s {
            if cancel.is_cancelled() {
                return ("cancelled", true.into());
            }
            sleep(POLL_INTERVAL).await;
        }
        let begun = net::now();
        let mut ticks = interval(Duration::from_secs_f64(1.0 / self.frequency_hz));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            ticks.tick().await;
            if cancel.is_cancelled() {
                return ("cancelled", true.into());
            }
            let seconds = begun.elapsed().as_secs_f64();
            let target = self.uploaded.target_at(seconds).to_string();
            match commands.try_send(Message::text(target)) {
                Ok(()) => {}
                Err(mpsc::error::TrySendError::Closed(_)) => return lost(),
                // Rather the next one than an old one.
                Err(mpsc::error::TrySendError::Full(_)) => {}
            }
            if seconds >= self.uploaded.duration_s() {
                return ("finished", true.into());
            }
        }
    }
}
