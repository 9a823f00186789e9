//! Passes a request on to a server that is reached by a stream of its own, such as one in the network of an app.

use std::os::fd::OwnedFd;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long the server may take until it answers.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub enum ForwardError {
    /// The stream cannot be used.
    #[error("the connection failed: {0}")]
    Stream(#[from] std::io::Error),
    /// The server did not answer in HTTP.
    #[error("no valid answer came: {0}")]
    Http(#[from] hyper::Error),
    /// The server did not answer in time.
    #[error("no answer came within {} s", ANSWER_TIMEOUT.as_secs())]
    Timeout,
}

/// Sends a request over a connected TCP stream and returns the answer. A WebSocket, or another upgrade, is passed on as well.
///
/// # Errors
/// [`ForwardError`].
pub async fn forward(mut request: Request, stream: OwnedFd) -> Result<Response, ForwardError> {
    let stream = std::net::TcpStream::from(stream);
    stream.set_nonblocking(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(TcpStream::from_std(stream)?)).await?;
    tokio::spawn(async move {
        // The answer to the request tells what failed.
        let _ended = connection.with_upgrades().await;
    });
    let is_upgrade = request.headers().contains_key(UPGRADE);
    if !is_upgrade {
        // The stream is for this request alone.
        request.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    // What it asks for is the path, as for any server that is no proxy.
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).parse();
    *request.uri_mut() = path.unwrap_or_default();
    let client = is_upgrade.then(|| hyper::upgrade::on(&mut request));
    let answer = timeout(ANSWER_TIMEOUT, sender.send_request(request)).await;
    let mut answer = answer.map_err(|_| ForwardError::Timeout)??;
    if let (StatusCode::SWITCHING_PROTOCOLS, Some(client)) = (answer.status(), client) {
        let server = hyper::upgrade::on(&mut answer);
        tokio::spawn(async move {
            if let (Ok(client), Ok(server)) = (client.await, server.await) {
                // Either end may close it.
                let _closed = copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(server)).await;
            }
        });
    } else {
        answer.headers_mut().remove(CONNECTION);
    }
    Ok(answer.map(Body::new))
}
