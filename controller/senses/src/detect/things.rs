//! Things: CenterNet on MobileNetV3, for the 80 classes of COCO.

use firmware_bridge::camera::Picture;
use ort::session::Session;
use ort::value::TensorRef;

use super::fit::Fit;
use super::{Bounds, DetectFault, Thing, apart, looked_at};
use crate::models::{ModelFile, Models, NoModel};

/// The model: that of github.com/610265158/mobilenetv3_centernet.
pub const MODEL: ModelFile = ModelFile {
    what: "finding things",
    file: "centernet.onnx",
    sha256: "76fcdca0ac6f66c9a60d9927df6a439e6015c1972cba10c5ee3939d761f7ee64",
};

/// The side of the square that the model looks at, pixels.
const SIDE: usize = 512;

/// Two things that share more than this are one.
const SAME: f64 = 0.5;

/// The class of people, also of those of whom a face was found.
pub const PERSON: &str = "person";

/// The classes, in the model's order.
#[rustfmt::skip]
pub const LABELS: [&str; 80] = [
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow",
    "elephant", "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee",
    "skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard",
    "tennis racket", "bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple",
    "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch",
    "potted plant", "bed", "dining table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard", "cell phone",
    "microwave", "oven", "toaster", "sink", "refrigerator", "book", "clock", "vase", "scissors", "teddy bear",
    "hair drier", "toothbrush",
];

/// Finds things; for one thread.
pub struct ThingDetector {
    session: Session,
    threshold: f64,
    fit: Fit,
    square: Vec<f32>,
    size: (usize, usize),
}

impl ThingDetector {
    /// Opens the model.
    ///
    /// # Errors
    /// When it is not installed or can't be used.
    pub fn open(models: &Models) -> Result<Self, NoModel> {
        let session = models.session(&MODEL)?;
        Ok(ThingDetector {
            session,
            threshold: 0.45,
            fit: Fit::default(),
            square: vec![0.0; SIDE * SIDE * 3],
            size: (0, 0),
        })
    }

    /// The same, for things of which the model is at least this sure; 0.45 otherwise.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        ThingDetector { threshold, ..self }
    }

    /// The things in a picture, the surest first, in the picture's own pixels; a thing may reach beyond its edges.
    ///
    /// # Errors
    /// When it is no picture, or the model fails.
    pub fn detect(&mut self, picture: &Picture) -> Result<Vec<Thing>, DetectFault> {
        looked_at(picture, None)?;
        // The whole picture in the middle of the square, with its proportions: stretched, a cat becomes a dog.
        let scale = SIDE as f64 / picture.width.max(picture.height) as f64;
        let side = |pixels: usize| ((pixels as f64 * scale).round() as usize).clamp(1, SIDE);
        let (width, height) = (side(picture.width), side(picture.height));
        let (left, above) = ((SIDE - width) / 2, (SIDE - height) / 2);
        if self.size != (width, height) {
            self.square.fill(0.0);
            self.size = (width, height);
        }
        let square = &mut self.square;
        self.fit.rows(picture, width, height, |row, pixels| {
            let at = ((above + row) * SIDE + left) * 3;
            let Some(line) = square.get_mut(at..at + width * 3) else { return };
            for (rgb, bgr) in line.chunks_exact_mut(3).zip(pixels.chunks_exact(3)) {
                if let ([red, green, blue], [b, g, r]) = (rgb, bgr) {
                    (*red, *green, *blue) = (*r, *g, *b);
                }
            }
        });
        let failed = |error: ort::Error| DetectFault::failed(MODEL.what, error);
        let input =
            TensorRef::from_array_view(([1, SIDE, SIDE, 3], self.square.as_slice())).map_err(failed)?;
        let outputs = self.session.run(ort::inputs![input]).map_err(failed)?;
        let output =
            outputs.values().next().ok_or_else(|| DetectFault::failed(MODEL.what, "it answers nothing"))?;
        let (_, numbers) = output.try_extract_tensor::<f32>().map_err(failed)?;
        let (across, down) = (picture.width as f64 / width as f64, picture.height as f64 / height as f64);
        let mut things = Vec::new();
        for row in numbers.chunks_exact(6) {
            let &[x, y, right, below, score, class] = row else { continue };
            let (score, bounds) = (f64::from(score), [x, y, right, below].map(f64::from));
            // What is not a number is no thing.
            let (Some(label), true) = (label(class), score >= self.threshold) else { continue };
            let [x, y, right, below] = bounds;
            let bounds =
                Bounds { x: x - left as f64, y: y - above as f64, width: right - x, height: below - y };
            things.push(Thing { bounds: bounds.scaled(across, down), score, label });
        }
        Ok(apart(things, SAME, |thing| (thing.score, thing.bounds)))
    }
}

/// The class of this number.
fn label(class: f32) -> Option<&'static str> {
    let is_one = class >= 0.0 && class.fract() == 0.0;
    LABELS.get(class as usize).copied().filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_that_is_none_has_no_label() {
        assert_eq!(label(0.0), Some("person"));
        assert_eq!(label(79.0), Some("toothbrush"));
        for class in [-1.0, 0.5, 80.0, f32::NAN, f32::INFINITY, 1e20] {
            assert_eq!(label(class), None);
        }
    }
}
