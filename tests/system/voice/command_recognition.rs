//! Twenty commands, each spoken in six ways, clean and in noise: from a WAV file to the motion of the mock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::clock::VirtualClock;
use firmware_bridge::control_loop::ControlLoop;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion_log::{LoggingRobot, MotionLog};
use minismith_assistant::agents::{robot_control, vision};
use minismith_control::execution::ExecutionContext;
use minismith_control::perception::{Perception, SceneCamera};
use minismith_control::robot::initial_joints;
use minismith_dialogue::interpretation::interpret;
use minismith_dialogue::phrases::{ALONE, CALL, commands, is_read};
use minismith_nlu::{Intent, Known, Understanding, interpret as understood};
use minismith_perception::models::Models;
use minismith_tests::workspace;
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::{Clip, samples_in};
use minismith_voice::commands::{Vocabulary, Wake, words};
use minismith_voice::moonshine::Moonshine;
use minismith_voice::recognizer::{RecognizerEvent, RecognizerOptions, SpeechRecognizer};
use minismith_voice::transcriber::{Transcriber, Transcript};
use minismith_voice::vad::Vad;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

use super::speech_fixture::{SPEEDS, VOICES, noisy, padded, spoken};

/// Twenty typical commands.
pub const COMMANDS: [&str; 20] = [
    "look left",
    "look right",
    "look up",
    "look down",
    "turn your head to the left",
    "tilt your head to the right",
    "nod twice",
    "shake your head",
    "wiggle your antennas",
    "wake up",
    "go to sleep",
    "stop",
    "dance",
    "look left and then nod three times",
    "turn right thirty degrees",
    "look at me",
    "what do you see",
    "follow my face",
    "go back to the center",
    "hey reachy, look up and wiggle your antennas",
];

pub fn models() -> Models {
    Models::at(workspace().join(".cache/models"))
}

/// The whole pipeline from samples to the intended command.
pub struct Hearer {
    ear: SpeechRecognizer<Vad, Moonshine>,
    vocabulary: Vocabulary,
    wake: Wake,
}

impl Hearer {
    pub fn new() -> Self {
        let commands = commands([]);
        let moonshine = Moonshine::open(&models()).unwrap();
        let known = moonshine.choices(&[CALL.to_owned()], &commands, &ALONE.map(str::to_owned));
        // This test ignores partial transcripts.
        let listening =
            RecognizerOptions { partial_every: Duration::from_secs(3600), ..RecognizerOptions::default() };
        let ear = SpeechRecognizer::new(Vad::open(&models()).unwrap(), moonshine.knowing(known), listening);
        Hearer { ear, vocabulary: Vocabulary::new(commands), wake: Wake::new::<String>(&[]) }
    }

    /// Returns the free transcript and the intended command; both are empty where nothing was recognised.
    pub fn hear(&mut self, clip: &Clip) -> (String, String) {
        let mut all = Vec::new();
        for piece in clip.samples.chunks(samples_in(Duration::from_millis(20), HEARD_RATE)) {
            let at = minismith_voice::audio::time_of(all.len() as u64, HEARD_RATE);
            all.extend_from_slice(piece);
            for heard in self.ear.push(at, piece) {
                match heard {
                    RecognizerEvent::Utterance { text, confidence, .. } => {
                        let heard = Transcript { text, confidence, min_confidence: confidence };
                        let command =
                            self.ear.again(|moonshine, samples| moonshine.command(samples, &heard)).unwrap();
                        let meaning = interpret(&heard, command.as_ref(), &self.vocabulary);
                        let text = self.wake.spot(&meaning.text).unwrap_or(meaning.text);
                        self.ear.finish();
                        return (heard.text, text);
                    }
                    RecognizerEvent::Failed(why) => panic!("{why}"),
                    _ => {}
                }
            }
        }
        self.ear.finish();
        Default::default()
    }
}

/// The result of a command: each step as text, and the joint angles every 100 ms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    steps: Vec<String>,
    path: Vec<Joints>,
}

/// Runs a text on a mock in virtual time that looks at a face; none where the text is not understood.
fn moved(text: &str) -> Moved {
    let plan = match understood(text, &Known::default()) {
        Understanding::Plan(plan) => plan,
        Understanding::Stop => return Moved { steps: vec!["stop".into()], path: Vec::new() },
        _ => return Moved::default(),
    };
    let photos = workspace().join(".cache/models/photographs");
    let face = "billboards:\n  - {name: visitor, kind: face, photograph: astronaut.png, crop: [88, 0, 272, 340], landmark: [220.4, 124.5], height: 0.63, at: [0.8, 0.2, 0.1]}\n";
    let camera = Arc::new(SceneCamera::new(Arc::new(Scene::parse(face, &photos).unwrap())));
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let trace = MotionLog::with_room_for(60_000);
    let robot = LoggingRobot::new(robot, trace.clone());
    let control_loop =
        ControlLoop::new(robot, VirtualClock::new(), Limits::default(), Duration::from_millis(10)).unwrap();
    let mut context = ExecutionContext::new(Box::new(control_loop), Perception::new(camera, models()));
    context.torque(Joints::all(true)).unwrap();
    let album = tempfile::tempdir().unwrap();
    let mut steps = Vec::new();
    for intent in plan {
        match intent {
            Intent::Motion(primitive) => {
                let step = robot_control::act(&mut context, &primitive);
                assert_eq!(step.refusal, None, "{text}");
                steps.push(step.kind);
            }
            Intent::See(sight) => steps.push(vision::act(&mut context, &sight, album.path(), "en").text),
            other => steps.push(other.to_string()),
        }
    }
    let path = trace.take().iter().step_by(10).map(|cycle| cycle.present).collect();
    Moved { steps, path }
}

