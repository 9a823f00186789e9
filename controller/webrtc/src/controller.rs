//! Requests to the controller, with the rights of the peer that they are for.
//!
//! This program decides nothing about rights. Each request carries what the peer's own request to the signalling server
//! carried: its token, its `Host` and `Origin` headers, and its address in the header [`PEER_HEADER`]. The controller treats it
//! as if the peer had sent it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, tungstenite};
use uuid::Uuid;

use crate::net::{self, Stream};

/// Names the address of the peer that a request is for. The controller reads it from programs on its own computer alone.
pub const PEER_HEADER: &str = "x-minismith-peer";

/// How long the controller may take for a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest response that is read, bytes.
const MAX_RESPONSE_BYTES: u64 = 1 << 20;

/// The largest message that the controller may send, bytes. Recordings are the largest.
const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// The longest head of a response, bytes.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// What identifies a peer to the controller.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Credentials {
    /// The address of its connection.
    pub peer: IpAddr,
    /// The `Host` header of its request.
    pub host: String,
    /// The `Origin` header, which browsers send.
    pub origin: Option<String>,
    /// Its token.
    pub token: Option<String>,
    /// Whether a proxy forwarded its request.
    pub forwarded: bool,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A token is a secret.
        out.debug_struct("Credentials").field("peer", &self.peer).finish_non_exhaustive()
    }
}

/// Reports that the controller did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ControllerError {
    /// It cannot be reached.
    #[error(
        "cannot reach the controller at {address}: {cause}; start it with `minismith serve`, or name it with --controller"
    )]
    Unreachable {
        /// Its address.
        address: String,
        /// The cause.
        cause: String,
    },
    /// It refused the request.
    #[error("{reason}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Its own words.
        reason: String,
    },
    /// Its response is none that it sends.
    #[error("the response of the controller at {address} is not one of a controller: {cause}")]
    Response {
        /// Its address.
        address: String,
        /// What is wrong.
        cause: &'static str,
    },
    /// It does not know on whose behalf a request is sent, so it would treat each peer as this computer.
    #[error(
        "the controller at {address} does not distinguish peers of this program from this computer: it is of another version; use the minismith-webrtc that came with it"
    )]
    Version {
        /// Its address.
        address: String,
    },
}

impl ControllerError {
    /// Whether the controller will refuse the same peer again: it has not the right role, or is unknown.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, ControllerError::Refused { status: 401 | 403 | 404, .. })
    }
}

/// The caller as the controller knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its name in the journal.
    pub name: String,
    /// Its role, by its name: viewer, operator, engineer or owner.
    pub role: String,
}

impl Caller {
    /// Whether the controller takes a command of the SDK's WebSocket from it. There, a refusal is silent: this only makes the
    /// response on the data channel the right one.
    #[must_use]
    pub fn may(&self, command: &str, disables_torque: bool) -> bool {
        let is_move = command.starts_with("set_");
        match self.role.as_str() {
            "viewer" => !is_move,
            "operator" => !disables_torque,
            _ => true,
        }
    }
}

/// A WebSocket at the controller.
pub type ControllerSocket = WebSocketStream<Stream>;

/// The paths of WebSockets at the controller: that of the official SDK, the microphone, and the speaker.
pub const SDK_PATH: &str = "/ws/sdk";
pub const MICROPHONE_PATH: &str = "/api/v1/microphone";
pub const SPEAKER_PATH: &str = "/api/v1/speaker";

/// The path of the controller's sounds.
pub const SOUNDS_PATH: &str = "/api/media/sounds";

/// The controller, and how to reach it.
#[derive(Clone, Debug)]
pub struct Controller {
    address: Arc<str>,
    camera_token: Option<Arc<str>>,
}

/// The body of a request.
#[derive(Clone, Copy, Debug)]
enum Body<'b> {
    Empty,
    Json(&'b Value),
    /// A form with a file: its name, which is plain text, and its bytes.
    File(&'b str, &'b [u8]),
}

impl Body<'_> {
    /// Returns its type and its bytes.
    fn encoded(self) -> (String, Vec<u8>) {
        let json = "application/json".to_owned();
        match self {
            Body::Empty => (json, Vec::new()),
            Body::Json(value) => (json, value.to_string().into_bytes()),
            Body::File(name, bytes) => {
                let boundary = Uuid::new_v4().simple().to_string();
                let head = format!(
                    "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
                );
                let tail = format!("\r\n--{boundary}--\r\n");
                let body = [head.as_bytes(), bytes, tail.as_bytes()].concat();
                (format!("multipart/form-data; boundary={boundary}"), body)
            }
        }
    }
}

/// The body of a response whose head has been read.
#[derive(Debug)]
pub struct ResponseBody {
    /// What came with the head.
    pub begun: Vec<u8>,
    /// The rest.
    pub stream: Stream,
}

impl Controller {
    /// Returns the controller at `host:port`. The token is for the camera.
    #[must_use]
    pub fn new(address: &str, camera_token: Option<&str>) -> Self {
        Controller { address: address.into(), camera_token: camera_token.map(Into::into) }
    }

