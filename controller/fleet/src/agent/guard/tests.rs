use super::*;

const NOW: f64 = 1e12;

fn guard() -> Guard {
    Guard::new(Uuid::from_u128(7), Some("anna".parse().unwrap()), HashSet::new())
}

fn command(operation: Operation) -> Command {
    Command {
        id: Uuid::new_v4(),
        epoch: Some(Uuid::from_u128(7)),
        issued_ms: NOW,
        expires_ms: NOW + 5000.0,
        start_ms: None,
        operation,
    }
}

fn say() -> Command {
    command(Operation::Say { text: "nod".into() })
}

fn refusal(guard: &mut Guard, command: &Command, now_ms: f64) -> Option<Refusal> {
    guard.check("ben", command, now_ms).err().map(|(refusal, _)| refusal)
}

#[test]
fn a_command_acts_once() {
    let mut guard = guard();
    let nod = say();
    assert_eq!(refusal(&mut guard, &nod, NOW), None);
    assert_eq!(refusal(&mut guard, &nod, NOW + 1.0), Some(Refusal::Replayed));
    // Later it has expired, and its id may be forgotten.
    assert_eq!(refusal(&mut guard, &nod, NOW + 6000.0), Some(Refusal::Stale));
}

#[test]
fn old_commands_have_no_effect() {
    let mut guard = guard();
    for (bad, why) in [
        (Command { epoch: Some(Uuid::from_u128(6)), ..say() }, "an earlier session"),
        (Command { epoch: None, ..say() }, "without an epoch"),
        (Command { expires_ms: NOW, ..say() }, "expired"),
        (Command { expires_ms: NOW + 61_000.0, ..say() }, "valid for too long"),
        (Command { issued_ms: NOW + 2000.0, ..say() }, "from the future"),
        (Command { start_ms: Some(NOW + 6000.0), ..say() }, "begins too late"),
        (Command { epoch: None, issued_ms: NOW - 6000.0, ..command(Operation::Stop {}) }, "an old stop"),
        (
            Command { epoch: Some(Uuid::nil()), ..command(Operation::Stop {}) },
            "a stop for an earlier session",
        ),
    ] {
        assert_eq!(refusal(&mut guard, &bad, NOW), Some(Refusal::Stale), "{why}");
    }
}

#[test]
fn reordered_commands_have_no_effect() {
    let mut guard = guard();
    let (first, second) = (say(), Command { issued_ms: NOW + 10.0, ..say() });
    assert_eq!(refusal(&mut guard, &second, NOW + 20.0), None);
    assert_eq!(refusal(&mut guard, &first, NOW + 21.0), Some(Refusal::Stale));
    // Another caller has its own order.
    assert!(guard.check("cleo", &first, NOW + 22.0).is_ok());
    // What was issued before a stop does not act after it, and neither does a release.
    let stop = Command { epoch: None, ..command(Operation::Stop {}) };
    assert_eq!(refusal(&mut guard, &stop, NOW + 100.0), None);
    for late in [say(), command(Operation::Release {})] {
        let late = Command { issued_ms: NOW + 90.0, ..late };
        assert_eq!(refusal(&mut guard, &late, NOW + 110.0), Some(Refusal::Stale));
    }
    assert!(!guard.may_begin(&second, NOW + 110.0));
    let release = Command { issued_ms: NOW + 120.0, ..command(Operation::Release {}) };
    assert_eq!(refusal(&mut guard, &release, NOW + 130.0), None);
    // A stop is never late.
    let early = Command { issued_ms: NOW + 1.0, ..command(Operation::Stop {}) };
    assert_eq!(refusal(&mut guard, &early, NOW + 140.0), None);
}

#[test]
fn the_owner_alone_revokes() {
    let mut guard = guard();
    let revoke = |member: &str| command(Operation::Revoke { member: member.parse().unwrap() });
    assert_eq!(refusal(&mut guard, &revoke("cleo"), NOW), Some(Refusal::Forbidden));
    assert!(guard.check("anna", &revoke("anna"), NOW).is_err());
    assert!(guard.check("anna", &revoke("ben"), NOW).is_ok());
    assert_eq!(refusal(&mut guard, &say(), NOW), Some(Refusal::Forbidden));
    // Not even a stop: a stop for ever would take the robot away from the others.
    assert_eq!(refusal(&mut guard, &command(Operation::Stop {}), NOW), Some(Refusal::Forbidden));
    let mut none = Guard::new(Uuid::from_u128(7), None, HashSet::new());
    assert!(none.check("anna", &revoke("ben"), NOW).is_err());
}

#[test]
fn a_flood_uses_up_only_its_own_budget() {
    let mut guard = guard();
    let passed = (0..1000).filter(|n| guard.has_budget("mallory", NOW + f64::from(*n) * 0.1)).count();
    assert!((20..=22).contains(&passed), "{passed}");
    assert!(guard.has_budget("anna", NOW + 100.0));
    // Many invented names share the budget of all.
    let passed = (0..10_000).filter(|n| guard.has_budget(&format!("m{n}"), NOW + 200.0)).count();
    assert!(passed <= 60, "{passed}");
    assert!(guard.callers.len() <= MAX_CALLERS);
    // Stops have their own.
    assert!(guard.may_stop(NOW + 200.0));
    let mut ids = self::guard();
    let full = (0..20_000).find(|_| refusal(&mut ids, &say(), NOW) == Some(Refusal::Busy));
    assert_eq!(full, Some(i32::try_from(MAX_IDS).unwrap()));
}
