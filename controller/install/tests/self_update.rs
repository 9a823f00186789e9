//! Updates from signed archives, and what must not become one.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod publisher;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use minismith_install::self_update::{Limits, Source, UpdateError, Updater, folder_of};
use minismith_runtime::net::download::DownloadError;
use publisher::{Behaviour, Maker, Publisher, serve};
use tar::EntryType;

fn quietly(_: &str) -> std::io::Result<()> {
    Ok(())
}

/// Expects a refusal that leaves the version in use, and nothing of the archive.
#[track_caller]
fn refused(publisher: &Publisher, updater: &Updater<'_>, source: &Source) -> UpdateError {
    let (before, versions) = (publisher.in_use(), publisher.names("versions"));
    let error = updater.update(source, &mut quietly).unwrap_err();
    assert_eq!((publisher.in_use(), publisher.names("versions")), (before, versions), "{error}");
    assert!(!publisher.names("").contains(&"staging".to_owned()));
    error
}

#[test]
fn newer_versions_are_used_and_the_one_before_stays() {
    let publisher = Publisher::new();
    let updater = publisher.updater();
    let first = updater.update(&publisher.release("1.1.0", Behaviour::Works), &mut quietly).unwrap();
    assert_eq!((first.version.as_str(), first.previous), ("1.1.0", None));
    assert_eq!(first.program, publisher.path("program/current/minismith"));
    let mode = fs::metadata(&first.program).unwrap().permissions().mode();
    assert_eq!((publisher.in_use().as_deref(), mode & 0o777), (Some("1.1.0"), 0o755));
    assert_eq!(folder_of(&first.program.canonicalize().unwrap()), Some(publisher.path("program").as_path()));

    updater.update(&publisher.release("1.2.0", Behaviour::Works), &mut quietly).unwrap();
    let third = updater.update(&publisher.release("1.10.0", Behaviour::Works), &mut quietly).unwrap();
    assert_eq!((publisher.in_use().as_deref(), third.previous.as_deref()), (Some("1.10.0"), Some("1.2.0")));
    // The one before stays, and no other.
    assert_eq!(publisher.names("versions").len(), 2);
    assert_eq!(publisher.names(""), ["current", "lock", "state.json", "versions"]);
}

#[test]
fn rolling_back_goes_to_the_version_before_and_forth_again() {
    let publisher = Publisher::new();
    let updater = publisher.updater();
    let none = updater.roll_back(&mut quietly).unwrap_err();
    assert!(matches!(none, UpdateError::NoPrevious) && none.is_refusal());
    for version in ["1.1.0", "1.2.0"] {
        updater.update(&publisher.release(version, Behaviour::Works), &mut quietly).unwrap();
    }
    for (version, previous) in [("1.1.0", "1.2.0"), ("1.2.0", "1.1.0")] {
        let back = updater.roll_back(&mut quietly).unwrap();
        assert_eq!((back.version.as_str(), back.previous.as_deref()), (version, Some(previous)));
        assert_eq!(publisher.in_use().as_deref(), Some(version));
    }
}

#[test]
fn signatures_decide() {
    let publisher = Publisher::new();
    let updater = publisher.updater();
    let source = publisher.release("1.1.0", Behaviour::Works);
    let Source::File(path) = &source else { panic!("a file") };
    let (archive, beside) = (fs::read(path).unwrap(), format!("{}.minisig", path.display()));
    let signature = fs::read_to_string(&beside).unwrap();

    let no_key = Updater { key: None, ..updater.clone() };
    let error = refused(&publisher, &no_key, &source);
    assert!(error.is_refusal() && error.to_string().contains("update: {public_key: ...}"), "{error}");
    let stranger = Publisher::new();
    let wrong_key = Updater { key: Some(&stranger.key), ..updater.clone() };
    assert!(matches!(refused(&publisher, &wrong_key, &source), UpdateError::Signature(_)));
    let no_key_at_all = Updater { key: Some("abc"), ..updater.clone() };
    assert!(matches!(refused(&publisher, &no_key_at_all, &source), UpdateError::Key(_)));

    // Each of many single bits, and each length.
    for place in (0..archive.len()).step_by(archive.len() / 40) {
        let mut tampered = archive.clone();
        tampered[place] ^= 1;
        fs::write(path, tampered).unwrap();
        assert!(matches!(refused(&publisher, &updater, &source), UpdateError::Signature(_)), "{place}");
        fs::write(path, &archive[..place]).unwrap();
        assert!(matches!(refused(&publisher, &updater, &source), UpdateError::Signature(_)), "{place}");
    }
    fs::write(path, &archive).unwrap();
    // The comment of the signature: an attacker wants an old archive to look new.
    for (from, to) in [("1.1.0", "1.9.0"), ("x86_64", "aarch64"), ("trusted comment: ", "")] {
        fs::write(&beside, signature.replace(from, to)).unwrap();
        assert!(matches!(refused(&publisher, &updater, &source), UpdateError::Signature(_)), "{to}");
    }
    fs::remove_file(&beside).unwrap();
    let error = refused(&publisher, &updater, &source);
    assert!(matches!(error, UpdateError::Read(_)) && error.to_string().contains(".minisig"), "{error}");
    fs::write(&beside, signature).unwrap();
    updater.update(&source, &mut quietly).unwrap();
}