    /// Checks that the controller distinguishes peers of this program from this computer.
    ///
    /// # Errors
    /// [`ControllerError`] says why it cannot be served.
    pub async fn check(&self) -> Result<(), ControllerError> {
        // An address of documentation (RFC 5737), which no peer has.
        let nobody = Credentials {
            peer: IpAddr::from([192, 0, 2, 1]),
            host: self.address.to_string(),
            origin: None,
            token: None,
            forwarded: false,
        };
        match self.request("GET", "/api/v1/me", &nobody, None).await {
            Err(ControllerError::Refused { .. }) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(ControllerError::Version { address: self.address.to_string() }),
        }
    }

    /// Returns who a peer is to the controller.
    ///
    /// # Errors
    /// [`ControllerError::Refused`] with the controller's own reason.
    pub async fn caller(&self, who: &Credentials) -> Result<Caller, ControllerError> {
        match self.request("GET", "/api/v1/me", who, None).await {
            Ok(me) => {
                let text = |key| me.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                Ok(Caller { name: text("name"), role: text("role") })
            }
            // A trusted peer may use the official API alone.
            Err(ControllerError::Refused { status: 401 | 403, .. }) if who.token.is_none() => {
                self.request("GET", "/api/daemon/status", who, None).await?;
                Ok(Caller { name: format!("trusted peer {}", who.peer), role: "operator".into() })
            }
            Err(error) => Err(error),
        }
    }

    /// Sends a request and returns the JSON of its response; null if it has no body.
    ///
    /// # Errors
    /// [`ControllerError::Refused`] with the controller's own reason, or what failed.
    pub async fn request(
        &self,
        method: &str,
        path: &str,
        who: &Credentials,
        body: Option<&Value>,
    ) -> Result<Value, ControllerError> {
        self.answered(method, path, who, body.map_or(Body::Empty, Body::Json)).await
    }

    /// Stores a WAV file among the controller's sounds.
    ///
    /// # Errors
    /// As for [`Controller::request`].
    pub async fn store_sound(
        &self,
        who: &Credentials,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), ControllerError> {
        let path = format!("{SOUNDS_PATH}/upload");
        self.answered("POST", &path, who, Body::File(name, bytes)).await.map(drop)
    }

    async fn answered(
        &self,
        method: &str,
        path: &str,
        who: &Credentials,
        body: Body<'_>,
    ) -> Result<Value, ControllerError> {
        let exchange = async {
            let (status, answer) = self.exchange(method, path, &headers(who), body).await?;
            let mut text = answer.begun;
            answer
                .stream
                .take(MAX_RESPONSE_BYTES)
                .read_to_end(&mut text)
                .await
                .map_err(|error| self.lost(&error))?;
            let json: Value = serde_json::from_slice(&text).unwrap_or_default();
            if (200..300).contains(&status) { Ok(json) } else { Err(refusal(status, &json)) }
        };
        timeout(RESPONSE_TIMEOUT, exchange)
            .await
            .unwrap_or_else(|_| Err(self.unreachable("it does not respond")))
    }

    /// Opens the camera's stream, with at most this number of frames per second: with the token of this program, or else that
    /// of the peer. A peer without a token has been accepted by its address, and sees what this computer may see.
    ///
    /// # Errors
    /// When there is no camera, or it may not be seen.
    pub async fn camera(
        &self,
        frames_per_second: u32,
        who: Option<&Credentials>,
    ) -> Result<ResponseBody, ControllerError> {
        let own = format!("Host: {}\r\n", self.address);
        let headers = match (&self.camera_token, who) {
            (Some(token), _) => format!("{own}Authorization: Bearer {}\r\n", one_line(token)),
            (None, Some(who)) if who.token.is_some() => headers(who),
            (None, _) => own,
        };
        let path = format!("/api/v1/camera/stream?fps={frames_per_second}");
        let opened = timeout(RESPONSE_TIMEOUT, self.exchange("GET", &path, &headers, Body::Empty)).await;
        let (status, body) = opened.unwrap_or_else(|_| Err(self.unreachable("it does not respond")))?;
        if status == 200 { Ok(body) } else { Err(refusal(status, &Value::Null)) }
    }

