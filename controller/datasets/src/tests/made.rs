//! Synthetic traces, a video encoder that only counts, and helpers to read datasets back.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, Rgb, RgbImage};
use minismith_protocol::trace_format::{
    Cycle, FORMAT, Footer, Header, Image, Message, Motor, Part, Text, TextSource,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Row;
use serde_json::Value;
use tempfile::TempDir;

use crate::{DatasetError, EncodedVideo, FrameSequence, Options, Plan, Report, VideoEncoder};

/// A trace under construction, with two motors.
pub struct Made {
    pub lines: Vec<String>,
    pub cycles: u64,
}

pub fn begin(name: &str, period_s: f64) -> Header {
    let motor = |name: &str| Motor { name: name.into(), part: Part::Body, min_deg: -90.0, max_deg: 90.0 };
    let motors = vec![motor("yaw_body"), motor("left_antenna")];
    let about = String::new();
    Header {
        format: FORMAT,
        name: name.into(),
        description: about,
        start_time: None,
        is_live: false,
        period_s,
        motors,
        legs: Vec::new(),
    }
}

impl Made {
    pub fn new(name: &str, period_s: f64) -> Made {
        let mut made = Made { lines: Vec::new(), cycles: 0 };
        made.report(&Message::Header(begin(name, period_s)));
        made
    }

    pub fn report(&mut self, message: &Message) -> &mut Made {
        self.lines.push(serde_json::to_string(message).unwrap());
        self
    }

    /// Adds a cycle in which both goals equal its number in degrees and the motors are ten degrees behind.
    pub fn cycle(&mut self, cycle: u64) -> &mut Made {
        let goal = (cycle % 1000) as f64;
        self.cycles += 1;
        let (goal_deg, present_deg) = (vec![goal, -goal], vec![goal - 10.0, -goal - 10.0]);
        self.report(&Message::Cycle(Box::new(Cycle { cycle, goal_deg, present_deg, ..Cycle::default() })))
    }

    pub fn cycles(&mut self, cycles: std::ops::Range<u64>) -> &mut Made {
        cycles.fold(self, |made, cycle| made.cycle(cycle))
    }

    pub fn says(&mut self, voice: TextSource, words: &str) -> &mut Made {
        self.report(&Message::Text(Text { cycle: Some(0), source: voice, text: words.into() }))
    }

    pub fn image(&mut self, cycle: u64, size: (u32, u32), colour: [u8; 3]) -> &mut Made {
        self.jpeg(cycle, size, &jpeg(size, colour))
    }

    pub fn jpeg(&mut self, cycle: u64, (width, height): (u32, u32), bytes: &[u8]) -> &mut Made {
        let image = Image { cycle, jpeg: STANDARD.encode(bytes), width, height, detections: Vec::new() };
        self.report(&Message::Image(Box::new(image)))
    }

    pub fn end(&mut self) -> &mut Made {
        let cycles = self.cycles;
        self.report(&Message::Footer(Footer { cycles, dropped: 0 }))
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

pub fn jpeg((width, height): (u32, u32), colour: [u8; 3]) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    RgbImage::from_pixel(width, height, Rgb(colour)).write_to(&mut bytes, ImageFormat::Jpeg).unwrap();
    bytes.into_inner()
}

/// A temporary folder with traces and space for a dataset.
pub struct Room {
    pub folder: TempDir,
    pub traces: Vec<PathBuf>,
}

impl Room {
    pub fn new(traces: &[String]) -> Room {
        let folder = tempfile::tempdir().unwrap();
        let path = |(number, text): (usize, &String)| {
            let path = folder.path().join(format!("{number}.trace"));
            fs::write(&path, text).unwrap();
            path
        };
        let traces = traces.iter().enumerate().map(path).collect();
        Room { folder, traces }
    }

    pub fn of(made: &[&mut Made]) -> Room {
        Room::new(&made.iter().map(|made| made.text()).collect::<Vec<_>>())
    }

    pub fn dataset(&self) -> PathBuf {
        self.folder.path().join("dataset")
    }

    pub fn plan(&self) -> Result<Plan, DatasetError> {
        Plan::read(&self.traces, Options::default())
    }

    pub fn write(&self, film: &mut Counted) -> Result<Report, DatasetError> {
        self.plan()?.write(&self.dataset(), film)
    }

    /// Lists all files in the folder except the traces.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else if !self.traces.contains(&entry) {
                    found.push(entry.strip_prefix(self.folder.path()).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        found
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.dataset().join(name)).unwrap()).unwrap()
    }

    pub fn json_lines(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.dataset().join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn rows(&self, episode: usize) -> Vec<Row> {
        let file = self.dataset().join(format!("data/chunk-000/episode_{episode:06}.parquet"));
        let reader = SerializedFileReader::try_from(file.as_path()).unwrap();
        reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
    }
}

/// Returns the numbers of a list in a row.
pub fn list(row: &Row, column: usize) -> Vec<f32> {
    use parquet::record::{ListAccessor, RowAccessor};
    let list = row.get_list(column).unwrap();
    (0..list.len()).map(|at| list.get_float(at).unwrap()).collect()
}

/// Records the images, and writes an MP4 file that declares their number of frames.
#[derive(Default)]
pub struct Counted {
    pub films: Vec<Vec<Arc<[u8]>>>,
    /// Number of frames to lose.
    pub loses: usize,
    /// Error to fail with.
    pub fails: Option<&'static str>,
}

impl VideoEncoder for Counted {
    fn encode(&mut self, reel: &mut FrameSequence<'_>) -> Result<EncodedVideo, Box<dyn Error + Send + Sync>> {
        let taken: Vec<_> = reel.by_ref().collect();
        fs::write(reel.to, mp4(taken.len() - self.loses)).unwrap();
        self.films.push(taken);
        match self.fails {
            Some(reason) => Err(reason.into()),
            None => Ok(EncodedVideo { codec: "h264".into(), pixels: "yuv420p".into() }),
        }
    }
}

/// Creates an MP4 file without images.
pub fn mp4(frames: usize) -> Vec<u8> {
    let sizes = [&[0; 8][..], &u32::try_from(frames).unwrap().to_be_bytes()].concat();
    let track =
        ["stsz", "stbl", "minf", "mdia", "trak"].iter().fold(sizes, |inner, name| boxed(name, &inner));
    [boxed("ftyp", b"isom"), boxed("moov", &[boxed("mvhd", &[0; 4]), track].concat())].concat()
}

fn boxed(name: &str, inner: &[u8]) -> Vec<u8> {
    [&u32::try_from(inner.len() + 8).unwrap().to_be_bytes()[..], name.as_bytes(), inner].concat()
}

/// Encoder that takes no image.
pub struct Idle;

impl VideoEncoder for Idle {
    fn encode(&mut self, reel: &mut FrameSequence<'_>) -> Result<EncodedVideo, Box<dyn Error + Send + Sync>> {
        fs::write(reel.to, mp4(0)).unwrap();
        Ok(EncodedVideo { codec: "h264".into(), pixels: "yuv420p".into() })
    }
}
