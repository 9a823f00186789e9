//! Encodes the camera's images as H.264, which every browser decodes, in the baseline profile.

use image::codecs::jpeg::JpegDecoder;
use image::{DynamicImage, ImageDecoder, RgbImage};
use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, Profile,
    RateControlMode, SpsPpsStrategy, UsageType,
};
use openh264::formats::{RgbSliceU8, YUVBuffer};

/// Frames per second that are asked of the camera.
pub const FRAMES_PER_SECOND: u32 = 15;

/// The rate that the encoder aims at, bits per second: good for 1280 x 720 pixels on a local network.
const BITS_PER_SECOND: u32 = 2_000_000;

/// The longest distance between two frames that can be decoded alone, frames: ten seconds. A peer that needs one asks.
const MAX_KEYFRAME_INTERVAL: u32 = 10 * FRAMES_PER_SECOND;

/// The largest image, pixels on a side.
const MAX_SIDE_PX: u32 = 4096;

/// Reports an image that cannot be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// It is no image of a camera.
    #[error("cannot decode an image of the camera: {0}")]
    Image(#[from] image::ImageError),
    /// Its size is not one of a camera.
    #[error(
        "an image of the camera has {width} x {height} pixels, which is too small or too large for video"
    )]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// The encoder reports an error.
    #[error("cannot encode an image of the camera: {0}")]
    Encoder(#[from] openh264::Error),
}

/// A frame of H.264, with its start codes.
#[derive(Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether it can be decoded without the frames before it.
    pub is_keyframe: bool,
}

/// Encodes JPEG images of any size; after a change of size, the next frame is a keyframe.
pub struct VideoEncoder {
    encoder: Encoder,
}

impl VideoEncoder {
    /// Starts an encoder.
    ///
    /// # Errors
    /// When the encoder has no memory.
    pub fn new() -> Result<Self, EncodeError> {
        let config = EncoderConfig::new()
            .bitrate(BitRate::from_bps(BITS_PER_SECOND))
            .max_frame_rate(FrameRate::from_hz(FRAMES_PER_SECOND as f32))
            .rate_control_mode(RateControlMode::Bitrate)
            .usage_type(UsageType::CameraVideoRealTime)
            .complexity(Complexity::Low)
            .profile(Profile::Baseline)
            .sps_pps_strategy(SpsPpsStrategy::ConstantId)
            .intra_frame_period(IntraFramePeriod::from_num_frames(MAX_KEYFRAME_INTERVAL))
            .num_threads(1);
        Ok(VideoEncoder { encoder: Encoder::with_api_config(OpenH264API::from_source(), config)? })
    }

    /// Encodes an image; none if the encoder skips it to stay within its rate.
    ///
    /// # Errors
    /// [`EncodeError`]; the next image may be encoded.
    pub fn encode(&mut self, jpeg: &[u8], as_keyframe: bool) -> Result<Option<Encoded>, EncodeError> {
        let rgb = decoded(jpeg)?;
        let (width, height) = (rgb.width() as usize, rgb.height() as usize);
        let frame = YUVBuffer::from_rgb8_source(RgbSliceU8::new(rgb.as_raw(), (width, height)));
        if as_keyframe {
            self.encoder.force_intra_frame();
        }
        let stream = self.encoder.encode(&frame)?;
        let is_keyframe = match stream.frame_type() {
            FrameType::IDR => true,
            FrameType::I | FrameType::P | FrameType::IPMixed => false,
            FrameType::Invalid | FrameType::Skip => return Ok(None),
        };
        Ok(Some(Encoded { bytes: stream.to_vec(), is_keyframe }))
    }
}

/// Decodes an image, and cuts it to even sides, since colours have half the resolution.
fn decoded(jpeg: &[u8]) -> Result<RgbImage, EncodeError> {
    let decoder = JpegDecoder::new(std::io::Cursor::new(jpeg))?;
    let (width, height) = decoder.dimensions();
    let (even_width, even_height) = (width & !1, height & !1);
    if !(16..=MAX_SIDE_PX).contains(&width) || !(16..=MAX_SIDE_PX).contains(&height) {
        return Err(EncodeError::Size { width, height });
    }
    let mut rgb = DynamicImage::from_decoder(decoder)?.into_rgb8();
    if (even_width, even_height) != (width, height) {
        rgb = image::imageops::crop_imm(&rgb, 0, 0, even_width, even_height).to_image();
    }
    Ok(rgb)
}

#[cfg(test)]
mod tests {
    use openh264::decoder::Decoder;
    use openh264::formats::YUVSource;

    use super::*;

    fn jpeg(width: u32, height: u32, shade: u8) -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let image = RgbImage::from_fn(width, height, |x, _| image::Rgb([shade, (x % 256) as u8, shade]));
        DynamicImage::from(image).write_to(&mut bytes, image::ImageFormat::Jpeg).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn frames_are_decoded_again() {
        let mut encoder = VideoEncoder::new().unwrap();
        let mut decoder = Decoder::new().unwrap();
        let mut keyframes = Vec::new();
        for index in 0..6_u8 {
            let frame = encoder.encode(&jpeg(321, 240, 40 * index), index == 4).unwrap().unwrap();
            assert!(frame.bytes.starts_with(&[0, 0, 0, 1]));
            keyframes.push(frame.is_keyframe);
            let image = decoder.decode(&frame.bytes).unwrap().unwrap();
            assert_eq!(image.dimensions(), (320, 240));
        }
        assert_eq!(keyframes, [true, false, false, false, true, false]);
    }

    #[test]
    fn a_new_size_begins_with_a_keyframe() {
        let mut encoder = VideoEncoder::new().unwrap();
        let _first = encoder.encode(&jpeg(320, 240, 9), false).unwrap();
        let other = encoder.encode(&jpeg(640, 480, 9), false).unwrap().unwrap();
        assert!(other.is_keyframe);
    }

    #[test]
    fn what_is_no_image_is_an_error() {
        let mut encoder = VideoEncoder::new().unwrap();
        for wrong in [&b""[..], b"\xff\xd8\xff", b"not an image"] {
            assert!(matches!(encoder.encode(wrong, false), Err(EncodeError::Image(_))), "{wrong:?}");
        }
        assert!(matches!(encoder.encode(&jpeg(8, 8, 1), false), Err(EncodeError::Size { .. })));
        assert!(encoder.encode(&jpeg(64, 64, 1), false).unwrap().is_some());
    }
}
