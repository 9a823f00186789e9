//! Landlock: a ruleset without rules, so that no path can be opened and no TCP port used ([`restrict`]).

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope};

use super::Open;

/// Latest version requested. Older kernels enforce the part that they support.
const NEWEST: ABI = ABI::V6;

/// Restricts the calling process.
///
/// # Errors
/// Returns an error when the kernel enforces nothing.
pub fn restrict() -> Result<(), Open> {
    match apply_ruleset() {
        Ok(RulesetStatus::NotEnforced) => Err(Open {
            mechanism: "landlock",
            reason: "this kernel does not support it, or it is disabled".into(),
        }),
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Ok(()),
        Err(error) => Err(Open::of("landlock")(error)),
    }
}

fn apply_ruleset() -> Result<RulesetStatus, RulesetError> {
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    Ok(ruleset.create()?.restrict_self()?.ruleset)
}

/// Returns whether the kernel supports only part of the request. It tests this in a child.
#[cfg(test)]
pub fn is_partial() -> bool {
    use crate::process::{self, Fork};
    match process::fork() {
        Ok(Fork::Child) => {
            let partial = super::no_new_privileges().is_ok()
                && matches!(apply_ruleset(), Ok(RulesetStatus::PartiallyEnforced));
            process::leave(i32::from(!partial))
        }
        Ok(Fork::Parent(child)) => {
            process::wait(child.as_raw_nonzero().get()).is_ok_and(|ended| ended.status == 0)
        }
        Err(_) => false,
    }
}
