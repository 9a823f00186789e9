//! Detects objects of the 80 COCO classes with CenterNet on MobileNetV3.

use firmware_bridge::camera::BgrImage;
use ort::session::Session;
use ort::value::TensorRef;

use super::preprocess::Preprocessor;
use super::{BoundingBox, DetectError, Object, input_size, non_max_suppression};
use crate::models::{ModelError, ModelFile, Models};

/// The model from github.com/610265158/mobilenetv3_centernet.
pub const MODEL: ModelFile = ModelFile {
    what: "object detection",
    file: "centernet.onnx",
    sha256: "76fcdca0ac6f66c9a60d9927df6a439e6015c1972cba10c5ee3939d761f7ee64",
};

/// Side of the model's square input in pixels.
const INPUT_SIZE: usize = 512;

/// Overlap (IoU) from which two objects count as one.
const NMS_IOU_THRESHOLD: f64 = 0.5;

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

/// Detects objects. It belongs to one thread.
pub struct ObjectDetector {
    session: Session,
    threshold: f64,
    fit: Preprocessor,
    square: Vec<f32>,
    size: (usize, usize),
}

impl ObjectDetector {
    /// Opens the model.
    ///
    /// # Errors
    /// Returns an error when the model is not installed or unusable.
    pub fn open(models: &Models) -> Result<Self, ModelError> {
        let session = models.session(&MODEL)?;
        Ok(ObjectDetector {
            session,
            threshold: 0.45,
            fit: Preprocessor::default(),
            square: vec![0.0; INPUT_SIZE * INPUT_SIZE * 3],
            size: (0, 0),
        })
    }

    /// Sets the minimum confidence of an object. The default is 0.45.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        ObjectDetector { threshold, ..self }
    }

    /// Returns the objects in an image, the most confident first, in the image's own pixels. An object may extend beyond the
    /// edges.
    ///
    /// # Errors
    /// Returns an error when the image is invalid or the model fails.
    pub fn detect(&mut self, image: &BgrImage) -> Result<Vec<Object>, DetectError> {
        input_size(image, None)?;
        // Letterbox the image: if its proportions change, the model confuses a cat with a dog.
        let scale = INPUT_SIZE as f64 / image.width.max(image.height) as f64;
        let side = |pixels: usize| ((pixels as f64 * scale).round() as usize).clamp(1, INPUT_SIZE);
        let (width, height) = (side(image.width), side(image.height));
        let (left, above) = ((INPUT_SIZE - width) / 2, (INPUT_SIZE - height) / 2);
        if self.size != (width, height) {
            self.square.fill(0.0);
            self.size = (width, height);
        }
        let square = &mut self.square;
        self.fit.rows(image, width, height, |row, pixels| {
            let at = ((above + row) * INPUT_SIZE + left) * 3;
            let Some(line) = square.get_mut(at..at + width * 3) else { return };
            for (rgb, bgr) in line.chunks_exact_mut(3).zip(pixels.chunks_exact(3)) {
                if let ([red, green, blue], [b, g, r]) = (rgb, bgr) {
                    (*red, *green, *blue) = (*r, *g, *b);
                }
            }
        });
        let failed = |error: ort::Error| DetectError::failed(MODEL.what, error);
        let input = TensorRef::from_array_view(([1, INPUT_SIZE, INPUT_SIZE, 3], self.square.as_slice()))
            .map_err(failed)?;
        let outputs = self.session.run(ort::inputs![input]).map_err(failed)?;
        let output = outputs
            .values()
            .next()
            .ok_or_else(|| DetectError::failed(MODEL.what, "the model returned no output"))?;
        let (_, numbers) = output.try_extract_tensor::<f32>().map_err(failed)?;
        let (across, down) = (image.width as f64 / width as f64, image.height as f64 / height as f64);
        let mut objects = Vec::new();
        for row in numbers.chunks_exact(6) {
            let &[x, y, right, below, score, class] = row else { continue };
            let (score, bounds) = (f64::from(score), [x, y, right, below].map(f64::from));
            // NaN scores are skipped.
            let (Some(label), true) = (label(class), score >= self.threshold) else { continue };
            let [x, y, right, below] = bounds;
            let bounds =
                BoundingBox { x: x - left as f64, y: y - above as f64, width: right - x, height: below - y };
            objects.push(Object { bounds: bounds.scaled(across, down), score, label });
        }
        Ok(non_max_suppression(objects, NMS_IOU_THRESHOLD, |object| (object.score, object.bounds)))
    }
}

/// Returns the name of a class index.
fn label(class: f32) -> Option<&'static str> {
    let is_one = class >= 0.0 && class.fract() == 0.0;
    LABELS.get(class as usize).copied().filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_rejects_an_invalid_class() {
        assert_eq!(label(0.0), Some("person"));
        assert_eq!(label(79.0), Some("toothbrush"));
        for class in [-1.0, 0.5, 80.0, f32::NAN, f32::INFINITY, 1e20] {
            assert_eq!(label(class), None);
        }
    }
}
