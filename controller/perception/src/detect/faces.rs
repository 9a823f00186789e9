//! Detects faces with YuNet, a small network with three strides. Decoding follows the official package's
//! `vision/face_detector.py`.

use firmware_bridge::camera::BgrImage;
use ort::session::{Session, SessionOutputs};
use ort::value::TensorRef;

use super::preprocess::Preprocessor;
use super::{BoundingBox, DetectError, Face, input_size, non_max_suppression};
use crate::models::{ModelError, ModelFile, Models};

/// The model from the OpenCV Zoo, for images of any size.
pub const MODEL: ModelFile = ModelFile {
    what: "face detection",
    file: "face_detection_yunet.onnx",
    sha256: "238c7024ec898f22613742d31204aec0a0b69208f1955b1e43397f678d0f2e05",
};

/// The model needs sides that are multiples of this.
const SIZE_MULTIPLE: usize = 32;

/// Strides in pixels, with the names of the model's outputs.
const STRIDES: [(usize, [&str; 4]); 3] = [
    (8, ["cls_8", "obj_8", "bbox_8", "kps_8"]),
    (16, ["cls_16", "obj_16", "bbox_16", "kps_16"]),
    (32, ["cls_32", "obj_32", "bbox_32", "kps_32"]),
];

/// Overlap (IoU) from which two faces count as one.
const NMS_IOU_THRESHOLD: f64 = 0.3;

/// Detects faces. It belongs to one thread.
pub struct FaceDetector {
    session: Session,
    threshold: f64,
    width: Option<usize>,
    fit: Preprocessor,
    planes: Vec<f32>,
    size: (usize, usize),
}

impl FaceDetector {
    /// Opens the model.
    ///
    /// # Errors
    /// Returns an error when the model is not installed or unusable.
    pub fn open(models: &Models) -> Result<Self, ModelError> {
        let session = models.session(&MODEL)?;
        Ok(FaceDetector {
            session,
            threshold: 0.6,
            width: None,
            fit: Preprocessor::default(),
            planes: Vec::new(),
            size: (0, 0),
        })
    }

    /// Sets the minimum confidence of a face. The default is 0.6.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        FaceDetector { threshold, ..self }
    }

    /// Shrinks wider images to this width first. This is faster but misses distant faces.
    #[must_use]
    pub fn with_width(self, width: Option<usize>) -> Self {
        FaceDetector { width, ..self }
    }

    /// Returns the faces in an image, the most confident first, in the image's own pixels. A face may extend beyond the edges.
    ///
    /// # Errors
    /// Returns an error when the image is invalid or the model fails.
    pub fn detect(&mut self, image: &BgrImage) -> Result<Vec<Face>, DetectError> {
        let (width, height) = input_size(image, self.width)?;
        let (wide, high) = (width.next_multiple_of(SIZE_MULTIPLE), height.next_multiple_of(SIZE_MULTIPLE));
        let plane = wide * high;
        if self.size != (width, height) {
            // The area beyond the image is black.
            self.planes.clear();
            self.planes.resize(plane * 3, 0.0);
            self.size = (width, height);
        }
        let (blue, rest) = self.planes.split_at_mut(plane);
        let (green, red) = rest.split_at_mut(plane);
        self.fit.rows(image, width, height, |row, pixels| {
            let at = row * wide..row * wide + width;
            let (Some(blue), Some(green), Some(red)) =
                (blue.get_mut(at.clone()), green.get_mut(at.clone()), red.get_mut(at))
            else {
                return;
            };
            for (pixel, ((b, g), r)) in pixels.chunks_exact(3).zip(blue.iter_mut().zip(green).zip(red)) {
                if let [one, two, three] = pixel {
                    (*b, *g, *r) = (*one, *two, *three);
                }
            }
        });
        let failed = |error: ort::Error| DetectError::failed(MODEL.what, error);
        let input =
            TensorRef::from_array_view(([1, 3, high, wide], self.planes.as_slice())).map_err(failed)?;
        let outputs = self.session.run(ort::inputs![input]).map_err(failed)?;
        let mut faces = Vec::new();
        for (stride, names) in STRIDES {
            decode(&outputs, stride, names, wide / stride, self.threshold, &mut faces)?;
        }
        let mut faces = non_max_suppression(faces, NMS_IOU_THRESHOLD, |face| (face.score, face.bounds));
        let (across, down) = (image.width as f64 / width as f64, image.height as f64 / height as f64);
        if (across, down) != (1.0, 1.0) {
            for face in &mut faces {
                face.bounds = face.bounds.scaled(across, down);
                face.landmarks = face.landmarks.map(|(x, y)| (x * across, y * down));
            }
        }
        Ok(faces)
    }
}

/// Decodes the faces of one stride from the model's outputs, row by row.
fn decode(
    outputs: &SessionOutputs<'_>,
    stride: usize,
    [classes, objects, boxes, points]: [&'static str; 4],
    columns: usize,
    threshold: f64,
    faces: &mut Vec<Face>,
) -> Result<(), DetectError> {
    let numbers = |name: &'static str| {
        let output = outputs
            .get(name)
            .ok_or_else(|| DetectError::failed(MODEL.what, format!("the model has no output `{name}`")))?;
        let (_, numbers) =
            output.try_extract_tensor::<f32>().map_err(|error| DetectError::failed(MODEL.what, error))?;
        Ok(numbers)
    };
    let scores = numbers(classes)?.iter().zip(numbers(objects)?);
    let places = numbers(boxes)?.chunks_exact(4).zip(numbers(points)?.chunks_exact(10));
    for (position, ((class, object), (bounds, points))) in scores.zip(places).enumerate() {
        let score = f64::from((class.clamp(0.0, 1.0) * object.clamp(0.0, 1.0)).sqrt());
        // NaN scores are skipped.
        let (&[dx, dy, log_width, log_height], true) = (bounds, score >= threshold) else { continue };
        let stride = stride as f32;
        let (column, row) = ((position % columns) as f32, (position / columns) as f32);
        let (width, height) = (log_width.exp() * stride, log_height.exp() * stride);
        let bounds = BoundingBox {
            x: ((column + dx) * stride - width / 2.0).into(),
            y: ((row + dy) * stride - height / 2.0).into(),
            width: width.into(),
            height: height.into(),
        };
        let mut landmarks = [(0.0, 0.0); 5];
        for (landmark, point) in landmarks.iter_mut().zip(points.chunks_exact(2)) {
            if let [x, y] = point {
                *landmark = (((column + x) * stride).into(), ((row + y) * stride).into());
            }
        }
        faces.push(Face { bounds, score, landmarks });
    }
    Ok(())
}
