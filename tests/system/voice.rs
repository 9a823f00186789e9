//! Speech to motion: espeak-ng speaks in two voices at three speeds, clean and in noise, and the models are real.
//! Speech moves the robot as the written command does. A spoken stop holds it, and speech interrupts a conversation.

mod aloud;
mod array;
mod room;
mod said;
mod services;
mod spoken;
mod stopped;