#[test]
fn an_old_archive_under_a_new_name_stays_old() {
    let publisher = Publisher::new();
    let updater = publisher.updater();
    updater.update(&publisher.release("1.5.0", Behaviour::Works), &mut quietly).unwrap();
    let old = publisher.archive("1.4.0", Behaviour::Works);
    let renamed = publisher.publish("minismith-2.0.0.tar.gz", &old, "minismith 1.4.0 x86_64");
    let error = refused(&publisher, &updater, &renamed);
    assert!(
        matches!(error, UpdateError::Downgrade { .. }) && error.to_string().contains("--allow-downgrade")
    );
    // A release candidate is older than its release.
    let candidate = publisher.release("1.5.0-rc.1", Behaviour::Works);
    assert!(matches!(refused(&publisher, &updater, &candidate), UpdateError::Downgrade { .. }));
    let same = publisher.release("1.5.0", Behaviour::Works);
    assert!(matches!(refused(&publisher, &updater, &same), UpdateError::Installed(_)));

    let allowed = Updater { allow_downgrade: true, ..updater.clone() };
    assert_eq!(allowed.update(&renamed, &mut quietly).unwrap().version, "1.4.0");
    // Without a version in the folder, the program that runs counts.
    let fresh = Publisher::new();
    let older = fresh.release("0.9.0", Behaviour::Works);
    assert!(matches!(refused(&fresh, &fresh.updater(), &older), UpdateError::Downgrade { .. }));
}

#[test]
fn an_archive_for_other_computers_or_of_another_program_is_refused() {
    let publisher = Publisher::new();
    let updater = publisher.updater();
    let archive = publisher.archive("1.1.0", Behaviour::Works);
    let other = publisher.publish("a.tar.gz", &archive, "minismith 1.1.0 aarch64");
    let error = refused(&publisher, &updater, &other);
    assert!(error.to_string().contains("for aarch64, and this computer is x86_64"), "{error}");
    let unknown = publisher.publish("b.tar.gz", &archive, "timestamp:1760000000\tfile:minismith.tar.gz");
    assert!(matches!(refused(&publisher, &updater, &unknown), UpdateError::Comment(_)));
    // The comment promises another version than the program has.
    let newer = publisher.publish("c.tar.gz", &archive, "minismith 3.0.0 x86_64");
    assert!(matches!(refused(&publisher, &updater, &newer), UpdateError::Trial { .. }));
}

#[test]
fn archives_unpack_only_files_and_only_below_their_folder() {
    let publisher = Publisher::new();
    let updater = publisher.updater();
    let program = publisher.program("1.1.0", Behaviour::Works);
    let outside = publisher.path("outside");
    let absolute = outside.to_str().unwrap();
    let entries: [(&str, EntryType, &str); 9] = [
        ("../outside", EntryType::Regular, ""),
        ("top/../../../outside", EntryType::Regular, ""),
        (absolute, EntryType::Regular, ""),
        ("top/link", EntryType::Symlink, "../../.."),
        ("top/link", EntryType::Symlink, "minismith"),
        ("top/link", EntryType::Link, "top/minismith"),
        ("top/pipe", EntryType::Fifo, ""),
        ("top/device", EntryType::Char, ""),
        ("top/minismith", EntryType::Regular, ""),
    ];
    for (path, kind, link) in entries {
        let mut archive = Maker::new();
        archive.file("top/minismith", program.as_bytes(), 0o755);
        archive.entry(path, kind, link, b"", 0o644);
        let source = publisher.publish("x.tar.gz", &archive.finish(), "minismith 1.1.0 x86_64");
        refused(&publisher, &updater, &source);
        assert!(!outside.exists(), "{path}");
    }
    // A link first, then a file through it.
    let mut archive = Maker::new();
    archive.entry("top", EntryType::Symlink, absolute, b"", 0o755);
    archive.file("top/minismith", program.as_bytes(), 0o755);
    fs::create_dir(&outside).unwrap();
    refused(
        &publisher,
        &updater,
        &publisher.publish("x.tar.gz", &archive.finish(), "minismith 1.1.0 x86_64"),
    );
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    // Signed, and not what it should be.
    for (archive, word) in [
        (b"no archive at all".to_vec(), "damaged"),
        (publisher.archive("1.1.0", Behaviour::Works)[..200].to_vec(), "damaged"),
        (Maker::new().finish(), "one folder"),
    ] {
        let source = publisher.publish("x.tar.gz", &archive, "minismith 1.1.0 x86_64");
        let error = refused(&publisher, &updater, &source);
        assert!(error.is_refusal() && error.to_string().contains(word), "{error}");
    }
}

