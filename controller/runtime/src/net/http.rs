//! Requests to HTTP servers: one response at a time, read in chunks within bounds.
//!
//! The client follows no redirect, uses no proxy and keeps no connection: a key reaches only the address that it
//! belongs to.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, ClientBuilder, Response};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::yield_now;
use tokio::time::sleep;
use uuid::Uuid;

use super::{Address, Reach};
use crate::config::Key;

/// The timeout for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How often the listener may cancel while nothing arrives.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How often other tasks run after a response.
const CLOSING_TURNS: usize = 8;

const JSON: &str = "application/json";
const JSON_OR_EVENTS: &str = "text/event-stream, application/json";
const PROTOBUF: &str = "application/x-protobuf";

/// The body to send, and the accepted response type.
struct Body<'a> {
    content: &'a str,
    accept: &'static str,
    bytes: Vec<u8>,
}

/// A client of one server, for use on an ordinary thread.
#[derive(Debug)]
pub struct Http {
    address: Address,
    key: Option<Key>,
    /// Headers of every request.
    also: HeaderMap,
    client: Client,
    /// Taken only in `drop`.
    runtime: Option<Runtime>,
}

/// The events of a response, in this order.
#[derive(Debug)]
pub enum Chunk<'a> {
    /// Nothing has arrived yet; the listener may cancel.
    Silence,
    /// The response has begun.
    Began(&'a Opening),
    /// Some bytes, split anywhere.
    Bytes(&'a [u8]),
}

/// The head of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The HTTP status.
    pub status: u16,
    /// The content type in lower case and without parameters; empty if there is none.
    pub content: String,
    /// The seconds before the server accepts a retry.
    pub retry_after: Option<u64>,
    /// The redirect target.
    pub elsewhere: Option<String>,
}

/// The bounds of a response: times and size.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Time for the whole response.
    pub whole: Duration,
    /// Time between chunks.
    pub silence: Duration,
    /// The total size in bytes.
    pub bytes: usize,
}

/// Whether to continue reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepListening {
    /// Continue.
    On,
    /// Stop reading: the response suffices or was cancelled.
    Off,
}

/// An incomplete response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// No server could be reached.
    #[error("{0}")]
    Unreachable(String),
    /// The connection ended before the response did.
    #[error("the connection was lost: {0}")]
    Cut(String),
    /// A timeout expired.
    #[error("it took longer than {} s", .0.as_secs_f64())]
    Slow(Duration),
    /// The response is too large.
    #[error("it is longer than {0} bytes")]
    TooLong(usize),
}

/// A request that cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The system cannot provide a runtime.
    #[error("cannot wait for a server: {0}; close files if too many are open")]
    Runtime(#[from] std::io::Error),
    /// Others could read the token.
    #[error(
        "MINISMITH_TOKEN would go to {address} over plain http, where others can read it; use https, or `ssh -L`"
    )]
    Overheard {
        /// The address.
        address: String,
    },
    /// Most likely, there are no certificates.
    #[error(
        "cannot connect to {address} over https: {reason}; install the system's certificates (Debian: ca-certificates)"
    )]
    Tls {
        /// The address.
        address: String,
        /// The error of the library.
        reason: String,
    },
}

impl Http {
    /// Prepares a client of the server at `address`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`HttpError`], mostly where the system has no certificates for https.
    pub fn new(address: Address, key: Option<Key>) -> Result<Self, HttpError> {
        Http::prepared(address, key, |builder| builder)
    }

    fn prepared(
        address: Address,
        key: Option<Key>,
        more: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, HttpError> {
        // Fails if it is installed already, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("minismith/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            // A pooled connection is not polled between requests, so nothing would notice that it was closed.
            .pool_max_idle_per_host(0);
        if !address.is_enciphered() {
            // The system's certificates are loaded only where they are needed.
            builder = builder.tls_certs_only([]);
        }
        let client = more(builder)
            .build()
            .map_err(|error| HttpError::Tls { address: address.to_string(), reason: innermost(&error) })?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        Ok(Http { address, key, also: HeaderMap::new(), client, runtime: Some(runtime) })
    }

    /// Prepares a client of the server that listens at a Unix socket of this computer. `address` only names its paths.
    ///
    /// # Errors
    /// [`HttpError`], when the system provides no runtime.
    pub fn at_socket(socket: &Path, address: Address, key: Option<Key>) -> Result<Self, HttpError> {
        Http::prepared(address, key, |builder| builder.unix_socket(socket))
    }

    /// Adds a header to every request; an invalid one is left out.
    #[must_use]
    pub fn sending(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.also.insert(name, value);
        }
        self
    }

    /// Prepares a client of our own server, which receives the token of the environment (`MINISMITH_TOKEN`), if any.
    ///
    /// # Errors
    /// [`HttpError`], also where others could read the token.
    pub fn to_our_server(address: Address) -> Result<Self, HttpError> {
        let key = Key::of_our_server();
        if key.is_some() && !address.is_enciphered() && address.reach() != Reach::Here {
            return Err(HttpError::Overheard { address: address.to_string() });
        }
        Http::new(address, key)
    }

