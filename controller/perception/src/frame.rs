//! A camera image with its capture time and head pose ([`Frame`]).
//!
//! All callers share one copy. It holds the bytes that arrived, and is decoded or encoded at most once, on the first request.
//!
//! Camera data is untrusted: images that are too large are rejected before decoding.

use std::io::Cursor;
use std::sync::{Arc, OnceLock};

use firmware_bridge::camera::{BgrImage, CameraIntrinsics, head_from_camera};
use firmware_bridge::clock::Timestamp;
use firmware_bridge::posture::HeadPose;
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageFormat, ImageReader, Limits};
use nalgebra::{Isometry3, Point3, Unit, Vector3};

/// JPEG quality of encoded images, of 100.
const JPEG_QUALITY: u8 = 85;

/// Maximum width and height of a decoded image in pixels.
pub const MAX_IMAGE_BYTES: u32 = 4_096;

/// Reports bytes that are not a valid image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the image: {0}")]
pub struct DecodeError(pub String);

/// Camera output: pixels, or a JPEG that is stored unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// Pixels.
    Bgr(BgrImage),
    /// A JPEG.
    Jpeg(Vec<u8>),
}

/// Head pose at a moment.
#[derive(Clone, Copy, Debug)]
pub struct CameraPose {
    /// Robot time.
    pub time: Timestamp,
    /// Head pose: `world_from_head`.
    pub head: HeadPose,
}

/// Identifies pixels: two images with equal keys have equal pixels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContentKey(pub Arc<[u64]>);

/// A camera image with its capture time and head pose.
#[derive(Debug)]
pub struct Frame {
    /// Sequence number of the camera's images.
    pub seq: u64,
    /// Capture time, and head pose at that time.
    pub from: CameraPose,
    /// Camera intrinsics, for the size of this image.
    intrinsics: CameraIntrinsics,
    image: OnceLock<Result<Arc<BgrImage>, DecodeError>>,
    jpeg: OnceLock<Result<Arc<[u8]>, DecodeError>>,
    content: Option<ContentKey>,
}

impl Frame {
    /// Creates a frame from camera output.
    #[must_use]
    pub fn new(number: u64, from: CameraPose, intrinsics: CameraIntrinsics, image: Image) -> Self {
        let (picture, jpeg) = (OnceLock::new(), OnceLock::new());
        // Both cells are new, so setting one always succeeds.
        let _was_empty = match image {
            Image::Bgr(bgr) => picture.set(Ok(Arc::new(bgr))).is_ok(),
            Image::Jpeg(bytes) => jpeg.set(Ok(bytes.into())).is_ok(),
        };
        Frame { seq: number, from, intrinsics, image: picture, jpeg, content: None }
    }

    /// Creates a frame from pixels that other frames may share. `content` identifies the pixels, if that is known.
    #[must_use]
    pub fn of_shared(
        number: u64,
        from: CameraPose,
        intrinsics: CameraIntrinsics,
        image: Arc<BgrImage>,
        content: Option<ContentKey>,
    ) -> Self {
        Frame {
            seq: number,
            from,
            intrinsics,
            image: OnceLock::from(Ok(image)),
            jpeg: OnceLock::new(),
            content,
        }
    }

    /// Returns what identifies its pixels. `None` for a real camera, no two images of which are equal.
    #[must_use]
    pub const fn content(&self) -> Option<&ContentKey> {
        self.content.as_ref()
    }

    /// Returns the pixels. The first call on a JPEG decodes it, which takes a few milliseconds.
    ///
    /// # Errors
    /// Returns [`DecodeError`] when the camera sent an invalid image.
    pub fn image(&self) -> Result<Arc<BgrImage>, DecodeError> {
        self.image
            .get_or_init(|| match self.jpeg.get() {
                Some(Ok(bytes)) => decode(bytes).map(Arc::new),
                _ => Err(DecodeError("the camera sent no data".into())),
            })
            .clone()
    }

