//! The attachments of a tool for people: an image of its motion, a page about it, and a recording.
//!
//! Reading order:
//!
//! - [`Prepared`]: creates all three
//! - [`moment`]: the cycles in degrees
//! - [`picture`], [`chart`]: SVG, with `thin` and `xml`
//! - [`page`], [`evidence`]: Markdown
//! - [`inert`]: escapes untrusted text
//! - [`told`] and the recorder of `minismith-control`: the recording

pub mod chart;
pub mod evidence;
pub mod inert;
mod markdown;
pub mod moment;
pub mod page;
pub mod picture;
pub mod thin;
pub mod told;
pub mod xml;

use crate::workshop::review::Admissible;
use minismith_analysis::manifest::ToolManifest;
use minismith_analysis::report::PhysicalReport;
use minismith_control::recorder::{self, NoRecording};
use moment::{Moment, moments};

/// Suffix of the image.
pub const PICTURE: &str = "svg";
/// Suffix of the page.
pub const PAGE: &str = "md";
/// Suffix of the recording.
pub const RECORDING: &str = "rrd";
/// All suffixes.
pub const SUFFIXES: [&str; 3] = [PICTURE, PAGE, RECORDING];

/// A file next to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Suffix of its name, without the dot.
    pub suffix: &'static str,
    /// Content.
    pub bytes: Vec<u8>,
}

/// The slow part of the work, done before the version number is known.
#[derive(Debug)]
pub struct Prepared<'a> {
    admissible: &'a Admissible,
    moments: Vec<Moment>,
    recording: Result<Vec<u8>, NoRecording>,
}

impl<'a> Prepared<'a> {
    /// Computes the motion of the head and creates the recording. Without a recording the page states the reason. That
    /// is not an error.
    #[must_use]
    pub fn of(admissible: &'a Admissible) -> Self {
        let moments = moments(admissible.beats());
        let manifest = admissible.manifest();
        let conditions = admissible.conditions();
        let about =
            page::write(&page::Subject { manifest, cases: admissible.cases(), conditions, files: None });
        let subject = told::Subject {
            name: format!("{} {}", manifest.name, hash(manifest)),
            about,
            moments: &moments,
            period_s: conditions.period.as_secs_f64(),
            limits: &conditions.limits,
            findings: &manifest.findings,
            trims: manifest.report.as_ref().map_or(&[], |report| &report.trims),
        };
        let recording = recorder::record(told::messages(&subject));
        match &recording {
            Ok(_) | Err(NoRecording::NotBuilt) => {}
            Err(error) => tracing::warn!(tool = manifest.name, "{error}"),
        }
        Prepared { admissible, moments, recording }
    }

    /// Returns the reason why there is no recording, if there is none.
    #[must_use]
    pub fn no_recording(&self) -> Option<&NoRecording> {
        self.recording.as_ref().err()
    }

    /// Returns the files of this version, named `stem` plus their suffix. Version 0 is a tool that is not registered.
    #[must_use]
    pub fn files(&self, version: u32, stem: &str) -> Vec<Attachment> {
        let conditions = self.admissible.conditions();
        let manifest = ToolManifest { version, ..self.admissible.manifest().clone() };
        let nothing = PhysicalReport::default();
        let shown = if version == 0 { String::new() } else { format!(" v{version}") };
        let picture = picture::draw(&picture::Subject {
            title: format!("{}{shown} · {}", manifest.name, hash(&manifest)),
            subtitle: format!(
                "its default call in the rehearsal, {} cycles of {} ms",
                self.moments.len(),
                xml::short(conditions.period.as_secs_f64() * 1e3)
            ),
            moments: &self.moments,
            period_s: conditions.period.as_secs_f64(),
            limits: &conditions.limits,
            report: manifest.report.as_ref().unwrap_or(&nothing),
        });
        let files = Some(page::Files { stem, no_recording: self.no_recording() });
        let cases = self.admissible.cases();
        let page = page::write(&page::Subject { manifest: &manifest, cases, conditions, files });
        let mut files = vec![
            Attachment { suffix: PICTURE, bytes: picture.into_bytes() },
            Attachment { suffix: PAGE, bytes: page.into_bytes() },
        ];
        if let Ok(bytes) = &self.recording {
            files.push(Attachment { suffix: RECORDING, bytes: bytes.clone() });
        }
        files
    }
}

/// Returns the beginning of the code's hash, by which people distinguish versions.
fn hash(manifest: &ToolManifest) -> &str {
    manifest.code_sha256.get(..12).unwrap_or(&manifest.code_sha256)
}
