//! Emotions, greetings and other named gestures, as steps in the language of motion. Each ends where it began.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minismith_score::{Step, read};

use crate::tag::Feeling;

macro_rules! feelings {
    ($($name:literal [$($word:literal),* $(,)?] $steps:literal)*) => {
        &[$(Feeling { words: &[$($word),*], name: $name, steps: $steps }),*]
    };
}

/// The named gestures.
pub(crate) const FEELINGS: &[Feeling] = feelings! {
    "surprised" ["surprised", "amazement", "astonishment", "flabbergasted", "dumbfounded", "bewilderment", "shock", "gobsmacked", "surprise", "astonished", "amazed", "startled", "shocked", "stunned", "baffled", "gasp"]
    "together(head(rise_mm=12, up=8, seconds=0.3), antennas(both=0, seconds=0.3)), wait(1), together(head(rise_mm=0, up=0, seconds=0.8), antennas(both_inward=10, seconds=0.8))"
    "happy" ["happy", "joyous", "gleeful", "elation", "content", "contented", "satisfied", "jolly", "upbeat", "chirpy", "delight", "glee", "bubbly", "blissful", "cheery", "joy", "joyful", "glad", "cheerful", "delighted", "pleased", "merry", "cheer", "happily", "joyfully", "cheerfully", "rejoice", "celebrate", "celebration", "happiness"]
    "together(repeat(2, head(rise_mm=12, tilt_left=10, seconds=0.4), head(rise_mm=0, tilt_right=10, seconds=0.4)), repeat(3, antennas(both=45, seconds=0.25), antennas(both_inward=10, seconds=0.25))), head(rise_mm=0, tilt_right=0, seconds=0.4)"
    "sad" ["sad", "dejected", "downcast", "glum", "blue", "crestfallen", "sorry for itself", "sorry for yourself", "grief", "grieving", "down in the dumps", "lonely", "despondent", "upset", "tearful", "weepy", "sulk", "sulky", "mope", "mopey", "wistful", "unhappy", "sorrow", "sorrowful", "disappointed", "gloomy", "melancholy", "depressed", "mournful", "sadness", "sadly", "sigh", "miserable", "heartbroken", "disappointment"]
    "together(head(down=22, lower_mm=15, seconds=2), antennas(both=110, seconds=2)), wait(1.5), together(head(down=0, lower_mm=0, seconds=1.5), antennas(both_inward=10, seconds=1.5))"
    "curious" ["curious", "nosy", "nosey", "eager to know", "fascinated", "interest", "curiosity", "interested", "inquisitive", "intrigued", "curiously", "attentive", "attentively"]
    "together(head(tilt_right=18, forward_mm=12, seconds=0.8), antennas(left=0, right=35, seconds=0.8)), wait(1), head(tilt_left=18, seconds=1), wait(0.6), together(head(tilt_left=0, forward_mm=0, seconds=0.8), antennas(both_inward=10, seconds=0.8))"
    "shy" ["shy", "sheepish", "coyly", "sheepishly", "self conscious", "abashed", "shyness", "embarrassment", "bashfully", "bashful", "embarrassed", "timid", "ashamed", "shyly", "timidly", "coy", "modest"]
    "together(head(right=25, down=15, seconds=1.2), antennas(both=60, seconds=1.2)), wait(1), head(right=10, down=5, seconds=0.8), wait(0.5), together(head(right=0, down=0, seconds=0.8), antennas(both_inward=10, seconds=0.8))"
    "angry" ["angry", "cranky", "irate", "livid", "fuming", "cross with me", "grouchy", "indignant", "offended", "moody", "furious", "mad", "annoyed", "look cross", "grumpy", "anger", "irritated", "rage", "angrily", "outraged"]
    "together(head(down=12, lower_mm=12, seconds=0.4), antennas(both_inward=35, seconds=0.3)), repeat(2, head(left=15, seconds=0.25), head(right=15, seconds=0.25)), head(right=0, seconds=0.3), wait(0.4), together(head(down=0, lower_mm=0, seconds=0.8), antennas(both_inward=10, seconds=0.8))"
    "sleepy" ["sleepy", "worn out", "knackered", "dozy", "fatigued", "groggy", "sleepiness", "dozing off", "nodding off", "tired", "drowsy", "exhausted", "weary", "yawn", "doze", "nod off", "drowsily", "tiredness", "fall asleep"]
    "together(head(down=18, lower_mm=15, seconds=2.5), antennas(both=90, seconds=2.5)), head(down=10, seconds=0.5), wait(0.5), head(down=22, seconds=2), wait(1), together(head(down=0, lower_mm=0, seconds=1.5), antennas(both_inward=10, seconds=1.5))"
    "excited" ["excited", "pumped", "exhilarated", "giddy", "fired up", "over the moon", "enthusiasm", "hyped", "thrilled", "ecstatic", "enthusiastic", "overjoyed", "hyper", "excitement", "elated", "enthusiastically"]
    "together(repeat(4, head(rise_mm=12, seconds=0.25), head(rise_mm=0, seconds=0.25)), repeat(5, antennas(both=50, seconds=0.2), antennas(both_inward=10, seconds=0.2)), repeat(2, body(left=12, seconds=0.5), body(right=12, seconds=0.5))), body(right=0, seconds=0.4)"
    "proud" ["proud", "relieved", "relief", "boastful", "haughty", "confident", "self confident", "heroic", "pride", "triumphant", "victorious", "proudly", "smug", "triumph", "triumphantly"]
    "together(head(rise_mm=12, up=12, seconds=1), antennas(both=0, seconds=1)), wait(2), together(head(rise_mm=0, up=0, seconds=1), antennas(both_inward=10, seconds=1))"
    "confused" ["confused", "lost", "doubt", "flummoxed", "stumped", "puzzlement", "wondering what happened", "at a loss", "puzzled", "perplexed", "bewildered", "confusion", "uncertain", "unsure", "doubtful", "skeptical", "sceptical"]
    "together(head(tilt_right=18, seconds=0.8), antennas(left=50, right_inward=15, seconds=0.8)), wait(0.6), head(tilt_left=18, seconds=1), wait(0.6), together(head(tilt_left=0, seconds=0.8), antennas(both_inward=10, seconds=0.8))"
    "bored" ["bored", "fed up", "apathetic", "listless", "disinterested", "unimpressed", "boredom", "indifferent", "uninterested", "boring"]
    "together(head(left=20, tilt_left=12, down=8, seconds=2), antennas(both=70, seconds=2)), wait(1), head(right=20, tilt_left=0, seconds=2), wait(1), together(head(right=0, down=0, seconds=1.5), antennas(both_inward=10, seconds=1.5))"
    "scared" ["scared", "fearfully", "spooked", "petrified", "horrified", "frighten", "uneasy", "jumpy", "worry", "anxiety", "terror", "intimidated", "alarmed", "afraid", "frightened", "fear", "fearful", "terrified", "nervous", "anxious", "panic", "fright", "worried", "scary", "anxiously", "nervously"]
    "together(head(back_mm=15, lower_mm=12, seconds=0.4), antennas(both=120, seconds=0.4)), repeat(4, head(left=4, seconds=0.12), head(right=4, seconds=0.12)), head(right=0, seconds=0.2), wait(0.6), together(head(back_mm=0, lower_mm=0, seconds=1.2), antennas(both_inward=10, seconds=1.2))"
    "thoughtful" ["thoughtful", "lost in thought", "deep in thought", "musing", "mull", "meditative", "pensive", "think", "ponder", "thinking", "contemplate", "reflective", "dreamy", "daydream"]
    "together(head(up=12, tilt_left=12, right=15, seconds=1.2), antennas(left=40, seconds=1.2)), wait(1.5), together(head(up=0, tilt_left=0, right=0, seconds=1), antennas(left_inward=10, seconds=1))"
    "playful" ["playful", "frisky", "naughty", "impish", "mischief", "funny face", "cheeky", "mischievous", "silly", "goofy", "tease", "playfully"]
    "repeat(2, together(head(tilt_left=15, seconds=0.4), antennas(left=50, right=0, seconds=0.4)), together(head(tilt_right=15, seconds=0.4), antennas(left=0, right=50, seconds=0.4))), together(head(tilt_right=0, seconds=0.5), antennas(both_inward=10, seconds=0.5))"
    "loving" ["love", "lovestruck", "love struck", "smitten", "in love", "fond", "caring", "loving", "affectionate", "tender", "adore", "grateful", "thankful", "gratitude", "lovingly", "cuddly"]
    "together(head(tilt_left=14, forward_mm=10, seconds=1), antennas(both=40, seconds=1)), wait(1), repeat(2, antennas(both=55, seconds=0.4), antennas(both=40, seconds=0.4)), together(head(tilt_left=0, forward_mm=0, seconds=1), antennas(both_inward=10, seconds=1))"
    "disgusted" ["disgusted", "revolted", "grossed", "repelled", "nauseated", "disgust", "repulsed", "grossed out", "yuck"]
    "together(head(right=25, back_mm=12, up=8, seconds=0.6), antennas(both=90, seconds=0.6)), wait(0.8), together(head(right=0, back_mm=0, up=0, seconds=1), antennas(both_inward=10, seconds=1))"
    "greeting" ["greet", "greeting", "welcome", "hello gesture", "say hello with the antennas", "salutation", "say hi with the antennas", "say goodbye with the antennas"]
    "head(down=10, seconds=0.5), head(down=0, seconds=0.5), repeat(3, antennas(right=55, seconds=0.35), antennas(right_inward=10, seconds=0.35))"
    "shrugging" ["shrug", "do not know", "shrug its shoulders", "shrug your shoulders"]
    "together(head(rise_mm=10, tilt_right=12, seconds=0.5), antennas(both=60, seconds=0.5)), wait(0.6), together(head(rise_mm=0, tilt_right=0, seconds=0.6), antennas(both_inward=10, seconds=0.6))"
    "listening" ["eavesdrop", "alert", "vigilant", "perk the ears"]
    "together(head(rise_mm=8, up=6, seconds=0.4), antennas(both=0, seconds=0.4)), wait(1), head(left=20, seconds=0.7), wait(0.5), head(right=20, seconds=1), wait(0.5), together(head(right=0, rise_mm=0, up=0, seconds=0.8), antennas(both_inward=10, seconds=0.8))"
    "breathing" ["breathe", "breath", "idle", "breathing"]
    "repeat(3, together(head(rise_mm=6, seconds=1.6), antennas(both=20, seconds=1.6)), together(head(rise_mm=0, seconds=1.8), antennas(both_inward=10, seconds=1.8)))"
    "laughing" ["laugh", "giggle", "chuckle", "laughter"]
    "together(head(up=10, seconds=0.4), antennas(both=30, seconds=0.4)), repeat(5, head(rise_mm=6, seconds=0.15), head(rise_mm=0, seconds=0.15)), together(head(up=0, seconds=0.5), antennas(both_inward=10, seconds=0.5))"
};

/// The steps of each named gesture, read once.
static STEPS: LazyLock<BTreeMap<&'static str, Vec<Step>>> =
    LazyLock::new(|| FEELINGS.iter().map(|feeling| (feeling.name, read_steps(feeling.steps))).collect());

fn read_steps(steps: &str) -> Vec<Step> {
    let source = format!(
        "from reachy_mini import ReachyMini\nfrom motion import antennas, body, head, perform, repeat, together, wait\n\n\n\
         def gesture(robot: ReachyMini) -> str:\n    \"\"\"Gesture.\"\"\"\n    return perform(robot, {steps})\n"
    );
    // A test reads them all.
    read(&source).map(|score| score.steps).unwrap_or_default()
}

impl Feeling {
    /// Returns the steps.
    pub(crate) fn steps(&self) -> Vec<Step> {
        STEPS.get(self.name).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_gesture_can_be_read() {
        for feeling in FEELINGS {
            assert!(!feeling.steps().is_empty(), "{}", feeling.name);
        }
    }
}
