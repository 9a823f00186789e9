//! Landlock: a ruleset without a single rule, so that no path can be opened and no TCP port used.

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope};

use super::Open;

/// The newest version asked for; older kernels enforce what they know of it.
const NEWEST: ABI = ABI::V6;

/// Restricts the calling process; an error when the kernel enforces nothing.
pub fn restrict() -> Result<(), Open> {
    match ask() {
        Ok(RulesetStatus::NotEnforced) => {
            Err(Open { mechanism: "landlock", reason: "this kernel has it not, or has it off".into() })
        }
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Ok(()),
        Err(error) => Err(Open::of("landlock")(error)),
    }
}

fn ask() -> Result<RulesetStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    Ok(ruleset.create()?.restrict_self()?.ruleset)
}
