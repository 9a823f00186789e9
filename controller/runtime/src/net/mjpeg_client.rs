//! A stream of images over HTTP, read for as long as a consumer exists.
//!
//! The server is that of `camera.source`. The client follows no redirect and uses no proxy.
//! `minismith_perception::camera::mjpeg` parses and bounds the stream.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use minismith_perception::camera::mjpeg::{Connect, Stream};
use minismith_perception::camera::source::SourceError;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Response, Url};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// The timeout for a connection, and for the start of the response.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The timeout of one read.
const READ_TIMEOUT: Duration = Duration::from_millis(200);

/// Returns the source at this address. Its display name omits the query, which may contain a password.
#[must_use]
pub fn stream(address: &str) -> Stream {
    let name = match Url::parse(address) {
        Ok(url) => format!(
            "{}://{}{}{}",
            url.scheme(),
            url.host_str().unwrap_or_default(),
            url.port().map(|port| format!(":{port}")).unwrap_or_default(),
            url.path()
        ),
        Err(_) => "a stream without an address".into(),
    };
    let address = address.to_owned();
    let reported = name.clone();
    let connect: Connect = Box::new(move || connect(&address, &reported));
    Stream::new(name, connect)
}

fn connect(address: &str, name: &str) -> Result<(String, Box<dyn Read + Send>), SourceError> {
    let no = |reason: String| {
        SourceError::new(
            reason,
            "see that its server runs, and that camera.source is the address of an MJPEG stream",
        )
    };
    let url = Url::parse(address).map_err(|error| no(format!("{name} is no address: {error}")))?;
    // Fails if it is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("minismith/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(0);
    if url.scheme() == "http" {
        builder = builder.tls_certs_only([]);
    }
    let client = builder.build().map_err(|error| no(format!("{name} can't be asked: {error}")))?;
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| no(format!("nothing can wait for {name}: {error}")))?;
    let response = runtime
        // A timeout is made within the runtime.
        .block_on(async { timeout(CONNECT_TIMEOUT, client.get(url).send()).await })
        .map_err(|_| no(format!("{name} does not answer")))?
        // The library's message contains the whole address.
        .map_err(|error| no(format!("{name} can't be reached: {}", error.without_url())))?;
    if !response.status().is_success() {
        return Err(no(format!("{name} answers with status {}", response.status().as_u16())));
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    Ok((kind.to_owned(), Box::new(ResponseBody { runtime, response, rest: Vec::new(), read: 0 })))
}

/// A response as a byte reader.
struct ResponseBody {
    runtime: Runtime,
    response: Response,
    rest: Vec<u8>,
    read: usize,
}

impl Read for ResponseBody {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.read >= self.rest.len() {
            let chunk = self.runtime.block_on(async { timeout(READ_TIMEOUT, self.response.chunk()).await });
            match chunk {
                Err(_) => return Err(ErrorKind::TimedOut.into()),
                Ok(Err(error)) => return Err(std::io::Error::other(error.without_url())),
                Ok(Ok(None)) => return Ok(0),
                Ok(Ok(Some(bytes))) => (self.rest, self.read) = (bytes.into(), 0),
            }
        }
        let rest = self.rest.get(self.read..).unwrap_or_default();
        let count = rest.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.read += count;
        Ok(count)
    }
}
