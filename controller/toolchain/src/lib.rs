//! Takes tools from a draft to a registered version, and runs them in the sandbox.
//!
//! Reading order:
//!
//! - [`guest`]: sandboxed processes and the channel to them
//! - [`tool_run`]: runs a guest on an execution context, in rehearsal and live alike
//! - [`workshop`]: check, rehearsal, review, registry, search, bundles
//! - [`repl`]: Python line by line
//!
//! # Guests
//!
//! A warm zygote forks a guest that owns nothing but a pipe and a read-only window of shared memory for images. While one guest
//! works, the zygote forks the next one. Guest and controller alternate strictly. A guest that breaks the protocol, its budget or its
//! deadline is killed, and motion brakes. Each sandbox mechanism is tried at the start of the tool host: what it forbids is attempted
//! with it (must fail) and without it (must succeed). A mechanism that does not hold is an error with its name.
//!
//! # Virtual time
//!
//! Robot time is cycles times period. A rehearsal steps the control loop itself, on a clock that moves only when a caller waits. On a
//! robot the loop has a thread of its own. Since time counts cycles, a late cycle stretches time and never changes a goal position:
//! the same tool sends the same stream of goals in rehearsal, on `mock` and on `mock-bus`, as long as it answers within a cycle. When
//! it takes longer, the robot holds, and the run counts a stall. In the guest, `time` and `asyncio` follow the robot's
//! clock. A clock read costs 20 microseconds of robot time and a host call one millisecond, so a loop that only reads the
//! clock ends. `random` and numpy are seeded.
//!
//! # Evidence
//!
//! A rehearsal runs:
//!
//! - the default call twice, which must move the same
//! - the author's cases
//! - calls generated from the parameters
//! - other start poses
//! - robots that differ in gain, friction and delay
//!
//! The host measures the report; a guest writes none of it. What
//! fails only in a generated call narrows the range that counts as verified. A version number is never given twice. A cached check
//! result is only repeated to people; nothing is accepted by it.

pub mod guest;
pub mod repl;
pub mod tool_run;
pub mod workshop;
