//! Rate limits: a token bucket for each peer.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use firmware_bridge::clock::Timestamp;

/// Maximum number of peers with their own bucket; further peers share one.
const MAX_PEERS: usize = 4096;

/// Token buckets, one for each peer.
#[derive(Debug)]
pub struct RateLimiter {
    per_second: f64,
    burst: f64,
    buckets: Mutex<HashMap<IpAddr, (f64, Timestamp)>>,
}

impl RateLimiter {
    /// Returns buckets that refill at this rate per second and hold at most `most`.
    #[must_use]
    pub fn new(per_second: f64, most: f64) -> Self {
        RateLimiter { per_second, burst: most, buckets: Mutex::default() }
    }

    /// Takes one from a peer's bucket; returns whether it had one.
    pub fn take(&self, peer: IpAddr, now: Timestamp) -> bool {
        self.draw(peer, now, 1.0)
    }

    /// Returns whether a peer's bucket has one.
    pub fn has(&self, peer: IpAddr, now: Timestamp) -> bool {
        self.draw(peer, now, 0.0)
    }

    fn draw(&self, peer: IpAddr, now: Timestamp, much: f64) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let filled = |level: f64, then: Timestamp| {
            let since = now.since(then).as_secs_f64();
            (level + since * self.per_second).min(self.burst)
        };
        if buckets.len() >= MAX_PEERS && !buckets.contains_key(&peer) {
            buckets.retain(|_, (level, then)| filled(*level, *then) < self.burst);
        }
        let unspecified = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);
        let key = if buckets.len() >= MAX_PEERS && !buckets.contains_key(&peer) { unspecified } else { peer };
        let (level, then) = buckets.entry(key).or_insert((self.burst, now));
        let full = filled(*level, *then);
        let enough = full >= 1.0;
        *level = if enough { full - much } else { full };
        *then = now;
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_refills_for_each_peer() {
        let rate = RateLimiter::new(2.0, 3.0);
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse::<IpAddr>().unwrap());
        let at = |seconds: f64| Timestamp((seconds * 1e9) as u64);
        assert_eq!([0.0; 4].map(|when| rate.take(one, at(when))), [true, true, true, false]);
        assert!(!rate.has(one, at(0.4)) && rate.take(other, at(0.4)));
        assert!(rate.has(one, at(0.5)) && rate.take(one, at(0.5)) && !rate.take(one, at(0.6)));
        // A bucket never holds more than its maximum.
        assert_eq!([100.0; 4].map(|when| rate.take(one, at(when))), [true, true, true, false]);
    }

    #[test]
    fn further_peers_share_a_bucket_in_bounded_memory() {
        let rate = RateLimiter::new(0.001, 1.0);
        let peer = |number: u32| IpAddr::from(number.to_be_bytes());
        let now = Timestamp(1);
        let let_in = (1..=10_000).filter(|number| rate.take(peer(*number), now)).count();
        assert_eq!(let_in, MAX_PEERS + 1);
        assert!(rate.buckets.lock().unwrap().len() <= MAX_PEERS + 1);
    }
}
