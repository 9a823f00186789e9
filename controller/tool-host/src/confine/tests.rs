use std::io::Read;
use std::os::unix::net::UnixStream;

use minismith_protocol::confinement::MECHANISMS;

use super::*;
use crate::process::{self, Fork};

/// Runs an action in a confined child and returns what it says, or that it was killed.
fn in_confinement(action: impl FnOnce(&[Mechanism]) -> String) -> String {
    let parent = rustix::process::getpid().as_raw_nonzero().get();
    let folder = std::env::temp_dir().join(format!("minismith-confine-{parent}"));
    fs::create_dir_all(&folder).unwrap();
    let (mut near, mut far) = UnixStream::pair().unwrap();
    match process::fork().unwrap() {
        Fork::Child => {
            // Descriptors above 2 are closed by the confinement; the socket moves to standard input first.
            rustix::stdio::dup2_stdin(far).unwrap();
            let mechanisms = confine(&Confinement {
                parent,
                readable: vec![],
                writable: vec![folder],
                memory_bytes: 1 << 40,
                file_bytes: 1 << 20,
                processors: vec![],
                program: vec![],
            });
            let said = action(&mechanisms);
            process::standard_input().unwrap().write_all(said.as_bytes()).unwrap();
            process::leave(0)
        }
        Fork::Parent(child) => {
            far.flush().unwrap();
            drop(far);
            let mut said = String::new();
            near.read_to_string(&mut said).unwrap();
            process::wait(child.as_raw_nonzero().get()).unwrap();
            let _ = fs::remove_dir_all(&folder);
            said
        }
    }
}

#[test]
fn every_mechanism_is_reported_and_the_needed_ones_hold() {
    let said = in_confinement(|mechanisms| serde_json::to_string(mechanisms).unwrap());
    let mechanisms: Vec<Mechanism> = serde_json::from_str(&said).unwrap();
    assert_eq!(mechanisms.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), MECHANISMS);
    for it in &mechanisms {
        assert!(it.enforced || OPTIONAL_MECHANISMS.contains(&it.name.as_str()), "{it:?}");
    }
}

#[test]
fn a_confined_process_reaches_no_network_and_starts_no_process() {
    let said = in_confinement(|_| {
        let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None);
        let unix = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None);
        let process = process::fork().map(|fork| match fork {
            Fork::Child => process::leave(0),
            Fork::Parent(_) => (),
        });
        let thread = std::thread::spawn(|| 7).join().unwrap();
        format!(
            "{:?} {} {:?} {thread}",
            socket.err(),
            unix.is_ok(),
            process.map_err(|error| error.raw_os_error())
        )
    });
    assert_eq!(
        said,
        format!(
            "Some(Os {{ code: {}, kind: PermissionDenied, message: \"Operation not permitted\" }}) true Err(Some(1)) 7",
            libc::EPERM
        )
    );
}

#[test]
fn a_malformed_confinement_starts_nothing() {
    assert!(serde_json::from_str::<Confinement>("{\"program\": [\"/bin/true\"]}").is_err());
}
