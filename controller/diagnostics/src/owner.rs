//! Checks whose the robot is, on a computer that has the official software too.

use minismith_install::take_over::{Computer, Owner};

use super::Check;

/// Who starts at boot, and who runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ownership {
    pub owner: Owner,
    /// The units that run, of the official software and ours.
    pub running: Vec<String>,
}

impl Ownership {
    /// Looks at the unit files, and asks systemd what runs, if it runs itself.
    pub(super) fn look() -> Result<Ownership, String> {
        let computer = Computer::this(None, false).map_err(|error| error.to_string())?;
        let owner = computer.owner().map_err(|error| error.to_string())?;
        let running = match owner {
            Owner::Nobody => Vec::new(),
            _ => computer.running().map_err(|error| error.to_string())?,
        };
        Ok(Ownership { owner, running })
    }
}

/// Returns nothing on a computer without the official software.
pub(super) fn judge(found: &Result<Ownership, String>) -> Option<Check> {
    const NAME: &str = "owner of the robot";
    let Ownership { owner, running } = match found {
        Ok(found) => found,
        Err(reason) => {
            let remedy = "repeat the command with sudo, or look at /etc/systemd/system";
            return Some(Check::warning(NAME, reason, remedy));
        }
    };
    let runs = match running.as_slice() {
        [] => "nothing runs now".to_owned(),
        units => format!("running now: {}", units.join(", ")),
    };
    let is_official = |unit: &String| unit != "minismith.service";
    Some(match owner {
        Owner::Nobody => return None,
        _ if running.iter().any(is_official) && running.iter().any(|unit| !is_official(unit)) => {
            Check::error(
                NAME,
                format!("two controllers share the motors; {runs}"),
                "run `sudo minismith take-over` or `sudo minismith give-back`",
            )
        }
        Owner::Minismith if running.iter().any(is_official) => Check::error(
            NAME,
            format!("Minismith starts at boot, but the official daemon has the motors; {runs}"),
            "run `sudo minismith take-over` again",
        ),
        Owner::Minismith => Check::ok(NAME, format!("Minismith; {runs}")),
        Owner::Official => Check::ok(NAME, format!("the official daemon; {runs}")),
        Owner::Undecided => Check::error(
            NAME,
            format!("a take-over is not complete; {runs}"),
            "repeat `sudo minismith take-over`, or undo it with `sudo minismith give-back`",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckStatus;

    #[test]
    fn the_owner_is_named_and_a_conflict_is_an_error() {
        let check = |owner, running: &[&str]| {
            let running = running.iter().map(|unit| (*unit).to_owned()).collect();
            judge(&Ok(Ownership { owner, running }))
        };
        let (ours, official) = ("minismith.service", "reachy-mini-daemon.service");
        assert_eq!(check(Owner::Nobody, &[]), None);
        let fine = check(Owner::Minismith, &[ours]).unwrap();
        assert!(fine.status == CheckStatus::Ok && fine.detail.starts_with("Minismith"), "{fine}");
        let fine = check(Owner::Official, &[official]).unwrap();
        assert!(fine.status == CheckStatus::Ok && fine.detail.contains(official), "{fine}");
        for (owner, running) in [
            (Owner::Minismith, [official].as_slice()),
            (Owner::Official, &[official, ours]),
            (Owner::Undecided, &[]),
        ] {
            let wrong = check(owner, running).unwrap();
            assert!(wrong.status == CheckStatus::Error && wrong.remedy.is_some(), "{wrong}");
        }
        assert_eq!(judge(&Err("no".into())).unwrap().status, CheckStatus::Warning);
    }
}
