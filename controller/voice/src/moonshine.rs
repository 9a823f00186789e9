//! Words out of speech on this machine: Moonshine tiny for English. An encoder looks at the samples once, a decoder then says
//! one piece of a word after the other, each time the likeliest, and remembers what it has computed already.

mod choice;
mod tokens;

use std::rc::Rc;

use minismith_senses::models::{ModelFile, Models, NoModel};
use ort::memory::Allocator;
use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, Tensor, TensorRef};

use crate::transcriber::{Choice, Transcriber, Transcript};
use crate::{HEARD_RATE, VoiceFault};

pub use choice::Choices;
pub use tokens::{NoTokens, Tokens};

/// What all three files are for.
const WHAT: &str = "understanding speech";

/// The part that looks at the samples.
pub const ENCODER: ModelFile = ModelFile {
    what: WHAT,
    file: "moonshine-tiny-en/encoder_model.ort",
    sha256: "94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221",
};

/// The part that says the words.
pub const DECODER: ModelFile = ModelFile {
    what: WHAT,
    file: "moonshine-tiny-en/decoder_model_merged.ort",
    sha256: "cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0",
};

/// The pieces of words.
pub const TOKENS: ModelFile = ModelFile {
    what: WHAT,
    file: "moonshine-tiny-en/tokenizer.bin",
    sha256: "6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d",
};

/// The token that a text begins with, and the one that it ends with.
const BEGIN: i64 = 1;
const END: i64 = 2;

/// The decoder's layers, the heads of each, and the numbers of each head.
const LAYERS: usize = 6;
const HEADS: usize = 8;
const WIDTH: usize = 36;

/// The most pieces of words that are said in a second (the figure of Moonshine's authors), and the most altogether.
const PIECES_A_SECOND: f32 = 6.5;
const MOST_PIECES: usize = 194;

/// What is shorter is filled up with silence, so that the encoder has something to look at; what is longer is cut.
const SHORTEST: usize = HEARD_RATE as usize / 4;
const LONGEST: usize = HEARD_RATE as usize * 30;

/// Moonshine; for one thread.
pub struct Moonshine {
    encoder: Session,
    decoder: Session,
    tokens: Tokens,
    /// What the decoder is to remember, under the names that it is given and that it gives.
    memories: Vec<Memory>,
    /// The commands that it was told of.
    known: Choices,
}

struct Memory {
    given: String,
    made: String,
    /// Of what the encoder saw: made in the first step, and the same from then on.
    is_fixed: bool,
}

impl Moonshine {
    /// Opens the model.
    ///
    /// # Errors
    /// When it is not installed or can't be used.
    pub fn open(models: &Models) -> Result<Self, NoModel> {
        let encoder = models.session(&ENCODER)?;
        let decoder = models.session(&DECODER)?;
        let tokens = Tokens::read(&models.read(&TOKENS)?).map_err(|error| NoModel::Broken {
            what: WHAT,
            file: TOKENS.file.to_owned(),
            folder: models.folder().to_owned(),
            reason: error.to_string(),
        })?;
        let mut memories = Vec::new();
        for layer in 0..LAYERS {
            for side in ["decoder", "encoder"] {
                for part in ["key", "value"] {
                    memories.push(Memory {
                        given: format!("past_key_values.{layer}.{side}.{part}"),
                        made: format!("present.{layer}.{side}.{part}"),
                        is_fixed: side == "encoder",
                    });
                }
            }
        }
        Ok(Moonshine { encoder, decoder, tokens, memories, known: Choices::default() })
    }

    /// The same, told of these commands.
    #[must_use]
    pub fn knowing(self, known: Choices) -> Self {
        Moonshine { known, ..self }
    }

    /// What the encoder makes of the samples.
    fn encode(&mut self, samples: &[f32], mask: &[i64]) -> Result<DynValue, ort::Error> {
        let mut outputs = self.encoder.run(ort::inputs![
            "input_values" => TensorRef::from_array_view(([1, samples.len()], samples))?,
            "attention_mask" => TensorRef::from_array_view(([1, mask.len()], mask))?,
        ])?;
        outputs.remove("last_hidden_state").ok_or_else(|| ort::Error::new("no last_hidden_state"))
    }

    /// What the decoder remembers before it has said anything.
    fn nothing(&self) -> Result<Vec<Rc<DynValue>>, ort::Error> {
        let empty = || Tensor::<f32>::new(&Allocator::default(), [1_usize, HEADS, 0, WIDTH]);
        self.memories.iter().map(|_| Ok(Rc::new(empty()?.into_dyn()))).collect()
    }

    /// How likely these tokens are one after the other, each as a logarithm.
    fn likelihood(&mut self, heard: &Seen<'_>, tokens: &[i64]) -> Result<Vec<f32>, ort::Error> {
        let said: Vec<i64> = [BEGIN].into_iter().chain(tokens.iter().copied()).take(tokens.len()).collect();
        let nothing = self.nothing()?;
        let logits = self.run(heard, &said, true, &nothing)?.0;
        let width = logits.len() / said.len().max(1);
        let rows = logits.chunks(width.max(1)).zip(tokens);
        Ok(rows.map(|(row, &token)| logarithm(row, token)).collect())
    }

