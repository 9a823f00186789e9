//! How much a router works by the number of robots. Prints figures for docs/fleet.md:
//! `cargo nextest run --package minismith-fleet --run-ignored only --no-capture`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails shows where"
)]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use support::Fleet;
use zenoh::Wait;
use zenoh::qos::CongestionControl;

/// The length of a state, bytes.
const STATE_BYTES: usize = 620;

#[test]
#[ignore = "it measures for a minute"]
fn router_load_grows_with_the_messages_that_are_watched() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let config = json!({
        "mode": "client",
        "connect": { "endpoints": [fleet.endpoint] },
        "scouting": { "multicast": { "enabled": false } },
    });
    let open = || zenoh::open(zenoh::Config::from_json5(&config.to_string()).unwrap()).wait().unwrap();
    for (robots, rate_hz, is_watched) in
        [(10, 50, true), (50, 10, true), (100, 10, true), (200, 10, true), (200, 10, false), (200, 1, true)]
    {
        let sessions: Vec<_> = (0..robots).map(|_| open()).collect();
        let publishers: Vec<_> = sessions
            .iter()
            .enumerate()
            .map(|(n, session)| {
                let key = format!("minismith/lab/robot{n}/state");
                session.declare_publisher(key).congestion_control(CongestionControl::Drop).wait().unwrap()
            })
            .collect();
        let heard = Arc::new(AtomicU64::new(0));
        let operator = open();
        let counted = heard.clone();
        let key = if is_watched { "minismith/lab/*/state" } else { "minismith/lab/*/nothing" };
        let subscribed = operator
            .declare_subscriber(key)
            .callback(move |_| {
                counted.fetch_add(1, Ordering::Relaxed);
            })
            .wait()
            .unwrap();
        std::thread::park_timeout(Duration::from_secs(1));
        let (before, began) = (fleet.router.as_ref().unwrap().usage(), Instant::now());
        let state = vec![b'x'; STATE_BYTES];
        let mut sent = 0_u64;
        let period = Duration::from_secs(1) / rate_hz;
        while began.elapsed() < Duration::from_secs(4) {
            let round = Instant::now();
            for publisher in &publishers {
                publisher.put(state.clone()).wait().unwrap();
                sent += 1;
            }
            std::thread::park_timeout(period.saturating_sub(round.elapsed()));
        }
        let seconds = began.elapsed().as_secs_f64();
        std::thread::park_timeout(Duration::from_millis(300));
        let after = fleet.router.as_ref().unwrap().usage();
        println!(
            "{robots} robots at {rate_hz} Hz, {}: {:.0} messages/s published, {:.0}/s delivered, router {:.1} % of a processor, {} MB",
            if is_watched { "watched" } else { "not watched" },
            sent as f64 / seconds,
            heard.load(Ordering::Relaxed) as f64 / seconds,
            (after.1 - before.1) / seconds * 100.0,
            after.0 >> 20,
        );
        drop(subscribed);
        drop(publishers);
        sessions.into_iter().for_each(|session| drop(session.close().wait()));
    }
}
