//! The keys `journal`, `traces` and `rerun`: what is kept of all that happens, where, and for how long.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use super::choice::NotAllowed;
use crate::journal::Place;

/// What is kept of what the robot does.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The journal's file.
    pub journal: Place,
    /// The folder of traces; none keeps none.
    pub traces: Option<PathBuf>,
    /// After so many days a trace goes; never when zero.
    pub keep_days: u32,
    /// The oldest go when all traces together are longer, bytes.
    pub most_bytes: u64,
    /// Pictures of the camera in a trace, each second.
    pub pictures_per_second: u32,
    /// What is shown while it happens.
    pub live: Live,
}

/// A recording for the Rerun viewer, made while things happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    /// Into this file.
    pub file: Option<PathBuf>,
    /// To a viewer that runs there.
    pub viewer: Option<String>,
    /// To viewers that come here.
    pub serve: Option<SocketAddr>,
    /// Beats a second, at most.
    pub beats_per_second: u32,
    /// Pictures a second.
    pub pictures_per_second: u32,
}

impl Live {
    /// Whether there is anybody to show it to.
    #[must_use]
    pub const fn is_wanted(&self) -> bool {
        self.file.is_some() || self.viewer.is_some() || self.serve.is_some()
    }
}

/// Where a viewer runs, if one does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Viewer(pub(super) Option<String>);

impl FromStr for Viewer {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let usual = "rerun+http://127.0.0.1:9876/proxy";
        let plain = |url: &str| url.len() <= 500 && url.chars().all(|c| c.is_ascii_graphic());
        match text {
            "none" => Ok(Viewer(None)),
            url if (url.starts_with("rerun+http://") || url.starts_with("rerun+https://")) && plain(url) => {
                Ok(Viewer(Some(url.into())))
            }
            other => {
                let meant = other.contains("9876").then(|| usual.to_owned());
                Err(NotAllowed::new(other, format!("none, or a viewer's address such as {usual}"))
                    .meaning(meant))
            }
        }
    }
}

/// Where viewers are served, if they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MaybeAddress(pub(super) Option<SocketAddr>);

impl FromStr for MaybeAddress {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        match text {
            "none" => Ok(MaybeAddress(None)),
            address => address.parse().map(|address| MaybeAddress(Some(address))).map_err(|_| {
                NotAllowed::new(address, "none, or an address with its port such as 127.0.0.1:9876")
                    .meaning(address.parse::<u16>().ok().map(|port| format!("127.0.0.1:{port}")))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn read(keys: &str) -> Result<super::Kept, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("robot.yaml");
        std::fs::write(&file, keys).unwrap();
        Config::load(Some(&file)).map(|config| config.kept).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_is_shown_and_no_picture_kept_unasked() {
        let kept = read("robot: mock").unwrap();
        assert!(!kept.live.is_wanted());
        assert_eq!(kept.pictures_per_second, 0);
        assert!(kept.traces.is_some());
        assert!(read("traces: {directory: none}").unwrap().traces.is_none());
    }

    #[test]
    fn addresses_are_judged() {
        let live = read("rerun: {viewer: 'rerun+http://10.0.0.2:9876/proxy', serve: '127.0.0.1:9877'}")
            .unwrap()
            .live;
        assert_eq!(live.viewer.unwrap(), "rerun+http://10.0.0.2:9876/proxy");
        assert_eq!(live.serve.unwrap().port(), 9877);
        let no = read("rerun: {viewer: 'http://127.0.0.1:9876'}").unwrap_err();
        assert!(no.contains("did you mean `rerun+http://127.0.0.1:9876/proxy`?"), "{no}");
        let no = read("rerun: {serve: 9876}").unwrap_err();
        assert!(no.contains("did you mean `127.0.0.1:9876`?"), "{no}");
    }
}