    /// Returns the JPEG: unchanged as it arrived, or encoded on the first call.
    ///
    /// # Errors
    /// Returns [`DecodeError`] when the camera sent an invalid image.
    pub fn jpeg(&self) -> Result<Arc<[u8]>, DecodeError> {
        self.jpeg
            .get_or_init(|| match self.image.get() {
                Some(Ok(image)) => encode(image).map(Into::into),
                _ => Err(DecodeError("the camera sent no data".into())),
            })
            .clone()
    }

    /// Returns whether its pixels are available without decoding.
    #[must_use]
    pub fn is_decoded(&self) -> bool {
        self.image.get().is_some()
    }

    /// Returns the camera pose: `world_from_camera`.
    #[must_use]
    pub fn world_from_camera(&self) -> Isometry3<f64> {
        self.from.head.0 * head_from_camera()
    }

    /// Returns the intrinsics for an image of this size.
    #[must_use]
    pub fn intrinsics_for(&self, image: &BgrImage) -> CameraIntrinsics {
        self.intrinsics.scaled(image.width, image.height)
    }

    /// Returns the world direction of an image pixel, or `None` where the distortion model is not valid.
    #[must_use]
    pub fn direction(&self, image: &BgrImage, u: f64, v: f64) -> Option<Unit<Vector3<f64>>> {
        let ray = self.intrinsics_for(image).unproject(u, v)?;
        Some(Unit::new_normalize(self.world_from_camera().rotation * ray))
    }

    /// Returns the image pixel of a world point, which may lie outside the image, or `None` behind the camera.
    #[must_use]
    pub fn pixel(&self, image: &BgrImage, point: &Point3<f64>) -> Option<(f64, f64)> {
        self.intrinsics_for(image).project(&self.world_from_camera().inverse_transform_point(point))
    }
}

/// Decodes a JPEG or a PNG.
///
/// # Errors
/// Returns [`DecodeError`] for other or invalid data, and when a side exceeds [`MAX_IMAGE_BYTES`] pixels.
pub fn decode(bytes: &[u8]) -> Result<BgrImage, DecodeError> {
    let no = |error: &dyn std::fmt::Display| DecodeError(error.to_string());
    let mut reader =
        ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|error| no(&error))?;
    match reader.format() {
        Some(ImageFormat::Jpeg | ImageFormat::Png) => {}
        _ => return Err(DecodeError("neither a JPEG nor a PNG".into())),
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_IMAGE_BYTES);
    limits.max_image_height = Some(MAX_IMAGE_BYTES);
    reader.limits(limits);
    let rgb = reader.decode().map_err(|error| no(&error))?.into_rgb8();
    let (width, height) = (rgb.width() as usize, rgb.height() as usize);
    let mut bgr = rgb.into_raw();
    for pixel in bgr.chunks_exact_mut(3) {
        pixel.reverse();
    }
    BgrImage::of(height, width, bgr).ok_or_else(|| DecodeError("the image is empty".into()))
}

/// Encodes an image as JPEG. It takes a few milliseconds.
///
/// # Errors
/// Returns [`DecodeError`] when the number of bytes does not match the size.
pub fn encode(image: &BgrImage) -> Result<Vec<u8>, DecodeError> {
    let side =
        |pixels: usize| u32::try_from(pixels).map_err(|_| DecodeError("the image is too large".into()));
    // The encoder panics on a wrong length.
    if image.bgr.len() != image.width * image.height * 3 {
        return Err(DecodeError("the number of pixels does not match the size".into()));
    }
    let mut rgb = image.bgr.clone();
    for pixel in rgb.chunks_exact_mut(3) {
        pixel.reverse();
    }
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY)
        .encode(&rgb, side(image.width)?, side(image.height)?, ExtendedColorType::Rgb8)
        .map_err(|error| DecodeError(error.to_string()))?;
    Ok(bytes)
}