    /// Opens a WebSocket for a peer.
    ///
    /// # Errors
    /// [`ControllerError::Refused`] with the status of the response, or what failed.
    pub async fn socket(&self, path: &str, who: &Credentials) -> Result<ControllerSocket, ControllerError> {
        let mut request = format!("ws://{}{path}", self.address)
            .into_client_request()
            .map_err(|error| self.unreachable(&error.to_string()))?;
        for line in headers(who).lines() {
            let Some((name, value)) = line.split_once(": ") else { continue };
            let name = tokio_tungstenite::tungstenite::http::HeaderName::from_bytes(name.as_bytes());
            if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
                request.headers_mut().insert(name, value);
            }
        }
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let exchange = async {
            let stream = net::connect(&self.address).await.map_err(|error| self.lost(&error))?;
            tokio_tungstenite::client_async_with_config(request, stream, Some(config))
                .await
                .map(|(socket, _)| socket)
                .map_err(|error| match error {
                    tungstenite::Error::Http(response) => {
                        let body = response.body().as_deref().unwrap_or_default();
                        refusal(response.status().as_u16(), &serde_json::from_slice(body).unwrap_or_default())
                    }
                    error => self.unreachable(&error.to_string()),
                })
        };
        timeout(RESPONSE_TIMEOUT, exchange)
            .await
            .unwrap_or_else(|_| Err(self.unreachable("it does not respond")))
    }

    /// Sends a request and reads the head of the response. The response ends with the connection, as in HTTP/1.0.
    async fn exchange(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: Body<'_>,
    ) -> Result<(u16, ResponseBody), ControllerError> {
        let mut stream = net::connect(&self.address).await.map_err(|error| self.lost(&error))?;
        let (kind, body) = body.encoded();
        let head = format!(
            "{method} {path} HTTP/1.0\r\n{headers}Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), &body].concat()).await.map_err(|error| self.lost(&error))?;
        let mut head = Vec::new();
        let end = loop {
            if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if head.len() > MAX_HEAD_BYTES {
                return Err(self.nonsense("its head is too long"));
            }
            let mut part = [0; 2048];
            let read = stream.read(&mut part).await.map_err(|error| self.lost(&error))?;
            if read == 0 {
                return Err(self.nonsense("it ends within its head"));
            }
            head.extend_from_slice(part.get(..read).unwrap_or_default());
        };
        let begun = head.split_off(end);
        let line = String::from_utf8_lossy(&head);
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| self.nonsense("it has no status"))?;
        Ok((status, ResponseBody { begun, stream }))
    }

    fn lost(&self, error: &std::io::Error) -> ControllerError {
        self.unreachable(&error.to_string())
    }

    fn unreachable(&self, cause: &str) -> ControllerError {
        ControllerError::Unreachable { address: self.address.to_string(), cause: cause.into() }
    }

    fn nonsense(&self, cause: &'static str) -> ControllerError {
        ControllerError::Response { address: self.address.to_string(), cause }
    }
}

/// Returns the headers of a request for a peer.
fn headers(who: &Credentials) -> String {
    let mut lines = format!("Host: {}\r\n", one_line(&who.host));
    if who.forwarded {
        lines += "X-Forwarded-For: unknown\r\n";
    } else {
        lines += &format!("{PEER_HEADER}: {}\r\n", who.peer);
    }
    if let Some(origin) = &who.origin {
        lines += &format!("Origin: {}\r\n", one_line(origin));
    }
    if let Some(token) = &who.token {
        lines += &format!("Authorization: Bearer {}\r\n", one_line(token));
    }
    lines
}

/// Returns a header's value without what would end its line.
fn one_line(text: &str) -> String {
    text.chars().filter(|one| (' '..='~').contains(one)).collect()
}

/// Returns the reason in a response.
fn refusal(status: u16, json: &Value) -> ControllerError {
    let reason = json.get("detail").and_then(Value::as_str).map(str::to_owned);
    ControllerError::Refused {
        status,
        reason: reason.unwrap_or_else(|| format!("the controller answered with the status {status}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn peer(token: Option<&str>) -> Credentials {
        Credentials {
            peer: [192, 0, 2, 9].into(),
            host: "robot7.local:8443".into(),
            origin: Some("http://robot7.local:9000".into()),
            token: token.map(str::to_owned),
            forwarded: false,
        }
    }

    #[test]
    fn headers_carry_the_peer_and_end_no_line() {
        let lines = headers(&peer(Some("secret")));
        assert!(lines.contains("x-minismith-peer: 192.0.2.9\r\n"), "{lines}");
        assert!(
            lines.contains("Authorization: Bearer secret\r\n") && lines.contains("Origin: http://robot7"),
            "{lines}"
        );
        let forged = headers(&peer(Some("a\r\nx-minismith-peer: 127.0.0.1")));
        assert_eq!(forged.lines().count(), 4, "{forged}");
        let proxied = headers(&Credentials { forwarded: true, ..peer(None) });
        assert!(proxied.contains("X-Forwarded-For") && !proxied.contains(PEER_HEADER), "{proxied}");
    }

    #[test]
    fn responses_are_those_of_the_role() {
        let caller = |role: &str| Caller { name: "page".into(), role: role.into() };
        for (role, command, off, may) in [
            ("viewer", "set_target", false, false),
            ("viewer", "start_recording", false, true),
            ("operator", "set_target", false, true),
            ("operator", "set_torque", true, false),
            ("engineer", "set_torque", true, true),
        ] {
            assert_eq!(caller(role).may(command, off), may, "{role} {command}");
        }
    }

    #[test]
    fn tokens_are_not_printed() {
        assert!(!format!("{:?}", peer(Some("secret"))).contains("secret"));
    }

    #[test]
    fn refusals_keep_the_controllers_words() {
        let refused = refusal(401, &json!({ "detail": "no token" }));
        assert_eq!(refused.to_string(), "no token");
        assert_eq!(refusal(503, &Value::Null).to_string(), "the controller answered with the status 503");
    }
}
