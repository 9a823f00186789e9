//! Plays sounds that a peer has uploaded, at the speaker of the controller, with the peer's own rights.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use uuid::Uuid;

use crate::controller::{Controller, ControllerError, Credentials, SOUNDS_PATH};
use crate::uploads::UploadedSound;

/// Plays sounds of one peer; clones are of the same peer.
#[derive(Clone)]
pub struct SoundPlayer {
    controller: Controller,
    who: Arc<Credentials>,
    /// The files that are at the controller. They are removed once the controller has read them.
    stored: Arc<Mutex<HashSet<String>>>,
}

impl SoundPlayer {
    /// Returns the player of a peer.
    #[must_use]
    pub fn new(controller: Controller, who: Arc<Credentials>) -> Self {
        SoundPlayer { controller, who, stored: Arc::default() }
    }

    /// Stores a sound at the controller and returns its name there.
    ///
    /// # Errors
    /// When the peer may not, or the file is no sound.
    pub async fn store(&self, sound: &UploadedSound) -> Result<String, ControllerError> {
        let name = format!("upload-{}.wav", Uuid::new_v4().simple());
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
        let stored = self.controller.store_sound(&self.who, &name, sound).await;
        if stored.is_err() {
            self.stored.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
        }
        stored.map(|()| name)
    }

    /// Begins to play a stored sound.
    ///
    /// # Errors
    /// When there is no speaker, or it is taken.
    pub async fn begin(&self, name: &str) -> Result<(), ControllerError> {
        let body = json!({ "file": name });
        self.controller.request("POST", "/api/media/play_sound", &self.who, Some(&body)).await.map(drop)
    }

    /// Stores a sound, begins to play it, and removes its file, which has been read by then.
    ///
    /// # Errors
    /// As for [`SoundPlayer::store`] and [`SoundPlayer::begin`].
    pub async fn play(&self, sound: &UploadedSound) -> Result<(), ControllerError> {
        let name = self.store(sound).await?;
        let begun = self.begin(&name).await;
        self.remove(&name).await;
        begun
    }

    /// Ends the sound that plays.
    pub async fn stop(&self) {
        self.tell("POST", "/api/media/stop_sound").await;
    }

    /// Removes a file from the controller.
    pub async fn remove(&self, name: &str) {
        self.tell("DELETE", &format!("{SOUNDS_PATH}/{name}")).await;
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Removes the files that are still at the controller.
    pub async fn clean_up(&self) {
        let names: Vec<String> = self.stored.lock().unwrap_or_else(PoisonError::into_inner).drain().collect();
        for name in names {
            self.remove(&name).await;
        }
    }

    async fn tell(&self, method: &str, path: &str) {
        match self.controller.request(method, path, &self.who, None).await {
            // It was not stored.
            Ok(_) | Err(ControllerError::Refused { status: 404, .. }) => {}
            Err(error) => tracing::warn!("{method} {path} for a peer failed: {error}"),
        }
    }
}
