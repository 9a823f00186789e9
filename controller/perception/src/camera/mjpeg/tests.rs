//! Tests well-formed and malformed streams.

use proptest::prelude::*;

use super::*;
use crate::camera::jpeg::tests::{jpeg, without_tables};
use crate::frame::decode;

const TYPE: &str = "multipart/x-mixed-replace; boundary=frame";

/// Reader that returns its chunks one by one. An empty chunk stands for a time without bytes.
struct ChunkReader(std::collections::VecDeque<Vec<u8>>);

impl Read for ChunkReader {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self.0.pop_front() {
            None => Ok(0),
            Some(piece) if piece.is_empty() => Err(ErrorKind::WouldBlock.into()),
            Some(mut piece) => {
                let rest = piece.split_off(piece.len().min(into.len()));
                if !rest.is_empty() {
                    self.0.push_front(rest);
                }
                into[..piece.len()].copy_from_slice(&piece);
                Ok(piece.len())
            }
        }
    }
}

fn stream(content_type: &str, pieces: Vec<Vec<u8>>) -> Stream {
    let (content_type, mut pieces) = (content_type.to_string(), Some(pieces));
    let connect: Connect = Box::new(move || match pieces.take() {
        Some(pieces) => {
            Ok((content_type.clone(), Box::new(ChunkReader(pieces.into())) as Box<dyn Read + Send>))
        }
        None => Err(SourceError::new("nothing is listening", "start the server")),
    });
    Stream::new("a test".into(), connect)
}

fn part(image: &[u8], with_length: bool) -> Vec<u8> {
    let length = if with_length { format!("Content-Length: {}\r\n", image.len()) } else { String::new() };
    let head = format!("--frame\r\nContent-Type: image/jpeg\r\n{length}\r\n");
    [head.as_bytes(), image, b"\r\n"].concat()
}

/// Returns all bodies of a stream that arrives in chunks of one size.
fn bodies(content_type: &str, bytes: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut parts = Parts::of(content_type).unwrap();
    let mut found = Vec::new();
    for piece in bytes.chunks(size) {
        parts.feed(piece);
        while let Part::Body(body) = parts.next_part().unwrap() {
            found.push(body);
        }
    }
    found
}

#[test]
fn parts_are_found_with_and_without_lengths_for_any_chunk_size() {
    for with_length in [true, false] {
        let sent =
            [b"a preamble\r\n".to_vec(), part(&jpeg(1), with_length), part(&jpeg(2), with_length)].concat();
        let sent = [sent, b"--frame--\r\nan epilogue".to_vec()].concat();
        for size in [1, 2, 7, 64, 100_000] {
            assert_eq!(bodies(TYPE, &sent, size), [jpeg(1), jpeg(2)], "{with_length} {size}");
        }
    }
}

#[test]
fn boundary_accepts_common_server_variants() {
    let sent = [part(&jpeg(1), false), part(&jpeg(2), false), part(&jpeg(3), false)].concat();
    for content_type in [
        "multipart/x-mixed-replace;boundary=frame",
        "multipart/x-mixed-replace; charset=x; BOUNDARY=\"frame\"",
        "Multipart/X-Mixed-Replace; boundary=--frame",
    ] {
        assert_eq!(bodies(content_type, &sent, 50), [jpeg(1), jpeg(2)], "{content_type}");
    }
    // The dashes come twice.
    let twice = String::from_utf8_lossy(b"--").repeat(2);
    let doubled: Vec<u8> =
        [&twice.as_bytes()[..2], &part(b"one", false), b"--", &part(b"two", false)].concat();
    assert_eq!(bodies("multipart/x-mixed-replace; boundary=--frame", &doubled, 9), [b"one".to_vec()]);
    for content_type in [
        "text/html",
        "image/jpeg",
        "multipart/mixed; boundary=",
        "multipart/mixed; boundary=\"--\"",
        "",
        "\u{1b};",
    ] {
        assert!(Parts::of(content_type).unwrap_err().remedy.contains("camera.source"), "{content_type}");
    }
}

#[test]
fn boundary_inside_an_image_is_ignored() {
    let inside = [&jpeg(1)[..], b"--frame inside, x--frame\r\n"].concat();
    assert_eq!(bodies(TYPE, &[part(&inside, true), part(b"", true)].concat(), 33)[0], inside);
    let line = b"some--frame\r\n--framework\r\nmore".to_vec();
    assert_eq!(bodies(TYPE, &[part(&line, false), part(b"x", false)].concat(), 5)[0], line);
}

