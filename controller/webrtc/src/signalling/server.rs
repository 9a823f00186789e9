//! Accepts connections for signalling. Their number is bounded, and so is the time for the head of a request.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::time::sleep;
use tower::ServiceExt;

use super::asking::PeerAddress;
use crate::net::{self, Listener, Stream};

/// The most connections, in all and per address. A browser opens up to six.
const MAX_CONNECTIONS: usize = 128;
const MAX_CONNECTIONS_PER_ADDRESS: usize = 64;

/// The time for the head of a request, and for an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// The time between two attempts to accept a connection after an error, such as too many open files.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Serves the routes until the future is dropped.
pub async fn serve(listener: Listener, routes: Router) {
    let places = Places::default();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // A connection without a place is closed at once.
                let Some(place) = places.take(peer.ip()) else { continue };
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

/// The places for connections that are taken, by address.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A taken place; dropping it frees it.
struct Place(Places, IpAddr);

impl Places {
    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, peer: IpAddr) -> Option<Place> {
        let mut taken = self.taken();
        let all: usize = taken.values().sum();
        let own = taken.get(&peer).copied().unwrap_or(0);
        if all >= MAX_CONNECTIONS || own >= MAX_CONNECTIONS_PER_ADDRESS {
            return None;
        }
        taken.insert(peer, own + 1);
        Some(Place(self.clone(), peer))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.0.taken();
        match taken.get_mut(&self.1) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(taken.remove(&self.1)),
        }
    }
}

async fn converse(stream: Stream, peer: SocketAddr, routes: Router) {
    // Without it, the exchange is only slower.
    let _prepared = net::prepare(&stream);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_leaves_places_for_others() {
        let places = Places::default();
        let [one, other, third] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(|ip| ip.parse().unwrap());
        let mut taken: Vec<Place> = (0..MAX_CONNECTIONS).filter_map(|_| places.take(one)).collect();
        assert_eq!(taken.len(), MAX_CONNECTIONS_PER_ADDRESS);
        taken.extend((0..MAX_CONNECTIONS).filter_map(|_| places.take(other)));
        assert_eq!(taken.len(), MAX_CONNECTIONS);
        assert!(places.take(third).is_none());
        taken.clear();
        assert!(places.taken().is_empty());
        assert!(places.take(third).is_some());
    }
}
