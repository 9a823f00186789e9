//! Handles Ctrl-C while a command moves the robot.

use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopCommand};
use tokio::signal::unix::{SignalKind, signal};

/// From now on, Ctrl-C or a request to end runs this function once instead of ending the program.
///
/// # Errors
/// When the system provides no thread or no signal handler.
pub fn on_interrupt(act: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Signals are caught from here on, even before the thread has started.
    let inside = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    drop(inside);
    std::thread::Builder::new().name("interrupt".into()).spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        });
        act();
    })?;
    Ok(())
}

/// Ctrl-C brakes to rest; the motion ends as stopped, and the command goes on to report that.
///
/// # Errors
/// As [`on_interrupt`].
pub fn stop_epoch(mut handle: ControlLoopHandle) -> std::io::Result<()> {
    on_interrupt(move || handle.send_command(LoopCommand::Stop))
}
