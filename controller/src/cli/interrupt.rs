//! What Ctrl-C does while a command moves the robot.

use firmware_bridge::pulse::{Conductor, Order, PulseHandle};

/// From now on Ctrl-C, or a request to end, does this once, in place of ending the program at once.
///
/// # Errors
/// When the system gives no thread or no signal handler.
pub fn on_interrupt(act: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("interrupt".into()).spawn(move || {
        // Without a handler the program ends at once, as it does without this.
        if runtime.block_on(super::serve::interrupted()).is_ok() {
            act();
        }
    })?;
    Ok(())
}

/// Ctrl-C brakes to rest; what moves ends as stopped, and the command goes on to tell so.
///
/// # Errors
/// As [`on_interrupt`].
pub fn halts(mut handle: PulseHandle) -> std::io::Result<()> {
    on_interrupt(move || handle.order(Order::Halt))
}
