//! Signalling: how a peer and the robot exchange what a connection needs.
//!
//! The robot is the producer, and there is one. A peer is a listener; it asks for a session, gets an offer, and answers. The
//! messages are the same over both transports: HTTP with server-sent events ([`http`]), for the official browser class, and a
//! WebSocket ([`socket`]), for the official Python SDK and other clients of GStreamer's signalling.
//!
//! Reading order: [`message`] (what is said), [`hub`] (who is there), [`asking`] (who asks), the transports, [`server`] (connections).

pub mod asking;
pub mod http;
pub mod hub;
pub mod message;
pub mod server;
pub mod socket;
