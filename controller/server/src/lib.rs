//! The HTTP and WebSocket server, and access control.
//!
//! Reading order: [`api`] (the routes), [`auth`] (who asks, and what for), `webrtc` and `fleet` (the programs beside the server).
//! Camera frames and sound for programs on this computer are in [`minismith_media`].
//!
//! # Requests
//!
//! Every request passes access control first: host name and origin, the rate, who asks (a token, this machine, a trusted peer), the
//! least role for the path; then the body is read, whole, within bounds of size and time. So a handler meets a caller with a role and
//! a body that is there. What a path does not say (a WebSocket message, an MCP call, a sentence) is checked where it is received, with
//! the same role.
//!
//! Three workers act for the server, each on its own thread: the mover (motions of clients: one move at a time, targets merged when
//! they come faster than the control loop), the request queue (one conversation at a time) and, for a stop, the control loop's own
//! counter. Handlers only enqueue and copy. Teleoperation is a second mover with the most urgent claim; when its heartbeat misses, the
//! lease ends, and its end is a stop.
//!
//! A conversation by voice over a WebSocket keeps a bounded buffer of audio that drops the oldest, and a bounded queue of messages that
//! ends the conversation when it is full. When a client leaves, what it began is stopped.

pub mod api;
pub mod auth;
mod fleet;
mod webrtc;
