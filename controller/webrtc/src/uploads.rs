//! Moves and sounds that a peer uploads and has played, as the official browser class does it (`playMove`, `uploadAudio`).
//!
//! They come in chunks and are parsed when they are complete. A move, compressed or not, is played as a stream of targets, as if
//! the peer sent them, but without the jitter of its network. A sound is a WAV file. Everything is bounded: a peer holds a few of
//! each, and a bomb of compressed zeros is cut.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::{Value, json};

/// The most chunks of an upload, and the longest chunk in bytes, as in the official daemon.
const MAX_CHUNKS: usize = 4096;
const MAX_CHUNK_BYTES: usize = 16 << 10;

/// The largest move after decompression, bytes.
const MAX_DECODED_BYTES: u64 = 32 << 20;

/// The longest move, targets: ten minutes at 100 Hz.
const MAX_TARGETS: usize = 60_000;

/// The longest id, bytes.
const MAX_ID_BYTES: usize = 100;

/// What is uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A move.
    Move,
    /// A sound.
    Sound,
}

/// A step of an upload.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type")]
pub enum UploadStep {
    /// Begins an upload, or begins it again.
    #[serde(rename = "upload_move_start", alias = "upload_audio_start")]
    Start {
        /// Its id.
        upload_id: String,
        /// How many chunks follow.
        total_chunks: usize,
        /// `json` or `gzip+base64` of a move, `wav-base64` of a sound.
        #[serde(default)]
        encoding: Option<String>,
    },
    /// Adds a chunk.
    #[serde(rename = "upload_move_chunk", alias = "upload_audio_chunk")]
    Chunk {
        /// The id.
        upload_id: String,
        /// Its number, from 0.
        chunk_index: usize,
        /// The text.
        chunk: String,
    },
    /// Ends the upload.
    #[serde(rename = "upload_move_finish", alias = "upload_audio_finish")]
    Finish {
        /// The id.
        upload_id: String,
    },
}

/// An upload that is not complete yet.
#[derive(Debug)]
struct Slot {
    chunks: usize,
    total_chunks: usize,
    encoding: Option<String>,
    text: String,
}

/// Something that can be uploaded.
pub trait Upload: Sized {
    /// The most that a peer holds, complete or not.
    const MAX_HELD: usize;
    /// The largest as it is sent, bytes.
    const MAX_ENCODED_BYTES: usize;

    /// Reads it from its text.
    ///
    /// # Errors
    /// The reason why it is none.
    fn parsed(encoding: Option<&str>, text: String) -> Result<Self, String>;
}

/// A target of a move; what is not given is held. Metres and radians.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Target {
    #[serde(default)]
    head: Option<[[f64; 4]; 4]>,
    #[serde(default)]
    antennas: Option<[f64; 2]>,
    #[serde(default)]
    body_yaw: Option<f64>,
}

/// A move as it is uploaded.
#[derive(Debug, Deserialize)]
struct Uploaded {
    time: Vec<f64>,
    set_target_data: Vec<Target>,
}

/// A complete move.
#[derive(Clone, Debug, PartialEq)]
pub struct UploadedMove {
    /// Seconds from the start, and the target from then on.
    targets: Vec<(f64, Target)>,
}

impl UploadedMove {
    /// Returns the duration, seconds.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.targets.last().map_or(0.0, |(at, _)| *at)
    }

    /// Returns the message with the target at a time, seconds.
    #[must_use]
    pub fn target_at(&self, seconds: f64) -> Value {
        let index = self.targets.partition_point(|(at, _)| *at <= seconds).saturating_sub(1);
        let mut message = self.targets.get(index).map_or_else(|| json!({}), |(_, target)| target.fields());
        if let Some(message) = message.as_object_mut() {
            message.insert("type".into(), "set_full_target".into());
        }
        message
    }

    /// Returns where the move begins, as a goto of this duration, seconds.
    #[must_use]
    pub fn beginning(&self, duration_s: f64) -> Value {
        let mut request = self.targets.first().map_or_else(|| json!({}), |(_, target)| target.fields());
        if let Some(request) = request.as_object_mut() {
            request.insert("duration".into(), duration_s.into());
        }
        request
    }
}

impl Target {
    fn fields(&self) -> Value {
        let head: Option<Vec<f64>> = self.head.map(|rows| rows.into_iter().flatten().collect());
        json!({ "head": head, "antennas": self.antennas, "body_yaw": self.body_yaw })
    }
}

/// A complete sound: a WAV file.
pub type UploadedSound = Arc<[u8]>;

/// What a peer has uploaded of one kind.
#[derive(Debug)]
pub struct Uploads<T> {
    slots: HashMap<String, Slot>,
    ready: HashMap<String, T>,
}

impl<T> Default for Uploads<T> {
    fn default() -> Self {
        Uploads { slots: HashMap::new(), ready: HashMap::new() }
    }
}

