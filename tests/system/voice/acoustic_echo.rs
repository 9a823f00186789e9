//! A room in which the robot hears itself: its speech returns to its microphone, softer and later, while a user speaks.
//! It contains every part of `minismith listen`, on the wall clock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::joint::{Joint, Joints};
use minismith_assistant::conversation::Conversation;
use minismith_control::robot::RobotRuntime;
use minismith_dialogue::engine::Engines;
use minismith_dialogue::sink::Sink;
use minismith_dialogue::source::{AudioChunk, Source};
use minismith_dialogue::{Parts, VoiceConversation, VoiceEvent};
use minismith_perception::models::Models;
use minismith_runtime::config::{Config, RobotChoice, WakeWordMode};
use minismith_runtime::report::TurnOutcome;
use minismith_tests::{TestDir, workspace};
use minismith_toolchain::workshop::Workshop;
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::{Clip, samples_in, time_of};

use super::speech_fixture::spoken;

const PIECE: Duration = Duration::from_millis(20);
/// The delay of the echo.
const LATER: Duration = Duration::from_millis(60);
/// The gain of the echo.
const ECHO: f32 = 0.25;
/// The sample rate of the speaker.
const RATE: u32 = 24_000;

/// When a user speaks into the room.
#[derive(Clone, Copy)]
enum When {
    /// At this time.
    At(Duration),
    /// When the robot has spoken for this long.
    Over(Duration),
}

#[derive(Default)]
struct Air {
    /// Samples that were played and have not returned yet, at [`HEARD_RATE`].
    echo: VecDeque<f32>,
    /// The number of samples played.
    played: usize,
    silent_at: Option<Timestamp>,
}

struct Speaker {
    air: Arc<Mutex<Air>>,
    clock: MonotonicClock,
}

impl Sink for Speaker {
    fn rate(&self) -> u32 {
        RATE
    }

    fn play(&mut self, samples: &[f32]) {
        let heard = Clip::new(RATE, samples.to_vec()).resampled(HEARD_RATE).unwrap().samples;
        let mut air = self.air.lock().unwrap();
        let now = self.clock.now();
        if air.silent_at.is_none_or(|at| at < now) {
            air.echo.extend(vec![0.0; samples_in(LATER, HEARD_RATE)]);
        }
        air.played += heard.len();
        air.echo.extend(heard);
        let from = air.silent_at.unwrap_or(now).max(now);
        air.silent_at = Some(from + time_of(samples.len() as u64, RATE));
    }

    fn waiting(&self) -> Duration {
        self.air.lock().unwrap().silent_at.map_or(Duration::ZERO, |at| at.since(self.clock.now()))
    }

    fn cut(&mut self) {
        let mut air = self.air.lock().unwrap();
        air.silent_at = None;
        air.echo.truncate(samples_in(LATER, HEARD_RATE));
    }
}

struct Microphone {
    air: Arc<Mutex<Air>>,
    clock: MonotonicClock,
    began: Timestamp,
    at: u64,
    /// Utterances that are still to come.
    script: VecDeque<(When, Clip)>,
    /// The samples of the current utterance.
    saying: VecDeque<f32>,
    /// How long the room records after the last utterance.
    rest: Duration,
    ends: Option<Duration>,
}

impl Source for Microphone {
    fn take(&mut self) -> Option<AudioChunk> {
        let at = time_of(self.at, HEARD_RATE);
        if self.ends.is_some_and(|end| at >= end) {
            return None;
        }
        let count = samples_in(PIECE, HEARD_RATE);
        self.at += count as u64;
        self.clock.wait_until(self.began + time_of(self.at, HEARD_RATE));
        let mut air = self.air.lock().unwrap();
        let is_time = self.script.front().is_some_and(|(when, _)| match when {
            When::At(time) => at >= *time,
            When::Over(spoken) => time_of(air.played as u64, HEARD_RATE) >= *spoken,
        });
        if is_time && let Some((_, clip)) = self.script.pop_front() {
            self.saying.extend(clip.samples);
        }
        if self.script.is_empty() && self.saying.is_empty() && self.ends.is_none() {
            self.ends = Some(at + self.rest);
        }
        let samples = (0..count).map(|_| {
            let echo = air.echo.pop_front().unwrap_or_default();
            ECHO * echo + self.saying.pop_front().unwrap_or_default()
        });
        let samples = samples.collect();
        Some(AudioChunk { at, samples })
    }
}

/// Plays these sentences into a room, and returns the events and the executed commands.
fn held(script: &[(When, &str)], rest: Duration) -> (Vec<VoiceEvent>, Vec<(String, TurnOutcome)>) {
    let (news, done, _) = seen(script, rest);
    (news, done)
}

