//! What an app may do, and how it is started.

use std::io::{Error, ErrorKind, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use minismith_protocol::app_sandbox::{ARGUMENT, AppSandbox, CONNECTED};
use minismith_protocol::confinement::Report;
use minismith_runtime::config::Apps;
use minismith_runtime::subprocess::{self, Program};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};

use crate::AppError;
use crate::store::{App, Grant};

/// The largest file of an app, bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// How long the sandbox may take until it reports.
const REPORT_TIMEOUT: Duration = Duration::from_secs(20);

/// The longest report, bytes.
const MAX_REPORT_BYTES: usize = 64 << 10;

/// Where a program looks for camera frames of the official daemon.
const CAMERA_SOCKET: &str = "/tmp/reachymini_camera_socket";

/// The environment of all apps on this computer.
#[derive(Clone, Debug)]
pub struct Host {
    /// The program `minismith-tool-host`.
    pub tool_host: PathBuf,
    /// The folder with the packages of the official SDK.
    pub sdk: PathBuf,
    /// The socket of camera frames, if they are served.
    pub camera_socket: Option<PathBuf>,
    /// The largest address space of an app, bytes.
    pub memory_bytes: u64,
}

/// What was started.
pub struct Started {
    /// The process that ends when the app does.
    pub child: Child,
    /// The socket in the app's own network at which the robot is served, unless the app has that of this computer.
    pub listener: Option<OwnedFd>,
    /// What the app prints.
    pub printed: std::fs::File,
    /// Connects with what the app serves in its own network.
    pub network: AppNetwork,
}

/// The network of an app, seen from outside.
#[derive(Debug)]
pub struct AppNetwork(UnixStream);

