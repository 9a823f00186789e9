//! Downloads a file: within bounds of time and size, and along a few redirects that never leave https.

use std::io::Write;
use std::time::Duration;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Url};
use tokio::runtime::Builder;

use super::http::innermost;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest silence of a server.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

const MAX_REDIRECTS: usize = 5;

/// The bounds of a download.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The size in bytes.
    pub bytes: u64,
    /// Time for the whole file.
    pub whole: Duration,
}

/// A file that was not downloaded.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// The address cannot be used.
    #[error("{0} is no address of a file; it begins with http:// or https://")]
    Address(String),
    /// The system provides no client.
    #[error("cannot download: {0}; for https, install the system's certificates (Debian: ca-certificates)")]
    Client(String),
    /// The server did not answer, or not to its end.
    #[error("cannot download {url}: {reason}; look at the address and the network, and repeat the command")]
    Transfer {
        /// The address.
        url: String,
        /// The cause.
        reason: String,
    },
    /// The server has no such file.
    #[error("{url} answers with status {status}; look at the address")]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The file is too large.
    #[error("{url} is longer than {bytes} bytes")]
    TooLong {
        /// The address.
        url: String,
        /// The bound.
        bytes: u64,
    },
    /// The file took too long.
    #[error("{url} took longer than {} s; repeat the command on a faster network", .whole.as_secs())]
    Slow {
        /// The address.
        url: String,
        /// The bound.
        whole: Duration,
    },
    /// The file cannot be stored.
    #[error("cannot store {url}: {source}; free some space and repeat the command")]
    Store {
        /// The address.
        url: String,
        /// The error of the system.
        source: std::io::Error,
    },
}

/// Downloads a file; for use on an ordinary thread.
///
/// # Errors
/// [`DownloadError`] contains the address and the cause.
pub fn download(url: &str, bounds: Bounds, into: &mut dyn Write) -> Result<(), DownloadError> {
    let parsed = Url::parse(url).ok().filter(|parsed| matches!(parsed.scheme(), "http" | "https"));
    let parsed = parsed.ok_or_else(|| DownloadError::Address(url.to_owned()))?;
    // Fails if it is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let begun = Client::builder()
        .user_agent(concat!("minismith/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::custom(follow))
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .build();
    let client = begun.map_err(|error| DownloadError::Client(innermost(&error)))?;
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| DownloadError::Client(error.to_string()))?;
    let ended = runtime.block_on(async {
        tokio::time::timeout(bounds.whole, transfer(&client, url, parsed, bounds.bytes, into)).await
    });
    // A pending name lookup must not delay the end.
    runtime.shutdown_background();
    ended.unwrap_or_else(|_| Err(DownloadError::Slow { url: url.to_owned(), whole: bounds.whole }))
}

fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let is_downgrade = attempt.url().scheme() != "https"
        && attempt.previous().last().is_some_and(|before| before.scheme() == "https");
    if is_downgrade {
        return attempt.error("it redirects from https to plain http");
    }
    if attempt.previous().len() > MAX_REDIRECTS {
        return attempt.error("it redirects too often");
    }
    attempt.follow()
}

async fn transfer(
    client: &Client,
    url: &str,
    parsed: Url,
    max_bytes: u64,
    into: &mut dyn Write,
) -> Result<(), DownloadError> {
    let shown = || url.to_owned();
    let failed = |error: reqwest::Error| DownloadError::Transfer { url: shown(), reason: innermost(&error) };
    let mut response = client.get(parsed).send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(DownloadError::Status { url: shown(), status: response.status().as_u16() });
    }
    let too_long = || DownloadError::TooLong { url: shown(), bytes: max_bytes };
    if response.content_length().is_some_and(|length| length > max_bytes) {
        return Err(too_long());
    }
    let mut left = max_bytes;
    while let Some(bytes) = response.chunk().await.map_err(failed)? {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        left = left.checked_sub(length).ok_or_else(too_long)?;
        into.write_all(&bytes).map_err(|source| DownloadError::Store { url: shown(), source })?;
    }
    Ok(())
}
