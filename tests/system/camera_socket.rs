//! The socket of camera frames, as programs on this computer meet it, some of them hostile. That GStreamer and the official SDK
//! read it is shown in `official_media`.

use std::io::{IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use minismith_tests::TestDir;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use serde_json::json;

use super::server_fixture::Served;

/// The bytes of one frame.
const FRAME_BYTES: u64 = 1280 * 720 * 3;

fn serving(socket: &Path) -> Served {
    let keys = format!("compat: {{camera_socket: {}}}\n", socket.display());
    let served = Served::on(TestDir::configured(&keys));
    // When it answers, the socket is open.
    served.value("/health");
    served
}

/// A client of the socket.
struct Client(UnixStream);

/// A message: its kind, its bytes, and the descriptor that came with it.
struct Message {
    kind: u32,
    payload: Vec<u8>,
    memory: Option<OwnedFd>,
}

impl Client {
    /// Connects, and reads the format of the frames.
    fn new(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut client = Client(stream);
        let caps = client.message().unwrap();
        let text = String::from_utf8(caps.payload).unwrap();
        assert!(caps.kind == 2 && text.ends_with('\0') && text.contains("format=(string)BGR"), "{text}");
        client
    }

    /// Returns the next message, or none when the server has ended the connection.
    fn message(&mut self) -> Option<Message> {
        let mut header = [0; 8];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut attached = RecvAncillaryBuffer::new(&mut space);
        let received = rustix::net::recvmsg(
            &self.0,
            &mut [IoSliceMut::new(&mut header)],
            &mut attached,
            RecvFlags::empty(),
        );
        if received.is_err() || received.unwrap().bytes < 8 {
            return None;
        }
        let memory = attached
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
                _ => None,
            })
            .next();
        let [kind, size] = [0, 4].map(|at| u32::from_ne_bytes(header[at..at + 4].try_into().unwrap()));
        let mut payload = vec![0; size as usize];
        self.0.read_exact(&mut payload).ok()?;
        Some(Message { kind, payload, memory })
    }

    fn send(&mut self, kind: u32, payload: &[u8]) {
        let header = [kind.to_ne_bytes(), u32::try_from(payload.len()).unwrap().to_ne_bytes()].concat();
        // The server may have ended the connection.
        let _sent = self.0.write_all(&header).and_then(|()| self.0.write_all(payload));
    }
}

#[test]
fn frames_are_shared_and_no_client_can_change_them() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("camera");
    let served = serving(&socket);
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o660);
    let mut client = Client::new(&socket);
    let mut last = 0;
    for _ in 0..3 {
        let frame = client.message().unwrap();
        assert_eq!((frame.kind, frame.payload.len()), (0, 72));
        let id = u64::from_ne_bytes(frame.payload[..8].try_into().unwrap());
        assert!(id > last);
        last = id;
        let memory = std::fs::File::from(frame.memory.unwrap());
        assert_eq!(memory.metadata().unwrap().len(), FRAME_BYTES);
        let mut pixels = vec![0; FRAME_BYTES as usize];
        memory.read_exact_at(&mut pixels, 0).unwrap();
        assert!(pixels.iter().any(|value| *value > 100));
        // Neither its content nor its size.
        assert!(memory.write_at(&[0; 16], 0).is_err() && memory.set_len(0).is_err());
        client.send(1, &id.to_ne_bytes());
    }
    drop(client);
    assert_eq!(served.end().code, Some(0));
    assert!(!socket.exists());
}

#[test]
fn hostile_and_stalled_clients_harm_no_one() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("camera");
    let served = serving(&socket);
    let mut honest = Client::new(&socket);
    let hostile: [(u32, Vec<u8>); 5] = [
        // A frame that it does not hold; messages of the server; nonsense; more than there is.
        (1, u64::MAX.to_ne_bytes().to_vec()),
        (0, vec![0; 72]),
        (2, b"video/x-raw\0".to_vec()),
        (u32::MAX, vec![255; 100]),
        (1, vec![7; 1 << 20]),
    ];
    for (kind, payload) in hostile {
        let mut client = Client::new(&socket);
        client.send(kind, &payload);
        let messages = (0..20).take_while(|_| client.message().is_some()).count();
        assert!(messages < 20, "a client that sent {kind} with {} bytes is still connected", payload.len());
    }
    // One that releases nothing gets a few frames only, and one that sends half a message goes on.
    let mut greedy = Client::new(&socket);
    let mut half = Client::new(&socket);
    half.0.write_all(&1_u32.to_ne_bytes()).unwrap();
    greedy.0.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let held = (0..20).take_while(|_| greedy.message().is_some()).count();
    assert!((1..=4).contains(&held), "it holds {held} frames");
    // More clients than are served: those beyond are turned away.
    let crowd: Vec<UnixStream> = (0..30).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    for _ in 0..12 {
        let frame = honest.message().unwrap();
        honest.send(1, &frame.payload[..8]);
    }
    drop(crowd);
    assert_eq!(served.value("/api/daemon/status")["no_media"], false);
    assert_eq!(served.end().code, Some(0));
}

#[test]
fn a_socket_is_taken_over_only_from_a_program_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("camera");
    // A program that was killed leaves its socket.
    drop(UnixListener::bind(&socket).unwrap());
    let first = serving(&socket);
    assert_eq!(first.value("/api/daemon/status")["no_media"], false);
    // Another one does not take it away; clients of the second go without media.
    let second = serving(&socket);
    assert_eq!(second.value("/api/daemon/status")["no_media"], true);
    let said = second.end().exits(0);
    assert!(said.err.contains("another program serves camera frames"), "{}", said.err);
    let mut client = Client::new(&socket);
    assert!(client.message().is_some());
    assert_eq!(first.end().code, Some(0));
    // Nor what is not a socket.
    std::fs::write(&socket, "mine").unwrap();
    let third = serving(&socket);
    assert_eq!(third.value("/api/daemon/status")["no_media"], true);
    assert_eq!(third.end().code, Some(0));
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "mine");
}

#[test]
fn the_official_api_tells_about_the_media_and_lends_the_camera() {
    let folder = tempfile::tempdir().unwrap();
    let served = serving(&folder.path().join("camera"));
    let media =
        |available, released| json!({ "available": available, "released": released, "no_media": false });
    assert_eq!(served.value("/api/media/status"), media(true, false));
    assert_eq!(served.post("/api/media/release", &json!({})), (200, json!({ "status": "ok" })));
    assert_eq!(served.value("/api/media/status"), media(false, true));
    assert_eq!(served.value("/api/daemon/status")["media_released"], true);
    assert_eq!(served.post("/api/media/acquire", &json!({})), (200, json!({ "status": "ok" })));
    assert_eq!(served.value("/api/media/status"), media(true, false));
    let specs = served.value("/api/camera/specs");
    assert_eq!((&specs["name"], &specs["K"][0][0]), (&json!("wireless"), &json!(2001.8076426486707)));
    assert_eq!(served.end().code, Some(0));
}
