//! The robot's controller, over its own HTTP interface ([`Controller`]). This program has the rights of its token and no others.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use crate::net::{self, Stream};

/// How long the controller may take for most responses.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a sentence may take, which may include writing a tool.
const SENTENCE_TIMEOUT: Duration = Duration::from_mins(10);

/// The largest response that is read, bytes.
const MAX_RESPONSE_BYTES: usize = 4 << 20;

/// The largest message of the telemetry, bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// Reports that the controller did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ControllerError {
    /// It cannot be reached, or its response was cut off.
    #[error(
        "no response from the controller at http://{address}: {cause}; is `minismith serve` running there?"
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
}

impl ControllerError {
    /// Returns whether the controller responded at all.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(self, ControllerError::Refused { .. })
    }
}

/// The stream of the robot's state.
pub type Telemetry = WebSocketStream<Stream>;

/// The controller, and how to reach it.
#[derive(Clone)]
pub struct Controller {
    address: Arc<str>,
    /// The whole header; it is a secret.
    authorization: Option<HeaderValue>,
}

impl std::fmt::Debug for Controller {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Controller").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Reports a token that cannot be sent.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the token contains characters that no token has; write one line of `minismith token add NAME --role operator`"
)]
pub struct TokenError;

impl Controller {
    /// Returns the controller at `host:port`.
    ///
    /// # Errors
    /// [`TokenError`] if the token is none.
    pub fn new(address: &str, token: Option<&str>) -> Result<Self, TokenError> {
        let authorization = token
            .map(|token| {
                let mut value =
                    HeaderValue::from_str(&format!("Bearer {}", token.trim())).map_err(|_| TokenError)?;
                value.set_sensitive(true);
                Ok(value)
            })
            .transpose()?;
        Ok(Controller { address: address.into(), authorization })
    }

    /// Sends a `GET` request and returns the JSON of its response. The response of `/health` is read whatever its status is.
    ///
    /// # Errors
    /// [`ControllerError`] with the controller's own reason, or what failed.
    pub async fn get(&self, path: &str) -> Result<Value, ControllerError> {
        let (_, bytes) = self.request(Method::GET, path, None, RESPONSE_TIMEOUT).await?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Returns the bytes of a response, such as an image.
    ///
    /// # Errors
    /// As [`Controller::get`].
    pub async fn bytes(&self, path: &str) -> Result<Bytes, ControllerError> {
        Ok(self.request(Method::GET, path, None, RESPONSE_TIMEOUT).await?.1)
    }

    /// Sends a `POST` request and returns the JSON of its response.
    ///
    /// # Errors
    /// As [`Controller::get`].
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, ControllerError> {
        let (_, bytes) = self.request(Method::POST, path, Some(body), RESPONSE_TIMEOUT).await?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Sends a `DELETE` request.
    ///
    /// # Errors
    /// As [`Controller::get`].
    pub async fn delete(&self, path: &str) -> Result<(), ControllerError> {
        self.request(Method::DELETE, path, None, RESPONSE_TIMEOUT).await.map(drop)
    }

    /// Carries out a sentence and returns what `minismith say --json` prints. If the returned future is dropped, the
    /// controller stops what the sentence started.
    ///
    /// # Errors
    /// As [`Controller::get`].
    pub async fn say(&self, text: &str) -> Result<Value, ControllerError> {
        let body = serde_json::json!({ "text": text });
        let (_, bytes) = self.request(Method::POST, "/api/v1/chat", Some(&body), SENTENCE_TIMEOUT).await?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Opens the stream of the robot's state.
    ///
    /// # Errors
    /// [`ControllerError`] says why not.
    pub async fn telemetry(&self, rate_hz: f64) -> Result<Telemetry, ControllerError> {
        let mut request = format!("ws://{}/api/v1/telemetry?rate={rate_hz}", self.address)
            .into_client_request()
            .map_err(|error| self.unreachable(&error))?;
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(AUTHORIZATION, authorization.clone());
        }
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let exchange = async {
            let stream = net::connect(&self.address).await.map_err(|error| self.unreachable(&error))?;
            tokio_tungstenite::client_async_with_config(request, stream, Some(config))
                .await
                .map(|(socket, _)| socket)
                .map_err(|error| self.unreachable(&error))
        };
        timeout(RESPONSE_TIMEOUT, exchange).await.unwrap_or_else(|_| Err(self.silent()))
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        within: Duration,
    ) -> Result<(u16, Bytes), ControllerError> {
        let is_health = path == "/health";
        let exchange = async {
            let stream = net::connect(&self.address).await.map_err(|error| self.unreachable(&error))?;
            let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
                .await
                .map_err(|error| self.unreachable(&error))?;
            // Ends with the sender: a request that is dropped closes its connection, which the controller notices.
            let connection = AbortOnDrop(tokio::spawn(connection));
            let mut request = Request::builder().method(method).uri(path).header(HOST, &*self.address);
            if let Some(authorization) = &self.authorization {
                request = request.header(AUTHORIZATION, authorization.clone());
            }
            let text = body.map(Value::to_string).unwrap_or_default();
            if body.is_some() {
                request = request.header(CONTENT_TYPE, "application/json");
            }
            let request =
                request.body(Full::new(Bytes::from(text))).map_err(|error| self.unreachable(&error))?;
            let response = sender.send_request(request).await.map_err(|error| self.unreachable(&error))?;
            let status = response.status().as_u16();
            let body = Limited::new(response.into_body(), MAX_RESPONSE_BYTES).collect().await;
            let bytes = body.map_err(|error| self.unreachable(&error))?.to_bytes();
            drop(connection);
            if (200..300).contains(&status) || is_health {
                Ok((status, bytes))
            } else {
                Err(refusal(status, &bytes))
            }
        };
        timeout(within, exchange).await.unwrap_or_else(|_| Err(self.silent()))
    }

    fn unreachable(&self, cause: &dyn std::fmt::Display) -> ControllerError {
        ControllerError::Unreachable { address: self.address.to_string(), cause: cause.to_string() }
    }

    fn silent(&self) -> ControllerError {
        self.unreachable(&"it takes too long")
    }
}

/// A task that ends with its owner.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns the reason in a response.
fn refusal(status: u16, bytes: &[u8]) -> ControllerError {
    let json: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let reason = match json.get("detail") {
        Some(Value::String(reason)) => reason.clone(),
        Some(other) => other.to_string(),
        None => format!("the controller responded with the status {status}"),
    };
    ControllerError::Refused { status, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_one_line_and_not_printed() {
        let controller = Controller::new("127.0.0.1:8000", Some("secret\n")).unwrap();
        assert!(!format!("{controller:?}").contains("secret"));
        assert!(!format!("{:?}", controller.authorization).contains("secret"));
        assert!(Controller::new("127.0.0.1:8000", Some("a\r\nb: c")).is_err());
    }

    #[test]
    fn refusals_keep_the_controllers_words() {
        assert_eq!(refusal(401, b"{\"detail\":\"no token\"}").to_string(), "no token");
        assert!(refusal(503, b"<html>").to_string().contains("status 503"));
    }
}
