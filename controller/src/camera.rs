//! The camera in the head, as those see it who only watch: a picture from where the head is, and its JPEG.

use std::sync::Arc;

use firmware_bridge::pulse::{Conductor, PulseHandle};
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use mock_robot::scene::{Picture, Scene};

use crate::stage::posture_of;

/// How good the JPEG is, of 100.
const QUALITY: u8 = 85;

/// A camera; any number may be cloned.
#[derive(Clone)]
pub struct Camera {
    scene: Arc<Scene>,
    pulse: PulseHandle,
}

impl Camera {
    /// In the head of a body that beats.
    #[must_use]
    pub const fn new(scene: Arc<Scene>, pulse: PulseHandle) -> Self {
        Camera { scene, pulse }
    }

    /// What it sees now; none when it can't be told where the head is. Takes some milliseconds.
    #[must_use]
    pub fn picture(&self) -> Option<Picture> {
        Some(self.scene.render(&posture_of(&self.pulse.snapshot())?.head))
    }
}

/// A picture as JPEG; none for one that is no picture. Takes some milliseconds.
#[must_use]
pub fn jpeg(picture: &Picture) -> Option<Vec<u8>> {
    let mut rgb = Vec::with_capacity(picture.bgr.len());
    for pixel in picture.bgr.chunks_exact(3) {
        rgb.extend(pixel.iter().rev());
    }
    let [width, height] = [picture.width, picture.height].map(|side| u32::try_from(side).ok());
    let (width, height) = (width?, height?);
    // The encoder would panic.
    if rgb.len() != picture.width * picture.height * 3 {
        return None;
    }
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, QUALITY)
        .encode(&rgb, width, height, ExtendedColorType::Rgb8)
        .ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use firmware_bridge::posture::HeadPose;

    use super::*;

    #[test]
    fn a_jpeg_shows_the_picture_in_its_own_colours() {
        let picture = Scene::default().render(&HeadPose::neutral());
        let decoded = image::load_from_memory(&jpeg(&picture).unwrap()).unwrap().to_rgb8();
        assert_eq!((decoded.width(), decoded.height()), (320, 240));
        let mut apart = 0_u64;
        for (shown, meant) in decoded.pixels().zip(picture.bgr.chunks_exact(3)) {
            apart += (0..3).map(|part| u64::from(shown[part].abs_diff(meant[2 - part]))).sum::<u64>();
        }
        let mean = apart as f64 / (320.0 * 240.0 * 3.0);
        assert!(mean < 3.0, "a pixel is {mean} off");
        assert_eq!(jpeg(&Picture { width: 321, ..picture }), None);
    }
}
