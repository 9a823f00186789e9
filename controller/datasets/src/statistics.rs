//! Minimum, maximum, mean and standard deviation of each column and of the images, as in LeRobot's `compute_stats`.

use image::RgbImage;
use serde_json::{Map, Value, json};

use crate::DatasetError;
use crate::frame_index::OpenFrames;
use crate::table::{Column, Table};

/// Statistics of numbers. The standard deviation is that of the population, not of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Summary {
    min: f64,
    max: f64,
    mean: f64,
    std: f64,
}

impl Summary {
    /// Computes the statistics of values with their multiplicities.
    fn of(values: impl Iterator<Item = (f64, u64)> + Clone) -> Summary {
        let (mut min, mut max, mut sum, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0.0);
        for (value, times) in values.clone().map(times) {
            (min, max, sum, count) = (min.min(value), max.max(value), sum + value * times, count + times);
        }
        let mean = sum / count;
        let squares: f64 = values.map(times).map(|(value, times)| (value - mean).powi(2) * times).sum();
        Summary { min, max, mean, std: (squares / count).sqrt() }
    }
}

// No dataset has 2^53 of anything.
#[allow(clippy::cast_precision_loss)]
fn times((value, times): (f64, u64)) -> (f64, f64) {
    (value, times as f64)
}

/// Computes the statistics of all columns of an episode with at least one row.
pub fn of_table(table: &Table<'_>) -> Map<String, Value> {
    let of_column = |column: &Column<'_>| match column {
        Column::Lists { width, values } => {
            let each = (0..*width).map(|at| of_floats(values.iter().skip(at).step_by(*width)));
            to_json(&each.collect::<Vec<_>>(), table.rows, |summary| json!(summary))
        }
        Column::Floats(values) => to_json(&[of_floats(values.iter())], table.rows, |summary| json!(summary)),
        Column::Integers(values) => {
            let (min, max) = (values.iter().min(), values.iter().max());
            let Summary { mean, std, .. } = of_integers(values);
            json!({ "min": [min], "max": [max], "mean": [mean], "std": [std], "count": [table.rows] })
        }
    };
    table.columns.iter().map(|(name, column)| ((*name).into(), of_column(column))).collect()
}

fn of_floats<'a>(values: impl Iterator<Item = &'a f32> + Clone) -> Summary {
    Summary::of(values.map(|value| (f64::from(*value), 1)))
}

// Rows are counted in far less than 53 bits.
#[allow(clippy::cast_precision_loss)]
fn of_integers(values: &[i64]) -> Summary {
    Summary::of(values.iter().map(|value| (*value as f64, 1)))
}

fn to_json(each: &[Summary], count: usize, one: impl Fn(f64) -> Value) -> Value {
    let all = |of: fn(&Summary) -> f64| each.iter().map(of).map(&one).collect::<Vec<Value>>();
    json!({
        "min": all(|summary| summary.min),
        "max": all(|summary| summary.max),
        "mean": all(|summary| summary.mean),
        "std": all(|summary| summary.std),
        "count": [count],
    })
}

/// Histograms of red, green and blue, 0 to 255.
struct Histograms([[u64; 256]; 3]);

/// Computes the statistics of an episode's images for red, green and blue from 0 to 1. It samples some rows, and some pixels of
/// large images.
///
/// # Errors
///
/// Returns an error when an image cannot be read or is damaged.
pub fn of_images(mut album: OpenFrames<'_>, rows: &[usize]) -> Result<Value, DatasetError> {
    let mut histograms = Histograms([[0; 256]; 3]);
    let some = sampled_rows(rows.len());
    let mut last: Option<(usize, RgbImage)> = None;
    for picture in some.iter().filter_map(|row| rows.get(*row)) {
        let image = match last.take() {
            Some((number, image)) if number == *picture => image,
            _ => album.pixels(*picture)?,
        };
        histograms.add(&image);
        last = Some((*picture, image));
    }
    let each = histograms.0.map(|counts| {
        let values = counts.into_iter().enumerate().filter(|(_, times)| *times > 0);
        Summary::of(values.map(|(value, times)| (normalized(value), times)))
    });
    Ok(to_json(&each, some.len(), |summary| json!([[summary]])))
}

// Below 256.
#[allow(clippy::cast_precision_loss)]
fn normalized(value: usize) -> f64 {
    value as f64 / 255.0
}

impl Histograms {
    fn add(&mut self, image: &RgbImage) {
        let step = step(image.width(), image.height());
        for pixel in image.rows().step_by(step).flat_map(|row| row.step_by(step)) {
            for (counts, value) in self.0.iter_mut().zip(pixel.0) {
                counts.get_mut(usize::from(value)).into_iter().for_each(|times| *times += 1);
            }
        }
    }
}

/// Returns the sampling step. Of an image of 300 pixels or more, about 150 along its longer side are used.
fn step(width: u32, height: u32) -> usize {
    let longer = width.max(height);
    if longer < 300 { 1 } else { (longer / 150) as usize }
}

/// Selects evenly spaced rows whose images are used: all up to 100, about `rows` to the power of 3/4 of many, and at most
/// 10,000.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn sampled_rows(rows: usize) -> Vec<usize> {
    let most = ((rows as f64).powf(0.75) as usize).min(10_000);
    let count = most.max(rows.min(100));
    let step = rows.saturating_sub(1) as f64 / count.saturating_sub(1).max(1) as f64;
    (0..count).map(|at| (at as f64 * step).round_ties_even() as usize).collect()
}
