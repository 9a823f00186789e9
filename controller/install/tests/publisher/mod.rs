//! A publisher of updates: makes keys and signs archives with the library of minisign.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use minisign::KeyPair;
use minismith_install::self_update::{Limits, Source, Updater};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

/// How a program behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// It says its version and serves.
    Works,
    /// It says its version, and ends when it should serve.
    Ends,
    /// It says its version, and serves nothing.
    Hangs,
    /// It serves, and reports a fault.
    Faulty,
    /// It says another version.
    Lies,
    /// It works where it was unpacked, and not at its place.
    WorksOnlyBeside,
    /// It works until this file exists.
    WorksUntilBroken,
}

/// Keys, a folder for archives, and a folder for the versions.
pub struct Publisher {
    folder: TempDir,
    keys: KeyPair,
    pub key: String,
}

impl Publisher {
    pub fn new() -> Self {
        let keys = KeyPair::generate_unencrypted_keypair().unwrap();
        let key = keys.pk.to_base64();
        let publisher = Publisher { folder: tempfile::tempdir().unwrap(), keys, key };
        fs::create_dir(publisher.path("out")).unwrap();
        publisher
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program in a few lines, with the two commands that are asked.
    pub fn program(&self, version: &str, behaviour: Behaviour) -> String {
        let said = if behaviour == Behaviour::Lies { "9.9.9" } else { version };
        let status = if behaviour == Behaviour::Faulty { "fault" } else { "ok" };
        let broken = self.path("broken");
        let before = match behaviour {
            Behaviour::Ends => "exit 3".to_owned(),
            Behaviour::Hangs => "sleep 600".to_owned(),
            Behaviour::WorksOnlyBeside => "case \"$0\" in */staging/*) ;; *) exit 3 ;; esac".to_owned(),
            Behaviour::WorksUntilBroken => format!("[ -e {} ] && exit 3", broken.display()),
            _ => ":".to_owned(),
        };
        format!(
            r#"#!/bin/sh
[ "$1" = --version ] && {{ echo "minismith {said}"; exit 0; }}
[ "$*" = "serve --robot mock --host 127.0.0.1 --port 0 --json" ] || exit 2
[ "$HOME" = "$PWD" ] && [ -z "$(ls -A "$HOME")" ] || exit 4
{before}
exec python3 -c '
import http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({{"status": "{status}", "version": "{version}"}}).encode()
        self.send_response(200); self.end_headers(); self.wfile.write(body)
    def log_message(self, *ignored): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({{"listening": "127.0.0.1:%d" % server.server_port}}), flush=True)
server.serve_forever()'
"#
        )
    }

    /// An archive as `tar` makes it of a release's folder.
    pub fn archive(&self, version: &str, behaviour: Behaviour) -> Vec<u8> {
        let top = format!("minismith-{version}-x86_64-debian13");
        let program = self.program(version, behaviour);
        let mut archive = Maker::new();
        archive.folder(&format!("{top}/"));
        archive.file(&format!("{top}/minismith"), program.as_bytes(), 0o755);
        archive.file(&format!("{top}/README.md"), b"read me", 0o644);
        archive.finish()
    }

    /// Writes an archive and its signature.
    pub fn publish(&self, name: &str, archive: &[u8], comment: &str) -> Source {
        let signed =
            minisign::sign(Some(&self.keys.pk), &self.keys.sk, Cursor::new(archive), Some(comment), None);
        let path = self.path("out").join(name);
        fs::write(&path, archive).unwrap();
        fs::write(format!("{}.minisig", path.display()), signed.unwrap().into_string()).unwrap();
        Source::File(path)
    }

    /// Publishes a version for x86-64.
    pub fn release(&self, version: &str, behaviour: Behaviour) -> Source {
        let archive = self.archive(version, behaviour);
        self.publish(&format!("{version}.tar.gz"), &archive, &format!("minismith {version} x86_64"))
    }

    /// An updater of a program of version 1.0.0, which lies elsewhere.
    pub fn updater(&self) -> Updater<'_> {
        Updater {
            key: Some(&self.key),
            folder: self.path("program"),
            program: Path::new("/opt/minismith/minismith"),
            version: "1.0.0".parse().unwrap(),
            architecture: "x86_64",
            allow_downgrade: false,
            limits: Limits { answer: std::time::Duration::from_secs(20), ..Limits::default() },
        }
    }

    /// The version in use, as its program says it.
    pub fn in_use(&self) -> Option<String> {
        let program = self.path("program/current/minismith");
        let text = fs::read_to_string(program).ok()?;
        let (_, said) = text.split_once("echo \"minismith ")?;
        said.split_once('"').map(|(version, _)| version.to_owned())
    }

    /// The names below a folder of the program's.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path("program").join(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Makes archives, also such as no tool would make.
pub struct Maker(Builder<GzEncoder<Vec<u8>>>);

impl Maker {
    pub fn new() -> Self {
        Maker(Builder::new(GzEncoder::new(Vec::new(), Compression::fast())))
    }

    pub fn folder(&mut self, path: &str) {
        self.entry(path, EntryType::Directory, "", b"", 0o755);
    }

    pub fn file(&mut self, path: &str, content: &[u8], mode: u32) {
        self.entry(path, EntryType::Regular, "", content, mode);
    }

    /// Writes names as they are, unlike the library, which refuses some.
    pub fn entry(&mut self, path: &str, kind: EntryType, link: &str, content: &[u8], mode: u32) {
        let mut header = Header::new_ustar();
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.as_mut_bytes()[157..157 + link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(mode);
        header.set_cksum();
        self.0.append(&header, content).unwrap();
    }

    pub fn finish(self) -> Vec<u8> {
        self.0.into_inner().unwrap().finish().unwrap()
    }
}

/// Serves a folder on this computer; `/moved/NAME` redirects to `/NAME`, `/loop` to itself, and `/endless` never ends.
pub fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, folder) = (stream.unwrap(), folder.clone());
            std::thread::spawn(move || {
                let mut request = Vec::new();
                let mut byte = [0];
                while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|length| length > 0)
                {
                    request.push(byte[0]);
                }
                let request = String::from_utf8(request).unwrap();
                let path = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
                if path.starts_with("endless") && !path.ends_with(".minisig") {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
                    while stream.write_all(&[0; 4096]).is_ok() {}
                    return;
                }
                if path.starts_with("silent") {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
                    let _ = stream.read(&mut byte);
                    return;
                }
                let moved = if path == "loop" { Some("loop") } else { path.strip_prefix("moved/") };
                let reply = match (moved, fs::read(folder.join(&path))) {
                    (Some(to), _) => {
                        format!("HTTP/1.1 302 Found\r\nLocation: /{to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                            .into_bytes()
                    }
                    (None, Ok(body)) => {
                        let head =
                            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                        [head.into_bytes(), body].concat()
                    }
                    (None, Err(_)) => {
                        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()
                    }
                };
                let _ = stream.write_all(&reply);
            });
        }
    });
    address
}
