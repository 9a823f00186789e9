//! Computes the meaning of a text as a vector, with a small sentence model (all-MiniLM-L6-v2) on ONNX Runtime.
//!
//! `make models` installs both. The runtime is a library that is loaded if it exists, so nothing is linked. A session
//! belongs to one thread.

mod wordpiece;

use std::path::{Path, PathBuf};

use minismith_perception::models::{ModelError, ModelFile, Models, RUNTIME};
use ndarray::{Array2, Axis};
use ort::session::Session;
use ort::value::TensorRef;
use sha2::{Digest, Sha256};

use minismith_runtime::bounded::read_at_most;
use wordpiece::WordPiece;

/// The files of the model, in the folder of models.
pub const MEANING: ModelFile = ModelFile {
    what: "searching by meaning",
    file: "all-MiniLM-L6-v2/model.onnx",
    sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
};
const VOCABULARY: &str = "all-MiniLM-L6-v2/tokenizer.json";

/// Maximum size of the vocabulary file, bytes.
const MAX_VOCABULARY_BYTES: u64 = 8 << 20;

/// Maximum number of word pieces per text, as in the model's training.
const MAX_PIECES: usize = 128;

/// The reason why the model is unavailable.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingError {
    /// The model is not installed.
    #[error("no model is installed in {} ({} is missing); `minismith setup` (in the source tree also `make models`) installs one", .folder.display(), .missing)]
    Missing {
        /// The folder of models.
        folder: PathBuf,
        /// The first missing file.
        missing: &'static str,
    },
    /// The model is installed but does not work.
    #[error("the model in {} does not work ({reason}); remove it and run `minismith setup` (in the source tree also `make models`) again", .folder.display())]
    Broken {
        /// The folder of models.
        folder: PathBuf,
        /// The error.
        reason: String,
    },
}

/// A loaded model.
pub struct Semantics {
    folder: PathBuf,
    pieces: WordPiece,
    session: Session,
    identity: String,
}

impl Semantics {
    /// Loads the model in this folder.
    ///
    /// # Errors
    /// Returns an error if it is not installed or does not work.
    pub fn open(folder: &Path) -> Result<Self, EmbeddingError> {
        for missing in [MEANING.file, VOCABULARY, RUNTIME] {
            if !folder.join(missing).is_file() {
                return Err(EmbeddingError::Missing { folder: folder.to_owned(), missing });
            }
        }
        let broken = |reason: String| EmbeddingError::Broken { folder: folder.to_owned(), reason };
        let vocabulary = read_at_most(&folder.join(VOCABULARY), MAX_VOCABULARY_BYTES)
            .map_err(|error| broken(error.to_string()))?;
        let pieces = WordPiece::read(&vocabulary).map_err(broken)?;
        let session = Models::at(folder).session(&MEANING).map_err(|error| match error {
            ModelError::NotInstalled { file, .. } => broken(format!("{file} is missing")),
            ModelError::Broken { file, reason, .. } => broken(format!("{file}: {reason}")),
        })?;
        let size = folder.join(MEANING.file).metadata().map_or(0, |file| file.len());
        let mut hash = Sha256::new();
        hash.update(&vocabulary);
        let vocabulary: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(Semantics { folder: folder.to_owned(), pieces, session, identity: format!("{size}-{vocabulary}") })
    }

    /// Identifies this model. Vectors of different models are not comparable.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Returns the vector of a text, with length one.
    ///
    /// # Errors
    /// Returns an error if the model fails.
    pub fn direction(&mut self, text: &str) -> Result<Vec<f32>, EmbeddingError> {
        let pieces = self.pieces.of(text, MAX_PIECES);
        let folder = self.folder.clone();
        self.run(pieces).map_err(|reason| EmbeddingError::Broken { folder, reason })
    }

    fn run(&mut self, pieces: Vec<i64>) -> Result<Vec<f32>, String> {
        let shape = (1, pieces.len());
        let ids = Array2::from_shape_vec(shape, pieces).map_err(|error| error.to_string())?;
        let (mask, kinds) = (Array2::<i64>::ones(shape), Array2::<i64>::zeros(shape));
        let tensor = |array| TensorRef::<i64>::from_array_view(array).map_err(|error| error.to_string());
        let inputs = ort::inputs![
            "input_ids" => tensor(ids.view())?,
            "attention_mask" => tensor(mask.view())?,
            "token_type_ids" => tensor(kinds.view())?,
        ];
        let outputs = self.session.run(inputs).map_err(|error| error.to_string())?;
        let output = outputs.values().next().ok_or("it has no output")?;
        let states = output.try_extract_array::<f32>().map_err(|error| error.to_string())?;
        if states.ndim() != 3 {
            return Err(format!("its output has {} dimensions, not 3", states.ndim()));
        }
        // The mean over the pieces of the one text.
        let mean = states.index_axis(Axis(0), 0).mean_axis(Axis(0)).ok_or("it has no output")?;
        let length = mean.iter().map(|one| one * one).sum::<f32>().sqrt();
        if !length.is_finite() || length <= 0.0 {
            return Err("its output is a zero vector".into());
        }
        Ok(mean.iter().map(|one| one / length).collect())
    }
}

/// Returns the similarity of two vectors: 1 is the same, 0 is unrelated.
#[must_use]
pub fn cosine_similarity(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
