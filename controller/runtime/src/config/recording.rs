//! The sections `journal`, `traces` and `rerun`: which records are stored, where, and for how long.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use super::choice::InvalidValue;
use crate::journal::RotatingFile;

/// The journal, the traces and the Rerun recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingConfig {
    /// The file of the journal.
    pub journal: RotatingFile,
    /// The folder of traces; none if no traces are recorded.
    pub traces: Option<PathBuf>,
    /// Traces older than this many days are deleted; never if zero.
    pub retention_days: u32,
    /// Maximum size of all traces together, bytes.
    pub max_total_bytes: u64,
    /// Camera frames per second in a trace.
    pub camera_fps: u32,
    /// Live data for the Rerun viewer.
    pub rerun: RerunConfig,
}

/// Live data for the Rerun viewer.
#[derive(Clone, Debug, PartialEq)]
pub struct RerunConfig {
    /// A recording file.
    pub file: Option<PathBuf>,
    /// A running viewer to connect to.
    pub connect: Option<String>,
    /// An address to listen on for viewers.
    pub listen: Option<SocketAddr>,
    /// Maximum number of control cycles sent per second.
    pub sample_rate_hz: u32,
    /// Camera frames sent per second.
    pub camera_fps: u32,
}

impl RerunConfig {
    /// Whether any of them is configured.
    #[must_use]
    pub const fn is_wanted(&self) -> bool {
        self.file.is_some() || self.connect.is_some() || self.listen.is_some()
    }
}

/// The address of a running viewer, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Viewer(pub(super) Option<String>);

impl FromStr for Viewer {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let usual = "rerun+http://127.0.0.1:9876/proxy";
        let plain = |url: &str| url.len() <= 500 && url.chars().all(|c| c.is_ascii_graphic());
        match text {
            "none" => Ok(Viewer(None)),
            url if (url.starts_with("rerun+http://") || url.starts_with("rerun+https://")) && plain(url) => {
                Ok(Viewer(Some(url.into())))
            }
            other => {
                let meant = other.contains("9876").then(|| usual.to_owned());
                Err(InvalidValue::new(other, format!("none, or a viewer's address such as {usual}"))
                    .meaning(meant))
            }
        }
    }
}

/// The address to listen on for viewers, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MaybeAddress(pub(super) Option<SocketAddr>);

impl FromStr for MaybeAddress {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "none" => Ok(MaybeAddress(None)),
            address => address.parse().map(|address| MaybeAddress(Some(address))).map_err(|_| {
                InvalidValue::new(address, "none, or an address with its port such as 127.0.0.1:9876")
                    .meaning(address.parse::<u16>().ok().map(|port| format!("127.0.0.1:{port}")))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn read(keys: &str) -> Result<super::RecordingConfig, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("robot.yaml");
        std::fs::write(&file, keys).unwrap();
        Config::load(Some(&file)).map(|config| config.recording).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_is_shown_and_no_image_stored_unasked() {
        let stored = read("robot: mock").unwrap();
        assert!(!stored.rerun.is_wanted());
        assert_eq!(stored.camera_fps, 0);
        assert!(stored.traces.is_some());
        assert!(read("traces: {directory: none}").unwrap().traces.is_none());
    }

    #[test]
    fn addresses_are_judged() {
        let live = read("rerun: {connect: 'rerun+http://10.0.0.2:9876/proxy', listen: '127.0.0.1:9877'}")
            .unwrap()
            .rerun;
        assert_eq!(live.connect.unwrap(), "rerun+http://10.0.0.2:9876/proxy");
        assert_eq!(live.listen.unwrap().port(), 9877);
        let no = read("rerun: {connect: 'http://127.0.0.1:9876'}").unwrap_err();
        assert!(no.contains("did you mean `rerun+http://127.0.0.1:9876/proxy`?"), "{no}");
        let no = read("rerun: {listen: 9876}").unwrap_err();
        assert!(no.contains("did you mean `127.0.0.1:9876`?"), "{no}");
    }
}
