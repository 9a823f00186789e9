//! Questions about the robot itself, with their topics. The answers are made from measured data.

use super::intent::{Reach, Reason, Topic, Understanding};
use super::lexicon;
use super::motion::motion;
use super::parser::{Error, Parser};
use super::phrases::{hesitation, longest, opener};

const QUESTIONS: &[(&str, Topic)] = &[
    ("what happened", Topic::Happened),
    ("what just happened", Topic::Happened),
    ("what was that", Topic::Happened),
    ("tell me what happened", Topic::Happened),
    ("how did it go", Topic::Happened),
    ("how did that go", Topic::Happened),
    ("why not", Topic::WhyNot),
    ("why did you not move", Topic::WhyNot),
    ("why did not you move", Topic::WhyNot),
    ("why did you not do it", Topic::WhyNot),
    ("why did not you do it", Topic::WhyNot),
    ("why did you not do that", Topic::WhyNot),
    ("why did not you do that", Topic::WhyNot),
    ("why did you not do anything", Topic::WhyNot),
    ("why did not you do anything", Topic::WhyNot),
    ("why are you not moving", Topic::WhyNot),
    ("why are not you moving", Topic::WhyNot),
    ("why did that not work", Topic::WhyNot),
    ("why did not that work", Topic::WhyNot),
    ("why did it not work", Topic::WhyNot),
    ("why did not it work", Topic::WhyNot),
    ("why did it fail", Topic::WhyNot),
    ("why did that fail", Topic::WhyNot),
    ("why did nothing happen", Topic::WhyNot),
    ("why is nothing happening", Topic::WhyNot),
    ("why did you refuse", Topic::WhyNot),
    ("what went wrong", Topic::WhyNot),
    ("what was wrong", Topic::WhyNot),
    ("what was the problem", Topic::WhyNot),
    ("did you do it", Topic::Whether),
    ("did you do that", Topic::Whether),
    ("have you done it", Topic::Whether),
    ("have you done that", Topic::Whether),
    ("did it work", Topic::Whether),
    ("did that work", Topic::Whether),
    ("did you move", Topic::Whether),
    ("did you finish", Topic::Whether),
    ("did you succeed", Topic::Whether),
    ("are you done", Topic::Whether),
    ("are you finished", Topic::Whether),
    ("have you finished", Topic::Whether),
    ("is it done", Topic::Whether),
    ("was it done", Topic::Whether),
    ("what did you do", Topic::Last),
    ("what did you do last", Topic::Last),
    ("what did you just do", Topic::Last),
    ("what have you done", Topic::Last),
    ("what have you just done", Topic::Last),
    ("what was the last thing you did", Topic::Last),
    ("what was your last move", Topic::Last),
    ("are your motors on", Topic::Motors),
    ("are the motors on", Topic::Motors),
    ("are your motors off", Topic::Motors),
    ("are the motors off", Topic::Motors),
    ("are your motors enabled", Topic::Motors),
    ("are your motors running", Topic::Motors),
    ("are you awake", Topic::Motors),
    ("are you asleep", Topic::Motors),
    ("are you sleeping", Topic::Motors),
    ("are you on", Topic::Motors),
    ("how are you", Topic::Health),
    ("how are you doing", Topic::Health),
    ("how are you feeling", Topic::Health),
    ("how are you today", Topic::Health),
    ("tell me how you are", Topic::Health),
    ("tell me how you feel", Topic::Health),
    ("how are you doing today", Topic::Health),
    ("how are you feeling today", Topic::Health),
    ("how do you feel", Topic::Health),
    ("how is it going", Topic::Health),
    ("are you ok", Topic::Health),
    ("are you okay", Topic::Health),
    ("are you alright", Topic::Health),
    ("are you fine", Topic::Health),
    ("are you well", Topic::Health),
    ("are you ready", Topic::Health),
    ("is everything ok", Topic::Health),
    ("is everything okay", Topic::Health),
    ("is everything alright", Topic::Health),
    ("is something wrong", Topic::Health),
    ("is anything wrong", Topic::Health),
    ("what is wrong", Topic::Health),
    ("what is the matter", Topic::Health),
    ("do you have any errors", Topic::Health),
    ("do you have any faults", Topic::Health),
    ("who are you", Topic::Myself),
    ("who are you exactly", Topic::Myself),
    ("tell me who you are", Topic::Myself),
    ("what are you", Topic::Myself),
    ("what is your name", Topic::Myself),
    ("tell me your name", Topic::Myself),
    ("do you have a name", Topic::Myself),
    ("introduce yourself", Topic::Myself),
    ("tell me about yourself", Topic::Myself),
    ("are you a robot", Topic::Myself),
    ("goodbye", Topic::Goodbye),
    ("good bye", Topic::Goodbye),
    ("bye", Topic::Goodbye),
    ("bye bye", Topic::Goodbye),
    ("good night", Topic::Goodbye),
    ("see you", Topic::Goodbye),
    ("see you later", Topic::Goodbye),
    ("how far can you turn", Topic::Reach(Reach::Turn)),
    ("how far can you turn your body", Topic::Reach(Reach::Turn)),
    ("how far can you rotate", Topic::Reach(Reach::Turn)),
    ("how far can you turn left", Topic::Reach(Reach::Turn)),
    ("how far can you turn right", Topic::Reach(Reach::Turn)),
    ("how far can you turn around", Topic::Reach(Reach::Turn)),
    ("how far can your body turn", Topic::Reach(Reach::Turn)),
    ("how far can you look", Topic::Reach(Reach::Sideways)),
    ("how far can you look left", Topic::Reach(Reach::Sideways)),
    ("how far can you look right", Topic::Reach(Reach::Sideways)),
    ("how far can you look to the left", Topic::Reach(Reach::Sideways)),
    ("how far can you look to the right", Topic::Reach(Reach::Sideways)),
    ("how far can you look to the side", Topic::Reach(Reach::Sideways)),
    ("how far can you turn your head", Topic::Reach(Reach::Sideways)),
    ("how far can your head turn", Topic::Reach(Reach::Sideways)),
    ("how far up can you look", Topic::Reach(Reach::UpDown)),
    ("how far down can you look", Topic::Reach(Reach::UpDown)),
    ("how far can you look up", Topic::Reach(Reach::UpDown)),
    ("how far can you look down", Topic::Reach(Reach::UpDown)),
    ("how high can you look", Topic::Reach(Reach::UpDown)),
    ("how far can you nod", Topic::Reach(Reach::UpDown)),
    ("how far can you tilt", Topic::Reach(Reach::Tilt)),
    ("how far can you tilt your head", Topic::Reach(Reach::Tilt)),
    ("how far can you lean", Topic::Reach(Reach::Tilt)),
    ("how far can your head tilt", Topic::Reach(Reach::Tilt)),
    ("how high can you raise your head", Topic::Reach(Reach::Height)),
    ("how far can you raise your head", Topic::Reach(Reach::Height)),
    ("how far can you lift your head", Topic::Reach(Reach::Height)),
    ("how high can you lift your head", Topic::Reach(Reach::Height)),
    ("how far can you lower your head", Topic::Reach(Reach::Height)),
    ("how low can you go", Topic::Reach(Reach::Height)),
    ("how far can you move your antennas", Topic::Reach(Reach::Antennas)),
    ("how far can your antennas move", Topic::Reach(Reach::Antennas)),
    ("how long can you dance", Topic::Reach(Reach::Dance)),
];

