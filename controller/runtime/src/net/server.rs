//! Accepts connections, with or without TLS, and routes their requests.
//!
//! Threads: one task per connection. The number of connections is bounded, in total and per machine. So are the times
//! for a handshake and for the head of a request. Many or silent clients therefore cost little.

use std::collections::HashMap;
use std::future::Future;
use std::io::IoSlice;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
pub use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

/// The origin of a request, stored among its extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// The timeout for the head of a request, and for an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// The timeout for a handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that running requests have at shutdown. A request that never ends must not delay it.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The response to clients when all places are taken.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\n\
Connection: close\r\nContent-Length: 43\r\n\r\n{\"detail\": \"too many connections are open\"}";

/// An unusable certificate.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read.
    #[error("cannot read {what} in {}: {why}; name a PEM file with `server: {{tls_certificate: FILE, tls_key: FILE}}` in config.yaml", .path.display())]
    Pem {
        /// The expected content.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// Certificate and key do not match.
    #[error("cannot use the certificate and key: {0}; check that they belong together")]
    Pair(#[from] rustls::Error),
}

/// Returns a TLS acceptor with these files.
///
/// # Errors
/// [`TlsError`] names the unusable file.
pub fn tls(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
    let bad = |what, path: &Path, why: String| TlsError::Pem { what, path: path.to_owned(), why };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| bad("a certificate", certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(bad("a certificate", certificate, "there is none".into()));
    }
    let secret =
        PrivateKeyDer::from_pem_file(key).map_err(|error| bad("a private key", key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, secret)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The places for connections.
#[derive(Debug)]
struct ConnectionSlots {
    all: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// A taken place; dropping it frees it.
struct ConnectionSlot {
    places: Arc<ConnectionSlots>,
    peer: IpAddr,
}

impl ConnectionSlots {
    fn take(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = taken.values().sum();
        let own = taken.entry(peer).or_default();
        if all >= self.all || *own >= self.all / 2 {
            return None;
        }
        *own += 1;
        Some(ConnectionSlot { places: self.clone(), peer })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.peer) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.peer);
            }
        }
    }
}

/// A connection that has its place until it is closed: a WebSocket outlives the task of its request.
struct CountedStream {
    stream: TcpStream,
    _slot: ConnectionSlot,
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Serves until `until` completes; running requests then have a second to end.
pub async fn serve(
    listener: TcpListener,
    routes: Router,
    tls: Option<TlsAcceptor>,
    connections: usize,
    until: impl Future<Output = ()>,
) {
    let places = Arc::new(ConnectionSlots { all: connections, taken: Mutex::default() });
    let (ending, ends) = watch::channel(false);
    let mut open = JoinSet::new();
    tokio::pin!(until);
    loop {
        let (stream, peer) = tokio::select! {
            () = &mut until => break,
            // Removes ended tasks.
            Some(_) = open.join_next() => continue,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // For example, no file descriptors are left: this may pass.
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let Some(position) = places.take(peer.ip()) else {
            if tls.is_none() {
                // A client that does not read the response is rejected nevertheless.
                let _heard = stream.try_write(FULL);
            }
            continue;
        };
        let (routes, tls, ends) = (routes.clone(), tls.clone(), ends.clone());
        // Small responses are sent without delay; without this option they are only slower.
        let _quick = stream.set_nodelay(true);
        let stream = CountedStream { stream, _slot: position };
        open.spawn(async move { converse(stream, peer, tls, routes, ends).await });
    }
    drop(listener);
    // The server is shutting down.
    let _heard = ending.send(true);
    let _in_time = timeout(SHUTDOWN_TIMEOUT, async { while open.join_next().await.is_some() {} }).await;
}

/// Serves the requests of one stream in this process, WebSockets included, as those of a client at `peer`.
pub async fn serve_stream(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    routes: Router,
) {
    let (_ending, ends) = watch::channel(false);
    answer(stream, peer, routes, ends).await;
}

async fn converse(
    stream: CountedStream,
    peer: SocketAddr,
    tls: Option<TlsAcceptor>,
    routes: Router,
    ends: watch::Receiver<bool>,
) {
    match tls {
        None => answer(stream, peer, routes, ends).await,
        Some(tls) => match timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
            Ok(Ok(stream)) => answer(stream, peer, routes, ends).await,
            Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS came about"),
            Err(_) => tracing::debug!(%peer, "a handshake took too long"),
        },
    }
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    routes: Router,
    mut ends: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        routes.clone().oneshot(request)
    });
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = ends.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection ended early");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_machine_never_has_all_places() {
        let places = Arc::new(ConnectionSlots { all: 8, taken: Mutex::default() });
        let [one, other, third] = [1, 2, 3].map(|last| IpAddr::from([192, 0, 2, last]));
        let own: Vec<_> = std::iter::from_fn(|| places.take(one)).collect();
        assert_eq!(own.len(), 4);
        let others: Vec<_> = std::iter::from_fn(|| places.take(other)).collect();
        assert_eq!((others.len(), places.take(third).is_none()), (4, true));
        drop(own);
        assert!(places.take(third).is_some() && places.take(other).is_none());
    }

    #[test]
    fn those_who_find_no_position_get_a_whole_answer() {
        let text = std::str::from_utf8(FULL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}", body.len())), "{}", body.len());
    }
}
