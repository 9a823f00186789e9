//! Speech recognition on this machine with Moonshine tiny for English ([`Moonshine`]).
//!
//! The encoder processes the samples once. The decoder then picks the most likely token one after the other, and caches its
//! state.

mod choice;
mod tokens;

use std::rc::Rc;

use minismith_perception::models::{ModelError, ModelFile, Models};
use ort::memory::Allocator;
use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, Tensor, TensorRef};

use crate::transcriber::{Choice, Transcriber, Transcript};
use crate::{HEARD_RATE, VoiceError};

pub use choice::Choices;
pub use tokens::{Tokens, TokensError};

/// Task of all three files.
const WHAT: &str = "speech recognition";

/// Encoder.
pub const ENCODER: ModelFile = ModelFile {
    what: WHAT,
    file: "moonshine-tiny-en/encoder_model.ort",
    sha256: "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
};

/// Decoder.
pub const DECODER: ModelFile = ModelFile {
    what: WHAT,
    file: "moonshine-tiny-en/decoder_model_merged.ort",
    sha256: "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
};

/// Tokenizer.
pub const TOKENS: ModelFile = ModelFile {
    what: WHAT,
    file: "moonshine-tiny-en/tokenizer.bin",
    sha256: "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d",
};

/// Tokens that mark the beginning and end of a text.
const BEGIN_TOKEN: i64 = 1;
const END_TOKEN: i64 = 2;

/// Layers of the decoder, heads per layer and values per head.
const LAYERS: usize = 6;
const HEADS: usize = 8;
const WIDTH: usize = 36;

/// Maximum number of tokens per second (a figure of Moonshine's authors), and in all.
const TOKENS_PER_SECOND: f32 = 6.5;
const MAX_TOKENS: usize = 194;

/// Minimum and maximum number of samples. Shorter input is padded with silence, because the encoder needs some; longer input is
/// truncated.
const MIN_SAMPLES: usize = HEARD_RATE as usize / 4;
const MAX_SAMPLES: usize = HEARD_RATE as usize * 30;

/// Speech recognizer. It belongs to one thread.
pub struct Moonshine {
    encoder: Session,
    decoder: Session,
    tokens: Tokens,
    /// The decoder's cache entries, with the names of its inputs and outputs.
    cache_entries: Vec<CacheEntry>,
    /// Commands to choose from.
    known: Choices,
}

struct CacheEntry {
    given: String,
    made: String,
    /// Depends on the encoder alone: computed in the first step and constant from then on.
    is_fixed: bool,
}

impl Moonshine {
    /// Opens the model.
    ///
    /// # Errors
    /// Returns an error when the model is not installed or unusable.
    pub fn open(models: &Models) -> Result<Self, ModelError> {
        let encoder = models.session(&ENCODER)?;
        let decoder = models.session(&DECODER)?;
        let tokens = Tokens::read(&models.read(&TOKENS)?).map_err(|error| ModelError::Broken {
            what: WHAT,
            file: TOKENS.file.to_owned(),
            folder: models.folder().to_owned(),
            reason: error.to_string(),
        })?;
        let mut cache_entries = Vec::new();
        for layer in 0..LAYERS {
            for side in ["decoder", "encoder"] {
                for part in ["key", "value"] {
                    cache_entries.push(CacheEntry {
                        given: format!("past_key_values.{layer}.{side}.{part}"),
                        made: format!("present.{layer}.{side}.{part}"),
                        is_fixed: side == "encoder",
                    });
                }
            }
        }
        Ok(Moonshine { encoder, decoder, tokens, cache_entries, known: Choices::default() })
    }

    /// Sets the commands to choose from.
    #[must_use]
    pub fn knowing(self, known: Choices) -> Self {
        Moonshine { known, ..self }
    }

    /// Runs the encoder on the samples.
    fn encode(&mut self, samples: &[f32], mask: &[i64]) -> Result<DynValue, ort::Error> {
        let mut outputs = self.encoder.run(ort::inputs![
            "input_values" => TensorRef::from_array_view(([1, samples.len()], samples))?,
            "attention_mask" => TensorRef::from_array_view(([1, mask.len()], mask))?,
        ])?;
        outputs
            .remove("last_hidden_state")
            .ok_or_else(|| ort::Error::new("the encoder has no output `last_hidden_state`"))
    }

    /// Returns the decoder's empty cache.
    fn empty_cache(&self) -> Result<Vec<Rc<DynValue>>, ort::Error> {
        let empty = || Tensor::<f32>::new(&Allocator::default(), [1_usize, HEADS, 0, WIDTH]);
        self.cache_entries.iter().map(|_| Ok(Rc::new(empty()?.into_dyn()))).collect()
    }

    /// Returns the log probability of each token in a sequence.
    fn likelihood(&mut self, heard: &Encoded<'_>, tokens: &[i64]) -> Result<Vec<f32>, ort::Error> {
        let said: Vec<i64> =
            [BEGIN_TOKEN].into_iter().chain(tokens.iter().copied()).take(tokens.len()).collect();
        let empty_cache = self.empty_cache()?;
        let logits = self.run(heard, &said, true, &empty_cache)?.0;
        let width = logits.len() / said.len().max(1);
        let rows = logits.chunks(width.max(1)).zip(tokens);
        Ok(rows.map(|(row, &token)| log_probability(row, token)).collect())
    }