/// The same, with the commanded joint positions.
fn seen(
    script: &[(When, &str)],
    rest: Duration,
) -> (Vec<VoiceEvent>, Vec<(String, TurnOutcome)>, Vec<Joints>) {
    let bench = TestDir::new();
    let config = Config::load(Some(&bench.path("config.yaml"))).unwrap();
    let body = RobotRuntime::open(&RobotChoice::Mock, &config).unwrap();
    let workshop = Workshop::open(&config).unwrap();
    let models = Models::at(workspace().join(".cache/models"));
    let mut voice = config.voice.clone();
    voice.wake_word_mode = WakeWordMode::Never;
    let engines = Engines::open(&voice, &models, true, workshop.registry()).unwrap();
    let air = Arc::<Mutex<Air>>::default();
    let clock = MonotonicClock::start();
    let script = script.iter().map(|(when, text)| (*when, spoken(text, "en-us", 160))).collect();
    let microphone = Microphone {
        air: air.clone(),
        began: clock.now(),
        clock,
        at: 0,
        script,
        saying: VecDeque::new(),
        rest,
        ends: None,
    };
    let parts = Parts { engines, source: Box::new(microphone), sink: Box::new(Speaker { air, clock }) };
    let news = Arc::<Mutex<Vec<VoiceEvent>>>::default();
    let noting = news.clone();
    let talk =
        VoiceConversation::begin(&body, &voice, parts, move |one| noting.lock().unwrap().push(one)).unwrap();
    let mut conversation = Conversation::new(&body, &workshop);
    let mut done = Vec::new();
    while let Some(said) = talk.hear() {
        let reply = conversation.queue_sentence(&said.text, said.stop_epoch);
        talk.answer(&reply.text);
        done.push((said.text.to_lowercase(), reply.outcome));
    }
    drop(talk);
    let news = news.lock().unwrap().clone();
    let goals = body.take_trace().into_iter().map(|cycle| cycle.goal).collect();
    (news, done, goals)
}

fn is_heard(one: &VoiceEvent) -> bool {
    matches!(one, VoiceEvent::Transcript { .. } | VoiceEvent::Stop { .. })
}

#[test]
fn own_speech_triggers_no_command() {
    let question = [(When::At(Duration::from_millis(500)), "what can you do")];
    let (news, done) = held(&question, Duration::from_secs(10));
    assert_eq!(done.len(), 1, "{done:?} {news:?}");
    let spoken: f64 = news
        .iter()
        .map(|one| if let VoiceEvent::Speaking { duration_s: lasts_s, .. } = one { *lasts_s } else { 0.0 })
        .sum();
    assert!(spoken > 5.0, "it speaks for a while: {spoken} s");
    assert_eq!(news.iter().filter(|one| is_heard(one)).count(), 1, "{news:?}");
    assert!(!news.contains(&VoiceEvent::Interrupted), "{news:?}");
}

#[test]
fn speech_over_playback_is_recognised_and_interrupts_it() {
    let over = When::Over(Duration::from_secs(6));
    let script = [(When::At(Duration::from_millis(500)), "what can you do"), (over, "look right")];
    let (news, done) = held(&script, Duration::from_secs(6));
    let said: Vec<&str> = done.iter().map(|(text, _)| text.trim_end_matches(['.', '?'])).collect();
    assert_eq!(said, ["what can you do", "look right"], "{news:?}");
    assert_eq!(done[1].1, TurnOutcome::Done);
    let cut = news
        .iter()
        .position(|one| *one == VoiceEvent::Interrupted)
        .unwrap_or_else(|| panic!("speech is not cut: {news:?}"));
    let heard = news.iter().rposition(is_heard).unwrap();
    assert!(cut < heard, "as soon as somebody begins to speak: {news:?}");
}

#[test]
fn stop_is_recognised_over_playback() {
    let script = [
        (When::At(Duration::from_millis(500)), "what can you do"),
        (When::Over(Duration::from_secs(6)), "stop"),
    ];
    let (news, _) = held(&script, Duration::from_secs(3));
    assert!(news.iter().any(|one| matches!(one, VoiceEvent::Stop { .. })), "{news:?}");
    assert!(news.contains(&VoiceEvent::Interrupted), "{news:?}");
}

#[test]
fn antennas_and_head_show_listening_and_speaking() {
    let question = [(When::At(Duration::from_millis(500)), "what can you do")];
    let (news, _, goals) = seen(&question, Duration::from_secs(8));
    let off = |joint: Joint, at: &Joints| (at[joint] - goals[0][joint]).degrees();
    let most = |joint: Joint| goals.iter().map(|at| off(joint, at).abs()).fold(0.0, f64::max);
    let (antenna, head) = (most(Joint::RightAntenna), most(Joint::Stewart1));
    println!("the right antenna leans {antenna:.1} deg, the first leg turns {head:.1} deg");
    assert!((4.0..12.0).contains(&antenna), "{antenna} {news:?}");
    assert!((0.3..15.0).contains(&head), "{head} {news:?}");
    let last = goals.last().unwrap();
    for joint in Joint::ALL {
        assert!(off(joint, last).abs() < 1.0, "{joint} comes back: {}", off(joint, last));
    }
}
