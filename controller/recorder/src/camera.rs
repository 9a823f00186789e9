//! Camera images: `/camera` contains the unchanged images, `/camera/seen` the detections in each.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minismith_protocol::trace_format::{DetectedObject, Image};
use re_sdk::RecordingStreamResult;
use re_sdk_types::DynamicArchetype;
use re_sdk_types::archetypes::{Boxes2D, EncodedImage};
use re_sdk_types::components::Scalar;

use crate::stream::RerunStream;

const IMAGES: &str = "/camera";
const SEEN: &str = "/camera/seen";

/// A validated image with its JPEG data.
#[derive(Debug)]
pub struct Shot {
    image: Image,
    jpeg: Vec<u8>,
}

impl Shot {
    /// Validates an image.
    ///
    /// # Errors
    /// Returns a message when it is invalid.
    pub fn of(image: Image) -> Result<Self, String> {
        let jpeg = STANDARD
            .decode(&image.jpeg)
            .map_err(|error| format!("the image is not valid base64: {error}"))?;
        if !jpeg.starts_with(&[0xff, 0xd8, 0xff]) {
            return Err("the image is not a JPEG".into());
        }
        let sides = [image.width, image.height];
        if sides.iter().any(|side| !(1..=1 << 14).contains(side)) {
            return Err(format!("invalid image size: {} by {} pixels", image.width, image.height));
        }
        let numbers = image.detections.iter().flat_map(|seen| seen.bbox_xyxy.iter().chain([&seen.score]));
        // Viewers use 32-bit floats.
        if !numbers.into_iter().all(|number| (*number as f32).is_finite()) {
            return Err("a detection has a bound or a score that is not finite".into());
        }
        Ok(Shot { image, jpeg })
    }

    /// Returns the control cycle at which it was taken.
    pub const fn cycle(&self) -> u64 {
        self.image.cycle
    }
}

/// Draws an image and its detections, even if there are none, so that earlier detections disappear.
pub fn image(sheet: &RerunStream, Shot { image, jpeg }: &Shot) -> RecordingStreamResult<()> {
    let columns = EncodedImage::new(jpeg.clone()).with_media_type("image/jpeg").columns_of_unit_batches()?;
    sheet.draw(IMAGES, [image.cycle], columns)?;
    let seen = &image.detections;
    let corners = |seen: &DetectedObject| seen.bbox_xyxy.map(|pixels| pixels as f32);
    let boxes = Boxes2D::from_mins_and_sizes(
        seen.iter().map(|one| {
            let [left, top, ..] = corners(one);
            [left, top]
        }),
        seen.iter().map(|one| {
            let [left, top, right, bottom] = corners(one);
            [right - left, bottom - top]
        }),
    )
    .with_labels(seen.iter().map(|one| format!("{} {:.2}", one.label, one.score)));
    let scores = DynamicArchetype::new("minismith.Seen")
        .with_component::<Scalar>("scores", seen.iter().map(|one| one.score));
    let scores = re_sdk::AsComponents::as_serialized_batches(&scores);
    let columns = boxes.columns([seen.len()])?.collect::<Vec<_>>();
    let scores: Vec<_> =
        scores.into_iter().map(|batch| batch.partitioned([seen.len()])).collect::<Result<_, _>>()?;
    sheet.draw(SEEN, [image.cycle], columns.into_iter().chain(scores))
}
