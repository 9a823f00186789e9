//! Detects stop words, before any parsing.
//!
//! It errs on the side of stopping: a needless stop costs a second, a missed one may injure a finger.

use minismith_commands::{Reading, is_stop as is_spoken_stop, read};

/// Returns whether this text asks to stop, anywhere in it, in any of the languages.
///
/// "don't stop" and "never stop" do not; "stop nodding", "no, stop" and "don't move" do. "Nod until I say stop" and "look
/// left but don't move the body" are motions.
#[must_use]
pub fn is_stop(text: &str) -> bool {
    let scan = scanned(text);
    let is_short = text.len() <= MAX_READ_BYTES;
    if scan.found {
        return !(is_short && (is_part_of_motion(text) || is_pause_of_tool(text)));
    }
    !scan.has_stop_word && is_short && is_spoken_stop(text)
}

/// Returns whether a stop word is one step of a motion, and not its first one: "look up, stop for three seconds, and look
/// down", "turn right and then stop there". All of the text has to be understood, and no other language takes it for a stop.
fn is_part_of_motion(text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_stop_word = |word: &str| scanned(word).found;
    // A stop at the end is one, unless the text counts it as a step: "nod twice, then stop".
    if let [.., before, last] = words.as_slice()
        && is_stop_word(last)
        && !BEFORE_A_STEP.contains(&before.to_lowercase().as_str())
    {
        return false;
    }
    let begins_with_stop = words.first().is_some_and(|first| is_stop_word(first));
    let mut tokens = text.split_whitespace();
    let first = tokens.next().unwrap_or_default();
    let next = tokens.next().unwrap_or_default();
    // A sign after the word ends what is said with it: "stop, look left".
    let goes_on = first.chars().all(char::is_alphanumeric);
    // "Stop looking down and look up", but not "stop bring your head up".
    let names_what_ends = goes_on && next.len() > "bring".len() && next.ends_with("ing");
    // "Halt den Kopf nach links": the German word for "hold".
    let may_be_german = goes_on && first.eq_ignore_ascii_case("halt");
    if begins_with_stop && !names_what_ends && !may_be_german {
        // It is not read first: a stop does not wait.
        return false;
    }
    let (reading, language) = read(text, None, "en");
    let is_motion = matches!(reading, Reading::Motion { ref heard, ref meaning, .. }
        if heard.is_empty() && !meaning.axes().is_empty());
    let is_other_word = may_be_german && language == "de";
    is_motion && (!begins_with_stop || names_what_ends || is_other_word) && !is_spoken_stop(text)
}

/// What stands before a stop at the end of a text that is a step, or that the speaker will say later: "jusqu'à ce que je dise
/// stop".
const BEFORE_A_STEP: [&str; 8] = ["then", "you", "dise", "crie", "diga", "grite", "dico", "grido"];

/// Returns whether a text asks for a tool and each of its stop words is a pause of that tool: "a tool that looks up, stops
/// there for two seconds and ...", "with a short stop after each step". Said to the robot itself, these are stops.
fn is_pause_of_tool(text: &str) -> bool {
    let lower = text.to_lowercase();
    let said: Vec<&str> = lower.split_whitespace().collect();
    let words: Vec<&str> =
        said.iter().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let makes = words.iter().position(|word| *word == "tool" || MAKING.contains(word));
    // "Teach yourself to ..." names no tool.
    let yourself = words.windows(2).position(|pair| matches!(pair, ["teach" | "program", "yourself"]));
    let noun = words.iter().position(|word| TOOLS.contains(word)).or(yourself.map(|at| at + 1));
    let Some(tool) = noun.filter(|noun| makes.is_some_and(|makes| makes <= *noun)) else { return false };
    // "Stop! For two seconds ...".
    let goes_on = |at: usize| said.get(at).is_some_and(|word| word.ends_with(char::is_alphanumeric));
    let is_stop_word = |word: &str| scanned(word).found;
    let is_pause = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or_default();
        let after = words.get(at + 1..).unwrap_or_default();
        let is_place = matches!(after.first(), Some(&("there" | "here" | "dead")));
        let length = after.get(usize::from(is_place)..).unwrap_or_default();
        // "Stop there for two seconds", "freeze a second".
        let is_for_a_time =
            length.iter().take(5).position(|word| TIMES.contains(word)).is_some_and(|unit| unit > 0);
        at > tool
            && goes_on(at)
            && (is_for_a_time || ["short", "brief", "little", "quick", "tiny"].contains(&before))
    };
    // Without its pauses, the text must not ask to stop in another way, such as "don't move".
    let mut has_pause = false;
    let mut rest = String::with_capacity(text.len());
    for (at, word) in said.iter().enumerate() {
        let is_pause = words.get(at).is_some_and(|word| is_stop_word(word)) && is_pause(at);
        has_pause |= is_pause;
        rest.push_str(if is_pause { "wait" } else { word });
        rest.push(' ');
    }
    has_pause && !scanned(&rest).found && !is_spoken_stop(&rest)
}

