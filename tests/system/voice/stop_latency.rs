//! A spoken stop during a dance. The mock's control loop and the audio share one virtual clock. The result is the time
//! of the pipeline and of the brakes, independent of this machine.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use firmware_bridge::clock::{Clock, Timestamp};
use firmware_bridge::control_loop::{
    ControlLoop, ControlLoopHandle, ControlLoopThread, LoopClient, LoopCommand, MotionState,
};
use firmware_bridge::joint::Joints;
use firmware_bridge::limits::Limits;
use minismith_assistant::agents::robot_control;
use minismith_control::execution::ExecutionContext;
use minismith_control::robot::initial_joints;
use minismith_nlu::{Intent, Known, Understanding, interpret};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::{Clip, samples_in, time_of};
use minismith_voice::moonshine::Moonshine;
use minismith_voice::recognizer::{RecognizerEvent, RecognizerOptions, SpeechRecognizer};
use minismith_voice::vad::Vad;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

use super::command_recognition::models;
use super::speech_fixture::{VOICES, end_of, noisy, padded, spoken};

/// The duration of one chunk of audio.
const PIECE: Duration = Duration::from_millis(20);

/// Time that advances only when the control loop waits, and the audio with it.
#[derive(Clone, Default)]
struct Together {
    now: Arc<AtomicU64>,
    sound: Arc<Mutex<Option<Sound>>>,
}

struct Sound {
    ear: SpeechRecognizer<Vad, Moonshine>,
    clip: Clip,
    heard: usize,
    control_loop: Arc<OnceLock<ControlLoopHandle>>,
    /// When the audio began: as soon as the robot moves.
    began: Option<Timestamp>,
    /// The recognised texts and their times.
    stop: Option<(String, Timestamp)>,
    held: Option<Timestamp>,
}

impl Sound {
    fn until(&mut self, now: Timestamp) {
        let Some(control_loop) = self.control_loop.get() else { return };
        let doing = control_loop.snapshot().motion_state;
        if self.stop.is_some() && self.held.is_none() && doing == MotionState::Holding {
            self.held = Some(now);
        }
        if self.began.is_none() && doing == MotionState::Moving {
            self.began = Some(now);
        }
        let Some(began) = self.began else { return };
        while time_of((self.heard + samples_in(PIECE, HEARD_RATE)) as u64, HEARD_RATE) <= now.since(began) {
            let end = self.heard + samples_in(PIECE, HEARD_RATE);
            let Some(piece) = self.clip.samples.get(self.heard..end) else { return };
            for heard in self.ear.push(time_of(self.heard as u64, HEARD_RATE), piece) {
                if let (RecognizerEvent::StopWord { word, .. }, None) = (heard, &self.stop) {
                    control_loop.clone().send_command(LoopCommand::Stop);
                    self.stop = Some((word, now));
                }
            }
            self.heard = end;
        }
    }
}

impl Clock for Together {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::Acquire))
    }

    fn wait_until(&self, until: Timestamp) {
        self.now.fetch_max(until.0, Ordering::AcqRel);
        if let Some(sound) = &mut *self.sound.lock().unwrap() {
            sound.until(until);
        }
    }
}

/// Returns the time from the end of the word to its recognition, and to the moment at which the robot held.
fn stopped(sentence: &str, word: &str, clip: &Clip, end: Duration) -> (Duration, Duration) {
    let clock = Together::default();
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let control_loop =
        ControlLoop::new(robot, clock.clone(), Limits::default(), Duration::from_millis(10)).unwrap();
    let own = Arc::new(OnceLock::new());
    let ear = SpeechRecognizer::new(
        Vad::open(&models()).unwrap(),
        Moonshine::open(&models()).unwrap(),
        RecognizerOptions::default(),
    );
    // Silence follows for as long as the robot may brake.
    let clip = padded(clip, 0.0, 3.0);
    let sound = Sound { ear, clip, heard: 0, control_loop: own.clone(), began: None, stop: None, held: None };
    *clock.sound.lock().unwrap() = Some(sound);
    let thread = ControlLoopThread::start(control_loop).unwrap();
    let mut context = ExecutionContext::new(Box::new(thread.handle()), Scene::default());
    context.torque(Joints::all(true)).unwrap();
    own.set(thread.handle()).ok().unwrap();
    let Understanding::Plan(plan) = interpret("dance for sixty seconds", &Known::default()) else { panic!() };
    for intent in plan {
        let Intent::Motion(primitive) = intent else { panic!("{intent:?}") };
        let step = robot_control::act(&mut context, &primitive);
        assert!(step.refusal.is_some(), "{sentence} does not end the dance")
    }
    context.control.watch(&|snapshot| snapshot.motion_state == MotionState::Holding);
    // The snapshot shows the cycle in which it holds one cycle later.
    context.advance_to(context.control.robot_time() + Duration::from_millis(50));
    let sound = clock.sound.lock().unwrap().take().unwrap();
    let began = sound.began.unwrap();
    let (heard, known) = sound.stop.unwrap_or_else(|| panic!("{sentence} is not heard"));
    assert_eq!(heard, word);
    let after = |tick: Timestamp| tick.since(began).saturating_sub(end);
    (after(known), after(sound.held.unwrap_or_else(|| panic!("the body does not hold"))))
}

#[test]
fn spoken_stop_ends_a_dance_within_300_ms() {
    let mut slowest = Duration::ZERO;
    for (sentence, word) in
        [("stop", "stop"), ("please stop", "stop"), ("halt", "halt"), ("freeze", "freeze")]
    {
        for voice in VOICES {
            for ratio in [None, Some(20.0)] {
                let clean = padded(&spoken(sentence, voice, 160), 2.0, 0.0);
                let clip = ratio.map_or(clean.clone(), |ratio| noisy(&clean, ratio, 5));
                let (known, held) = stopped(sentence, word, &clip, end_of(&clean));
                println!("{sentence:12} {voice:9} {ratio:?}: known after {known:?}, held after {held:?}");
                slowest = slowest.max(held);
            }
        }
    }
    assert!(slowest <= Duration::from_millis(300), "{slowest:?}");
}
