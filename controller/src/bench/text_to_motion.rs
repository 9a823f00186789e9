//! `words_to_bus_p50` and `words_to_bus_p99`: the time from a sentence to the first goal position on the line that it
//! changes, offline.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};

use super::line::Line;
use super::rounds::quantile;
use super::row::Row;
use super::{BenchContext, Failed};
use minismith_assistant::conversation::{Conversation, TurnOutcome};
use minismith_control::robot::RobotRuntime;
use minismith_toolchain::workshop::Workshop;

pub(super) const NAMES: [&str; 2] = ["words_to_bus_p50", "words_to_bus_p99"];

/// Typical sentences with short motions.
const SENTENCES: [&str; 20] = [
    "look left 20 degrees",
    "look right",
    "look up 10 degrees",
    "look down a bit",
    "please tilt your head to the left",
    "tilt right by ten degrees",
    "turn left 20 degrees",
    "turn your body right",
    "raise your head by 10 mm",
    "lower your head",
    "nod",
    "nod once, please",
    "shake your head once",
    "wiggle your antennas once",
    "set both antennas to 20 degrees",
    "could you look at 0.5, 0.1, 0?",
    "say yes",
    "say no once",
    "look left and right",
    "turn your head a little to the right",
];

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    (context.progress)("words: from a sentence to the line");
    let [median, last] = NAMES;
    let note = "twenty sentences; no peer answers without a language model";
    match delays(context) {
        Ok(mut delays) => [(median, 0.5), (last, 0.99)]
            .map(|(name, share)| {
                let number = quantile(&mut delays, share).ok_or_else(|| Failed("nothing was said".into()));
                Row::alone(name, "ms", number).noting(note)
            })
            .into(),
        Err(failed) => NAMES.map(|name| Row::alone(name, "ms", Err(failed.clone()))).into(),
    }
}

/// Returns the milliseconds of each sentence.
fn delays(context: &BenchContext<'_>) -> Result<Vec<f64>, Failed> {
    let at = Failed::at("words");
    let line = Line::start()?;
    let body = RobotRuntime::open_emulated(line.path(), context.config).map_err(|e| at(&e))?;
    let workshop = Workshop::open(context.config).map_err(|error| at(&error))?;
    let clock = MonotonicClock::start();
    let (said, saying) = channel();
    let (heard, hearing) = channel();
    let sentences: Vec<&str> =
        SENTENCES.iter().copied().cycle().take(SENTENCES.len() * context.pick(1, 2)).collect();
    let sentences = sentences.get(..context.pick(4, sentences.len())).unwrap_or_default();
    std::thread::scope(|scope| {
        // The sending thread waits until the line shows the motion. The watching thread does nothing else.
        let (body, workshop) = (&body, &workshop);
        let speaker = scope.spawn(move || speak(body, workshop, sentences, clock, &said, &hearing));
        let delays = listen(&line, clock, &saying, &heard);
        drop(heard);
        speaker.join().unwrap_or_else(|_| Err(Failed("the speaker failed".into())))?;
        delays
    })
}

/// Sends the sentences, each from rest, and returns their times.
fn speak(
    body: &RobotRuntime,
    workshop: &Workshop,
    sentences: &[&str],
    clock: MonotonicClock,
    said: &Sender<Timestamp>,
    hearing: &Receiver<()>,
) -> Result<(), Failed> {
    let mut conversation = Conversation::new(body, workshop);
    for sentence in sentences {
        conversation.hear("look straight ahead, center, then wait 0.3 seconds");
        if said.send(clock.now()).is_err() {
            return Ok(());
        }
        let reply = conversation.hear(sentence);
        if reply.outcome != TurnOutcome::Done {
            return Err(Failed(format!("{sentence:?}: {}", reply.text)));
        }
        // The next sentence waits until this one was measured.
        if hearing.recv().is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns, for each sentence, the time until the goals changed.
fn listen(
    line: &Line,
    clock: MonotonicClock,
    saying: &Receiver<Timestamp>,
    heard: &Sender<()>,
) -> Result<Vec<f64>, Failed> {
    let (mut delays, mut before, mut waiting) = (Vec::new(), Vec::new(), None);
    loop {
        let goals = line.next_positions()?;
        // A sentence is sent before its goals arrive, so it is received first.
        match saying.try_recv() {
            Ok(moment) => waiting = Some(moment),
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Ok(delays),
        }
        if let Some(moment) = waiting.take_if(|_| goals != before) {
            delays.push(clock.now().since(moment).as_secs_f64() * 1e3);
            // The channel is closed after the last one.
            let _over = heard.send(());
        }
        before = goals;
    }
}
