//! Fixed phrases and single words with their meanings.

use std::collections::HashMap;
use std::sync::LazyLock;

use minismith_score::Event;

use crate::meaning::{Bound, Change, Link, Meaning, PartName, Role, Trigger, Way};
use crate::tokens::Token;

mod everyday;
mod requests;

/// What a phrase means, without data.
fn meaning_of(key: &str) -> Meaning {
    match key {
        "together" => Meaning::Together,
        "alternate" => Meaning::Alternate,
        "apart" => Meaning::Apart,
        "backforth" => Meaning::BackForth,
        "updown" => Meaning::UpDown,
        "return" => Meaning::BackAgain,
        "neutral" => Meaning::Neutral,
        "there" => Meaning::There,
        "large" => Meaning::Large,
        "small" => Meaning::Small,
        "grows" => Meaning::Change(Change::Grows),
        "shrinks" => Meaning::Change(Change::Shrinks),
        "faster" => Meaning::Change(Change::Faster),
        "slower" => Meaning::Change(Change::Slower),
        "morefast" => Meaning::Comparative(Change::Faster),
        "moreslow" => Meaning::Comparative(Change::Slower),
        "inorder" => Meaning::InOrder,
        "throughout" => Meaning::Throughout,
        "eachtime" => Meaning::EachTime,
        "several" => Meaning::Several,
        "first" => Meaning::First,
        "last" => Meaning::Last,
        "between" => Meaning::Between,
        "then" => Meaning::Link(Link::Then),
        "while" => Meaning::Link(Link::While),
        "after" => Meaning::Link(Link::After),
        "before" => Meaning::Link(Link::Before),
        "when" => Meaning::Trigger(Trigger::When),
        "whenever" => Meaning::Trigger(Trigger::Whenever),
        "until" => Meaning::Trigger(Trigger::Until),
        "atleast" => Meaning::Bound(Bound::AtLeast),
        "atmost" => Meaning::Bound(Bound::AtMost),
        "choose" => Meaning::Choose,
        "times" => Meaning::Role(Role::Times),
        "degrees" => Meaning::Role(Role::Degrees),
        "distance" => Meaning::Role(Role::Distance),
        "seconds" => Meaning::Role(Role::Seconds),
        "speed" => Meaning::Role(Role::Speed),
        "size" => Meaning::Role(Role::Size),
        "again" => Meaning::Again,
        "another" => Meaning::Another,
        "nothing" => Meaning::Nothing,
        "once" => Meaning::Count(1.0),
        "still" => Meaning::Still,
        "upright" => Meaning::Upright,
        "slow" => Meaning::Slow,
        "fast" => Meaning::Fast,
        "perceive" => Meaning::Perceive,
        "up" => Meaning::Way(Way::Up),
        "down" => Meaning::Way(Way::Down),
        "triple" => Meaning::Count(3.0),
        "over" => Meaning::Over,
        "everything" => Meaning::Part(PartName::Everything),
        "voice" => Meaning::Event(Event::Voice),
        "touch" => Meaning::Event(Event::Touch),
        "tilted" => Meaning::Event(Event::Tilted),
        "period" => Meaning::Period(1.0),
        "asif" => Meaning::AsIf,
        "unknown" => Meaning::Unknown,
        "earsinturn" => Meaning::EarsInTurn,
        "double" => Meaning::Scale(2.0),
        "half" => Meaning::Scale(0.5),
        "inward" => Meaning::Way(Way::In),
        _ => Meaning::Frame,
    }
}

