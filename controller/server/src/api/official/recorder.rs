//! Recordings of the official SDK: its client sends the frames itself, and wants them back when it stops.
//!
//! The client takes no message above a mebibyte and loses the recording when one comes. So a long one is rounded to a
//! micrometre and a microradian, and thinned out evenly where that is not enough.

use serde_json::Value;

/// Bytes of frames that are kept of one recording; what comes after is not.
const MOST_BYTES: usize = 64 << 20;

/// The longest answer, bytes: the client's limit, less its envelope.
const LONGEST_ANSWER: usize = (1 << 20) - 256;

/// The frames of one client.
#[derive(Default)]
pub(super) struct Recorder {
    frames: Option<Vec<String>>,
    bytes: usize,
}

impl Recorder {
    pub(super) fn start(&mut self) {
        *self = Recorder { frames: Some(Vec::new()), bytes: 0 };
    }

    /// Keeps a frame, while one records.
    pub(super) fn append(&mut self, frame: &Value) {
        let Some(frames) = &mut self.frames else { return };
        let frame = frame.to_string();
        let bytes = self.bytes + frame.len();
        if bytes <= MOST_BYTES {
            self.bytes = bytes;
            frames.push(frame);
        } else if self.bytes <= MOST_BYTES {
            // Once: from here on the sum is above it.
            self.bytes = bytes;
            tracing::warn!("a recording is longer than {} MB; its end is not kept", MOST_BYTES >> 20);
        }
    }

    /// The message with all frames. Without a recording there are none.
    pub(super) fn stop(&mut self) -> String {
        let mut texts = std::mem::take(self).frames.unwrap_or_default();
        if length(&texts) > LONGEST_ANSWER {
            texts = texts.iter().map(|frame| rounded(frame)).collect();
        }
        let whole = length(&texts);
        if whole > LONGEST_ANSWER {
            let count = texts.len();
            let every = whole.div_ceil(LONGEST_ANSWER);
            texts = texts.into_iter().step_by(every).collect();
            // Frames differ in length; the longest may have been kept.
            while length(&texts) > LONGEST_ANSWER {
                texts = texts.into_iter().step_by(2).collect();
            }
            tracing::warn!(
                "a recording of {count} frames is thinned to {}, for the client takes no more",
                texts.len()
            );
        }
        format!(r#"{{"type":"recorded_data","data":[{}]}}"#, texts.join(","))
    }
}

fn length(texts: &[String]) -> usize {
    texts.iter().map(|text| text.len() + 1).sum()
}

/// The same frame with six decimals.
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

    fn frame(place: usize, text: &str) -> Value {
        json!({ "time": place as f64 + 0.123_456_789_012, "note": text })
    }

    fn recorded(count: usize, text: &str) -> (Vec<Value>, usize) {
        let mut recorder = Recorder::default();
        recorder.append(&frame(0, "before the start"));
        recorder.start();
        (0..count).for_each(|place| recorder.append(&frame(place, text)));
        let message = recorder.stop();
        let value: Value = serde_json::from_str(&message).unwrap();
        assert_eq!(value["type"], "recorded_data");
        (value["data"].as_array().unwrap().clone(), message.len())
    }

    #[test]
    fn a_short_recording_comes_back_as_it_was() {
        let (frames, _) = recorded(3, "x");
        assert_eq!(frames.len(), 3);
        assert_eq!(frames[2]["time"], 2.123_456_789_012);
        assert_eq!(Recorder::default().stop(), r#"{"type":"recorded_data","data":[]}"#);
    }

    #[test]
    fn a_long_one_fits_into_one_message() {
        // 24,000 frames of 41 bytes are 0.98 MB; six decimals less make it fit whole.
        let (frames, length) = recorded(25_000, "12345678");
        assert!(frames.len() == 25_000 && length < 1 << 20, "{} {length}", frames.len());
        assert_eq!(frames[1]["time"], 1.123_457);
        let (frames, length) = recorded(10_000, &"y".repeat(300));
        assert!(length < 1 << 20 && frames.len() > 2_000, "{} {length}", frames.len());
        assert_eq!(frames[0]["time"], 0.123_457);
    }
}
