//! Shows an image as another camera model would have taken it from the same place ([`Resampler`]): with another size, focal
//! length, principal point or lens.

use firmware_bridge::camera::{BgrImage, CameraIntrinsics};
use nalgebra::{Point3, Vector2};

/// One pixel of the result: the pixel of the source to its upper left, and how far towards the next ones it lies.
#[derive(Clone, Copy)]
struct Sample {
    /// The first byte of that pixel; [`OUTSIDE`] where the source has no image.
    at: u32,
    /// 256ths of a pixel to the right.
    across: u8,
    /// 256ths of a pixel down.
    down: u8,
}

const OUTSIDE: u32 = u32::MAX;

/// Resamples images of one camera model to another one. Making it takes some hundredths of a second; it is kept for all images.
pub struct Resampler {
    source: CameraIntrinsics,
    /// Row by row; none if the models are equal.
    samples: Vec<Sample>,
}

impl Resampler {
    /// Prepares the way from one model to another.
    #[must_use]
    pub fn new(source: CameraIntrinsics, target: &CameraIntrinsics) -> Self {
        let samples = if source == *target { Vec::new() } else { samples(&source, target) };
        Resampler { source, samples }
    }

    /// Returns the model of the images that it takes.
    #[must_use]
    pub const fn source(&self) -> &CameraIntrinsics {
        &self.source
    }

    /// Writes the image as the target would have taken it: `height * width * 3` bytes in rows from the top, blue, green, red.
    /// What the source does not show is black. Returns whether the image has the size of the source's model.
    pub fn apply(&self, image: &BgrImage, to: &mut Vec<u8>) -> bool {
        let width = self.source.width as usize;
        if (image.width, image.height) != (width, self.source.height as usize) {
            return false;
        }
        if self.samples.is_empty() {
            to.clone_from(&image.bgr);
            return true;
        }
        to.clear();
        to.reserve(self.samples.len() * 3);
        let (bgr, line) = (image.bgr.as_slice(), width * 3);
        for sample in &self.samples {
            let at = sample.at as usize;
            // The pixel and the one to its right, and the two below them.
            let (Some(upper), Some(lower)) = (
                bgr.get(at..).and_then(<[u8]>::first_chunk),
                bgr.get(at + line..).and_then(<[u8]>::first_chunk),
            ) else {
                to.extend_from_slice(&[0; 3]);
                continue;
            };
            let (upper, lower) = (mixed(upper, sample.across), mixed(lower, sample.across));
            let down = u32::from(sample.down);
            let value =
                |(upper, lower): (u32, u32)| ((upper * (256 - down) + lower * down + (1 << 15)) >> 16) as u8;
            to.extend(upper.into_iter().zip(lower).map(value));
        }
        true
    }
}

/// The distance of the pixels for which the way through both lenses is computed, pixels; what lies between is interpolated,
/// which is off by less than a tenth of a pixel for the robot's lenses.
const GRID: usize = 8;

/// Mixes a pixel and the one to its right; 256 times the value of each channel.
fn mixed(pair: &[u8; 6], across: u8) -> [u32; 3] {
    let [blue, green, red, next_blue, next_green, next_red] = pair.map(u32::from);
    let (own, next) = (256 - u32::from(across), u32::from(across));
    [blue * own + next_blue * next, green * own + next_green * next, red * own + next_red * next]
}

const NOTHING: Sample = Sample { at: OUTSIDE, across: 0, down: 0 };

fn samples(source: &CameraIntrinsics, target: &CameraIntrinsics) -> Vec<Sample> {
    let (columns, rows) = (target.width as usize, target.height as usize);
    let seen = |column: usize, row: usize| {
        let ray = target.unproject(column as f64, row as f64)?;
        let (u, v) = source.project(&Point3::from(ray))?;
        // Far outside the calibrated area the model of a lens folds back: there is no image.
        let back = source.unproject(u, v)?;
        ((back - ray).norm() < 1e-3).then_some(Vector2::new(u, v))
    };
    let mut samples = vec![NOTHING; columns * rows];
    for top in (0..rows).step_by(GRID) {
        for left in (0..columns).step_by(GRID) {
            let corner = |right: usize, down: usize| seen(left + right * GRID, top + down * GRID);
            let corners = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
            let cell = (top..rows.min(top + GRID))
                .flat_map(|row| (left..columns.min(left + GRID)).map(move |column| (column, row)));
            for (column, row) in cell {
                let place = match corners {
                    [Some(a), Some(b), Some(c), Some(d)] => {
                        let (x, y) = ((column - left) as f64 / GRID as f64, (row - top) as f64 / GRID as f64);
                        Some((a * (1.0 - x) + b * x) * (1.0 - y) + (c * (1.0 - x) + d * x) * y)
                    }
                    // At the edge of what the source shows.
                    _ => seen(column, row),
                };
                if let (Some(place), Some(slot)) = (place, samples.get_mut(row * columns + column)) {
                    *slot = sample(source, place.x, place.y);
                }
            }
        }
    }
    samples
}