/// Phrases by meaning, separated by bars; the longest that fits counts.
const PHRASES: [(&str, &str); 60] = [
    (
        "earsinturn",
        "one antenna after the other|one ear after the other|one antenna after another|one ear after another",
    ),
    ("inward", "in all the while|in all the time|in the whole time"),
    (
        "together",
        "not one after the other|not one after another|in one diagonal movement|in one diagonal motion|at the same time|at the very same time|at exactly the same time|at exactly the same moment\
         |at the same moment|at the same instant|in sync|in unison|all at once|both at once|along with it\
         |in parallel|at once|in one go|in the same go|in a single motion|in one motion|in one movement|in tandem\
         |all together|both together|in the same breath|in the same movement|in the same motion|concurrently\
         |at one and the same time|in step|in the same moment|in that moment|at that moment",
    ),
    (
        "alternate",
        "in opposite phase|in antiphase|in counterphase|in anti phase|one after the other|one after another|take turns|takes turns|taking turns|in turn|by turns\
         |in turns|one at a time|one by one",
    ),
    (
        "apart",
        "never both at once|never at the same time|not at the same time|never together|not both at once\
         |never both at the same time|not together",
    ),
    (
        "backforth",
        "back and forth|side to side|to and fro|from side to side|from left to right|left to right and back\
         |from one side to the other|to each side|to both sides",
    ),
    ("updown", "up and down"),
    (
        "return",
        "and back|back again|and back again|back to the middle|back to the centre|back to the center\
         |back to normal|back to neutral|back to straight|back to the front|back to the start|back to rest\
         |back where it was|back to where it was|back to where it started|back to its place|back in place\
         |back into place|to normal|back home|back to the starting position|back to the start position\
         |back to its starting position|back to upright|back to where they were|back to the beginning\
         |upright again|straight again|come up again|comes up again|coming up again|stand up again|stands up again|back to zero|back to its normal position|back to level",
    ),
    (
        "neutral",
        "in the middle|to the middle|to the centre|to the center|to neutral|in the centre|in the center\
         |in neutral|to the front|straight ahead|to straight ahead|to its normal position\
         |to its original position|to the starting position|to the original position|to rest|to zero|to 0|to origin\
         |through the middle",
    ),
    (
        "there",
        "stay there|stays there|staying there|remain there|remains there|keep it there|keeps it there\
         |keep them there|keeps them there|stay like that|stays like that|hold it there|holds it there\
         |hold them there|leave it there|leaves it there|remain in that position|stay in that position\
         |stays that way|stay that way|stay up|stays up|stay down|stays down|leaves them there\
         |without coming back|without returning|not come back|doesn't come back|does not come back",
    ),
    (
        "large",
        "all the way|as far as possible|as far as it goes|as far as it can|as far as you can\
         |as wide as possible|as high as possible|a lot|very far|a long way",
    ),
    ("small", "a bit|a little|a little bit|a tiny bit|a touch|a small amount"),
    (
        "grows",
        "bigger and bigger|larger and larger|wider and wider|further and further|farther and farther\
         |deeper and deeper|higher and higher|more and more|bigger than the one before\
         |larger than the one before|deeper than the one before|wider than the one before\
         |bigger than the last|deeper than the last|wider than the last|larger than the last|getting bigger\
         |getting larger|getting wider|getting deeper|gets bigger|gets larger|gets wider|gets deeper\
         |get bigger|get larger|get wider|get deeper|growing in size|wider than before|bigger than before\
         |stronger and stronger|further than the last|further than the one before\
         |stronger than the one before",
    ),
    (
        "shrinks",
        "smaller and smaller|less and less|narrower and narrower|weaker and weaker|getting smaller\
         |getting narrower|gets smaller|gets narrower|get smaller|smaller than the one before\
         |smaller than the last|shallower and shallower|getting shallower|getting weaker|dying away\
         |dies away|die away|dying down|fades away|fading away|fade away|fading out|dies down\
         |smaller than before|die down|less than the one before|shallower than the one before\
         |shallower than the last",
    ),
    (
        "faster",
        "faster and faster|quicker and quicker|getting faster|gets faster|get faster|speeding up|speeds up|speed up\
         |faster than the one before|faster than the last|faster each time|faster every time|quicker each time\
         |quicker every time|faster towards the end|faster toward the end|quicker towards the end|more and more quickly\
         |accelerating|accelerates|accelerate|gathering speed|picking up speed|ever faster|increasingly fast\
         |with increasing speed|slow at first|slowly at first|from slow to fast",
    ),
    (
        "slower",
        "slower and slower|getting slower|gets slower|get slower|slowing down|slows down|slower than the one before\
         |slower than the last|slower each time|slower every time|slower towards the end|slower toward the end\
         |more and more slowly|decelerating|decelerates|losing speed|ever slower|increasingly slow\
         |with decreasing speed|fast at first|quickly at first|from fast to slow",
    ),
    (
        "eachtime",
        "each time|every time|with each swing|with every swing|with each nod|with each one|with every one\
         |from one to the next|at each step|with each round|each round",
    ),
    (
        "several",
        "several times|a few times|some times|many times|again and again|over and over|over and over again\
         |a number of times|repeatedly|multiple times|a lot of times|lots of times",
    ),
    (
        "first",
        "to begin with|to start with|at first|starting with|beginning with|having first|first of all|first",
    ),
    (
        "last",
        "at the end|in the end|last of all|at last|to finish|as the last thing|to end with|finally|lastly",
    ),
    (
        "between",
        "in between|between them|between the two|in the pauses between|between each|between every|between",
    ),
    (
        "then",
        "once it has got there|once it is there|once it has arrived|once it is done|once that is done|when it is done\
         |when that is done|once it has finished|once they are there|only once it has got there|only once it is there\
         |and then|then|after that|after which|afterwards|afterward|followed by|next|and after that\
         |and finally then|before it then|subsequently",
    ),
    (
        "while",
        "for the entire time that|the entire time that|for the whole time that|the whole time that|all the time that\
         |during the time that|the whole time the|the entire time the|the whole time your|the whole time its|the whole time it\
         |the whole time you|all the time the|all the while the|as long as the|for as long as the|for as long as your\
         |while|whilst|meanwhile|in the meantime|during this|along with|together with|at the same time as\
         |simultaneously with",
    ),
    (
        "after",
        "not before you have|not until you have|not before it has|not until it has|not before you've|not until you've|after|once it has|once you have|as soon as you're|as soon as it is|once it is",
    ),
    ("before", "before"),
    (
        "when",
        "when|as soon as|if|react to|reacts to|respond to|responds to|in response to|reaction to\
         |once you see|wait until|waits until|wait for|waits for|watch for|listen for|listens for\
         |waiting for|upon|on seeing|on hearing",
    ),
    (
        "whenever",
        "whenever|every time that|any time|each time that|every time you|each time you|every time it\
         |each time it|every time somebody|every time someone|each time somebody|each time someone\
         |every time a|each time a|every time there|each time there|as long as it sees|as long as you see\
         |as long as there|while it sees|while you see|while there is|while somebody|while someone\
         |for as long as it sees",
    ),
    ("until", "until|till|unless"),
    ("atleast", "at least|no less than|more than|not less than|a minimum of"),
    (
        "atmost",
        "at most|no more than|not more than|less than|up to|a maximum of|no further than|not further than\
         |never more than|never further than",
    ),
    (
        "choose",
        "let me|lets me|i can|i could|i choose|i give|i say|i want it to|i set|i pick|i tell it|i tell you\
         |i pass|i ask for|as i say|i specify|i decide|my choice|given by me|of my choosing|can be set\
         |can be chosen|can choose|adjustable|configurable|variable|settable|parameter|parameters\
         |as an argument|as argument|as input|a given|as i like|i like|customisable|customizable|selectable\
         |able to set|able to choose|able to pick|able to change|able to decide|i want to set\
         |i want to choose|you are given",
    ),
    (
        "times",
        "how often|n times|how many times|how many nods|how many|number of times|a number of times\
         |number of nods|number of shakes|number of waves|number of wiggles|number of swings\
         |number of repetitions|as many times as|as often as|the number|any number of times|the count\
         |number of bows|number of tilts|number of flaps",
    ),
    (
        "degrees",
        "the number of degrees|how many degrees|a number of degrees|number of degrees|as many degrees as\
         |that many degrees|the angle|an angle|by an angle",
    ),
    ("distance", "how far|as far as i"),
    ("morefast", "more quickly|more rapidly|more swiftly|less slowly|more briskly"),
    ("moreslow", "more slowly|less quickly|less fast|more gently|more leisurely"),
    ("inorder", "in that order|in this order|in the order|in the same order|not before|not after"),
    (
        "throughout",
        "the whole time|all the time|all the while|throughout|the entire time|for the whole time|the whole while",
    ),
    (
        "seconds",
        "how long|how many seconds|number of seconds|a number of seconds|as many seconds as|the number of seconds|as long as i\
         |for as long as i|the duration|the time|duration",
    ),
    ("speed", "how fast|how slowly|how quickly|the speed|speed|the tempo|tempo|the pace"),
    (
        "size",
        "how deep|how deeply|the depth|how wide|how wide they are|how big|how large|the size|how strong|how strongly|how high\
         |how wide it is|how big they are|the width|the size of",
    ),
    ("again", "again|a second time"),
    ("another", "once more|one more time"),
    (
        "nothing",
        "nothing else|nothing else moves|no other part|everything else stays|the rest stays|nothing more\
         |no other movement|nothing but",
    ),
    ("once", "just once|only once|exactly once|a single time|one time only|once only|once"),
    (
        "still",
        "facing forward|facing forwards|facing ahead|facing front|facing the front|where it is|where they are|as it is|as they are|stays put|stay put|in place|in its place|not move\
         |not moving|doesn't move|does not move|don't move|do not move|do not stir|does not stir|don't stir|do not budge|does not budge|don't budge|mustn't move|must not move\
         |without moving|not to move|never moves|never move|without any movement of|out of it\
         |in its position|in position|may not move|not moved|without a movement of|no movement of\
         |no motion of|no turn of|not a movement of|can't move",
    ),
    ("upright", "straight up|upright|vertical|vertically"),
    ("slow", "in slow motion|at half speed|at a slow pace|slowly|slow"),
    ("over", "over|within|in the space of|over the course of|takes|taking|take|lasts|lasting|last"),
    (
        "everything",
        "everything else|all the rest|the rest|the other parts|all other parts|anything else|all else",
    ),
    (
        "voice",
        "says something|say something|speaks to you|talks to you|you hear a voice|starts talking\
         |starts speaking",
    ),
    (
        "touch",
        "touches its head|touch its head|touches your head|touch your head|touches the head\
         |touched on the head|touch the head|pats its head|pats your head|pat your head|strokes your head\
         |pushes your head|pats the head|nudges the head|nudges your head|nudges its head|touches you\
         |touched|head is touched|head is pushed|head is moved",
    ),
    ("tilted", "is tilted|gets tilted|you are tilted|picked up|is picked up|lifted up by"),
    ("period", "every second|each second|a second apart|one second apart"),
    (
        "frame",
        "right away|at once then|of it|of them|as well\
         |out loud|in total|in all|altogether|in a row|in succession|by itself|on its own|its own\
         |in a steady rhythm|with a steady rhythm|at a steady rhythm|at a steady pace|at a steady tempo|in a steady beat\
         |at a constant pace|at a constant tempo|at an even pace|in an even rhythm|to the beat of a|to the rhythm of a\
         |in the rhythm of a|until it has done it|until it has done that|until it has done so|until it's done it\
         |on one beat|on the next|in time with|in time to|at the top|at the bottom|at the far end|in order to|of its own|to the beat|the way you do|for a moment",
    ),
    (
        "asif",
        "so your eyes|so its eyes|so your gaze|so its gaze|so your face|so its face|so it looks|so that it looks|so that it seems|until it dies away|until you stop|the way people|as people|like people|as if|as though|like a|like an|like someone|like somebody|the way a|like you\
         |like he|like she|like it|like they|like we|like the|like my|like your|like his|like her|like when|like people do\
         |the way dogs|the way you",
    ),
    ("double", "twice as high|twice as far|twice as big|twice as wide|twice as deep|twice as large"),
    (
        "unknown",
        "twice as long|twice as fast|twice as many|half as fast|half as long|half as many|so that|such that|so that you keep|in opposite directions|opposite directions|opposite ways",
    ),
    ("half", "half as high|half as far|half as big|half as wide|half as deep|half as large"),
    (
        "frame",
        "before you do anything|before it does anything|before doing anything|before anything happens|before you start\
         |before it starts|as they go|as it goes|as they go on|as it goes on|as you go|as time goes on|with no pauses|without pauses|no more and no less|no more no less|both at once|make sure|each of them|the robot|you know|of the robot|like this|as follows|in order|in a loop|at a time|of course|nothing flashy|nothing special|nothing wild|nothing fancier|nothing fancier than that|nothing dramatic\
         |nothing crazy|nothing too fancy|nothing too big|nothing over the top|excuse me|might i trouble you|trouble you for\
         |i should be grateful|i should be most grateful|i would be grateful|be so kind|so kind as to|i was thinking\
         |i have been thinking|you know how|have in mind",
    ),
];

