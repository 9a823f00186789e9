//! Whether a package manager owns a program.

use std::path::Path;

use minismith_runtime::subprocess;

/// Returns the package of a program below `/usr`; none if no package has it, or there is no `dpkg`.
pub fn package_of(program: &Path) -> Option<String> {
    let dpkg = program.starts_with("/usr").then(|| subprocess::find("dpkg"))??;
    let mut package = None;
    let ended = subprocess::run(&dpkg, &["-S".into(), program.into()], true, &mut |line| {
        // `minismith: /usr/bin/minismith`; lines about diversions have no such form.
        let named = line.split_once(": ").filter(|(_, path)| Path::new(path) == program);
        package = package.take().or_else(|| named.map(|(package, _)| package.to_owned()));
    });
    package.filter(|_| ended.is_ok_and(|ended| ended.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_packages_are_told_from_others() {
        if subprocess::find("dpkg").is_none() {
            return println!("skipped: no dpkg here");
        }
        assert_eq!(package_of(Path::new("/usr/bin/dpkg")).as_deref(), Some("dpkg"));
        assert_eq!(package_of(Path::new("/usr/local/bin/minismith-of-nobody")), None);
        assert_eq!(package_of(Path::new("/opt/minismith")), None);
    }
}
