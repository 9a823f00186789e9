//! Recordings of the official SDK: the client sends the frames and gets them back when it stops.
//!
//! The client rejects messages above 1 MiB and loses the recording then. A long recording is therefore rounded to micrometres
//! and microradians, and thinned out evenly if that is not enough.

use serde_json::Value;

/// Maximum size of a recording, bytes; later frames are dropped.
const MAX_BYTES: usize = 64 << 20;

/// Maximum size of a response, bytes: the client's limit minus the envelope of the message.
const MAX_ANSWER_BYTES: usize = (1 << 20) - 256;

/// The recorded frames of one client.
#[derive(Default)]
pub(super) struct Recorder {
    frames: Option<Vec<String>>,
    bytes: usize,
}

impl Recorder {
    pub(super) fn start(&mut self) {
        *self = Recorder { frames: Some(Vec::new()), bytes: 0 };
    }

    /// Stores a frame while a recording is active.
    pub(super) fn append(&mut self, frame: &Value) {
        let Some(frames) = &mut self.frames else { return };
        let frame = frame.to_string();
        let bytes = self.bytes + frame.len();
        if bytes <= MAX_BYTES {
            self.bytes = bytes;
            frames.push(frame);
        } else if self.bytes <= MAX_BYTES {
            // Only once: the sum stays above the limit.
            self.bytes = bytes;
            tracing::warn!("a recording is larger than {} MB; dropping its end", MAX_BYTES >> 20);
        }
    }

    /// Returns the message with all frames; none without a recording.
    pub(super) fn stop(&mut self) -> String {
        let mut texts = std::mem::take(self).frames.unwrap_or_default();
        if length(&texts) > MAX_ANSWER_BYTES {
            texts = texts.iter().map(|frame| rounded(frame)).collect();
        }
        let whole = length(&texts);
        if whole > MAX_ANSWER_BYTES {
            let count = texts.len();
            let every = whole.div_ceil(MAX_ANSWER_BYTES);
            texts = texts.into_iter().step_by(every).collect();
            // Frames differ in length; the long ones may remain.
            while length(&texts) > MAX_ANSWER_BYTES {
                texts = texts.into_iter().step_by(2).collect();
            }
            tracing::warn!(
                "thinning a recording of {count} frames to {}: the client accepts no more",
                texts.len()
            );
        }
        format!(r#"{{"type":"recorded_data","data":[{}]}}"#, texts.join(","))
    }
}

fn length(texts: &[String]) -> usize {
    texts.iter().map(|text| text.len() + 1).sum()
}

/// Rounds the numbers of a frame to six decimals.
fn rounded(frame: &str) -> String {
    fn round(value: &mut Value) {
        match value {
            Value::Number(number) => {
                if let Some(float) = number.as_f64()
                    && number.is_f64()
                    && let Some(short) = serde_json::Number::from_f64((float * 1e6).round() / 1e6)
                {
                    *number = short;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(round),
            Value::Object(fields) => fields.values_mut().for_each(round),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    let mut value: Value = serde_json::from_str(frame).unwrap_or_default();
    round(&mut value);
    value.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn frame(position: usize, text: &str) -> Value {
        json!({ "time": position as f64 + 0.123_456_789_012, "note": text })
    }

    fn recorded(count: usize, text: &str) -> (Vec<Value>, usize) {
        let mut recorder = Recorder::default();
        recorder.append(&frame(0, "before the start"));
        recorder.start();
        (0..count).for_each(|position| recorder.append(&frame(position, text)));
        let message = recorder.stop();
        let value: Value = serde_json::from_str(&message).unwrap();
        assert_eq!(value["type"], "recorded_data");
        (value["data"].as_array().unwrap().clone(), message.len())
    }

    #[test]
    fn returns_short_recordings_unchanged() {
        let (frames, _) = recorded(3, "x");
        assert_eq!(frames.len(), 3);
        assert_eq!(frames[2]["time"], 2.123_456_789_012);
        assert_eq!(Recorder::default().stop(), r#"{"type":"recorded_data","data":[]}"#);
    }

    #[test]
    fn fits_long_recordings_into_one_message() {
        // 24,000 frames of 41 bytes are 0.98 MB; rounded to six decimals, all of them fit.
        let (frames, length) = recorded(25_000, "12345678");
        assert!(frames.len() == 25_000 && length < 1 << 20, "{} {length}", frames.len());
        assert_eq!(frames[1]["time"], 1.123_457);
        let (frames, length) = recorded(10_000, &"y".repeat(300));
        assert!(length < 1 << 20 && frames.len() > 2_000, "{} {length}", frames.len());
        assert_eq!(frames[0]["time"], 0.123_457);
    }
}