/// Words before the name of a tool, and words that may follow it.
const ABOUT: &[(&str, &str)] = &[
    ("what does", "do"),
    ("what will", "do"),
    ("what is", ""),
    ("tell me about", ""),
    ("tell me what", "does"),
    ("explain", ""),
    ("describe", ""),
    ("how does", "work"),
];

/// Words before something that the robot may be able to do.
const ABILITIES: &[&str] = &[
    "can you",
    "do you know how to",
    "are you able to",
    "are you capable of",
    "is it possible that you",
    "do you have the ability to",
];

/// Returns the topic of the question with which these words begin, and how many words it takes.
pub(super) fn question(words: &[Option<&str>]) -> Option<(Topic, usize)> {
    let (position, count) = longest(QUESTIONS.iter().map(|(phrase, _)| *phrase), words)?;
    QUESTIONS.get(position).map(|(_, topic)| (topic.clone(), count))
}

/// Returns how many words precede the ability in a question about one.
pub(super) fn ability(words: &[Option<&str>]) -> Option<usize> {
    longest(ABILITIES.iter().copied(), words).map(|(_, count)| count)
}

/// Returns how many words precede the name of a tool, and the word that must follow it, for each matching
/// question.
pub(super) fn about<'w>(words: &'w [Option<&'w str>]) -> impl Iterator<Item = (usize, &'static str)> + 'w {
    ABOUT.iter().filter_map(|(lead, last)| {
        let (_, count) = longest(std::iter::once(*lead), words)?;
        Some((count, *last))
    })
}

