//! From sound to motion: what is said to the robot in two voices at three speeds, clean and in noise, moves the body as the
//! written command does; a stop holds it; a conversation is interrupted. The sounds are espeak-ng's, the models are real.

mod aloud;
mod array;
mod room;
mod said;
mod services;
mod spoken;
mod stopped;
