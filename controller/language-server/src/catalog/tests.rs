use super::*;

fn limits() -> Limits {
    minismith_runtime::config::Config::built_in().unwrap().limits
}

#[test]
fn everything_that_tools_may_use_is_described() {
    let catalog = Catalog::new(limits());
    let Surface { robot, media, head_pose, motion, .. } = &catalog.surface;
    let owners = [(ROBOT, robot), (MEDIA, media), ("reachy_mini.utils", head_pose), ("motion", motion)];
    for (owner, callables) in owners {
        assert!(!callables.is_empty());
        for callable in callables {
            let target = Target::Name(owner.to_owned(), callable.name.to_owned());
            let symbol = catalog.symbol(&target).unwrap_or_else(|| panic!("{owner}.{}", callable.name));
            assert!(!symbol.function.description().is_empty(), "{owner}.{} has no words", callable.name);
            let named = symbol.function.parameters.iter().map(|it| it.name.as_str());
            let named: Vec<&str> = named.filter(|name| !matches!(*name, "steps")).collect();
            for word in &callable.words {
                assert!(named.contains(&word.name), "{owner}.{} has no {}", callable.name, word.name);
            }
            assert_eq!(named.len(), callable.words.len(), "{owner}.{}: {named:?}", callable.name);
        }
    }
    for name in catalog.members(&Target::Module("motion".into())) {
        let target = Target::Name("motion".into(), name.to_owned());
        assert!(catalog.symbol(&target).is_some() || name.starts_with(char::is_uppercase), "{name}");
    }
}

#[test]
fn ranges_are_those_of_the_configuration_where_it_permits_less() {
    let mut limits = limits();
    limits.head.max_pitch = Radians::from_degrees(20.0);
    let catalog = Catalog::new(limits);
    let range = |owner: &str, name: &str, parameter: &str| {
        let symbol = catalog.symbol(&Target::Name(owner.into(), name.into())).unwrap();
        catalog.range(symbol, parameter).unwrap()
    };
    assert_eq!(range("reachy_mini.utils", "create_head_pose", "pitch"), "Range: -20 to 20 degrees.");
    assert_eq!(range("reachy_mini.utils", "create_head_pose", "roll"), "Range: -40 to 40 degrees.");
    assert_eq!(range("motion", "head", "down"), "Range: 0 to 20 degrees.");
    assert_eq!(range("motion", "head", "left"), "Range: 0 to 60 degrees.");
    let body = range(ROBOT, "goto_target", "body_yaw");
    assert_eq!(body, "Range: -2.793 to 2.793 radians (-160 to 160 degrees).");
    assert_eq!(catalog.opposite("head", "left"), Some("right"));
    assert_eq!(catalog.opposite("antennas", "both_inward"), Some("both"));
    assert_eq!(catalog.opposite("wait", "seconds"), None);
}
