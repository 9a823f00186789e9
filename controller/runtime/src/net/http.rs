//! Questions to servers over HTTP: one answer at a time, heard piece by piece within bounds.
//!
//! Nothing is followed elsewhere, no proxy is asked, and no connection is kept: a key goes to the address it was meant
//! for or nowhere.

use std::error::Error;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::sleep;
use uuid::Uuid;

use super::{Address, Reach};
use crate::config::Key;

/// How long a server may take to accept a connection.
const CONNECTING: Duration = Duration::from_secs(10);

/// How often the listener is asked whether to go on while nothing comes.
const LOOK: Duration = Duration::from_millis(50);

const JSON: &str = "application/json";
const JSON_OR_EVENTS: &str = "text/event-stream, application/json";
const PROTOBUF: &str = "application/x-protobuf";

/// What is sent, and what is wanted in return.
struct Body<'a> {
    content: &'a str,
    accept: &'static str,
    bytes: Vec<u8>,
}

/// Whoever asks one server. To be used from an ordinary thread.
#[derive(Debug)]
pub struct Http {
    address: Address,
    key: Option<Key>,
    /// What is sent beside every question.
    also: HeaderMap,
    client: Client,
    /// Taken only in `drop`.
    runtime: Option<Runtime>,
}

/// What comes from a server, in this order.
#[derive(Debug)]
pub enum Piece<'a> {
    /// Nothing yet; does the listener still want to hear it?
    Silence,
    /// It began to answer.
    Began(&'a Opening),
    /// Some bytes, split anywhere.
    Bytes(&'a [u8]),
}

/// How an answer opens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The HTTP status.
    pub status: u16,
    /// The type of what follows, in lower case and without parameters; empty if none is told.
    pub content: String,
    /// For how many seconds the server does not want to be asked again.
    pub retry_after: Option<u64>,
    /// Where it would send whoever asks.
    pub elsewhere: Option<String>,
}

/// How long one answer may take, and how large it may be.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The whole answer.
    pub whole: Duration,
    /// Without a piece.
    pub silence: Duration,
    /// All its bytes.
    pub bytes: usize,
}

/// Whether to go on listening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Go on.
    On,
    /// It is enough, or nobody wants it any more.
    Off,
}

/// An answer that was not heard to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Nobody is there.
    #[error("{0}")]
    Unreachable(String),
    /// The connection ended before the answer did.
    #[error("the connection broke off: {0}")]
    Cut(String),
    /// A limit of time was reached.
    #[error("it took longer than {} s", .0.as_secs_f64())]
    Slow(Duration),
    /// It is too large.
    #[error("it is longer than {0} bytes")]
    TooLong(usize),
}

/// A server that can't even be asked.
#[derive(Debug, thiserror::Error)]
pub enum NoHttp {
    /// The system gives no means to wait.
    #[error("can't open what is needed to wait for a server: {0}; too many files may be open")]
    Runtime(#[from] std::io::Error),
    /// Others could read the token.
    #[error(
        "MINISMITH_TOKEN would go to {address} over plain http, where others can read it; use https, or `ssh -L`"
    )]
    Overheard {
        /// Where.
        address: String,
    },
    /// There are no certificates, most likely.
    #[error(
        "can't ask {address} over https: {reason}; install the system's certificates (Debian: ca-certificates)"
    )]
    Tls {
        /// Where.
        address: String,
        /// What the library said.
        reason: String,
    },
}

impl Http {
    /// Prepares to ask the server at `address`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`NoHttp`], mostly where the system has no certificates for https.
    pub fn new(address: Address, key: Option<Key>) -> Result<Self, NoHttp> {
        // Fails where it was done before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("minismith/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .connect_timeout(CONNECTING)
            // Nobody drives a kept connection between questions, so nobody would see that it was closed.
            .pool_max_idle_per_host(0);
        if !address.is_enciphered() {
            // The system's certificates are not looked for where none is needed.
            builder = builder.tls_certs_only([]);
        }
        let client = builder
            .build()
            .map_err(|error| NoHttp::Tls { address: address.to_string(), reason: innermost(&error) })?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        Ok(Http { address, key, also: HeaderMap::new(), client, runtime: Some(runtime) })
    }