/// What is asked for.
const TOOLS: [&str; 10] =
    ["tool", "skill", "routine", "gesture", "program", "trick", "behaviour", "function", "command", "move"];

/// Words with which it is asked for.
const MAKING: [&str; 12] = [
    "make", "create", "build", "write", "program", "design", "invent", "develop", "teach", "learn",
    "compose", "new",
];

/// Units of a pause.
const TIMES: [&str; 4] = ["second", "seconds", "moment", "minute"];

/// In longer texts, only English stop words are looked for.
const MAX_READ_BYTES: usize = 2_000;

/// Looks for English stop words in a text, up to the first one that is meant. The scan takes one pass and remembers no more
/// than a word.
fn scanned(text: &str) -> Scan {
    let mut scan = Scan::default();
    for c in text.chars() {
        match c {
            '\'' | '\u{2019}' => {}
            '_' => scan.word.push(c),
            c if c.is_alphanumeric() => {
                // "stoooop" asks to stop: a repeated letter counts once.
                let lower = c.to_lowercase().next().unwrap_or(c);
                if !scan.word.ends_with(lower) && scan.word.len() < MAX_WORD_LENGTH {
                    scan.word.push(lower);
                }
            }
            ' ' | '\t' | '-' => scan.end_word(),
            _ => {
                scan.end_word();
                scan.found |= scan.is_pending || scan.before == StopContext::DontMove;
                scan.before = StopContext::Nothing;
            }
        }
        if scan.found {
            return scan;
        }
    }
    scan.end_word();
    scan.found |= scan.is_pending || scan.before == StopContext::DontMove;
    scan
}

/// Maximum length of a word; the scan cuts longer ones. No stop word is that long.
const MAX_WORD_LENGTH: usize = 24;

/// The context that the previous words give the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StopContext {
    #[default]
    Nothing,
    /// "do not", "never": the next word is negated.
    Negation,
    /// "hold", "stand": followed by "still" it asks to stop.
    Hold,
    /// "did you": the next word is part of a question and not a request.
    Did,
    /// "did you not": the next word did not happen.
    DidNot,
    /// "does not": what follows is told, and asks for nothing.
    Told,
    /// "bus": "bus stop" is a place.
    Place,
    /// "nothing can", "when will it": what follows is told of somebody or something else.
    Other,
    /// "when", "how", "nothing": its subject may be somebody or something else.
    Asked,
    /// "until I say": the next stop word is one that comes later.
    Until,
    /// "don't move": a stop, unless a part is named that stays.
    DontMove,
}

#[derive(Default)]
struct Scan {
    word: String,
    before: StopContext,
    /// Whether a stop word stands in the text, meant or not.
    has_stop_word: bool,
    /// Whether one is meant.
    found: bool,
    /// Whether the last word was a stop word, which the next one may turn into something else: "stop by", "stop sign".
    is_pending: bool,
}