/// Resizes an image. When it shrinks, each pixel is the mean of the pixels it covers.
#[must_use]
pub fn resized(picture: &BgrImage, width: usize, height: usize) -> BgrImage {
    if (picture.width, picture.height) == (width, height) || width == 0 || height == 0 {
        return picture.clone();
    }
    let side = |pixels: usize| u32::try_from(pixels).unwrap_or(u32::MAX);
    // The order of the channels does not matter here.
    let Some(image) =
        image::RgbImage::from_raw(side(picture.width), side(picture.height), picture.bgr.clone())
    else {
        return picture.clone();
    };
    let small =
        image::imageops::resize(&image, side(width), side(height), image::imageops::FilterType::Triangle);
    BgrImage { height, width, bgr: small.into_raw() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(width: usize, height: usize) -> BgrImage {
        let mut bgr = Vec::new();
        for row in 0..height {
            for column in 0..width {
                bgr.extend([(255 * column / width) as u8, (255 * row / height) as u8, 40]);
            }
        }
        BgrImage::of(height, width, bgr).unwrap()
    }

    fn frame(image: Image) -> Frame {
        let from = CameraPose { time: Timestamp::ZERO, head: HeadPose::neutral() };
        Frame::new(1, from, CameraIntrinsics::pinhole(320, 240), image)
    }

    #[test]
    fn frame_stores_a_jpeg_unchanged_and_decodes_it_once() {
        let bytes = encode(&ramp(64, 48)).unwrap();
        let frame = frame(Image::Jpeg(bytes.clone()));
        assert!(!frame.is_decoded());
        assert_eq!(frame.jpeg().unwrap().as_ref(), bytes.as_slice());
        let image = frame.image().unwrap();
        assert!(Arc::ptr_eq(&image, &frame.image().unwrap()));
        let difference: u64 = ramp(64, 48)
            .bgr
            .iter()
            .zip(&image.bgr)
            .map(|(expected, actual)| u64::from(expected.abs_diff(*actual)))
            .sum();
        assert!(difference < 3 * image.bgr.len() as u64, "{difference}");
        // The intrinsics are the camera's, scaled to this image.
        let intrinsics = frame.intrinsics_for(&image);
        assert!((intrinsics.focal_length[0] - 550.4 / 1280.0 * 64.0).abs() < 1e-9);
    }

    #[test]
    fn decode_rejects_invalid_and_oversized_images() {
        assert!(frame(Image::Jpeg(b"not a picture".to_vec())).image().is_err());
        assert!(frame(Image::Jpeg(Vec::new())).image().is_err());
        let mut cut = encode(&ramp(64, 48)).unwrap();
        cut.truncate(40);
        assert!(decode(&cut).is_err());
        // A header that declares 60,000 by 60,000 pixels.
        let mut huge = encode(&ramp(64, 48)).unwrap();
        let at = huge.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
        huge[at + 5..at + 9].copy_from_slice(&[0xea, 0x60, 0xea, 0x60]);
        assert!(decode(&huge).is_err());
        assert!(encode(&BgrImage { width: 5, height: 5, bgr: vec![0; 7] }).is_err());
    }

    #[test]
    fn direction_and_pixel_are_inverse() {
        let frame = frame(Image::Bgr(ramp(320, 240)));
        let image = frame.image().unwrap();
        let direction = frame.direction(&image, 200.0, 90.0).unwrap();
        let eye = Point3::from(frame.world_from_camera().translation.vector);
        let (u, v) = frame.pixel(&image, &(eye + direction.into_inner() * 3.0)).unwrap();
        assert!((u - 200.0).abs() < 1e-9 && (v - 90.0).abs() < 1e-9);
        // Right in the image is the robot's right, and up is up.
        assert!(direction.y < 0.0 && direction.z > 0.0 && direction.x > 0.0);
    }

    #[test]
    fn resized_preserves_the_content() {
        let small = resized(&ramp(64, 48), 32, 24);
        assert_eq!((small.width, small.height, small.bgr.len()), (32, 24, 32 * 24 * 3));
        let (large, small) = (ramp(64, 48).pixel(20, 20).unwrap(), small.pixel(10, 10).unwrap());
        for (one, other) in large.iter().zip(small) {
            assert!(one.abs_diff(other) <= 8);
        }
    }
}
