//! The attachments of a tool for people: an image of its motion, a page about it, and a recording.
//!
//! Reading order:
//!
//! - [`Prepared`]: creates all three
//! - [`sample`]: the cycles in degrees
//! - [`image`], [`chart`]: SVG, with `simplify` and `xml`
//! - [`page`], [`evidence`]: Markdown
//! - [`markdown_escape`]: escapes untrusted text
//! - [`trace_messages`] and the recorder of `minismith-control`: the recording

pub mod chart;
pub mod evidence;
pub mod image;
mod markdown;
pub mod markdown_escape;
pub mod page;
pub mod sample;
pub mod simplify;
pub mod trace_messages;
pub mod xml;

use crate::workshop::review::Reviewed;
use minismith_analysis::manifest::ToolManifest;
use minismith_analysis::report::PhysicalReport;
use minismith_control::recorder::{self, NoRecording};
use sample::{PoseSample, pose_samples};

/// Suffix of the image.
pub const IMAGE_SUFFIX: &str = "svg";
/// Suffix of the page.
pub const PAGE_SUFFIX: &str = "md";
/// Suffix of the recording.
pub const RECORDING_SUFFIX: &str = "rrd";
/// All suffixes.
pub const SUFFIXES: [&str; 3] = [IMAGE_SUFFIX, PAGE_SUFFIX, RECORDING_SUFFIX];

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
    reviewed: &'a Reviewed,
    moments: Vec<PoseSample>,
    recording: Result<Vec<u8>, NoRecording>,
}

impl<'a> Prepared<'a> {
    /// Computes the motion of the head and creates the recording. Without a recording the page states the reason. That
    /// is not an error.
    #[must_use]
    pub fn of(reviewed: &'a Reviewed) -> Self {
        let moments = pose_samples(reviewed.cycles());
        let manifest = reviewed.manifest();
        let conditions = reviewed.conditions();
        let about =
            page::write(&page::Subject { manifest, cases: reviewed.cases(), conditions, files: None });
        let subject = trace_messages::Subject {
            name: format!("{} {}", manifest.name, hash(manifest)),
            about,
            moments: &moments,
            period_s: conditions.period.as_secs_f64(),
            limits: &conditions.limits,
            findings: &manifest.findings,
            clamps: manifest.report.as_ref().map_or(&[], |report| &report.clamps),
        };
        let recording = recorder::record(trace_messages::messages(&subject));
        match &recording {
            Ok(_) | Err(NoRecording::NotBuilt) => {}
            Err(error) => tracing::warn!(tool = manifest.name, "{error}"),
        }
        Prepared { reviewed, moments, recording }
    }

    /// Computes the motion of the head only. The tools that come with the program come without recordings, which are large.
    #[must_use]
    pub fn without_recording(reviewed: &'a Reviewed) -> Self {
        let moments = pose_samples(reviewed.cycles());
        Prepared { reviewed, moments, recording: Err(NoRecording::NotBuilt) }
    }

    /// Returns the reason why there is no recording, if there is none.
    #[must_use]
    pub fn no_recording(&self) -> Option<&NoRecording> {
        self.recording.as_ref().err()
    }

    /// Returns the files of this version, named `stem` plus their suffix. Version 0 is a tool that is not registered.
    #[must_use]
    pub fn files(&self, version: u32, stem: &str) -> Vec<Attachment> {
        let conditions = self.reviewed.conditions();
        let manifest = ToolManifest { version, ..self.reviewed.manifest().clone() };
        let nothing = PhysicalReport::default();
        let shown = if version == 0 { String::new() } else { format!(" v{version}") };
        let image = image::draw(&image::Subject {
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
        let cases = self.reviewed.cases();
        let page = page::write(&page::Subject { manifest: &manifest, cases, conditions, files });
        let mut files = vec![
            Attachment { suffix: IMAGE_SUFFIX, bytes: image.into_bytes() },
            Attachment { suffix: PAGE_SUFFIX, bytes: page.into_bytes() },
        ];
        if let Ok(bytes) = &self.recording {
            files.push(Attachment { suffix: RECORDING_SUFFIX, bytes: bytes.clone() });
        }
        files
    }
}

/// Returns the beginning of the code's hash, by which people distinguish versions.
fn hash(manifest: &ToolManifest) -> &str {
    manifest.code_sha256.get(..12).unwrap_or(&manifest.code_sha256)
}
