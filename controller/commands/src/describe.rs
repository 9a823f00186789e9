//! Says in a person's language what was understood and what came of it.

use std::collections::HashMap;
use std::sync::LazyLock;

use minismith_score::Axis;
use serde::Deserialize;

use crate::concept::Compared;
use crate::lexicon::Courtesy;
use crate::meaning::{Aim, Amount, Gesture, Meaning};
use crate::refusal::Refusal;

/// The phrases of an answer in one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Phrases {
    done: String,
    refused: String,
    heard: String,
    taken: String,
    meant: String,
    unclear: String,
    cannot_because: String,
    nothing: String,
    welcome: String,
    greeting: String,
    then: String,
    both: String,
    times: String,
    all_times: String,
    once: String,
    degrees: String,
    millimetres: String,
    most: String,
    head_turn: [String; 2],
    head_pitch: [String; 2],
    head_tilt: [String; 2],
    head_forward: [String; 2],
    head_side: [String; 2],
    head_rise: [String; 2],
    body_turn: [String; 2],
    antenna_left: [String; 2],
    antenna_right: [String; 2],
    neutral: String,
    before: String,
    nod: String,
    bow: String,
    shake: String,
    wiggle: String,
    sway: String,
    dance: String,
    wait: String,
    wake: String,
    sleep: String,
    sound: String,
    too_far_degrees: String,
    too_far_millimetres: String,
    refusals: HashMap<Refusal, String>,
    manner: Manner,
    sights: Sights,
}

/// How something is done, each around `{what}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manner {
    /// More slowly than usual.
    slowly: String,
    /// Faster than usual.
    quickly: String,
    /// Within `{n}` seconds.
    within: String,
    /// With `{n}` seconds between the rounds.
    apart: String,
    /// A round starts every `{n}` seconds.
    every: String,
    /// Each posture held for `{n}` seconds.
    held: String,
    /// Each round larger than the one before.
    larger: String,
    /// Each round smaller.
    smaller: String,
    /// Each round faster.
    faster: String,
    /// Each round slower.
    slower: String,
}

/// The phrases of an answer about what the camera shows, in one language. What stands in braces is replaced.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sights {
    /// A photo was taken: `{file}`.
    pub photo: String,
    /// `{what}` is seen.
    pub see: String,
    /// Nothing is seen that has a name.
    pub nothing: String,
    /// Nobody is seen.
    pub nobody: String,
    /// Only faces were looked for, and `{why}`.
    pub faces_only: String,
    /// It can't be seen, and `{why}`.
    pub blind: String,
    /// One person, and `{what}` it is.
    pub person: String,
    /// `{n}` people, and `{what}` each is.
    pub people: String,
    /// One thing: `{what}`, `{where}`, the `{distance}` in metres, and how `{sure}` it is in percent.
    pub one: String,
    /// Joins the last thing.
    pub and: String,
    /// `{n}` things that are not listed.
    pub more: String,
    /// Straight ahead.
    pub ahead: String,
    /// A little to a `{side}`.
    pub a_little: String,
    /// To the robot's left.
    pub left: String,
    /// To its right.
    pub right: String,
    /// Behind it.
    pub behind: String,
    /// And high.
    pub up: String,
    /// And low.
    pub down: String,
    /// The detector's classes, each with its article, as it is seen.
    pub labels: HashMap<String, String>,
}

/// The files, by the language's code.
const FILES: [(&str, &str); 6] = [
    ("en", include_str!("../answers/en.yaml")),
    ("de", include_str!("../answers/de.yaml")),
    ("fr", include_str!("../answers/fr.yaml")),
    ("es", include_str!("../answers/es.yaml")),
    ("it", include_str!("../answers/it.yaml")),
    ("zh", include_str!("../answers/zh.yaml")),
];

static PHRASES: LazyLock<HashMap<&str, Phrases>> = LazyLock::new(|| {
    FILES.iter().filter_map(|(code, file)| Some((*code, serde_yaml::from_str(file).ok()?))).collect()
});