/// The phrases with their meanings by their first word.
static BY_FIRST_WORD: LazyLock<HashMap<&str, Vec<(&str, &str)>>> = LazyLock::new(|| {
    let mut found: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for (key, phrases) in PHRASES.iter().chain(everyday::PHRASES).chain(requests::PHRASES) {
        for phrase in phrases.split('|') {
            let first = phrase.split(' ').next().unwrap_or(phrase);
            found.entry(first).or_default().push((key, phrase));
        }
    }
    found
});

fn matches(tokens: &[Token], at: usize, phrase: &str) -> Option<usize> {
    let mut end = at;
    for word in phrase.split(' ') {
        if tokens.get(end)?.word != word {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// Returns the meaning of the longest phrase that begins here.
pub(crate) fn phrase(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    let first = tokens.get(at)?.word.as_str();
    let mut best: Option<(&str, usize)> = None;
    for (key, phrase) in BY_FIRST_WORD.get(first)? {
        if let Some(end) = matches(tokens, at, phrase)
            && best.is_none_or(|(_, longest)| end > longest)
        {
            best = Some((key, end));
        }
    }
    let (key, mut end) = best?;
    if key == "still" && tokens.get(end - 1).is_some_and(|last| matches!(last.word.as_str(), "of")) {
        end -= 1;
    }
    // "Every time somebody ...": who it is stands for a face.
    let is_person = tokens
        .get(end - 1)
        .is_some_and(|last| matches!(last.word.as_str(), "somebody" | "someone" | "anybody"));
    if matches!(key, "when" | "whenever") && is_person && end > at + 1 {
        end -= 1;
    }
    // "Last" and "first" after "the" are nouns: "than the last".
    Some((meaning_of(key), end))
}

/// Returns the meaning of a single word that is no verb, number or phrase.
pub(crate) fn single(word: &str, before: &str, next: &str) -> Option<Meaning> {
    Some(match word {
        "and" => Meaning::Link(Link::And),
        "with" => Meaning::Link(Link::With),
        "without" => Meaning::Link(Link::Without),
        "but" | "although" | "though" | "however" => Meaning::Link(Link::But),
        "as" if matches!(next, "it" | "you" | "the" | "he" | "they" | "its" | "your") => {
            Meaning::Link(Link::While)
        }
        "head" | "heads" | "neck" | "skull" | "noggin" | "bonce" | "cranium" | "crown" => {
            Meaning::Part(PartName::Head)
        }
        "chin" | "nose" | "gaze" | "eyes" | "snout" | "muzzle" => Meaning::Part(PartName::Chin),
        "antenna" | "ear" | "feeler" => Meaning::Part(PartName::Antenna),
        "antennas" | "antennae" | "ears" | "feelers" => Meaning::Part(PartName::Antennas),
        "body" | "base" | "torso" | "bodies" | "trunk" | "waist" | "hips" | "midsection" | "chassis"
        | "pedestal" => Meaning::Part(PartName::Body),
        "everything" | "anything" => Meaning::Part(PartName::Everything),
        "other" => Meaning::Part(PartName::Other),
        "both" => Meaning::Both,
        // "Left, now right".
        "now" if matches!(before, "," | "and" | ";") && !next.is_empty() => Meaning::Link(Link::Then),
        "each" | "every" => Meaning::Each,
        "left" | "leftwards" | "leftward" | "anticlockwise" | "counterclockwise" => Meaning::Way(Way::Left),
        "right" | "rightwards" | "rightward" | "clockwise" => Meaning::Way(Way::Right),
        "upper" | "top" if matches!(next, "left" | "right" | "one" | "corner" | "-") => Meaning::Way(Way::Up),
        "bottom" if matches!(next, "left" | "right" | "corner" | "-") => Meaning::Way(Way::Down),
        "up" | "upward" | "upwards" | "ceiling" | "sky" | "high" => Meaning::Way(Way::Up),
        "down" | "downward" | "downwards" | "floor" | "ground" | "low" => Meaning::Way(Way::Down),
        "forward" | "forwards" | "ahead" => Meaning::Way(Way::Forward),
        "back" | "backward" | "backwards" => Meaning::Way(Way::Back),
        "out" | "outward" | "outwards" | "sideways" | "apart" => Meaning::Way(Way::Out),
        "in" if matches!(
            next,
            "a" | "the"
                | "two"
                | "one"
                | "three"
                | "four"
                | "five"
                | "six"
                | "ten"
                | "half"
                | "which"
                | "its"
                | "your"
                | "time"
                | "another"
                | "that"
        ) || next.starts_with(|first: char| first.is_ascii_digit()) =>
        {
            if next == "which" || next == "time" || next == "the" { Meaning::Frame } else { Meaning::Over }
        }
        "in" if matches!(
            before,
            "ear"
                | "antenna"
                | "antennas"
                | "ears"
                | "one"
                | "and"
                | "them"
                | "both"
                | "it"
                | "fold"
                | "tuck"
                | "turn"
                | "bring"
                | "pull"
                | "way"
        ) && !next.ends_with('s')
            || matches!(next, "" | "," | "." | "all" | "then" | "and") =>
        {
            Meaning::Way(Way::In)
        }
        "inward" | "inwards" => Meaning::Way(Way::In),
        "around"
            if matches!(before, "look" | "looks" | "looking")
                || !matches!(next, "ten" | "twenty" | "thirty" | "the")
                    && !next.starts_with(|first: char| first.is_ascii_digit()) =>
        {
            Meaning::Way(Way::Around)
        }
        "round" => Meaning::Way(Way::Around),
        "twice" => Meaning::Count(2.0),
        "thrice" => Meaning::Count(3.0),
        "several" | "few" | "many" => Meaning::Several,
        "again" => Meaning::Again,
        "another" => Meaning::Another,
        "a" | "an" => Meaning::Article,
        "slightly" | "small" | "little" | "barely" | "tiny" | "short" | "brief" | "briefly" | "shallow"
        | "slight" | "subtle" | "minuscule" | "teeny" => Meaning::Small,
        "far" | "long" | "wide" | "widely" | "big" | "large" | "deep" | "deeply" | "strongly" | "broad"
        | "huge" | "greatly" | "enormous" | "gigantic" | "massive" | "vast" | "immense" | "hefty" => {
            Meaning::Large
        }
        "bigger" | "larger" | "wider" | "further" | "farther" | "deeper" | "higher" | "more" | "growing"
        | "increasing" | "stronger" | "increasingly" => Meaning::More,
        "smaller" | "narrower" | "less" | "weaker" | "shrinking" | "decreasing" | "shallower" | "fading"
        | "fade" | "shrink" | "shrinks" => Meaning::Less,
        "grow" | "grows" => Meaning::Change(Change::Grows),
        "faster" | "quicker" => Meaning::Comparative(Change::Faster),
        "slower" => Meaning::Comparative(Change::Slower),
        "for" => Meaning::For,
        "quick" | "quickly" | "fast" | "rapid" | "rapidly" | "swiftly" | "briskly" | "brisk" | "swift" => {
            Meaning::Fast
        }
        "only" | "just" | "solely" | "alone" => Meaning::Only,
        "not" | "don't" | "doesn't" | "never" | "isn't" | "mustn't" | "shouldn't" | "cannot" | "can't"
        | "neither" | "nor" | "won't" => Meaning::Not,
        "nothing" => Meaning::Nothing,
        "still" | "motionless" | "fixed" | "steady" | "immobile" | "unmoved" | "stationary" | "frozen"
        | "quiet" | "silent" | "stuck" | "locked" | "unmoving" | "rigid" => Meaning::Still,
        "simultaneously" | "together" => Meaning::Together,
        "alternating" | "alternate" | "alternates" | "alternately" | "alternatingly" => Meaning::Alternate,
        "clap" | "claps" | "clapping" | "handclap" => Meaning::Event(Event::Clap),
        "face" | "faces" if before != "head" => Meaning::Event(Event::Face),
        "someone" | "somebody" | "anyone" | "anybody" | "person" | "people" | "human" | "visitor" | "me" => {
            Meaning::Event(Event::Face)
        }
        "speak" | "talk"
            if matches!(before, "i" | "you" | "we" | "people" | "they" | "somebody" | "someone") =>
        {
            Meaning::Event(Event::Voice)
        }
        "voice" | "voices" | "speech" | "talks" | "speaks" | "talking" | "speaking" => {
            Meaning::Event(Event::Voice)
        }
        "see" | "sees" | "seeing" | "notice" | "notices" | "spot" | "spots" | "detect" | "detects"
        | "hear" | "hears" | "hearing" | "recognise" | "recognises" | "recognize" | "recognizes"
        | "appears" | "appear" | "perceive" | "listen" | "listens" | "watch" | "watches" | "view"
        | "sight" => Meaning::Perceive,
        "yes" => Meaning::Yes,
        "no" => Meaning::No,
        "angle" => Meaning::Role(Role::Degrees),
        "width" | "size" | "depth" | "height" | "extent" | "strength" => Meaning::Role(Role::Size),
        "choose" | "set" if before == "me" || before == "can" => Meaning::Choose,
        "decide" | "pick" | "select" | "specify" | "adjust" | "choose" | "control" => Meaning::Choose,
        "it" | "them" => Meaning::It,
        "straight" if matches!(next, "out" | "left" | "right" | "down" | "away") => Meaning::Frame,
        "straight" if before != "look" => Meaning::Upright,
        "straight" => Meaning::Neutral,
        _ => return None,
    })
}