#[test]
fn wrong_length_skips_one_image_and_keeps_the_stream() {
    let short = b"--frame\r\nContent-Length: 9\r\n\r\n".to_vec();
    let sent = [short, jpeg(1), b"\r\n".to_vec(), part(&jpeg(2), true), part(&jpeg(3), true)].concat();
    let mut stream = stream(TYPE, sent.chunks(100).map(<[u8]>::to_vec).collect());
    stream.open().unwrap();
    let mut images = Vec::new();
    while let Ok(image) = stream.next(Duration::from_secs(3_600)) {
        images.extend(image);
    }
    assert_eq!(images, [Image::Jpeg(jpeg(2)), Image::Jpeg(jpeg(3))]);
    assert_eq!(stream.skipped(), 1);
}

#[test]
fn next_returns_only_the_latest_of_buffered_images() {
    let together = [part(&jpeg(1), true), part(&jpeg(2), true), part(b"no picture", true)].concat();
    let mut stream = stream(TYPE, vec![together, Vec::new(), part(&without_tables(&jpeg(3)), true)]);
    stream.open().unwrap();
    let wait = Duration::from_secs(3_600);
    assert_eq!(stream.next(wait).unwrap(), Some(Image::Jpeg(jpeg(2))));
    assert_eq!(stream.next(wait).unwrap(), None);
    let Some(Image::Jpeg(third)) = stream.next(wait).unwrap() else { panic!("no JPEG") };
    assert_eq!(decode(&third).unwrap(), decode(&jpeg(3)).unwrap());
    assert!(stream.next(wait).unwrap_err().reason.contains("ended"));
    assert_eq!(stream.open().unwrap_err().reason, "nothing is listening");
    assert!(stream.next(wait).is_err());
}

#[test]
fn buffers_stay_bounded() {
    let huge = |head: &str| {
        let mut parts = Parts::of(TYPE).unwrap();
        parts.feed(head.as_bytes());
        let mut outcome = parts.next_part();
        for _ in 0..(MAX_FRAME_BYTES / READ_CHUNK + 3) {
            if outcome.is_err() {
                break;
            }
            parts.feed(&[b'x'; READ_CHUNK]);
            outcome = parts.next_part();
        }
        (outcome, parts.buffer.len())
    };
    for head in ["--frame\r\nContent-Length: 99999999999\r\n\r\n", "--frame\r\nX: ", "--frame\r\n\r\n"] {
        let (outcome, buffered) = huge(head);
        assert!(outcome.unwrap_err().reason.contains("too large"), "{head}");
        assert!(buffered <= MAX_FRAME_BYTES + MAX_HEAD_BYTES + READ_CHUNK, "{head}: {buffered}");
    }
    // Data before the first part is discarded.
    let (outcome, buffered) = huge("");
    assert_eq!(outcome, Ok(Part::More));
    assert!(buffered <= 2 * MAX_HEAD_BYTES, "{buffered}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Feeds random sequences of meaningful tokens in chunks of random size. The parser never panics, and the chunk size
    /// changes nothing.
    #[test]
    fn parser_never_panics_on_corrupt_streams(
        tokens in proptest::collection::vec(
            prop_oneof![
                Just(b"--frame".to_vec()),
                Just(b"--frame--".to_vec()),
                Just(b"\r\n".to_vec()),
                Just(b"\r\n\r\n".to_vec()),
                Just(b"\n".to_vec()),
                Just(b"-".to_vec()),
                Just(b"Content-Length: 5".to_vec()),
                Just(b"Content-Length: 18446744073709551615".to_vec()),
                Just(b"Content-Length: -1".to_vec()),
                Just(vec![0xff, 0xd8]),
                Just(vec![0xff, 0xd9]),
                proptest::collection::vec(any::<u8>(), 0..40),
            ],
            0..40,
        ),
        size in 1_usize..50,
    ) {
        let sent = tokens.concat();
        let read = |size: usize| {
            let mut parts = Parts::of(TYPE).unwrap();
            let mut found = Vec::new();
            for piece in sent.chunks(size) {
                parts.feed(piece);
                loop {
                    match parts.next_part() {
                        Ok(Part::Body(body)) => found.push(body),
                        Ok(_) => break,
                        Err(_) => return (found, true),
                    }
                }
            }
            (found, false)
        };
        prop_assert_eq!(read(size), read(sent.len().max(1)));
    }
}
