//! The bar: which mechanisms of the cage must be enforced before a tool runs, and which a machine may lack.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use minismith_wire::zygote::{LOWERABLE, MECHANISMS, Mechanism};

use super::GuestFault;

/// A mechanism that a machine may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lowerable(&'static str);

/// Why a mechanism can't be named where the bar is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotLowerable {
    /// It is needed everywhere.
    Needed,
    /// There is none of this name.
    Unknown,
}

impl FromStr for Lowerable {
    type Err = NotLowerable;

    fn from_str(text: &str) -> Result<Self, NotLowerable> {
        match LOWERABLE.into_iter().find(|name| *name == text) {
            Some(name) => Ok(Lowerable(name)),
            None if MECHANISMS.contains(&text) => Err(NotLowerable::Needed),
            None => Err(NotLowerable::Unknown),
        }
    }
}

impl fmt::Display for Lowerable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What a machine may lack. Everything else must be enforced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bar(BTreeSet<Lowerable>);

impl FromIterator<Lowerable> for Bar {
    fn from_iter<T: IntoIterator<Item = Lowerable>>(names: T) -> Self {
        Bar(names.into_iter().collect())
    }
}

/// `everything but landlock`.
impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|name| name.0).collect();
        if names.is_empty() {
            f.write_str("everything")
        } else {
            write!(f, "everything but {}", names.join(", "))
        }
    }
}

impl Bar {
    /// Whether a machine may lack this one.
    #[must_use]
    pub fn spares(&self, mechanism: &str) -> bool {
        self.0.iter().any(|name| name.0 == mechanism)
    }

    /// Holds what was probed against the bar. What was not even tried is not enforced.
    ///
    /// # Errors
    /// [`GuestFault::Uncaged`], which names the mechanism, what was tried, and how the bar is lowered.
    pub fn check(&self, mechanisms: &[Mechanism]) -> Result<(), GuestFault> {
        let probed = |name: &str| mechanisms.iter().find(|it| it.name == name);
        let short = MECHANISMS
            .into_iter()
            .find(|name| !self.spares(name) && !probed(name).is_some_and(|it| it.enforced));
        let Some(name) = short else { return Ok(()) };
        let detail = probed(name).map_or("it was not tried", |it| it.detail.as_str());
        Err(GuestFault::Uncaged {
            reason: format!(
                "{name} is not enforced ({detail}); {}, and see `minismith doctor`",
                remedy(name)
            ),
            mechanisms: mechanisms.to_vec(),
        })
    }
}

/// What to do where a mechanism is missing.
#[must_use]
pub fn remedy(mechanism: &str) -> String {
    let mend = match mechanism {
        "namespaces" | "pivot_root" => {
            "allow user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns), or \
             run outside of the container"
        }
        "landlock" => "use a kernel that has Landlock, and has it on",
        _ => {
            return "it can't be done without: use a Linux kernel with seccomp, outside of emulators"
                .to_owned();
        }
    };
    format!(
        "{mend}; or, knowing what it means, name `{mechanism}` in tool_host.optional_sandbox_mechanisms in config.yaml"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_but(missing: &str) -> Vec<Mechanism> {
        let probed = |name: &str| Mechanism {
            name: name.into(),
            enforced: name != missing,
            detail: "opening a file: it was opened".into(),
        };
        MECHANISMS.into_iter().map(probed).collect()
    }

    #[test]
    fn what_is_missing_is_named_with_what_was_tried_and_the_key() {
        let bar: Bar = ["landlock".parse().unwrap()].into_iter().collect();
        assert_eq!(bar.check(&all_but("nothing")), Ok(()));
        assert_eq!(bar.check(&all_but("landlock")), Ok(()));
        let lacking = bar.check(&all_but("pivot_root")).unwrap_err().to_string();
        for part in [
            "pivot_root is not enforced",
            "opening a file: it was opened",
            "tool_host.optional_sandbox_mechanisms",
        ] {
            assert!(lacking.contains(part), "{lacking}");
        }
        let needed = bar.check(&all_but("seccomp")).unwrap_err().to_string();
        assert!(
            needed.contains("seccomp is not enforced") && !needed.contains("optional_sandbox_mechanisms"),
            "{needed}"
        );
        assert!(Bar::default().check(&all_but("landlock")).is_err());
    }

    #[test]
    fn what_was_not_tried_is_not_enforced() {
        let mut mechanisms = all_but("nothing");
        mechanisms.retain(|it| it.name != "dumpable");
        assert!(Bar::default().check(&mechanisms).unwrap_err().to_string().contains("dumpable"));
    }

    #[test]
    fn only_some_can_be_spared() {
        assert_eq!("seccomp".parse::<Lowerable>(), Err(NotLowerable::Needed));
        assert_eq!("chains".parse::<Lowerable>(), Err(NotLowerable::Unknown));
        assert_eq!(Bar::default().to_string(), "everything");
    }
}