impl<T: Upload> Uploads<T> {
    /// Takes a step. What is wrong with it is told when the upload is to be played, as by the official daemon.
    pub fn take(&mut self, step: UploadStep) {
        match step {
            UploadStep::Start { upload_id, total_chunks, encoding } => {
                self.ready.remove(&upload_id);
                self.slots.remove(&upload_id);
                let is_full = self.slots.len() + self.ready.len() >= T::MAX_HELD;
                if is_full || upload_id.len() > MAX_ID_BYTES || !(1..=MAX_CHUNKS).contains(&total_chunks) {
                    tracing::warn!("an upload is not taken: too many uploads, or too many chunks");
                    return;
                }
                let slot = Slot { chunks: 0, total_chunks, encoding, text: String::new() };
                self.slots.insert(upload_id, slot);
            }
            UploadStep::Chunk { upload_id, chunk_index, chunk } => {
                let Some(slot) = self.slots.get_mut(&upload_id) else { return };
                let fits = chunk_index == slot.chunks
                    && slot.chunks < slot.total_chunks
                    && chunk.len() <= MAX_CHUNK_BYTES
                    && slot.text.len() + chunk.len() <= T::MAX_ENCODED_BYTES;
                if fits {
                    slot.chunks += 1;
                    slot.text += &chunk;
                } else {
                    tracing::warn!("an upload is dropped: its chunks are out of order or too large");
                    self.slots.remove(&upload_id);
                }
            }
            UploadStep::Finish { upload_id } => {
                let Some(slot) = self.slots.remove(&upload_id) else { return };
                let Slot { chunks, total_chunks, encoding, text } = slot;
                if chunks != total_chunks {
                    tracing::warn!("an upload is dropped: {chunks} of {total_chunks} chunks have arrived");
                    return;
                }
                match T::parsed(encoding.as_deref(), text) {
                    Ok(complete) => drop(self.ready.insert(upload_id, complete)),
                    Err(reason) => tracing::warn!("an upload is dropped: {reason}"),
                }
            }
        }
    }

    /// Hands a complete upload over; it is no longer held.
    pub fn take_ready(&mut self, id: &str) -> Option<T> {
        self.ready.remove(id)
    }

    /// Returns a complete upload, which stays.
    pub fn ready(&self, id: &str) -> Option<&T> {
        self.ready.get(id)
    }
}

impl Upload for UploadedSound {
    const MAX_HELD: usize = 2;
    const MAX_ENCODED_BYTES: usize = 16 << 20;

    fn parsed(encoding: Option<&str>, text: String) -> Result<Self, String> {
        match encoding {
            None | Some("wav-base64") => {}
            Some(other) => return Err(format!("a sound must be a WAV file, and this is {other:.40}")),
        }
        let bytes = STANDARD.decode(text).map_err(|error| format!("it is no base64: {error}"))?;
        Ok(bytes.into())
    }
}

impl Upload for UploadedMove {
    const MAX_HELD: usize = 4;
    const MAX_ENCODED_BYTES: usize = 8 << 20;

    fn parsed(encoding: Option<&str>, text: String) -> Result<Self, String> {
        let text = match encoding {
            None | Some("json") => text,
            Some("gzip+base64") => decompressed(&text)?,
            Some(other) => return Err(format!("its encoding {other:.40} is not known")),
        };
        let uploaded: Uploaded =
            serde_json::from_str(&text).map_err(|error| format!("it is no move: {error}"))?;
        let Uploaded { time, set_target_data } = uploaded;
        if time.is_empty() || time.len() != set_target_data.len() || time.len() > MAX_TARGETS {
            return Err(format!("it has {} times and {} targets", time.len(), set_target_data.len()));
        }
        let begin = time.first().copied().unwrap_or(0.0);
        let rises = time.windows(2).all(|pair| matches!(pair, [one, other] if one <= other));
        if !rises || !time.iter().all(|at| at.is_finite()) {
            return Err("its times do not rise".into());
        }
        let targets = time.into_iter().map(|at| at - begin).zip(set_target_data).collect();
        Ok(UploadedMove { targets })
    }
}