    /// Says one token more: the logits of what may follow, and what is remembered from then on.
    fn step(
        &mut self,
        heard: &Seen<'_>,
        token: i64,
        is_first: bool,
        remembered: &[Rc<DynValue>],
    ) -> Result<(Vec<f32>, Vec<Rc<DynValue>>), ort::Error> {
        self.run(heard, &[token], is_first, remembered)
    }

    /// The same of several tokens, with logits for each of them.
    fn run(
        &mut self,
        heard: &Seen<'_>,
        tokens: &[i64],
        is_first: bool,
        remembered: &[Rc<DynValue>],
    ) -> Result<(Vec<f32>, Vec<Rc<DynValue>>), ort::Error> {
        let mask = TensorRef::from_array_view(([1, heard.mask.len()], heard.mask))?;
        let mut inputs: Vec<(&str, SessionInputValue<'_>)> = vec![
            ("input_ids", TensorRef::from_array_view(([1_usize, tokens.len()], tokens))?.into()),
            ("encoder_hidden_states", (&heard.states).into()),
            ("encoder_attention_mask", mask.into()),
            ("use_cache_branch", Tensor::from_array(([1_usize], vec![!is_first]))?.into()),
        ];
        for (memory, value) in self.memories.iter().zip(remembered) {
            inputs.push((&memory.given, (&**value).into()));
        }
        let mut outputs = self.decoder.run(inputs)?;
        let logits = outputs.get("logits").ok_or_else(|| ort::Error::new("no logits"))?;
        let logits = logits.try_extract_tensor::<f32>()?.1.to_vec();
        let mut kept = Vec::with_capacity(self.memories.len());
        for (memory, before) in self.memories.iter().zip(remembered) {
            kept.push(if memory.is_fixed && !is_first {
                Rc::clone(before)
            } else {
                let made = outputs.remove(&memory.made);
                Rc::new(made.ok_or_else(|| ort::Error::new("nothing to remember"))?)
            });
        }
        Ok((logits, kept))
    }

    /// The likeliest tokens one after the other, each with how likely it was.
    fn decode(&mut self, heard: &Seen<'_>, most: usize) -> Result<Vec<(i64, f32)>, ort::Error> {
        let mut said: Vec<(i64, f32)> = Vec::new();
        let mut remembered = self.nothing()?;
        while said.len() < most {
            let token = said.last().map_or(BEGIN, |(token, _)| *token);
            let (logits, kept) = self.step(heard, token, said.is_empty(), &remembered)?;
            remembered = kept;
            let next = likeliest(&logits);
            said.push(next);
            if next.0 == END {
                break;
            }
        }
        Ok(said)
    }
}

/// What the encoder saw of a sound.
struct Seen<'a> {
    states: DynValue,
    mask: &'a [i64],
}

/// The samples as the encoder takes them.
fn prepared(samples: &[f32]) -> Vec<f32> {
    let mut heard: Vec<f32> = samples.iter().take(LONGEST).copied().map(crate::audio::sane).collect();
    heard.resize(heard.len().max(SHORTEST), 0.0);
    heard
}

/// How many pieces of words so many samples may be, with the mark of the end.
fn most_pieces(samples: &[f32]) -> usize {
    let seconds = samples.len().min(LONGEST) as f32 / HEARD_RATE as f32;
    ((seconds * PIECES_A_SECOND) as usize + 2).min(MOST_PIECES)
}

impl Transcriber for Moonshine {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault> {
        let failed = |error: ort::Error| VoiceFault::failed(WHAT, error);
        let heard = prepared(samples);
        let mask = vec![1_i64; heard.len()];
        let seen = Seen { states: self.encode(&heard, &mask).map_err(failed)?, mask: &mask };
        let said = self.decode(&seen, most_pieces(samples)).map_err(failed)?;
        let logarithms: f32 = said.iter().map(|(_, likely)| likely.max(1e-9).ln()).sum();
        Ok(Transcript {
            text: self.tokens.text(said.iter().map(|(token, _)| *token)),
            confidence: (logarithms / said.len().max(1) as f32).exp(),
            least: said.iter().fold(1.0, |least: f32, (_, likely)| least.min(*likely)),
        })
    }

    fn command(&mut self, samples: &[f32], freely: &Transcript) -> Result<Option<Choice>, VoiceFault> {
        let known = std::mem::take(&mut self.known);
        let choice = self.choose(samples, freely, &known);
        self.known = known;
        choice
    }
}

/// How likely a token is, as a logarithm.
fn logarithm(logits: &[f32], token: i64) -> f32 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let all = largest + logits.iter().map(|logit| (logit - largest).exp()).sum::<f32>().ln();
    let logit = usize::try_from(token).ok().and_then(|token| logits.get(token));
    logit.map_or(f32::NEG_INFINITY, |logit| logit - all)
}

/// The token with the largest number, and its share of all.
fn likeliest(logits: &[f32]) -> (i64, f32) {
    let (mut token, mut largest) = (END as usize, f32::NEG_INFINITY);
    for (place, &logit) in logits.iter().enumerate() {
        if logit > largest {
            (token, largest) = (place, logit);
        }
    }
    let all: f32 = logits.iter().map(|logit| (logit - largest).exp()).sum();
    (token as i64, if all.is_finite() && all > 0.0 { 1.0 / all } else { 0.0 })
}