#[test]
fn sizes_are_bounded() {
    let publisher = Publisher::new();
    let source = publisher.release("1.1.0", Behaviour::Works);
    let limited = |limits: Limits| Updater { limits, ..publisher.updater() };
    let small = |change: fn(&mut Limits)| {
        let mut limits = publisher.updater().limits;
        change(&mut limits);
        refused(&publisher, &limited(limits), &source).to_string()
    };
    assert!(small(|limits| limits.archive_bytes = 100).contains("longer than 100 bytes"));
    assert!(small(|limits| limits.unpacked_bytes = 100).contains("more than 100 bytes"));
    assert!(small(|limits| limits.entries = 2).contains("more than 2 entries"));
    // A small archive of a large file.
    let mut bomb = Maker::new();
    bomb.file("top/minismith", &vec![0; 64 << 20], 0o755);
    let bomb = bomb.finish();
    assert!(bomb.len() < 1 << 20);
    let bomb = publisher.publish("bomb.tar.gz", &bomb, "minismith 1.1.0 x86_64");
    let limits = Limits { unpacked_bytes: 1 << 20, ..publisher.updater().limits };
    let error = refused(&publisher, &limited(limits), &bomb);
    assert!(error.to_string().contains("more than 1048576 bytes"), "{error}");
}

#[test]
fn a_program_that_does_not_work_is_not_installed() {
    let publisher = Publisher::new();
    let mut updater = publisher.updater();
    updater.update(&publisher.release("1.1.0", Behaviour::Works), &mut quietly).unwrap();
    updater.limits.answer = Duration::from_secs(3);
    for (behaviour, word) in [
        (Behaviour::Ends, "exit status: 3"),
        (Behaviour::Hangs, "in time"),
        (Behaviour::Faulty, "status fault"),
        (Behaviour::Lies, "says `minismith 9.9.9`"),
    ] {
        let error = refused(&publisher, &updater, &publisher.release("1.2.0", behaviour));
        assert!(matches!(error, UpdateError::Trial { .. }) && error.to_string().contains(word), "{error}");
    }
    // Its tool host cannot start here.
    let mut archive = Maker::new();
    archive.file("top/minismith", publisher.program("1.2.0", Behaviour::Works).as_bytes(), 0o755);
    archive.file("top/minismith-tool-host", b"#!/bin/sh\nexit 127\n", 0o755);
    let source = publisher.publish("x.tar.gz", &archive.finish(), "minismith 1.2.0 x86_64");
    assert!(refused(&publisher, &updater, &source).to_string().contains("this release of Debian"));
}

#[test]
fn a_program_that_breaks_with_the_switch_is_rolled_back() {
    for first in [None, Some("1.1.0")] {
        let publisher = Publisher::new();
        let updater = publisher.updater();
        if let Some(version) = first {
            updater.update(&publisher.release(version, Behaviour::Works), &mut quietly).unwrap();
        }
        let state = fs::read(publisher.path("program/state.json")).ok();
        let broken = publisher.release("1.2.0", Behaviour::WorksOnlyBeside);
        let error = updater.update(&broken, &mut quietly).unwrap_err();
        assert!(
            matches!(&error, UpdateError::RolledBack { back, .. } if back.as_deref() == first),
            "{error}"
        );
        assert_eq!(publisher.in_use().as_deref(), first);
        if state.is_some() {
            assert_eq!(fs::read(publisher.path("program/state.json")).ok(), state);
        }
        // The next one is installed, and the broken one is gone.
        updater.update(&publisher.release("1.3.0", Behaviour::Works), &mut quietly).unwrap();
        assert_eq!(publisher.in_use().as_deref(), Some("1.3.0"));
        assert!(!publisher.names("versions").iter().any(|name| name.starts_with("1.2.0")));
    }
}

