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

/// Whether the kernel's Landlock is older than what is asked of it. Asked in a test, of a child.
#[cfg(test)]
pub fn is_partial() -> bool {
    use crate::process::{self, Fork};
    match process::fork() {
        Ok(Fork::Child) => {
            let partial =
                super::no_new_privileges().is_ok() && matches!(ask(), Ok(RulesetStatus::PartiallyEnforced));
            process::leave(i32::from(!partial))
        }
        Ok(Fork::Parent(child)) => {
            process::wait(child.as_raw_nonzero().get()).is_ok_and(|ended| ended.status == 0)
        }
        Err(_) => false,
    }
}
