//! `listen`: a conversation by voice, with the microphone or with a file.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use minismith_assistant::code_tasks::CodeTasks;
use minismith_assistant::second_reader;
use minismith_control::robot::models_of;
use minismith_dialogue::engine::Engines;
use minismith_dialogue::sink::{Played, RealTimeSink, Sink, Sound, Stored};
use minismith_dialogue::source::{File, Heard, Source};
use minismith_dialogue::{Parts, VoiceConversation, VoiceEvent, sink};
use minismith_nlu::is_stop;
use minismith_runtime::config::{Config, Voice, WakeWordMode};

use super::{CommandStatus, OnRobot, print, say, setup};

/// Silence after a file, so that the end of its last sentence is detected.
const SILENCE: Duration = Duration::from_secs(2);

/// Input and output of speech.
#[derive(Debug, Args)]
pub struct Listen {
    /// Listen to this WAV file in real time instead of the microphone. The command ends after the last answer.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Print answers instead of speaking them.
    #[arg(long, conflicts_with = "output")]
    no_speech: bool,
    /// Write spoken answers to this WAV file instead of the speaker.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Continue the session of this name, or start it.
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// The robot, and the output format.
    #[command(flatten)]
    on: OnRobot,
}

/// Listens until the source ends.
pub fn run(config: &Config, arguments: &Listen) -> anyhow::Result<CommandStatus> {
    let Listen { input, no_speech, output, session, on } = arguments;
    let mut voice = config.voice.clone();
    let source: Box<dyn Source> = match input {
        Some(path) => {
            // Speech in a file needs no wake word.
            voice.wake_word_mode = WakeWordMode::Never;
            Box::new(File::open(path, SILENCE).with_context(|| path.display().to_string())?)
        }
        None => microphone(&voice, ", or give --input FILE")?,
    };
    let workshop = setup::workshop(config)?;
    let engines = Engines::open(&voice, &models_of(config), !no_speech, workshop.registry())?;
    let sink: Box<dyn Sink> = match output {
        Some(path) => {
            // A session that cannot be stored is an error before anybody speaks.
            std::fs::write(path, b"").with_context(|| path.display().to_string())?;
            let mut stored = Stored::at(path);
            Box::new(RealTimeSink::to(move |sound| {
                if let Sound::Samples(samples) = sound {
                    stored.add(samples);
                }
            }))
        }
        None if !no_speech && input.is_none() => speaker(&voice)?,
        None => Box::new(sink::nowhere()),
    };
    let memory = session.as_ref().map(|_| setup::memory(config)).transpose()?;
    let body = setup::body(config, on)?;
    let (json, report_all) = (on.json, !on.json);
    let parts = Parts { engines, source, sink };
    let talk = Rc::new(VoiceConversation::begin(&body, &voice, parts, move |news| {
        reported(&news, json, report_all)
    })?);
    let asking = talk.clone();
    let tasks = CodeTasks::new(config);
    let mut conversation = say::begin(config, &body, &workshop, memory.as_ref(), session.as_deref())?
        .answering_with(&tasks)
        .asking(
            &super::tool_admin::user(),
            Box::new(move |question| {
                asking.ask(question);
                let said = asking.hear()?;
                asking.taken();
                // A stop is no answer; it has already stopped the robot.
                Some(said.text).filter(|text| !is_stop(text))
            }),
        );
    conversation.spoken(true);
    second_reader::prepare(config);
    let mut well = true;
    while let Some(said) = talk.hear() {
        let mut reply = conversation.queue_sentence(&said.text, said.stop_epoch);
        say::keep(&mut reply)?;
        if json {
            let document = serde_json::json!({ "event": "reply", "said": said.text, "reply": reply });
            print::line(&document.to_string());
        } else {
            say::print_reply(&reply);
        }
        well &= reply.outcome == minismith_assistant::conversation::TurnOutcome::Done;
        talk.answer(&reply.text);
    }
    // A microphone ends only when it is unplugged.
    Ok(CommandStatus::when(well && input.is_some()))
}

/// Opens the configured microphone; the error names the alternatives if none is configured.
pub(super) fn microphone(voice: &Voice, otherwise: &str) -> anyhow::Result<Box<dyn Source>> {
    let Some(name) = &voice.microphone else {
        anyhow::bail!("there is no microphone: set `voice: {{microphone: default}}`{otherwise}")
    };
    Ok(Box::new(Heard::open(name)?))
}

/// Opens the configured speaker; without one the speech is discarded.
pub(super) fn speaker(voice: &Voice) -> anyhow::Result<Box<dyn Sink>> {
    Ok(match &voice.speaker {
        Some(name) => Box::new(Played::open(name)?),
        None => Box::new(sink::nowhere()),
    })
}

/// Prints each event on one line: as JSON with `--json`, otherwise as text on standard error.
fn reported(news: &VoiceEvent, json: bool, in_words: bool) {
    if json {
        if let Ok(line) = serde_json::to_string(news) {
            print::line(&line);
        }
    } else if in_words {
        match news {
            VoiceEvent::Transcript { text, .. } => eprintln!("> {}", print::harmless(text)),
            VoiceEvent::Ignored { text, reason: why } => eprintln!("({}: {why})", print::harmless(text)),
            VoiceEvent::Stop { word, .. } => eprintln!("({word}: halted)"),
            VoiceEvent::Error { text } => eprintln!("minismith: {}", print::harmless(text)),
            _ => {}
        }
    }
}