/// The shape of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// This was done.
    Done(&'a str),
    /// This was not done, for a reason.
    Refused(&'a str, &'a str),
    /// These words were taken for ones that sound alike.
    Heard(&'a str),
    /// A sentence that the lexicon does not know was taken for this.
    Taken(&'a str),
    /// The person is asked whether this was meant.
    Meant(&'a str),
    /// These words were not understood.
    Unclear(&'a str),
    /// It can't be done, for a reason.
    Cannot(&'a str),
    /// It asks for no motion.
    Nothing,
    /// The person was polite.
    Polite(Courtesy),
}

/// Returns an answer in a language; in English if the language is not known.
#[must_use]
pub fn answer(answer: Answer<'_>, language: &str) -> String {
    let Some(phrases) = PHRASES.get(language).or_else(|| PHRASES.get("en")) else { return String::new() };
    match answer {
        Answer::Done(what) => phrases.done.replace("{what}", what),
        Answer::Refused(what, why) => phrases.refused.replace("{what}", what).replace("{why}", why),
        Answer::Heard(words) => phrases.heard.replace("{words}", words),
        Answer::Taken(what) => phrases.taken.replace("{what}", what),
        Answer::Meant(what) => phrases.meant.replace("{what}", what),
        Answer::Unclear(words) => phrases.unclear.replace("{words}", words),
        Answer::Cannot(why) => phrases.cannot_because.replace("{why}", why),
        Answer::Nothing => phrases.nothing.clone(),
        Answer::Polite(Courtesy::Thanks) => phrases.welcome.clone(),
        Answer::Polite(Courtesy::Greeting) => phrases.greeting.clone(),
    }
}

/// Returns how a language tells what the camera shows; English if the language is not known.
#[must_use]
pub fn sights(language: &str) -> Option<&'static Sights> {
    PHRASES.get(language).or_else(|| PHRASES.get("en")).map(|phrases| &phrases.sights)
}

impl Refusal {
    /// Returns the reason in a language; in English if the language is not known.
    #[must_use]
    pub fn told(self, language: &str) -> String {
        let phrases = PHRASES.get(language).or_else(|| PHRASES.get("en"));
        let phrase = phrases.and_then(|phrases| match self {
            Refusal::TooFarDegrees(_) => Some(&phrases.too_far_degrees),
            Refusal::TooFarMillimetres(_) => Some(&phrases.too_far_millimetres),
            named => phrases.refusals.get(&named),
        });
        let phrase = phrase.map_or("", String::as_str);
        match self.number() {
            Some(number) => phrase.replace("{n}", &number.to_string()),
            None => phrase.to_owned(),
        }
    }
}

/// Describes a motion in a language: "look left 20 degrees, then nod twice".
#[must_use]
pub fn describe(meaning: &Meaning, language: &str) -> String {
    match PHRASES.get(language).or_else(|| PHRASES.get("en")) {
        Some(phrases) => phrases.meaning(meaning),
        None => String::new(),
    }
}

impl Phrases {
    fn meaning(&self, meaning: &Meaning) -> String {
        match meaning {
            Meaning::Go { aims, seconds, pace } => {
                let what = self.list(aims.iter().map(|aim| self.aim(aim)).collect());
                self.timed(what, *seconds, *pace)
            }
            Meaning::Gesture(gesture) => self.gesture(gesture),
            Meaning::Dance(seconds) => self.dance.replace("{n}", &plain(*seconds)),
            Meaning::Wait(seconds) => self.wait.replace("{n}", &plain(*seconds)),
            Meaning::Neutral { seconds, pace, .. } => self.timed(self.neutral.clone(), *seconds, *pace),
            Meaning::Posture(_) => self.before.clone(),
            Meaning::Wake => self.wake.clone(),
            Meaning::Sleep => self.sleep.clone(),
            Meaning::Sound => self.sound.clone(),
            Meaning::Sequence(inner) => {
                let parts: Vec<String> = inner.iter().map(|one| self.meaning(one)).collect();
                parts.join(&self.then)
            }
            Meaning::Together(inner) => self.list(inner.iter().map(|one| self.meaning(one)).collect()),
            Meaning::Repeat(count, inner) if matches!(**inner, Meaning::Sequence(_)) => {
                filled(&self.all_times, &self.meaning(inner), *count)
            }
            Meaning::Repeat(count, inner) => self.counted(&self.meaning(inner), *count),
        }
    }

    fn list(&self, parts: Vec<String>) -> String {
        parts.join(&self.both)
    }

    fn counted(&self, what: &str, count: u32) -> String {
        let form = if count == 1 { &self.once } else { &self.times };
        filled(form, what, count)
    }

    fn gesture(&self, gesture: &Gesture) -> String {
        let aims: Vec<&Aim> = gesture.strokes.iter().flatten().collect();
        let all = |axes: &[Axis]| aims.iter().all(|aim| axes.contains(&aim.axis));
        let what = if all(&[Axis::HeadPitch]) && gesture.hold > 0.0 {
            self.bow.clone()
        } else if all(&[Axis::HeadPitch]) && aims.iter().all(|aim| aim.sign > 0.0) {
            self.nod.clone()
        } else if gesture.is_shake() {
            self.shake.clone()
        } else if all(&Axis::ANTENNAS) && aims.len() == 2 {
            self.wiggle.clone()
        } else if all(&[Axis::HeadTilt]) && !gesture.is_out_and_back {
            self.sway.clone()
        } else {
            self.list(aims.iter().map(|aim| self.way(aim)).collect())
        };
        let mut told = self.timed(self.counted(&what, gesture.count), gesture.total, gesture.stroke);
        let is_bow = what == self.bow;
        let seconds = |form: &str, what: &str, seconds: f64| {
            form.replace("{what}", what).replace("{n}", &plain(seconds))
        };
        if gesture.hold > 0.0 && !is_bow {
            told = seconds(&self.manner.held, &told, gesture.hold);
        }
        if gesture.count > 1 {
            if let Some(period) = gesture.period {
                told = seconds(&self.manner.every, &told, period);
            } else if gesture.pause > 0.0 {
                told = seconds(&self.manner.apart, &told, gesture.pause);
            }
            let trend = gesture.trend.and_then(|trend| match trend {
                Compared::Bigger => Some(&self.manner.larger),
                Compared::Smaller => Some(&self.manner.smaller),
                Compared::Faster => Some(&self.manner.faster),
                Compared::Slower => Some(&self.manner.slower),
                Compared::Longer | Compared::Shorter => None,
            });
            if let Some(form) = trend {
                told = form.replace("{what}", &told);
            }
        }
        told
    }

    /// Tells how long it takes, or that it is slower or faster than usual.
    fn timed(&self, what: String, seconds: Option<f64>, pace: f64) -> String {
        let form = match seconds {
            Some(_) => &self.manner.within,
            None if pace > 1.0 => &self.manner.slowly,
            None if pace < 1.0 => &self.manner.quickly,
            None => return what,
        };
        form.replace("{what}", &what).replace("{n}", &plain(seconds.unwrap_or_default()))
    }

    fn way(&self, aim: &Aim) -> String {
        let [positive, negative] = match aim.axis {
            Axis::HeadTurn => &self.head_turn,
            Axis::HeadPitch => &self.head_pitch,
            Axis::HeadTilt => &self.head_tilt,
            Axis::HeadForward => &self.head_forward,
            Axis::HeadSide => &self.head_side,
            Axis::HeadRise => &self.head_rise,
            Axis::BodyTurn => &self.body_turn,
            Axis::AntennaLeft => &self.antenna_left,
            Axis::AntennaRight => &self.antenna_right,
        };
        if aim.sign < 0.0 { negative.clone() } else { positive.clone() }
    }

    fn aim(&self, aim: &Aim) -> String {
        if aim.sign == 0.0 {
            return self.neutral.clone();
        }
        let way = self.way(aim);
        match aim.amount {
            Amount::Exactly(amount) => {
                let form = if aim.axis.is_shift() { &self.millimetres } else { &self.degrees };
                form.replace("{what}", &way).replace("{n}", &plain(amount))
            }
            Amount::Most => self.most.replace("{what}", &way),
            Amount::Usual(_) | Amount::Further(_) => way,
        }
    }
}

/// Returns a number with at most one decimal.
fn plain(number: f64) -> String {
    let rounded = (number * 10.0).round() / 10.0;
    format!("{rounded}")
}

fn filled(form: &str, what: &str, count: u32) -> String {
    form.replace("{what}", what).replace("{n}", &count.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::Reading;
    use crate::texts::read;

    #[test]
    fn every_language_has_all_phrases() {
        for (code, file) in FILES {
            serde_yaml::from_str::<Phrases>(file).unwrap_or_else(|error| panic!("{code}: {error}"));
        }
    }

    #[test]
    fn a_motion_is_told_in_the_language_of_the_question() {
        let (reading, _) = read("look left 20 degrees, then nod twice", None, "en");
        let Reading::Motion { meaning, .. } = reading else { panic!("{reading:?}") };
        assert_eq!(describe(&meaning, "en"), "look left 20 degrees, then nod 2 times");
        assert_eq!(describe(&meaning, "de"), "nach links schauen, 20 Grad, dann nicken, 2-mal");
        assert_eq!(describe(&meaning, "zh"), "向左看20度，然后点头2次");
    }

    #[test]
    fn each_language_says_each_reason_in_its_own_words() {
        let amounts = [Refusal::TooFarDegrees(35), Refusal::TooFarMillimetres(20)];
        for refusal in Refusal::ALL.iter().chain(&amounts) {
            let english = refusal.told("en");
            assert!(!english.is_empty() && !english.contains('{'), "{refusal:?}: {english}");
            for language in ["de", "fr", "es", "it", "zh"] {
                let told = refusal.told(language);
                assert!(!told.is_empty() && told != english && !told.contains('{'), "{refusal:?}: {told}");
            }
        }
        assert!(Refusal::TooFarDegrees(35).told("zh").contains("35"));
    }
}