/// Returns the greatest distance of two paths in degrees; infinite where one is longer.
fn apart(one: &[Joints], other: &[Joints]) -> f64 {
    if one.len() != other.len() {
        return f64::INFINITY;
    }
    let gap = |(one, other): (&Joints, &Joints)| {
        Joint::ALL.into_iter().map(|joint| (one[joint] - other[joint]).abs().degrees()).fold(0.0, f64::max)
    };
    one.iter().zip(other).map(gap).fold(0.0, f64::max)
}

/// Returns the number of wrong words in a transcript, and the number of spoken words.
fn errors(said: &str, heard: &str) -> (usize, usize) {
    let number = |word: String| match word.as_str() {
        "2" => "two".into(),
        "3" => "three".into(),
        "30" => "thirty".into(),
        _ => word,
    };
    let said: Vec<String> = words(said).into_iter().map(number).collect();
    let heard: Vec<String> = words(heard).into_iter().map(number).collect();
    let mut row: Vec<usize> = (0..=heard.len()).collect();
    for (position, word) in said.iter().enumerate() {
        let mut next = vec![position + 1];
        for (at, other) in heard.iter().enumerate() {
            let changed = row[at] + usize::from(word != other);
            next.push(changed.min(row[at + 1] + 1).min(next[at] + 1));
        }
        row = next;
    }
    (row[heard.len()], said.len())
}

/// Speaks all commands in six ways, with noise if given. Returns the fraction that moved the robot as the written
/// command does.
fn success(ratio: Option<f32>) -> f64 {
    let mut hearer = Hearer::new();
    let mut known: HashMap<String, Moved> = HashMap::new();
    let (mut all, mut right) = (0, 0);
    let condition = ratio.map_or("clean".to_owned(), |ratio| format!("{ratio} dB"));
    for voice in VOICES {
        for speed in SPEEDS {
            let (mut wrong, mut said, mut done) = (0, 0, 0);
            for (number, command) in COMMANDS.iter().enumerate() {
                let clean = padded(&spoken(command, voice, speed), 0.4, 1.2);
                let clip = ratio.map_or(clean.clone(), |ratio| noisy(&clean, ratio, number as u64 + 77));
                let (heard, means) = hearer.hear(&clip);
                let plain = command.trim_start_matches("hey reachy, ");
                let mut of =
                    |text: &str| known.entry(text.to_lowercase()).or_insert_with(|| moved(text)).clone();
                let (wanted, came) = (of(plain), of(&means));
                assert!(!wanted.steps.is_empty(), "{plain} is understood when it is written");
                let is_done = wanted.steps == came.steps && apart(&wanted.path, &came.path) < 1.0;
                if !is_done {
                    println!("    {command:?} heard as {heard:?}, taken for {means:?}: {:?}", came.steps);
                }
                let (errors, words) = errors(command, &heard);
                wrong += errors;
                said += words;
                done += usize::from(is_done);
            }
            println!(
                "{voice:9} {speed}/min {condition:>6}: word errors {:4.1} %, {done} of {} commands done",
                100.0 * wrong as f64 / said as f64,
                COMMANDS.len()
            );
            all += COMMANDS.len();
            right += done;
        }
    }
    let success = right as f64 / all as f64;
    println!("== {condition}: {right} of {all} commands done, {:.1} %", success * 100.0);
    success
}

#[test]
fn clean_commands_move_the_robot() {
    assert!(success(None) >= 0.9);
}

#[test]
fn commands_in_noise_move_the_robot() {
    assert!(success(Some(20.0)) >= 0.8);
}

#[test]
fn commands_in_heavy_noise_move_the_robot() {
    assert!(success(Some(10.0)) >= 0.7);
}

/// Utterances that are no commands but could be mistaken for some.
const OTHERS: [&str; 12] = [
    "the weather is nice today",
    "what time is it",
    "I left my keys at home",
    "my head hurts",
    "can you play some music",
    "he turned around and left",
    "look who is here",
    "good morning everybody",
    "we had a dance lesson at school",
    "she said that she would be right back",
    "the cat is asleep on the sofa",
    "put the kettle on",
];

#[test]
fn speech_without_a_command_moves_nothing() {
    let mut hearer = Hearer::new();
    let (mut all, mut taken) = (0, 0);
    for voice in VOICES {
        for ratio in [40.0, 20.0] {
            for (number, other) in OTHERS.iter().enumerate() {
                let clip = noisy(&padded(&spoken(other, voice, 160), 0.4, 1.2), ratio, number as u64 + 9);
                let (heard, means) = hearer.hear(&clip);
                let is_taken = is_read(&means);
                if is_taken {
                    println!("    {other:?} heard as {heard:?}, taken for {means:?}");
                }
                all += 1;
                taken += usize::from(is_taken);
            }
        }
    }
    println!("== {taken} of {all} sentences that are no command are taken for one");
    assert!(taken * 10 <= all, "{taken} of {all}");
}
