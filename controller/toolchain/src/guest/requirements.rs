//! Compares the probed sandbox mechanisms with those that a machine may lack.

use minismith_protocol::zygote::{MECHANISMS, Mechanism};
use minismith_runtime::config::Bar;

use super::GuestError;

/// Checks the probed mechanisms against the requirements. A mechanism that was not probed counts as not enforced.
///
/// # Errors
/// Returns [`GuestError::SandboxUnavailable`], which names the mechanism, the attempted operation, and how to make it optional.
pub fn check(bar: &Bar, mechanisms: &[Mechanism]) -> Result<(), GuestError> {
    let probed = |name: &str| mechanisms.iter().find(|it| it.name == name);
    let short =
        MECHANISMS.into_iter().find(|name| !bar.spares(name) && !probed(name).is_some_and(|it| it.enforced));
    let Some(name) = short else { return Ok(()) };
    let detail = probed(name).map_or("it was not probed", |it| it.detail.as_str());
    Err(GuestError::SandboxUnavailable {
        reason: format!("{name} is not enforced ({detail}); {}, and see `minismith doctor`", remedy(name)),
        mechanisms: mechanisms.to_vec(),
    })
}

/// Returns what to do if a mechanism is missing.
#[must_use]
pub fn remedy(mechanism: &str) -> String {
    let fix = match mechanism {
        "namespaces" | "pivot_root" => {
            "allow user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns), or \
             run outside of the container"
        }
        "landlock" => "use a kernel with Landlock enabled",
        _ => {
            return "this mechanism is required: use a Linux kernel with seccomp, and no emulator".to_owned();
        }
    };
    format!(
        "{fix}; or, if you accept the risk, add `{mechanism}` to tool_host.optional_sandbox_mechanisms in config.yaml"
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
    fn check_names_the_missing_mechanism_the_attempt_and_the_key() {
        let bar: Bar = ["landlock".parse().unwrap()].into_iter().collect();
        assert_eq!(check(&bar, &all_but("nothing")), Ok(()));
        assert_eq!(check(&bar, &all_but("landlock")), Ok(()));
        let lacking = check(&bar, &all_but("pivot_root")).unwrap_err().to_string();
        for part in [
            "pivot_root is not enforced",
            "opening a file: it was opened",
            "tool_host.optional_sandbox_mechanisms",
        ] {
            assert!(lacking.contains(part), "{lacking}");
        }
        let needed = check(&bar, &all_but("seccomp")).unwrap_err().to_string();
        assert!(
            needed.contains("seccomp is not enforced") && !needed.contains("optional_sandbox_mechanisms"),
            "{needed}"
        );
        assert!(check(&Bar::default(), &all_but("landlock")).is_err());
    }

    #[test]
    fn check_rejects_a_mechanism_that_was_not_probed() {
        let mut mechanisms = all_but("nothing");
        mechanisms.retain(|it| it.name != "dumpable");
        assert!(check(&Bar::default(), &mechanisms).unwrap_err().to_string().contains("dumpable"));
    }
}