    /// Returns the server's address.
    #[must_use]
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// Returns the text without the key, in case the server repeated it.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(key.expose(), "(key)"),
            None => text.to_owned(),
        }
    }

    /// Posts a JSON document to a path below the address. The listener receives the response, and may cancel 20 times a
    /// second while nothing arrives. Returns when the response ends or the listener stops it.
    ///
    /// # Errors
    /// [`TransferError`], when the response is incomplete.
    pub fn post(
        &self,
        path: &str,
        json: String,
        patience: Timeouts,
        hear: &mut dyn FnMut(Chunk<'_>) -> KeepListening,
    ) -> Result<(), TransferError> {
        self.send(
            path,
            Body { content: JSON, accept: JSON_OR_EVENTS, bytes: json.into_bytes() },
            patience,
            hear,
        )
    }

    /// Posts a Protocol Buffers message; the response is one too.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn post_protobuf(
        &self,
        path: &str,
        bytes: Vec<u8>,
        patience: Timeouts,
        hear: &mut dyn FnMut(Chunk<'_>) -> KeepListening,
    ) -> Result<(), TransferError> {
        self.send(path, Body { content: PROTOBUF, accept: PROTOBUF, bytes }, patience, hear)
    }

    /// Posts a form of several parts (`multipart/form-data`). Each has a name, a file name if it is a file, and its
    /// content.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn post_form(
        &self,
        path: &str,
        parts: &[(&str, Option<&str>, &[u8])],
        patience: Timeouts,
        hear: &mut dyn FnMut(Chunk<'_>) -> KeepListening,
    ) -> Result<(), TransferError> {
        // The boundary is random, so that no part can contain it.
        let border = Uuid::new_v4().simple().to_string();
        let mut bytes = Vec::new();
        for (name, file, content) in parts {
            let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
            bytes.extend(
                format!("--{border}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n")
                    .bytes(),
            );
            bytes.extend_from_slice(content);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend(format!("--{border}--\r\n").bytes());
        let content = format!("multipart/form-data; boundary={border}");
        self.send(path, Body { content: &content, accept: JSON_OR_EVENTS, bytes }, patience, hear)
    }

    /// Like [`post`](Self::post), for a response of any type.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn post_for_bytes(
        &self,
        path: &str,
        json: String,
        patience: Timeouts,
        hear: &mut dyn FnMut(Chunk<'_>) -> KeepListening,
    ) -> Result<(), TransferError> {
        self.send(path, Body { content: JSON, accept: "*/*", bytes: json.into_bytes() }, patience, hear)
    }

    fn send(
        &self,
        path: &str,
        body: Body<'_>,
        patience: Timeouts,
        hear: &mut dyn FnMut(Chunk<'_>) -> KeepListening,
    ) -> Result<(), TransferError> {
        let Some(runtime) = self.runtime.as_ref().filter(|_| Handle::try_current().is_err()) else {
            return Err(TransferError::Unreachable("it was asked on a thread that must not wait".into()));
        };
        runtime.block_on(async {
            let exchanged = self.exchange(path, body, patience, hear).await;
            // A response that was dropped before its end closes its connection only when the task of the connection runs
            // again, and until then the server goes on with it.
            for _ in 0..CLOSING_TURNS {
                yield_now().await;
            }
            exchanged
        })
    }

    async fn exchange(
        &self,
        path: &str,
        Body { content, accept, bytes }: Body<'_>,
        patience: Timeouts,
        hear: &mut dyn FnMut(Chunk<'_>) -> KeepListening,
    ) -> Result<(), TransferError> {
        let mut headers = self.also.clone();
        let content = HeaderValue::from_str(content)
            .map_err(|_| TransferError::Unreachable("what is sent has a type that can't be sent".into()))?;
        headers.insert(CONTENT_TYPE, content);
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(key) = &self.key {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose())).map_err(|_| {
                TransferError::Unreachable("its key has characters that can't be sent".into())
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let asked = self.client.post(self.address.join(path)).headers(headers).body(bytes).send();
        let mut whole = std::pin::pin!(sleep(patience.whole));
        /// Waits for a future while the listener continues and the timeouts hold; otherwise returns from this function.
        macro_rules! wait {
            ($future:expr) => {{
                let mut future = std::pin::pin!($future);
                let mut silence = std::pin::pin!(sleep(patience.silence));
                loop {
                    tokio::select! {
                        biased;
                        done = &mut future => break done,
                        () = &mut whole => return Err(TransferError::Slow(patience.whole)),
                        () = &mut silence => return Err(TransferError::Slow(patience.silence)),
                        () = sleep(POLL_INTERVAL) => if hear(Chunk::Silence) == KeepListening::Off { return Ok(()) },
                    }
                }
            }};
        }
        let mut response = wait!(asked).map_err(|error| why(&error))?;
        if hear(Chunk::Began(&opening(&response))) == KeepListening::Off {
            return Ok(());
        }
        let mut heard: usize = 0;
        loop {
            match wait!(response.chunk()).map_err(|error| TransferError::Cut(innermost(&error)))? {
                None => return Ok(()),
                Some(bytes) => {
                    heard = heard.saturating_add(bytes.len());
                    if heard > patience.bytes {
                        return Err(TransferError::TooLong(patience.bytes));
                    }
                    if whole.is_elapsed() {
                        return Err(TransferError::Slow(patience.whole));
                    }
                    if hear(Chunk::Bytes(&bytes)) == KeepListening::Off {
                        return Ok(());
                    }
                }
            }
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // A pending name lookup must not delay the end.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn opening(response: &Response) -> Opening {
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let content = header(CONTENT_TYPE).and_then(|content| content.split(';').next()).unwrap_or_default();
    Opening {
        status: response.status().as_u16(),
        content: content.trim().to_ascii_lowercase(),
        retry_after: header(RETRY_AFTER).and_then(|seconds| seconds.trim().parse().ok()),
        elsewhere: header(LOCATION).map(str::to_owned),
    }
}

fn why(error: &reqwest::Error) -> TransferError {
    if error.is_connect() {
        TransferError::Unreachable(innermost(error))
    } else {
        TransferError::Cut(innermost(error))
    }
}

/// Returns the root cause; the outer messages only repeat the address.
pub(super) fn innermost(error: &dyn Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