fn decompressed(text: &str) -> Result<String, String> {
    let bytes = STANDARD.decode(text).map_err(|error| format!("it is no base64: {error}"))?;
    let mut decoded = Vec::new();
    let mut limited = GzDecoder::new(bytes.as_slice()).take(MAX_DECODED_BYTES + 1);
    limited.read_to_end(&mut decoded).map_err(|error| format!("it cannot be decompressed: {error}"))?;
    if decoded.len() as u64 > MAX_DECODED_BYTES {
        return Err(format!("it is larger than {MAX_DECODED_BYTES} bytes"));
    }
    String::from_utf8(decoded).map_err(|_| "it is no text".into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn step(value: Value) -> UploadStep {
        serde_json::from_value(value).unwrap()
    }

    /// Uploads a text in two chunks.
    fn upload(uploads: &mut Uploads<UploadedMove>, text: &str, encoding: &str) {
        let (one, other) = text.split_at(text.len() / 2);
        uploads.take(step(
            json!({ "type": "upload_move_start", "upload_id": "u", "total_chunks": 2, "encoding": encoding }),
        ));
        for (index, chunk) in [one, other].into_iter().enumerate() {
            uploads.take(step(json!({ "type": "upload_move_chunk", "upload_id": "u", "chunk_index": index, "chunk": chunk })));
        }
        uploads.take(step(json!({ "type": "upload_move_finish", "upload_id": "u" })));
    }

    fn zipped(bytes: &[u8]) -> String {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        STANDARD.encode(encoder.finish().unwrap())
    }

    const MOVE: &str = r#"{"description": "wave", "time": [5.0, 5.5, 6.0], "set_target_data": [
        {"antennas": [0.1, 0.2], "body_yaw": 0.3}, {"head": null, "antennas": [0.4, 0.5]},
        {"head": [[1,0,0,0],[0,1,0,0],[0,0,1,0.01],[0,0,0,1]], "check_collision": false}]}"#;

    #[test]
    fn moves_are_put_together_in_both_encodings() {
        for (text, encoding) in [(MOVE.to_owned(), "json"), (zipped(MOVE.as_bytes()), "gzip+base64")] {
            let mut uploads = Uploads::<UploadedMove>::default();
            upload(&mut uploads, &text, encoding);
            let complete = uploads.take_ready("u").unwrap();
            assert_eq!(complete.duration_s(), 1.0);
            assert_eq!(complete.target_at(0.6)["antennas"], json!([0.4, 0.5]));
            assert_eq!(complete.target_at(9.0)["head"].as_array().unwrap().len(), 16);
            assert_eq!(complete.beginning(2.0)["body_yaw"], 0.3);
            assert!(uploads.take_ready("u").is_none(), "it is played once");
        }
    }

    #[test]
    fn what_is_no_move_is_dropped() {
        let bomb = zipped(&vec![b' '; 2 * MAX_DECODED_BYTES as usize]);
        let falling = MOVE.replace("5.5", "7.0");
        let short = MOVE.replace("5.0, ", "");
        let head = MOVE.replace("[0,0,0,1]]", "[0,0,0]]");
        for (text, encoding) in [
            ("garbage!", "json"),
            ("garbage!", "gzip+base64"),
            (&bomb[..], "gzip+base64"),
            (&falling, "json"),
            (&short, "json"),
            (&head, "json"),
            (r#"{"time": [], "set_target_data": []}"#, "json"),
            (MOVE, "zip"),
        ] {
            let mut uploads = Uploads::<UploadedMove>::default();
            upload(&mut uploads, text, encoding);
            assert!(uploads.take_ready("u").is_none(), "{text:.60}");
        }
    }

    #[test]
    fn a_peer_holds_a_few_moves_in_order() {
        let mut uploads = Uploads::<UploadedMove>::default();
        let start = |id: &str, chunks: usize| {
            step(json!({ "type": "upload_move_start", "upload_id": id, "total_chunks": chunks }))
        };
        for index in 0..20 {
            uploads.take(start(&format!("u{index}"), 5));
        }
        assert_eq!(uploads.slots.len(), UploadedMove::MAX_HELD);
        uploads.take(start("u0", MAX_CHUNKS + 1));
        assert_eq!(uploads.slots.len(), UploadedMove::MAX_HELD - 1);
        for (index, chunk) in [(1, "x".to_owned()), (0, "x".repeat(MAX_CHUNK_BYTES + 1))] {
            uploads.take(start("u1", 5));
            uploads.take(step(json!({ "type": "upload_move_chunk", "upload_id": "u1", "chunk_index": index, "chunk": chunk })));
            assert!(!uploads.slots.contains_key("u1"));
        }
    }

    #[test]
    fn sounds_are_wav_files_and_stay() {
        let take = |encoding: &str, text: &str| {
            let mut uploads = Uploads::<UploadedSound>::default();
            uploads.take(step(
                json!({ "type": "upload_audio_start", "upload_id": "s", "total_chunks": 1, "encoding": encoding }),
            ));
            uploads.take(step(
                json!({ "type": "upload_audio_chunk", "upload_id": "s", "chunk_index": 0, "chunk": text }),
            ));
            uploads.take(step(json!({ "type": "upload_audio_finish", "upload_id": "s" })));
            uploads
        };
        let uploads = take("wav-base64", &STANDARD.encode("RIFF"));
        for _ in 0..2 {
            assert_eq!(uploads.ready("s").unwrap().as_ref(), b"RIFF");
        }
        for (encoding, text) in [("mp3-base64", "AAAA"), ("wav-base64", "???")] {
            assert!(take(encoding, text).ready("s").is_none(), "{encoding} {text}");
        }
    }
}
