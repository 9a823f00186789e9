//! The messages of signalling. Unknown fields are ignored, since clients send more than is needed.

use serde::Deserialize;
use serde_json::{Value, json};

/// The longest message, bytes: a session description and its frame.
pub const MAX_MESSAGE_BYTES: usize = 128 << 10;

/// The longest text of an id.
const MAX_ID_BYTES: usize = 100;

/// A message of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PeerMessage {
    /// Says what it is; a listener. Nothing depends on it.
    SetPeerStatus {},
    /// Asks which robots there are.
    List {},
    /// Asks for a session with a robot.
    #[serde(rename_all = "camelCase")]
    StartSession {
        /// The robot.
        peer_id: String,
        /// An offer of the peer itself, which is not taken: the robot offers.
        #[serde(default)]
        offer: Option<String>,
    },
    /// A step of a session.
    #[serde(rename_all = "camelCase")]
    Peer {
        /// The session. The browser class sends null if its answer is faster than the response with the id.
        #[serde(default)]
        session_id: Option<String>,
        /// Its description.
        #[serde(default)]
        sdp: Option<Description>,
        /// One of its addresses.
        #[serde(default)]
        ice: Option<IceCandidate>,
    },
    /// Ends a session.
    #[serde(rename_all = "camelCase")]
    EndSession {
        /// The session.
        session_id: String,
    },
}

/// A session description.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Description {
    /// `offer` or `answer`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    pub sdp: String,
}

/// An address of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct IceCandidate {
    /// The text; empty after the last one.
    #[serde(default)]
    pub candidate: String,
}

/// Reads a message.
///
/// # Errors
/// What is wrong, in a form that can be sent back.
pub fn read(text: &str) -> Result<PeerMessage, String> {
    if text.len() > MAX_MESSAGE_BYTES {
        return Err(format!("message too long: at most {MAX_MESSAGE_BYTES} bytes"));
    }
    let message = serde_json::from_str(text).map_err(|error| format!("invalid message: {error}"))?;
    let id = match &message {
        PeerMessage::StartSession { peer_id, .. } => Some(peer_id),
        PeerMessage::Peer { session_id, .. } => session_id.as_ref(),
        PeerMessage::EndSession { session_id } => Some(session_id),
        _ => None,
    };
    if id.is_some_and(|id| id.len() > MAX_ID_BYTES) {
        return Err(format!("invalid message: an id has at most {MAX_ID_BYTES} bytes"));
    }
    Ok(message)
}

/// Returns the message that greets a peer.
#[must_use]
pub fn welcome(peer: &str) -> Value {
    json!({ "type": "welcome", "peerId": peer })
}

/// Returns the list of robots: this one.
#[must_use]
pub fn list(robot: &str, name: &str) -> Value {
    json!({ "type": "list", "producers": [{ "id": robot, "meta": { "name": name } }] })
}

/// Returns the message that a session has begun.
#[must_use]
pub fn session_started(robot: &str, session: &str) -> Value {
    json!({ "type": "sessionStarted", "peerId": robot, "sessionId": session })
}

/// Returns the message that there is no session.
#[must_use]
pub fn session_rejected(reason: &str, detail: &str) -> Value {
    json!({ "type": "sessionRejected", "reason": reason, "activeApp": null, "details": detail })
}

/// Returns the robot's description.
#[must_use]
pub fn offer(session: &str, sdp: &str) -> Value {
    json!({ "type": "peer", "sessionId": session, "sdp": { "type": "offer", "sdp": sdp } })
}

/// Returns the message that something failed.
#[must_use]
pub fn error(details: &str) -> Value {
    json!({ "type": "error", "details": details })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_official_classes_are_read() {
        for text in [
            r#"{"type":"setPeerStatus","roles":["listener"],"meta":{"name":"app"}}"#,
            r#"{"type":"setPeerStatus","roles":[],"meta":null,"peerId":"x"}"#,
            r#"{"type":"list"}"#,
            r#"{"type":"startSession","peerId":"r"}"#,
            r#"{"type":"peer","sessionId":"s","sdp":{"type":"answer","sdp":"v=0"}}"#,
            r#"{"type":"peer","sessionId":null,"sdp":{"type":"answer","sdp":"v=0"}}"#,
            r#"{"type":"peer","sessionId":"s","ice":{"candidate":"c","sdpMLineIndex":0,"sdpMid":null}}"#,
            r#"{"type":"endSession","sessionId":"s"}"#,
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn nonsense_is_an_error() {
        let long_id = format!(r#"{{"type":"endSession","sessionId":"{}"}}"#, "s".repeat(101));
        let long = format!(r#"{{"type":"list","x":"{}"}}"#, "x".repeat(MAX_MESSAGE_BYTES));
        for text in
            ["", "{}", "[]", "null", r#"{"type":"fly"}"#, r#"{"type":"startSession"}"#, &long_id, &long]
        {
            assert!(read(text).is_err(), "{:.40}", text);
        }
    }
}