    /// Decodes one token, and returns the logits of the next one and the new cache.
    fn step(
        &mut self,
        heard: &Encoded<'_>,
        token: i64,
        is_first: bool,
        cache: &[Rc<DynValue>],
    ) -> Result<(Vec<f32>, Vec<Rc<DynValue>>), ort::Error> {
        self.run(heard, &[token], is_first, cache)
    }

    /// Decodes several tokens, and returns logits for each.
    fn run(
        &mut self,
        heard: &Encoded<'_>,
        tokens: &[i64],
        is_first: bool,
        cache: &[Rc<DynValue>],
    ) -> Result<(Vec<f32>, Vec<Rc<DynValue>>), ort::Error> {
        let mask = TensorRef::from_array_view(([1, heard.mask.len()], heard.mask))?;
        let mut inputs: Vec<(&str, SessionInputValue<'_>)> = vec![
            ("input_ids", TensorRef::from_array_view(([1_usize, tokens.len()], tokens))?.into()),
            ("encoder_hidden_states", (&heard.states).into()),
            ("encoder_attention_mask", mask.into()),
            ("use_cache_branch", Tensor::from_array(([1_usize], vec![!is_first]))?.into()),
        ];
        for (entry, value) in self.cache_entries.iter().zip(cache) {
            inputs.push((&entry.given, (&**value).into()));
        }
        let mut outputs = self.decoder.run(inputs)?;
        let logits =
            outputs.get("logits").ok_or_else(|| ort::Error::new("the decoder has no output `logits`"))?;
        let logits = logits.try_extract_tensor::<f32>()?.1.to_vec();
        let mut next_cache = Vec::with_capacity(self.cache_entries.len());
        for (entry, before) in self.cache_entries.iter().zip(cache) {
            next_cache.push(if entry.is_fixed && !is_first {
                Rc::clone(before)
            } else {
                let made = outputs.remove(&entry.made);
                Rc::new(made.ok_or_else(|| ort::Error::new("the decoder returned no cache entry"))?)
            });
        }
        Ok((logits, next_cache))
    }

    /// Decodes greedily, and returns the tokens with their probabilities.
    fn decode(&mut self, heard: &Encoded<'_>, most: usize) -> Result<Vec<(i64, f32)>, ort::Error> {
        let mut said: Vec<(i64, f32)> = Vec::new();
        let mut cache = self.empty_cache()?;
        while said.len() < most {
            let token = said.last().map_or(BEGIN_TOKEN, |(token, _)| *token);
            let (logits, next_cache) = self.step(heard, token, said.is_empty(), &cache)?;
            cache = next_cache;
            let next = likeliest(&logits);
            said.push(next);
            if next.0 == END_TOKEN {
                break;
            }
        }
        Ok(said)
    }
}

/// Encoder output for a sound.
struct Encoded<'a> {
    states: DynValue,
    mask: &'a [i64],
}

/// Pads or truncates the samples for the encoder.
fn pad_or_truncate(samples: &[f32]) -> Vec<f32> {
    let mut heard: Vec<f32> = samples.iter().take(MAX_SAMPLES).copied().map(crate::audio::sane).collect();
    heard.resize(heard.len().max(MIN_SAMPLES), 0.0);
    heard
}

/// Returns the maximum number of tokens for these samples, including the end token.
fn max_tokens(samples: &[f32]) -> usize {
    let seconds = samples.len().min(MAX_SAMPLES) as f32 / HEARD_RATE as f32;
    ((seconds * TOKENS_PER_SECOND) as usize + 2).min(MAX_TOKENS)
}

impl Transcriber for Moonshine {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceError> {
        let failed = |error: ort::Error| VoiceError::failed(WHAT, error);
        let heard = pad_or_truncate(samples);
        let mask = vec![1_i64; heard.len()];
        let seen = Encoded { states: self.encode(&heard, &mask).map_err(failed)?, mask: &mask };
        let said = self.decode(&seen, max_tokens(samples)).map_err(failed)?;
        let logarithms: f32 = said.iter().map(|(_, likely)| likely.max(1e-9).ln()).sum();
        Ok(Transcript {
            text: self.tokens.text(said.iter().map(|(token, _)| *token)),
            confidence: (logarithms / said.len().max(1) as f32).exp(),
            min_confidence: said.iter().fold(1.0, |least: f32, (_, likely)| least.min(*likely)),
        })
    }

    fn command(&mut self, samples: &[f32], freely: &Transcript) -> Result<Option<Choice>, VoiceError> {
        let known = std::mem::take(&mut self.known);
        let choice = self.choose(samples, freely, &known);
        self.known = known;
        choice
    }
}

/// Returns the log probability of a token.
fn log_probability(logits: &[f32], token: i64) -> f32 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let all = largest + logits.iter().map(|logit| (logit - largest).exp()).sum::<f32>().ln();
    let logit = usize::try_from(token).ok().and_then(|token| logits.get(token));
    logit.map_or(f32::NEG_INFINITY, |logit| logit - all)
}

/// Returns the most likely token and its probability.
fn likeliest(logits: &[f32]) -> (i64, f32) {
    let (mut token, mut largest) = (END_TOKEN as usize, f32::NEG_INFINITY);
    for (position, &logit) in logits.iter().enumerate() {
        if logit > largest {
            (token, largest) = (position, logit);
        }
    }
    let all: f32 = logits.iter().map(|logit| (logit - largest).exp()).sum();
    (token as i64, if all.is_finite() && all > 0.0 { 1.0 / all } else { 0.0 })
}