/// After a loss of power at each step, one whole version is in use, and both commands go on.
#[test]
fn interrupted_anywhere_a_whole_version_is_in_use() {
    for breaks in [false, true] {
        for stop_after in 0.. {
            let publisher = Publisher::new();
            let updater = publisher.updater();
            updater.update(&publisher.release("1.1.0", Behaviour::Works), &mut quietly).unwrap();
            let behaviour = if breaks { Behaviour::WorksUntilBroken } else { Behaviour::Works };
            let newer = publisher.release("1.2.0", behaviour);
            let mut steps = Vec::new();
            let ended = updater.update(&newer, &mut |step| {
                steps.push(step.to_owned());
                if steps.len() > stop_after { Err(std::io::Error::other("a test")) } else { Ok(()) }
            });
            if ended.is_ok() {
                assert!(steps.len() >= 10, "{steps:?}");
                break;
            }
            assert!(matches!(ended, Err(UpdateError::Interrupted(_))), "{ended:?}");
            let has_switched = steps.iter().any(|step| step == "switched");
            let expected = if has_switched { "1.2.0" } else { "1.1.0" };
            assert_eq!(publisher.in_use().as_deref(), Some(expected), "{steps:?}");
            let last = steps.last().unwrap().as_str();
            if breaks {
                // Whatever was in use and not confirmed, does not work from now on.
                fs::write(publisher.path("broken"), "").unwrap();
                let confirmed = ["confirmed", "pruned"].contains(&last);
                let after =
                    updater.update(&publisher.release("1.3.0", Behaviour::WorksUntilBroken), &mut quietly);
                assert!(matches!(after, Err(UpdateError::Trial { .. })), "{after:?}");
                let expected = if confirmed { "1.2.0" } else { "1.1.0" };
                assert_eq!(publisher.in_use().as_deref(), Some(expected), "{steps:?}");
            } else {
                let again = updater.update(&newer, &mut quietly);
                assert!(matches!(again, Ok(_) | Err(UpdateError::Installed(_))), "{again:?}");
                assert_eq!(publisher.in_use().as_deref(), Some("1.2.0"));
                assert_eq!(updater.roll_back(&mut quietly).unwrap().version, "1.1.0", "{steps:?}");
                assert_eq!(publisher.names(""), ["current", "lock", "state.json", "versions"]);
            }
        }
    }
}

#[test]
fn updates_come_from_addresses_too() {
    let publisher = Publisher::new();
    let updater = publisher.updater();
    publisher.release("1.1.0", Behaviour::Works);
    publisher.release("1.2.0", Behaviour::Works);
    let server = serve(publisher.path("out"));
    let url = |path: &str| Source::Url(format!("{server}/{path}"));
    assert_eq!(updater.update(&url("1.1.0.tar.gz"), &mut quietly).unwrap().version, "1.1.0");
    // The archive and its signature are redirected.
    assert_eq!(updater.update(&url("moved/1.2.0.tar.gz"), &mut quietly).unwrap().version, "1.2.0");

    let download = |updater: &Updater<'_>, source: &Source| match refused(&publisher, updater, source) {
        UpdateError::Download(error) => error,
        other => panic!("{other}"),
    };
    assert!(matches!(download(&updater, &url("none")), DownloadError::Status { status: 404, .. }));
    assert!(matches!(download(&updater, &url("loop")), DownloadError::Transfer { .. }));
    let scheme = Source::Url("ftp://127.0.0.1/x".into());
    assert!(matches!(download(&updater, &scheme), DownloadError::Address(_)));
    let nobody = Source::Url("http://127.0.0.1:1/x".into());
    assert!(matches!(download(&updater, &nobody), DownloadError::Transfer { .. }));

    let mut bounded = updater.clone();
    bounded.limits.archive_bytes = 1 << 20;
    assert!(matches!(download(&bounded, &url("endless")), DownloadError::TooLong { bytes: 1_048_576, .. }));
    bounded.limits.download = Duration::from_secs(1);
    assert!(matches!(download(&bounded, &url("silent")), DownloadError::Slow { .. }));
}

#[test]
fn two_updates_at_once_are_refused_and_packages_name_apt() {
    let publisher = Publisher::new();
    let updater = publisher.updater();
    let source = publisher.release("1.1.0", Behaviour::Works);
    let mut inner = None;
    updater
        .update(&source, &mut |_| {
            inner.get_or_insert_with(|| updater.update(&source, &mut quietly));
            Ok(())
        })
        .unwrap();
    assert!(matches!(inner, Some(Err(UpdateError::Busy))), "{inner:?}");

    if minismith_runtime::subprocess::find("dpkg").is_none() {
        return println!("skipped: no dpkg here");
    }
    let packaged = Updater { program: std::path::Path::new("/usr/bin/dpkg"), ..updater };
    let error = packaged.update(&source, &mut quietly).unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains("apt install --only-upgrade dpkg"), "{error}");
}
