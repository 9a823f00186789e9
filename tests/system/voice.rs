//! Speech to motion: espeak-ng speaks in two voices at three speeds, clean and in noise, and the models are real.
//! Speech moves the robot as the written command does. A spoken stop holds it, and speech interrupts a conversation.

mod acoustic_echo;
mod array;
mod command_recognition;
mod server_microphone;
mod services;
mod speech_fixture;
mod stop_latency;
