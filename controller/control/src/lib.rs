//! Moves a robot: opens it, decides who is in control, executes motions, uses its camera and records its runs.
//!
//! Reading order:
//!
//! - [`robot`]: opens the robot that was chosen
//! - [`arbiter`]: who is in control
//! - [`execution`]: the execution context of one client, which plans and plays motions
//! - [`motion_executor`]: motions and streams of targets for network clients
//! - [`perception`], [`seen`]: camera and detectors, and what is in front of the robot
//! - [`gaze`], [`head_tracking`]: following a face
//! - [`sound`]: what a tool hears and plays
//! - [`joint_motion`]: motions of single joints
//! - [`recorded_move`]: recorded moves
//! - [`trace`], [`run_recorder`]: reads, compares and replays traces, and writes them
//! - [`calibration`]: the servos' settings
//! - [`recorder`]: runs the Rerun program
//! - [`snapshot`], [`outgoing`]: the robot's pose, and the count of sent images
//!
//! # Control
//!
//! Every [`execution::ExecutionContext`] holds a claim of some priority. It acquires control with its first motion and releases it at the end. A
//! more urgent claim stops the other one's motion. What may be commanded is the envelope's decision, for every client alike.
//!
//! # Camera
//!
//! `senses` perceives; this crate gives it to execution contexts. All who look at one moment get the same frame. The simulated camera
//! draws a scene from the head's pose at thirty images per second of robot time. A rehearsal therefore sees what a live run on the
//! simulated robot would see. A real camera opens on first use. Detections become a track in the world frame, with the head's pose at the
//! time of the frame. The robot's own motion therefore does not move the track.
//!
//! # Recording
//!
//! The control loop leaves a record of each cycle in a ring and never waits; what finds no room is counted. One thread
//! ([`run_recorder`]) orders records and messages by cycle and writes three things: the robot's journal entries, a trace for each thing
//! that is done, and the stream for a Rerun viewer, through a pipe that nothing waits for. When a trace cannot be written, the thread
//! gives it up for ten seconds and reports the error once. A trace holds joints over cycles; a recorded move holds poses over time.

pub mod arbiter;
pub mod calibration;
pub mod execution;
pub mod gaze;
pub mod head_tracking;
pub mod joint_motion;
pub mod motion_executor;
pub mod outgoing;
pub mod perception;
pub mod recorded_move;
pub mod recorder;
pub mod robot;
pub mod run_recorder;
pub mod seen;
pub mod snapshot;
pub mod sound;
mod target_stream;
pub mod trace;