fn sample(source: &CameraIntrinsics, u: f64, v: f64) -> Sample {
    let (width, height) = (source.width, source.height);
    // Half a pixel beyond the centres of the outermost pixels still belongs to the image.
    if !(-0.5..=width - 0.5).contains(&u) || !(-0.5..=height - 0.5).contains(&v) {
        return NOTHING;
    }
    let split = |value: f64, size: f64| {
        let value = value.clamp(0.0, size - 1.0 - 1.0 / 256.0).max(0.0);
        (value.floor(), ((value.fract()) * 256.0) as u8)
    };
    let ((column, across), (row, down)) = (split(u, width), split(v, height));
    let at = (row * width + column) * 3.0;
    Sample { at: at as u32, across, down }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::camera::Distortion;

    use super::*;
    use crate::camera::lens::Known;

    fn rectified() -> CameraIntrinsics {
        CameraIntrinsics {
            width: 160.0,
            height: 90.0,
            focal_length: [80.0, 80.0],
            principal_point: [80.0, 45.0],
            distortion: Distortion::default(),
        }
    }

    /// An image whose blue and green tell the direction: 100 per focal length to the right and down, around 128.
    fn directions(camera: &CameraIntrinsics) -> BgrImage {
        let (width, height) = (camera.width as usize, camera.height as usize);
        let mut bgr = Vec::new();
        for row in 0..height {
            for column in 0..width {
                let ray = camera.unproject(column as f64, row as f64);
                let told = |along: f64| (128.0 + 100.0 * along).clamp(1.0, 255.0).round() as u8;
                bgr.extend(ray.map_or([0; 3], |ray| [told(ray.x / ray.z), told(ray.y / ray.z), 255]));
            }
        }
        BgrImage::of(height, width, bgr).unwrap()
    }

    #[test]
    fn every_pixel_shows_what_lies_in_its_own_direction() {
        let pairs = [
            (CameraIntrinsics::pinhole(320, 240), rectified()),
            (CameraIntrinsics::pinhole(320, 240), Known::Lite.intrinsics(160, 90)),
            (Known::Lite.intrinsics(480, 324), rectified()),
            (Known::Arducam.intrinsics(320, 180), rectified()),
        ];
        for (source, target) in pairs {
            let mut seen = Vec::new();
            assert!(Resampler::new(source, &target).apply(&directions(&source), &mut seen));
            let wanted = directions(&target);
            let mut shown = 0;
            for (pixel, own) in seen.chunks(3).zip(wanted.bgr.chunks(3)) {
                if pixel[2] < 255 {
                    continue;
                }
                shown += 1;
                let off = |channel: usize| i16::from(pixel[channel]).abs_diff(i16::from(own[channel]));
                assert!(off(0) <= 2 && off(1) <= 2, "{pixel:?} instead of {own:?}");
            }
            assert!(shown > 160 * 90 * 85 / 100, "{shown} pixels of {source:?}");
        }
    }

    #[test]
    fn the_same_model_copies_and_another_size_is_refused() {
        let camera = rectified();
        let image = directions(&camera);
        let mut same = Vec::new();
        assert!(Resampler::new(camera, &camera).apply(&image, &mut same));
        assert_eq!(same, image.bgr);
        assert!(!Resampler::new(camera.scaled(80, 45), &camera).apply(&image, &mut same));
    }

    #[test]
    fn a_narrow_camera_leaves_the_rest_black() {
        let narrow = CameraIntrinsics { focal_length: [400.0, 400.0], ..rectified() };
        let mut seen = Vec::new();
        assert!(Resampler::new(narrow, &rectified()).apply(&directions(&narrow), &mut seen));
        assert_eq!(&seen[..3], [0; 3]);
        assert_ne!(&seen[(45 * 160 + 80) * 3..][..3], [0; 3]);
    }
}