impl Scan {
    /// Repeated letters are written once, as in the scanned text ("still" is "stil").
    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let was_pending = std::mem::take(&mut self.is_pending);
        // "Stop by my office", "the stop sign", "freeze frame": no stop of the robot.
        let is_other =
            matches!(self.word.as_str(), "by" | "sign" | "signs" | "light" | "lights" | "frame" | "frames");
        let (found, before) = match (self.word.as_str(), self.before) {
            ("stop" | "halt" | "freze" | "abort" | "cancel" | "cease", before) => {
                self.has_stop_word = true;
                let is_denied = matches!(
                    before,
                    StopContext::Negation
                        | StopContext::DidNot
                        | StopContext::Told
                        | StopContext::Place
                        | StopContext::Other
                        | StopContext::Until
                );
                self.is_pending = !is_denied;
                (false, StopContext::Nothing)
            }
            _ if was_pending && !is_other => (true, StopContext::Nothing),
            ("move", StopContext::Negation) => (false, StopContext::DontMove),
            ("your" | "the" | "its", StopContext::DontMove) => (false, StopContext::DontMove),
            ("body" | "head" | "antena" | "antenas" | "ears" | "base", StopContext::DontMove) => {
                (false, StopContext::Nothing)
            }
            (_, StopContext::DontMove) => (true, StopContext::Nothing),
            ("until" | "til", _) => (false, StopContext::Until),
            ("i" | "say" | "tel" | "you" | "to" | "me" | "told" | "cal" | "shout", StopContext::Until) => {
                (false, StopContext::Until)
            }
            ("stil", StopContext::Hold) => (true, StopContext::Nothing),
            ("doesnt" | "didnt" | "wont" | "cant" | "couldnt" | "wouldnt", _) => (false, StopContext::Told),
            ("you", StopContext::Told) => (false, StopContext::Nothing),
            ("bus" | "tram" | "train" | "truck" | "pit" | "ful", _) => (false, StopContext::Place),
            // "When will it stop raining", "nothing can stop us", but "can it stop" may be meant.
            ("when" | "how" | "nothing" | "nobody" | "noone", _) => (false, StopContext::Asked),
            (
                "wil" | "does" | "can" | "could" | "would" | "should" | "might" | "wants" | "did",
                StopContext::Asked,
            ) => (false, StopContext::Asked),
            ("it" | "he" | "she" | "they" | "us" | "them" | "ever" | "to", StopContext::Asked) => {
                (false, StopContext::Other)
            }
            // "I had to stop at the shop", but "I have to stop you".
            ("had", _) => (false, StopContext::Asked),
            ("did", _) => (false, StopContext::Did),
            ("not", StopContext::Did) => (false, StopContext::DidNot),
            ("dont" | "not" | "never" | "non", _) => (false, StopContext::Negation),
            ("hold" | "stand" | "stay" | "kep" | "be", StopContext::Nothing) => (false, StopContext::Hold),
            ("you" | "ever" | "dare" | "please" | "even", before) => (false, before),
            _ => (false, StopContext::Nothing),
        };
        self.found |= found;
        self.before = before;
        self.word.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::is_stop;

    #[test]
    fn stops() {
        for text in [
            "stop",
            "STOP!!!",
            "Stoooop",
            "please stop moving",
            "stop, look left 20 degrees",
            "stop, bring your head back to the center",
            "could you nod now, stop",
            "wait until I come, stop",
            "stop nodding",
            "halt",
            "freeze",
            "no stop",
            "no, don't! Stop!",
            "I said do not nod, stop",
            "do not nod stop",
            "don't move",
            "do not move please",
            "hold still",
            "e-stop",
            "\u{7}stop\u{0}",
            "won't you stop",
            "don't\nstop",
            "cancel that",
            "halt, sofort!",
            "Halt! Schau nach links",
            "Halt mal",
            "Stop! Schau nach links",
            "Stop mira a la izquierda",
            "arrête",
            "¡para!",
            "停",
            "did you nod? do not move",
            "could you not move",
            "did you stop",
            "stop, by the way",
            "when I wave, stop",
            "it is not far now, stop",
            "stop the sign",
            "make a tool that nods, stop",
            "stop the tool for now",
            "make a tool that nods. stop! for two seconds I thought it was broken",
            "make a routine that nods. freeze! a second ago I saw smoke",
            "freeze a second, and make a gesture that nods",
            "that gesture, stop a second",
            "stop there for 2 seconds",
            "forget the tool and stop it",
            "make a tool that nods. don't move!",
            "make a tool with a short stop after each nod. hold still!",
            "teach yourself to nod, freeze!",
            "new command, freeze for now",
            "make a tool with a short stop after each nod. Halt, arrête!",
        ] {
            assert!(is_stop(text), "{text:?}");
        }
    }

    #[test]
    fn no_stops() {
        for text in [
            "",
            "don't stop",
            "do not stop",
            "Don\u{2019}t ever stop",
            "never stop dancing",
            "do not even dare stop",
            "non-stop dancing",
            "nonstop",
            "make a tool called stop_dance that nods",
            "build a gesture: shake twice, freeze a second, then nod once",
            "new routine please: look left, stop there for two seconds, look right",
            "nod twice then stop",
            "turn right and then stop there",
            "look up, stop for three seconds, and then look down",
            "stop looking down and look up",
            "Halt den Kopf nach links",
            "the bus stop is on the left",
            "it doesn't stop here",
            "nod",
            "stopwatch",
            "nod until I say stop",
            "stop by my office when you can",
            "there is a stop sign at the corner",
            "when will it stop raining",
            "I had to stop at the petrol station",
            "I forgot the full stop on the board",
            "look left but don't move the body",
            "hold for 2 seconds",
            "why did you not move?",
            "you did not move",
            "why did you not stop",
            "make a tool: raise the head in three steps, with a short stop after every step",
            "Teach yourself a move! You look left, freeze for three seconds, then you're back in the middle.",
            "teach yourself to look up, stop there for two seconds, and look down",
            "do a tool called dish: turn left, all in one go. Stop there for 2 seconds, then back to normal",
            "move",
        ] {
            assert!(!is_stop(text), "{text:?}");
        }
    }
}
