//! `hear_words`, `hear_commands`, `speak` and `speech_to_motion`: the time to recognise speech and to speak, as
//! fractions of its length. The last is the time from the end of a sentence to the robot's motion.
//!
//! The robot's own voice speaks the sentences. Everything runs on this machine.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::control_loop::{LoopClient, MotionState};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::Clip;
use minismith_voice::synthesizer::TextToSpeech;

use super::rounds::quantile;
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_assistant::conversation::Conversation;
use minismith_control::robot::{RobotRuntime, models_of};
use minismith_dialogue::engine::Engines;
use minismith_dialogue::source::{AudioChunk, File, Source};
use minismith_dialogue::{Parts, VoiceConversation, sink};
use minismith_runtime::config::{RobotChoice, TtsEngine, Voice, WakeWordMode};
use minismith_toolchain::workshop::Workshop;

pub(super) const NAMES: [&str; 4] = ["hear_words", "hear_commands", "speak", "speech_to_motion"];

/// The sentences.
const SENTENCES: [&str; 8] = [
    "look left",
    "look up ten degrees",
    "turn your head to the right",
    "nod twice",
    "tilt your head to the left",
    "look down a bit",
    "wiggle your antennas",
    "shake your head",
];

const PEER: &str = "espeak-ng by itself";

/// Silence after a sentence, so that its end is detected.
const TRAILING_SILENCE: Duration = Duration::from_secs(2);

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    (context.progress)("speech: understanding, speaking, and from the end of a sentence to motion");
    let figures = figures(context);
    let of = |pick: fn(&Figures) -> f64| figures.as_ref().map(pick).map_err(Clone::clone);
    let [words, commands, speak, motion] = NAMES;
    vec![
        Row::alone(words, "rtf", of(|figures| figures.words)).noting("Moonshine tiny, freely"),
        Row::alone(commands, "rtf", of(|figures| figures.commands))
            .noting("the same, and a choice among all commands"),
        Row::alone(speak, "rtf", of(|figures| figures.hibari))
            .against(PEER, figures.as_ref().ok().map(|figures| figures.espeak), Better::Lower)
            .noting("hibari, with espeak-ng for the sounds of words"),
        Row::alone(motion, "ms", of(|figures| figures.motion))
            .noting("from the last sound of a sentence to the first cycle of its motion; the pause that ends it is a part of it"),
    ]
}

struct Figures {
    words: f64,
    commands: f64,
    hibari: f64,
    espeak: f64,
    /// Returns the median in milliseconds.
    motion: f64,
}

fn figures(context: &BenchContext<'_>) -> Result<Figures, Failed> {
    let at = Failed::at("speech");
    let workshop = Workshop::open(context.config).map_err(|error| at(&error))?;
    let models = models_of(context.config);
    let voice = |tts_engine| Voice {
        wake_word_mode: WakeWordMode::Never,
        tts_engine,
        transcription: None,
        speech: None,
        head_wobble: 0.0,
        ..context.config.voice.clone()
    };
    let open = |engine, is_spoken| {
        Engines::open(&voice(engine), &models, is_spoken, workshop.registry()).map_err(|error| at(&error))
    };
    let mut engines = open(TtsEngine::Hibari, true)?;
    let plain = open(TtsEngine::Espeak, true)?.speech;
    let sentences = SENTENCES.get(..context.pick(2, SENTENCES.len())).unwrap_or_default();
    let (clips, hibari) = said(engines.speech.take(), sentences)?;
    let (_, espeak) = said(plain, sentences)?;
    let (mut words, mut commands, mut lasted) = (0.0, 0.0, 0.0);
    for clip in &clips {
        let clock = MonotonicClock::start();
        let began = clock.now();
        let freely = engines.transcriber.transcribe(&clip.samples).map_err(|error| at(&error))?;
        let understood = clock.now();
        let _chosen = engines.transcriber.command(&clip.samples, &freely).map_err(|error| at(&error))?;
        words += understood.since(began).as_secs_f64();
        commands += clock.now().since(began).as_secs_f64();
        lasted += clip.duration().as_secs_f64();
    }
    let body = RobotRuntime::open(&RobotChoice::Mock, context.config).map_err(|error| at(&error))?;
    let mut delays = Vec::new();
    for clip in &clips {
        let engines = open(TtsEngine::Hibari, false)?;
        delays.extend(delay(&body, &workshop, &voice(TtsEngine::Hibari), engines, clip)?);
    }
    let motion = quantile(&mut delays, 0.5).ok_or_else(|| Failed("nothing moved".into()))?;
    Ok(Figures { words: words / lasted, commands: commands / lasted, hibari, espeak, motion })
}