impl AppNetwork {
    /// Returns a stream that is connected with what the app serves at this port of 127.0.0.1.
    ///
    /// # Errors
    /// When nothing listens there, or the app has ended.
    pub fn connect(&mut self, port: u16) -> Result<OwnedFd, Error> {
        self.0.write_all(&port.to_be_bytes())?;
        let mut answer = [0; 1];
        let received = receive_part(&self.0, &mut answer).inspect_err(|_| {
            // A late answer must not be taken for that to another request.
            let _closed = self.0.shutdown(Shutdown::Both);
        });
        let (length, stream) = received?;
        match (length, answer, stream.into_iter().next()) {
            (1, [CONNECTED], Some(stream)) => Ok(stream),
            (1, ..) => Err(ErrorKind::ConnectionRefused.into()),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Returns the second number of an interpreter's version, by the names that every installation has.
#[must_use]
pub fn minor_version(python: &Path) -> Option<u32> {
    let real = python.canonicalize().ok()?;
    real.file_name()?.to_str()?.strip_prefix("python3.")?.parse().ok()
}

/// Returns the folder of the installation that an interpreter belongs to, with its links resolved.
///
/// # Errors
/// When the interpreter is missing.
pub fn base_of(python: &Path) -> Result<PathBuf, AppError> {
    let real = python.canonicalize().map_err(AppError::file(python))?;
    // PREFIX/bin/python3.11
    Ok(real.parent().and_then(Path::parent).unwrap_or(Path::new("/usr")).to_owned())
}

/// The folder of the packages of the official SDK on the robot's own computer, apart from the version of Python.
const OFFICIAL_ENVIRONMENT: &str = "/venvs/mini_daemon/lib";

/// The name of our own, beside the apps.
const OWN_SDK: &str = ".sdk";

impl Host {
    /// Returns the environment of apps on this computer.
    #[must_use]
    pub fn new(tool_host: PathBuf, python: &Path, apps: &Apps, camera_socket: Option<PathBuf>) -> Self {
        let official = minor_version(python)
            .map(|minor| Path::new(OFFICIAL_ENVIRONMENT).join(format!("python3.{minor}/site-packages")))
            .filter(|packages| packages.join("reachy_mini").is_dir());
        let own = || official.unwrap_or_else(|| apps.directory.join(OWN_SDK));
        let sdk = apps.sdk.clone().unwrap_or_else(own);
        Host { tool_host, sdk, camera_socket, memory_bytes: apps.memory_bytes }
    }

    /// Returns the sandbox of an app whose files are in `folder`.
    ///
    /// # Errors
    /// When its Python is missing.
    pub fn sandbox(&self, app: &App, folder: &Path) -> Result<AppSandbox, AppError> {
        let python = folder.join("venv/bin/python");
        let holds = |grant| app.grants.contains(&grant);
        let mut devices = Vec::new();
        if holds(Grant::Camera)
            && let Some(socket) = &self.camera_socket
        {
            devices.push((socket.clone(), CAMERA_SOCKET.into()));
        }
        if holds(Grant::Sound) {
            devices.extend(sound().into_iter().map(|path| (path.clone(), path)));
        }
        Ok(AppSandbox {
            devices,
            only_robot: !holds(Grant::Network),
            ..self.confined(folder, &python, vec!["-u".into(), "-m".into(), app.module.clone()])?
        })
    }

    /// Returns a sandbox without network in which an interpreter runs with these arguments.
    pub(crate) fn confined(
        &self,
        folder: &Path,
        python: &Path,
        arguments: Vec<String>,
    ) -> Result<AppSandbox, AppError> {
        let home = folder.join("home");
        std::fs::create_dir_all(&home).map_err(AppError::file(&home))?;
        let mut readable = vec![folder.join("venv"), self.sdk.clone()];
        let base = base_of(python)?;
        if !base.starts_with("/usr") {
            readable.push(base);
        }
        let program = std::iter::once(python.display().to_string()).chain(arguments).collect();
        Ok(AppSandbox {
            parent: rustix::process::getpid().as_raw_nonzero().get(),
            readable,
            writable: vec![home.clone()],
            devices: Vec::new(),
            only_robot: true,
            memory_bytes: self.memory_bytes,
            file_bytes: MAX_FILE_BYTES,
            folder: home,
            program,
        })
    }

    /// Starts what a sandbox says.
    ///
    /// # Errors
    /// [`AppError::Sandbox`] with the mechanism that is missing here; errors of the system.
    pub fn start(&self, sandbox: &AppSandbox) -> Result<Started, AppError> {
        let (near, far) = UnixStream::pair()?;
        near.set_read_timeout(Some(REPORT_TIMEOUT))?;
        let mut child = subprocess::start(Program {
            path: self.tool_host.clone(),
            arguments: vec![
                ARGUMENT.into(),
                serde_json::to_string(sandbox).map_err(|error| AppError::Process(error.into()))?.into(),
            ],
            environment: environment(sandbox),
            input: far.into(),
        })?;
        let received = receive(&near);
        match received {
            Ok((listener, printed)) => {
                Ok(Started { child, listener, printed: printed.into(), network: AppNetwork(near) })
            }
            Err(why) => {
                // It has ended, or has hung.
                let _gone = child.kill();
                let _reaped = child.wait();
                Err(why)
            }
        }
    }
}

/// Returns the sockets and devices of sound that are here.
fn sound() -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime =
        runtime.unwrap_or_else(|| format!("/run/user/{}", rustix::process::getuid().as_raw()).into());
    let places = [runtime.join("pulse/native"), runtime.join("pipewire-0"), "/dev/snd".into()];
    places.into_iter().filter(|place| place.exists()).collect()
}

fn environment(sandbox: &AppSandbox) -> Vec<(&'static str, String)> {
    let home = sandbox.folder.display().to_string();
    let mut environment = vec![
        ("HOME", home),
        ("PATH", "/usr/bin:/bin".into()),
        ("LC_ALL", "C.UTF-8".into()),
        ("PYTHONUNBUFFERED", "1".into()),
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
        // The official package reports usage to its makers unless it is told not to.
        ("DO_NOT_TRACK", "1".into()),
        ("HF_HUB_DISABLE_TELEMETRY", "1".into()),
    ];
    if sandbox.only_robot {
        environment.push(("HF_HUB_OFFLINE", "1".into()));
    }
    if let Some((_, runtime)) = sandbox.devices.iter().find(|(_, to)| to.ends_with("pulse/native")) {
        environment.push(("PULSE_SERVER", format!("unix:{}", runtime.display())));
    }
    // PipeWire has no variable of its own.
    if let Some((_, socket)) = sandbox.devices.iter().find(|(_, to)| to.ends_with("pipewire-0")) {
        let folder = socket.parent().unwrap_or(Path::new("/"));
        environment.push(("XDG_RUNTIME_DIR", folder.display().to_string()));
    }
    environment
}

/// Receives the report, and the descriptors that come with it: the listener, if there is one, and what is printed.
fn receive(control: &UnixStream) -> Result<(Option<OwnedFd>, OwnedFd), AppError> {
    let mut line = Vec::new();
    let mut descriptors = Vec::new();
    while !line.contains(&b'\n') {
        let mut bytes = [0; 4096];
        let (length, given) = receive_part(control, &mut bytes).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => AppError::Sandbox("it did not report in time".into()),
            _ => AppError::Process(error),
        })?;
        if length == 0 || line.len() > MAX_REPORT_BYTES {
            return Err(AppError::Process(Error::new(ErrorKind::UnexpectedEof, "the tool host ended early")));
        }
        line.extend_from_slice(bytes.get(..length).unwrap_or_default());
        descriptors.extend(given);
    }
    let report: Report = serde_json::from_slice(&line).map_err(|error| AppError::Process(error.into()))?;
    if let Some(why) = report.refusal {
        return Err(AppError::Sandbox(why));
    }
    let printed = descriptors.pop();
    let printed = printed.ok_or_else(|| AppError::Process(Error::other("the tool host sent no pipe")))?;
    Ok((descriptors.pop(), printed))
}

/// Receives some bytes, and the descriptors that come with them. No bytes come where the other end is closed.
fn receive_part(control: &UnixStream, bytes: &mut [u8]) -> Result<(usize, Vec<OwnedFd>), Error> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut attached = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        rustix::net::recvmsg(control, &mut [IoSliceMut::new(bytes)], &mut attached, RecvFlags::CMSG_CLOEXEC)
    })?;
    let given = attached.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(given) => Some(given),
        _ => None,
    });
    Ok((received.bytes, given.flatten().collect()))
}
