//! Accepts connections for signalling. Their number is bounded, and so is the time for the head of a request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tower::ServiceExt;

/// The most connections. A browser opens up to six.
const MAX_CONNECTIONS: usize = 128;

/// The time for the head of a request, and for an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// The time between two attempts to accept a connection after an error, such as too many open files.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The address of the peer of a connection, stored among the extensions of its requests.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub SocketAddr);

/// Serves the routes until the future is dropped.
pub async fn serve(listener: TcpListener, routes: Router) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let routes = routes.clone();
                tokio::spawn(async move {
                    converse(stream, peer, routes).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!("cannot accept a connection: {error}");
                sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

async fn converse(stream: TcpStream, peer: SocketAddr, routes: Router) {
    // It only makes the exchange slower.
    let _undelayed = stream.set_nodelay(true);
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(PeerAddress(peer));
        routes.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    if let Err(error) = connection.await {
        tracing::debug!("a connection has failed: {error}");
    }
}