/// Recognises the sentences. Returns their texts, and the time relative to their own length.
fn said(
    speech: Option<Box<dyn TextToSpeech + Send>>,
    sentences: &[&str],
) -> Result<(Vec<Clip>, f64), Failed> {
    let at = Failed::at("speaking");
    let mut speech = speech.ok_or_else(|| Failed("there is no voice".into()))?;
    let clock = MonotonicClock::start();
    let (mut clips, mut took, mut lasted) = (Vec::new(), 0.0, 0.0);
    for sentence in sentences {
        let began = clock.now();
        let clip = speech.synthesize(sentence).map_err(|error| at(&error))?;
        took += clock.now().since(began).as_secs_f64();
        lasted += clip.duration().as_secs_f64();
        clips.push(clip.resampled(HEARD_RATE).map_err(|error| at(&error))?);
    }
    Ok((clips, took / lasted))
}

/// A file that records when its last sound was read.
struct Noted {
    file: File,
    clock: MonotonicClock,
    end: Duration,
    over: Arc<Mutex<Option<Timestamp>>>,
}

impl Source for Noted {
    fn take(&mut self) -> Option<AudioChunk> {
        let piece = self.file.take()?;
        if piece.at >= self.end
            && let Ok(mut over) = self.over.lock()
        {
            over.get_or_insert_with(|| self.clock.now());
        }
        Some(piece)
    }
}

/// Returns the milliseconds from the last sound of a sentence to the robot's motion; none where it was not understood.
fn delay(
    body: &RobotRuntime,
    workshop: &Workshop,
    voice: &Voice,
    engines: Engines,
    clip: &Clip,
) -> Result<Option<f64>, Failed> {
    let at = Failed::at("a conversation by voice");
    let clock = MonotonicClock::start();
    let last = clip.samples.iter().rposition(|sample| sample.abs() > 0.02).unwrap_or_default();
    let over = Arc::<Mutex<Option<Timestamp>>>::default();
    let end = minismith_voice::audio::time_of(last as u64, HEARD_RATE);
    let source = Noted { file: File::of(clip, TRAILING_SILENCE), clock, end, over: over.clone() };
    let parts = Parts { engines, source: Box::new(source), sink: Box::new(sink::nowhere()) };
    let talk = VoiceConversation::begin(body, voice, parts, |_| {}).map_err(|error| at(&error))?;
    let mut conversation = Conversation::new(body, workshop);
    let mut delay = None;
    while let Some(said) = talk.hear() {
        let mut control_loop = body.handle();
        let cycles = control_loop.snapshot().cycles;
        // A motion lasts long enough for a thread that reads each cycle to see it.
        let moved = std::thread::scope(|scope| {
            let watching = scope.spawn(move || {
                control_loop
                    .watch(&|now| now.motion_state == MotionState::Moving || now.cycles > cycles + 300);
                clock.now()
            });
            let reply = conversation.queue_sentence(&said.text, said.stop_epoch);
            talk.answer(&reply.text);
            let is_done = reply.steps.iter().any(|step| step.achieved.is_some());
            watching.join().ok().filter(|_| is_done)
        });
        let spoken = over.lock().ok().and_then(|over| *over);
        delay = delay.or_else(|| Some(moved?.since(spoken?).as_secs_f64() * 1e3));
    }
    conversation.hear("center");
    Ok(delay)
}
