//! The preforked guest: it is sandboxed for one set of limits, is used only for these, and is never dead.

use minismith_protocol::{GuestMessage, HostReply, Limits};
use minismith_toolchain::guest::{Guest, ToolHost};
use rustix::process::{Signal, pidfd_send_signal};

use super::context::{Call, host, plain_job};
use super::crashes::{below, has_ended};

const LARGE: &str = "def tool():\n    return len(bytearray(64 << 20))\n";

/// Starts two guests with the same limits; a preforked one is ready afterwards.
fn two_alike(host: &ToolHost, limits: Limits) {
    for _ in 0..2 {
        drop(host.fork(limits).unwrap());
    }
}

#[test]
fn preforked_guest_has_the_requested_limits() {
    let host = host();
    let (wide, narrow) = (Limits::default(), Limits { memory_bytes: 32 << 20, ..Limits::default() });
    let returns = |limits| {
        let played = Call::new(LARGE, "tool").within(limits).run(&host);
        matches!(played.end, Ok(GuestMessage::Done { .. }))
    };
    for _ in 0..2 {
        two_alike(&host, wide);
        assert!(!returns(narrow), "there was a spare one with more");
        assert!(!returns(narrow) && !returns(narrow), "the spare ones have as little");
        two_alike(&host, narrow);
        assert!(returns(wide), "there was a spare one with less");
        assert!(returns(wide) && returns(wide), "the spare ones have as much");
    }
}

#[test]
fn dead_preforked_guest_is_not_handed_out() {
    let host = host();
    let itself = below(std::process::id()).len();
    assert!(itself >= 1);
    two_alike(&host, Limits::default());
    let spare: Vec<_> = below(std::process::id()).into_iter().skip(itself).collect();
    assert_eq!(spare.len(), 1, "one waits");
    for process in spare {
        pidfd_send_signal(&process, Signal::KILL).unwrap();
        assert!(has_ended(&process, 10));
    }
    let played = Call::new(LARGE, "tool").within(Limits::default()).run(&host);
    assert!(matches!(played.end, Ok(GuestMessage::Done { .. })), "{:?}", played.end);
}

#[test]
fn ended_guests_are_reaped() {
    let host = host();
    let itself = below(std::process::id()).len();
    for _ in 0..20 {
        let played = Call::new("def tool(): return 1\n", "tool").run(&host);
        assert!(matches!(played.end, Ok(GuestMessage::Done { .. })), "{:?}", played.end);
    }
    // The test waits for their ends here; the next request reaps them.
    let left: Vec<_> = below(std::process::id()).into_iter().skip(itself).collect();
    two_alike(&host, Limits::default());
    assert!(left.iter().all(|process| has_ended(process, 10)), "the spare one with other limits too");
    two_alike(&host, Limits::default());
    assert_eq!(below(std::process::id()).len(), itself + 1, "the spare one alone");
}

#[test]
fn verified_source_is_not_read_again() {
    let host = host();
    let limits = Limits::default();
    for compared in [false, true] {
        let mut guest = host.fork(limits).unwrap();
        let job = minismith_protocol::Job {
            skip_comparison: compared,
            ..plain_job("def tool(): return 7\n", limits)
        };
        let first = guest.turn(&HostReply::Start { job: Box::new(job) }, None).unwrap();
        let GuestMessage::Parsed { facts: Ok(facts) } = first else { panic!("{first:?}") };
        assert_eq!(facts.is_empty(), compared);
        let last = guest.turn(&HostReply::Proceed, None).unwrap();
        assert!(matches!(last, GuestMessage::Done { ref value, .. } if *value == 7), "{last:?}");
    }
}
