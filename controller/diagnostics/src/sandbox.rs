//! Checks the sandbox for tools: the tool host starts and tests it, and the result is compared with the
//! requirements.

use minismith_protocol::zygote::{MECHANISMS, Mechanism};

use super::Check;
use minismith_runtime::config::Bar;
use minismith_runtime::config::Config;
use minismith_toolchain::guest::requirements::{check, remedy};
use minismith_toolchain::guest::{GuestError, ToolHost, locate};

/// The mechanisms that the tool host tested, or why it could not.
pub(super) type SandboxProbe = Result<Vec<Mechanism>, String>;

/// Starts the tool host, and ends it again.
pub(super) fn look(config: &Config) -> SandboxProbe {
    let started = locate(&config.tool_host.python).and_then(|(program, python)| {
        ToolHost::start(&program, &python).map(|host| host.mechanisms().to_vec())
    });
    match started {
        Ok(mechanisms) | Err(GuestError::SandboxUnavailable { mechanisms, .. }) => Ok(mechanisms),
        Err(fault) => Err(fault.to_string()),
    }
}

/// Returns one check for the requirements, and one for each mechanism.
pub(super) fn judge(bar: &Bar, tried: &SandboxProbe) -> Vec<Check> {
    const NAME: &str = "sandbox for tools";
    let mechanisms = match tried {
        Ok(mechanisms) => mechanisms,
        Err(reason) => {
            let detail = format!("it was not tested: {reason}");
            return vec![Check::warning(
                NAME,
                detail,
                "fix that first; the tool host tests its sandbox when it starts",
            )];
        }
    };
    let whole = match check(bar, mechanisms) {
        Ok(()) => {
            Check::ok(NAME, format!("{bar} is enforced, as tool_host.optional_sandbox_mechanisms asks"))
        }
        Err(fault) => Check::error(
            NAME,
            fault.to_string(),
            format!("tool_host.optional_sandbox_mechanisms requires {bar}"),
        ),
    };
    let each = MECHANISMS.into_iter().map(|name| one(name, mechanisms, bar));
    std::iter::once(whole).chain(each).collect()
}

fn one(name: &str, mechanisms: &[Mechanism], bar: &Bar) -> Check {
    const NAME: &str = "sandbox mechanism";
    let probed = mechanisms.iter().find(|it| it.name == name);
    let detail = format!("{name}: {}", probed.map_or("it was not tested", |it| it.detail.as_str()));
    match probed {
        Some(it) if it.enforced => Check::ok(NAME, detail),
        _ if bar.spares(name) => Check::warning(
            NAME,
            format!("{detail}; not enforced"),
            format!(
                "config.yaml allows that; remove `{name}` from tool_host.optional_sandbox_mechanisms to require it"
            ),
        ),
        _ => Check::error(NAME, format!("{detail}; not enforced"), remedy(name)),
    }
}

#[cfg(test)]
pub(super) fn healthy() -> SandboxProbe {
    let probed = |name: &str| Mechanism { name: name.into(), enforced: true, detail: "stopped".into() };
    Ok(MECHANISMS.into_iter().map(probed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckStatus;

    #[test]
    fn each_mechanism_is_compared_with_the_requirements() {
        let bar: Bar = ["landlock".parse().unwrap()].into_iter().collect();
        let without = |missing: &str| -> SandboxProbe {
            let mut all = healthy()?;
            let mechanism = all.iter_mut().find(|it| it.name == missing).unwrap();
            *mechanism = Mechanism { enforced: false, detail: "not here".into(), ..mechanism.clone() };
            Ok(all)
        };
        let complaints = |tried: &SandboxProbe| -> Vec<CheckStatus> {
            judge(&bar, tried)
                .iter()
                .map(|check| check.status)
                .filter(|state| *state != CheckStatus::Ok)
                .collect()
        };
        assert_eq!(judge(&bar, &healthy()).len(), MECHANISMS.len() + 1);
        assert_eq!(complaints(&healthy()), []);
        assert_eq!(complaints(&without("landlock")), [CheckStatus::Warning]);
        assert_eq!(complaints(&without("namespaces")), [CheckStatus::Error, CheckStatus::Error]);
        assert_eq!(complaints(&Err("no Python".into())), [CheckStatus::Warning]);
    }
}