impl Parser<'_> {
    /// Parses a question about the robot that is a whole clause here.
    pub fn question_here(&self) -> Option<(Topic, usize)> {
        let (topic, taken) = question(&self.window(self.at))?;
        self.is_end(self.at + taken).then_some((topic, taken))
    }

    /// Parses a sentence that is only a question: about the robot, about a tool, or about an ability.
    pub fn whole_question(&mut self) -> Result<Option<Topic>, Error> {
        let mut at = 0;
        loop {
            while self.tokens.get(at).is_some_and(|token| token.word().is_none()) {
                at += 1;
            }
            let words = self.window(at);
            if let Some((topic, taken)) = question(&words)
                && self.is_over(at + taken)
            {
                return Ok(Some(topic));
            }
            if let Some(name) = self.tool_in_question(at)? {
                return Ok(Some(Topic::Tool(name)));
            }
            if let Some(what) = self.ability_asked(at) {
                return Ok(Some(Topic::Ability(what)));
            }
            match opener(&words).or_else(|| hesitation(&words)) {
                Some(taken) => at += taken,
                None => return Ok(None),
            }
        }
    }

    /// Returns whether only punctuation follows.
    fn is_over(&self, at: usize) -> bool {
        self.tokens.iter().skip(at).all(|token| token.word().is_none())
    }

    /// Returns the tool in "what does happy_hello do?" or "tell me about it".
    fn tool_in_question(&self, at: usize) -> Result<Option<String>, Error> {
        let words = self.window(at);
        for (lead, last) in about(&words) {
            let begins = self.after_articles(at + lead);
            let named = match self.word(begins) {
                Some("it" | "that" | "this") => {
                    let tool = self.earlier_tool.as_ref().map(|(name, _)| name.clone());
                    let noun = self.word(begins + 1).is_some_and(lexicon::is_tool_noun);
                    tool.map(|name| (name, begins + 1 + usize::from(noun)))
                }
                _ => self.tool_at(begins),
            };
            let ends = |end: usize| match last {
                "" => self.is_over(end),
                last => self.word(end) == Some(last) && self.is_over(end + 1),
            };
            if let Some((name, end)) = named {
                let end = end + usize::from(self.word(end).is_some_and(lexicon::is_tool_noun));
                if ends(end) {
                    return Ok(Some(name));
                }
            } else if last == "do" && !matches!(self.word(begins), Some("you" | "i" | "we")) {
                let end = (begins + 1..=begins + 3).find(|&end| ends(end));
                if let Some(end) = end {
                    return Err(Error::unclear(begins..end, Reason::WhichTool));
                }
            }
        }
        Ok(None)
    }

    /// Returns the ability in "can you dance?" or "do you know how to nod?". None for a polite command, or
    /// if the robot cannot do it.
    fn ability_asked(&self, at: usize) -> Option<String> {
        let lead = ability(&self.window(at))?;
        let begins = at + lead;
        let end = (begins..self.tokens.len()).find(|&end| self.is_over(end)).unwrap_or(self.tokens.len());
        if begins >= end {
            return None;
        }
        // "can you nod twice?" and "can you please nod" are commands.
        let text = self.text.to_lowercase();
        let polite = ["please", "kindly", "for me"].iter().any(|word| text.contains(word));
        if self.word(at) == Some("can") && (end > begins + 1 || polite) {
            return None;
        }
        let what = self.words_of(begins..end);
        match motion(&what, None) {
            Understanding::Plan(_) | Understanding::Unclear { reason: Reason::WhichWay, .. } => Some(what),
            _ => None,
        }
    }
}
