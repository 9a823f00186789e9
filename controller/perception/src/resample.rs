//! Shows an image as another camera model would have taken it from the same place ([`Resampler`]): another size, focal length
//! or principal point, and without the distortion of the lens.

use firmware_bridge::camera::{BgrImage, CameraIntrinsics};
use nalgebra::Point3;

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
    target: CameraIntrinsics,
    /// Row by row; none if the models are equal.
    samples: Vec<Sample>,
}

impl Resampler {
    /// Prepares the way from one model to another. The lens of the target must be free of distortion: its image shows straight
    /// edges straight.
    #[must_use]
    pub fn new(source: CameraIntrinsics, target: CameraIntrinsics) -> Self {
        let samples = if source == target { Vec::new() } else { samples(&source, &target) };
        Resampler { source, target, samples }
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
            // The pixel, the one to its right, and the two below them.
            let (Some(upper), Some(lower)) = (bgr.get(at..at + 6), bgr.get(at + line..at + line + 6)) else {
                to.extend_from_slice(&[0; 3]);
                continue;
            };
            let (across, down) = (u32::from(sample.across), u32::from(sample.down));
            let mix = |pair: &[u8], channel: usize| {
                u32::from(pair[channel]) * (256 - across) + u32::from(pair[channel + 3]) * across
            };
            let value = |channel: usize| {
                ((mix(upper, channel) * (256 - down) + mix(lower, channel) * down + (1 << 15)) >> 16) as u8
            };
            to.extend_from_slice(&[value(0), value(1), value(2)]);
        }
        true
    }

    /// Returns the model of the images that it makes.
    #[must_use]
    pub const fn target(&self) -> &CameraIntrinsics {
        &self.target
    }
}

fn samples(source: &CameraIntrinsics, target: &CameraIntrinsics) -> Vec<Sample> {
    let (columns, rows) = (target.width as usize, target.height as usize);
    let [fx, fy] = target.focal_length;
    let [cx, cy] = target.principal_point;
    let seen = |column: usize, row: usize| {
        let point = Point3::new((column as f64 - cx) / fx, (row as f64 - cy) / fy, 1.0);
        source.project(&point)
    };
    let mut samples = Vec::with_capacity(columns * rows);
    for row in 0..rows {
        let mut next = seen(0, row);
        for column in 0..columns {
            let (here, right) = (next, seen(column + 1, row));
            next = right;
            samples.push(match (here, right) {
                // Far outside the calibrated area the model of a lens folds back: there is no image.
                (Some((u, v)), Some((u_right, _))) if u_right > u => sample(source, u, v),
                _ => Sample { at: OUTSIDE, across: 0, down: 0 },
            });
        }
    }
    samples
}

fn sample(source: &CameraIntrinsics, u: f64, v: f64) -> Sample {
    let (width, height) = (source.width, source.height);
    // Half a pixel beyond the centres of the outermost pixels still belongs to the image.
    if !(-0.5..=width - 0.5).contains(&u) || !(-0.5..=height - 0.5).contains(&v) {
        return Sample { at: OUTSIDE, across: 0, down: 0 };
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
        let target = rectified();
        for source in [CameraIntrinsics::pinhole(320, 240), Known::Lite.intrinsics(480, 324), Known::Arducam.intrinsics(320, 180)] {
            let mut seen = Vec::new();
            assert!(Resampler::new(source, target).apply(&directions(&source), &mut seen));
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
        assert!(Resampler::new(camera, camera).apply(&image, &mut same));
        assert_eq!(same, image.bgr);
        assert!(!Resampler::new(camera.scaled(80, 45), camera).apply(&image, &mut same));
    }

    #[test]
    fn a_narrow_camera_leaves_the_rest_black() {
        let narrow = CameraIntrinsics { focal_length: [400.0, 400.0], ..rectified() };
        let mut seen = Vec::new();
        assert!(Resampler::new(narrow, rectified()).apply(&directions(&narrow), &mut seen));
        assert_eq!(&seen[..3], [0; 3]);
        assert_ne!(&seen[(45 * 160 + 80) * 3..][..3], [0; 3]);
    }
}
