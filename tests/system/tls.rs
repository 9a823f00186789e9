//! TLS: old versions of the protocol, weak ciphers and renegotiation are refused. The first messages of clients are written byte
//! by byte here, because current libraries no longer send what is tried.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use minismith_tests::TestDir;

use crate::cli::listening;

/// TLS versions on the wire.
const SSL_3: u16 = 0x0300;
const TLS_1_0: u16 = 0x0301;
const TLS_1_1: u16 = 0x0302;
const TLS_1_2: u16 = 0x0303;

/// ECDHE-ECDSA-AES128-GCM-SHA256, which every client of TLS 1.2 may use.
const STRONG: &[u16] = &[0xc02b];

/// Ciphers without forward secrecy, without authenticated encryption, or without security.
const WEAK: [(&str, u16); 12] = [
    ("NULL", 0x0002),
    ("EXPORT-RC4", 0x0003),
    ("RC4", 0x0005),
    ("3DES", 0x000a),
    ("RSA-AES128-CBC", 0x002f),
    ("DHE-RSA-AES128-CBC", 0x0033),
    ("anonymous ECDH", 0xc018),
    ("RSA-AES128-GCM", 0x009c),
    ("ECDHE-ECDSA-NULL", 0xc006),
    ("ECDHE-ECDSA-RC4", 0xc007),
    ("ECDHE-ECDSA-3DES", 0xc008),
    ("ECDHE-ECDSA-AES128-CBC", 0xc009),
];

/// Alerts: no common parameters, and no common version.
const HANDSHAKE_FAILURE: u8 = 40;
const PROTOCOL_VERSION: u8 = 70;

/// What a server answers to the first message of a client.
#[derive(Debug, PartialEq)]
enum Reply {
    Hello,
    Alert(u8),
}

/// Returns a server with a certificate of its own, and its address.
fn serving(bench: &TestDir) -> (minismith_tests::RunningCommand, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    bench.write("certificate.pem", &made.cert.pem());
    bench.write("key.pem", &made.signing_key.serialize_pem());
    bench.write("tls.yaml", "server: {tls_certificate: certificate.pem, tls_key: key.pem}\n");
    let mut program = bench.start(&["serve", "--config", "tls.yaml", "--json", "--port", "0"]);
    let address = listening(&program.line().unwrap());
    (program, address)
}

fn with_length(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap().to_be_bytes();
    [&length, bytes].concat()
}

fn extension(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &with_length(content)].concat()
}

/// Returns the record with the first message of a client that knows this version and these ciphers.
fn client_hello(version: u16, ciphers: &[u16]) -> Vec<u8> {
    let suites: Vec<u8> = ciphers.iter().flat_map(|suite| suite.to_be_bytes()).collect();
    let extensions = [
        // Groups: P-256 and X25519; points: uncompressed; signatures: ECDSA with SHA-256; renegotiation: the first handshake.
        extension(10, &with_length(&[0x00, 0x17, 0x00, 0x1d])),
        extension(11, &[1, 0]),
        extension(13, &with_length(&[0x04, 0x03])),
        extension(0xff01, &[0]),
    ]
    .concat();
    let body = [
        &version.to_be_bytes()[..],
        &[7; 32],
        &[0],
        &with_length(&suites),
        &[1, 0],
        &with_length(&extensions),
    ]
    .concat();
    let handshake = [&[1, 0][..], &with_length(&body)].concat();
    [&[22][..], &version.min(TLS_1_0).to_be_bytes(), &with_length(&handshake)].concat()
}

fn answer(address: &str, hello: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(hello).unwrap();
    let mut start = [0; 7];
    stream.read_exact(&mut start).unwrap();
    match start {
        [22, _, _, _, _, 2, _] => Reply::Hello,
        [21, _, _, _, _, _, why] => Reply::Alert(why),
        other => panic!("neither a handshake nor an alert: {other:?}"),
    }
}

#[test]
fn old_versions_and_weak_ciphers_of_tls_are_refused() {
    let bench = TestDir::new();
    let (_program, address) = serving(&bench);
    assert_eq!(answer(&address, &client_hello(TLS_1_2, STRONG)), Reply::Hello);
    for version in [SSL_3, TLS_1_0, TLS_1_1] {
        let reply = answer(&address, &client_hello(version, STRONG));
        assert_eq!(reply, Reply::Alert(PROTOCOL_VERSION), "{version:#x}");
    }
    for (name, suite) in WEAK {
        let reply = answer(&address, &client_hello(TLS_1_2, &[suite]));
        assert_eq!(reply, Reply::Alert(HANDSHAKE_FAILURE), "{name}");
    }
}

/// OpenSSL's client asks for a new handshake when its input has a line `R`.
// Tests start third-party clients.
#[allow(clippy::disallowed_methods)]
#[test]
fn renegotiation_of_tls_is_refused() {
    let bench = TestDir::new();
    let (_program, address) = serving(&bench);
    let arguments = ["s_client", "-tls1_2", "-connect", &address, "-CAfile"];
    let mut command = std::process::Command::new("openssl");
    command.args(arguments).arg(bench.path("certificate.pem"));
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut client) = started else {
        println!("skipped: there is no openssl");
        return;
    };
    client.stdin.as_mut().unwrap().write_all(b"R\n").unwrap();
    let ended = client.wait_with_output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(said.contains("Verify return code: 0"), "{said}\n{errors}");
    assert!(errors.contains("RENEGOTIATING"), "{errors}");
    assert!(errors.contains("no renegotiation"), "{said}\n{errors}");
}