    /// The same, with this header beside every question; one that can't be sent is left out.
    #[must_use]
    pub fn sending(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.also.insert(name, value);
        }
        self
    }

    /// Prepares to ask a server of our own, which is shown the token of the environment (`MINISMITH_TOKEN`), if there is
    /// one.
    ///
    /// # Errors
    /// [`NoHttp`], also where others could read the token.
    pub fn to_our_server(address: Address) -> Result<Self, NoHttp> {
        let key = Key::of_our_server();
        if key.is_some() && !address.is_enciphered() && address.reach() != Reach::Here {
            return Err(NoHttp::Overheard { address: address.to_string() });
        }
        Http::new(address, key)
    }

    /// Where the server is.
    #[must_use]
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// The same text, without the key in case the server repeated it.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(key.expose(), "(key)"),
            None => text.to_owned(),
        }
    }

    /// Posts a JSON document to a path below the address; the listener hears the answer, and is also asked 20 times a
    /// second while nothing comes. Ends when the answer does, or the listener has heard enough.
    ///
    /// # Errors
    /// [`Broken`], when the answer did not come to its end.
    pub fn post(
        &self,
        path: &str,
        json: String,
        patience: Patience,
        hear: &mut dyn FnMut(Piece<'_>) -> Listen,
    ) -> Result<(), Broken> {
        self.send(
            path,
            Body { content: JSON, accept: JSON_OR_EVENTS, bytes: json.into_bytes() },
            patience,
            hear,
        )
    }

    /// The same with a message of Protocol Buffers, which is answered by another.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn post_protobuf(
        &self,
        path: &str,
        bytes: Vec<u8>,
        patience: Patience,
        hear: &mut dyn FnMut(Piece<'_>) -> Listen,
    ) -> Result<(), Broken> {
        self.send(path, Body { content: PROTOBUF, accept: PROTOBUF, bytes }, patience, hear)
    }

    /// The same with a form of several parts (`multipart/form-data`): each a name, the name of a file where it is one, and what
    /// is in it.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn post_form(
        &self,
        path: &str,
        parts: &[(&str, Option<&str>, &[u8])],
        patience: Patience,
        hear: &mut dyn FnMut(Piece<'_>) -> Listen,
    ) -> Result<(), Broken> {
        // Nobody can write into a part what ends it: nobody knows this beforehand.
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

    /// The same as [`post`](Self::post), for an answer of any kind.
    ///
    /// # Errors
    /// As [`post`](Self::post).
    pub fn post_for_bytes(
        &self,
        path: &str,
        json: String,
        patience: Patience,
        hear: &mut dyn FnMut(Piece<'_>) -> Listen,
    ) -> Result<(), Broken> {
        self.send(path, Body { content: JSON, accept: "*/*", bytes: json.into_bytes() }, patience, hear)
    }

    fn send(
        &self,
        path: &str,
        body: Body<'_>,
        patience: Patience,
        hear: &mut dyn FnMut(Piece<'_>) -> Listen,
    ) -> Result<(), Broken> {
        let Some(runtime) = self.runtime.as_ref().filter(|_| Handle::try_current().is_err()) else {
            return Err(Broken::Unreachable("it was asked on a thread that must not wait".into()));
        };
        runtime.block_on(self.exchange(path, body, patience, hear))
    }

    async fn exchange(
        &self,
        path: &str,
        Body { content, accept, bytes }: Body<'_>,
        patience: Patience,
        hear: &mut dyn FnMut(Piece<'_>) -> Listen,
    ) -> Result<(), Broken> {
        let mut headers = self.also.clone();
        let content = HeaderValue::from_str(content)
            .map_err(|_| Broken::Unreachable("what is sent has a type that can't be sent".into()))?;
        headers.insert(CONTENT_TYPE, content);
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(key) = &self.key {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
                .map_err(|_| Broken::Unreachable("its key has characters that can't be sent".into()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let asked = self.client.post(self.address.join(path)).headers(headers).body(bytes).send();
        let mut whole = std::pin::pin!(sleep(patience.whole));
        /// Waits for a future, while the listener is asked and the limits hold; returns from this function otherwise.
        macro_rules! wait {
            ($future:expr) => {{
                let mut future = std::pin::pin!($future);
                let mut silence = std::pin::pin!(sleep(patience.silence));
                loop {
                    tokio::select! {
                        biased;
                        done = &mut future => break done,
                        () = &mut whole => return Err(Broken::Slow(patience.whole)),
                        () = &mut silence => return Err(Broken::Slow(patience.silence)),
                        () = sleep(LOOK) => if hear(Piece::Silence) == Listen::Off { return Ok(()) },
                    }
                }
            }};
        }
        let mut response = wait!(asked).map_err(|error| why(&error))?;
        if hear(Piece::Began(&opening(&response))) == Listen::Off {
            return Ok(());
        }
        let mut heard: usize = 0;
        loop {
            match wait!(response.chunk()).map_err(|error| Broken::Cut(innermost(&error)))? {
                None => return Ok(()),
                Some(bytes) => {
                    heard = heard.saturating_add(bytes.len());
                    if heard > patience.bytes {
                        return Err(Broken::TooLong(patience.bytes));
                    }
                    if whole.is_elapsed() {
                        return Err(Broken::Slow(patience.whole));
                    }
                    if hear(Piece::Bytes(&bytes)) == Listen::Off {
                        return Ok(());
                    }
                }
            }
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // A name that is still being looked up holds nobody up.
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

fn why(error: &reqwest::Error) -> Broken {
    if error.is_connect() { Broken::Unreachable(innermost(error)) } else { Broken::Cut(innermost(error)) }
}

/// What happened at the bottom; the words above it only repeat the address.
fn innermost(error: &dyn Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
