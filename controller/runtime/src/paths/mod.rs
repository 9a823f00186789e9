//! Where configuration, tools, models, Python and recordings are: [`Layout`] looks for them in one order.
//!
//! Reading order: [`Environment`] (what decides), [`Location`] (an answer, with all that was looked at), [`Layout`].
//!
//! The configuration file is the first of: the one named on the command line; `$CONFIGURATION_DIRECTORY/config.yaml`;
//! `config.yaml` in the current folder, if it is trusted; `$XDG_CONFIG_HOME/minismith/config.yaml`;
//! `/etc/minismith/config.yaml`. One that was named, or lies in the current folder, makes its folder a *project*: what it
//! leaves out is looked for beside it. Otherwise it is in the user's folders, or those of a service.
//!
//! Safety: a file in the current folder decides which Python runs and what is recorded where. So it counts only if this
//! user or root owns it, and not everybody may write it.

mod environment;
mod layout;
mod location;

pub use environment::Environment;
pub use layout::{Layout, NoHome};
pub use location::{Candidate, CandidateState, Location};

/// The environment variable that names the Python interpreter for tools, before any configuration.
pub const PYTHON_VARIABLE: &str = "MINISMITH_PYTHON";

#[cfg(test)]
mod tests;
