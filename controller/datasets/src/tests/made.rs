//! Synthetic traces, a video encoder that only counts, and helpers to read datasets back.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, Rgb, RgbImage};
use minismith_wire::recording::{Beat, Begin, End, FORMAT, Message, Motor, Part, Picture, Text, Voice};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Row;
use serde_json::Value;
use tempfile::TempDir;

use crate::{Encoded, Film, NoDataset, Options, Plan, Reel, Report};

/// A trace under construction, with two motors.
pub struct Made {
    pub lines: Vec<String>,
    pub beats: u64,
}

pub fn begin(name: &str, period_s: f64) -> Begin {
    let motor = |name: &str| Motor { name: name.into(), part: Part::Body, low_deg: -90.0, high_deg: 90.0 };
    let motors = vec![motor("yaw_body"), motor("left_antenna")];
    let about = String::new();
    Begin {
        format: FORMAT,
        name: name.into(),
        about,
        at: None,
        live: false,
        period_s,
        motors,
        legs: Vec::new(),
    }
}

impl Made {
    pub fn new(name: &str, period_s: f64) -> Made {
        let mut made = Made { lines: Vec::new(), beats: 0 };
        made.tell(&Message::Begin(begin(name, period_s)));
        made
    }

    pub fn tell(&mut self, message: &Message) -> &mut Made {
        self.lines.push(serde_json::to_string(message).unwrap());
        self
    }

    /// Adds a cycle in which both goals equal its number in degrees and the motors are ten degrees behind.
    pub fn beat(&mut self, beat: u64) -> &mut Made {
        let goal = (beat % 1000) as f64;
        self.beats += 1;
        let (goal_deg, present_deg) = (vec![goal, -goal], vec![goal - 10.0, -goal - 10.0]);
        self.tell(&Message::Beat(Box::new(Beat { beat, goal_deg, present_deg, ..Beat::default() })))
    }

    pub fn beats(&mut self, beats: std::ops::Range<u64>) -> &mut Made {
        beats.fold(self, |made, beat| made.beat(beat))
    }

    pub fn says(&mut self, voice: Voice, words: &str) -> &mut Made {
        self.tell(&Message::Text(Text { beat: Some(0), voice, words: words.into() }))
    }

    pub fn picture(&mut self, beat: u64, size: (u32, u32), colour: [u8; 3]) -> &mut Made {
        self.jpeg(beat, size, &jpeg(size, colour))
    }

    pub fn jpeg(&mut self, beat: u64, (width, height): (u32, u32), bytes: &[u8]) -> &mut Made {
        let picture = Picture { beat, jpeg: STANDARD.encode(bytes), width, height, seen: Vec::new() };
        self.tell(&Message::Picture(Box::new(picture)))
    }

    pub fn end(&mut self) -> &mut Made {
        let beats = self.beats;
        self.tell(&Message::End(End { beats, dropped: 0 }))
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
        let place = |(number, text): (usize, &String)| {
            let place = folder.path().join(format!("{number}.trace"));
            fs::write(&place, text).unwrap();
            place
        };
        let traces = traces.iter().enumerate().map(place).collect();
        Room { folder, traces }
    }

    pub fn of(made: &[&mut Made]) -> Room {
        Room::new(&made.iter().map(|made| made.text()).collect::<Vec<_>>())
    }

    pub fn dataset(&self) -> PathBuf {
        self.folder.path().join("dataset")
    }

    pub fn plan(&self) -> Result<Plan, NoDataset> {
        Plan::read(&self.traces, Options::default())
    }

    pub fn write(&self, film: &mut Counted) -> Result<Report, NoDataset> {
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

impl Film for Counted {
    fn film(&mut self, reel: &mut Reel<'_>) -> Result<Encoded, Box<dyn Error + Send + Sync>> {
        let taken: Vec<_> = reel.by_ref().collect();
        fs::write(reel.to, mp4(taken.len() - self.loses)).unwrap();
        self.films.push(taken);
        match self.fails {
            Some(reason) => Err(reason.into()),
            None => Ok(Encoded { codec: "h264".into(), pixels: "yuv420p".into() }),
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

impl Film for Idle {
    fn film(&mut self, reel: &mut Reel<'_>) -> Result<Encoded, Box<dyn Error + Send + Sync>> {
        fs::write(reel.to, mp4(0)).unwrap();
        Ok(Encoded { codec: "h264".into(), pixels: "yuv420p".into() })
    }
}
