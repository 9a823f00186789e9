//! The only file that opens sockets of its own and reads clocks: the connections to the controller, and the time of messages.
//!
//! Zenoh opens the connections of a fleet. Nothing here moves a motor.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::net::TcpStream;

/// A connection to the controller.
pub type Stream = TcpStream;

/// Connects to the controller, at `host:port`.
///
/// # Errors
/// Errors of the system.
pub async fn connect(address: &str) -> std::io::Result<Stream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Returns the calendar time, for logs and certificates.
#[must_use]
pub fn system_time() -> SystemTime {
    SystemTime::now()
}

/// Returns milliseconds since 1970, with a fraction. It never goes back while this program runs: the calendar is read once,
/// and the monotonic clock is added, so that a correction of the calendar makes no command seem new or old.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "times of messages; no motion is timed by it")]
pub fn now_ms() -> f64 {
    static START: OnceLock<(Instant, f64)> = OnceLock::new();
    let (instant, calendar) = START.get_or_init(|| {
        let calendar = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (Instant::now(), calendar.as_secs_f64() * 1e3)
    });
    calendar + instant.elapsed().as_secs_f64() * 1e3
}

/// Waits until this time of [`now_ms`].
pub async fn sleep_until_ms(time_ms: f64) {
    let wait = time_ms - now_ms();
    if wait > 0.0 {
        tokio::time::sleep(Duration::from_secs_f64(wait / 1e3)).await;
    }
}
