//! From a request to a score.

use std::ops::Range;

use minismith_score::{Arguments, Axis, Kind, Parameter, Score, Setting, Step, capitalized, compile};
use serde::{Deserialize, Serialize};

use crate::act::{Act, Node};
use crate::arrange::arrange;
use crate::build::{Builder, KnownSteps};
use crate::clause::split;
use crate::emit::{Emitter, uses};
use crate::guard::{Refusal, nothing_to_do, refuse};
use crate::library::Library;
use crate::name::{Heading, from_nodes, heading, identifier};
use crate::tag::{Mode, Shape, Tag, Tagged};
use crate::tagger::{KnownPhrase, tag};
use crate::words::{Word, split as split_words};

/// Why no tool was made, and what to say instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}; {hint}")]
pub struct Declined {
    /// Why.
    pub reason: String,
    /// What to say instead.
    pub hint: String,
}

impl Declined {
    /// Returns whether the robot can't move as far as was asked for.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        self.hint.starts_with("ask for at most")
    }
}

impl From<Refusal> for Declined {
    fn from((reason, hint): Refusal) -> Self {
        Declined { reason, hint }
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A tool.
    Score(Score),
    /// No tool.
    Declined(Declined),
}

/// A composed tool, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// The tool.
    pub outcome: Outcome,
    /// The name of the tool: given, or made from its steps.
    pub name: String,
    /// What was assumed.
    pub notes: Vec<String>,
    /// The parts of the request that no step serves, with their bytes.
    pub not_understood: Vec<(String, Range<usize>)>,
}

impl Composed {
    pub(crate) fn declined(refusal: Refusal) -> Self {
        Composed {
            outcome: Outcome::Declined(refusal.into()),
            name: "motion_tool".to_owned(),
            notes: Vec::new(),
            not_understood: Vec::new(),
        }
    }

    /// Returns whether something of the request is not understood, and nothing of it is refused.
    #[must_use]
    pub fn is_open(&self) -> bool {
        match &self.outcome {
            Outcome::Score(_) => !self.not_understood.is_empty(),
            Outcome::Declined(declined) => {
                !self.not_understood.is_empty() || declined.reason == nothing_to_do().0
            }
        }
    }

    /// Returns the tool, if there is one.
    #[must_use]
    pub fn score(&self) -> Option<&Score> {
        match &self.outcome {
            Outcome::Score(score) => Some(score),
            Outcome::Declined(_) => None,
        }
    }
}

/// What a text asks for, before it is a whole tool.
pub(crate) struct Plan {
    pub nodes: Vec<Node>,
    pub emitter: Emitter,
    /// Without the way back at the end.
    pub steps: Vec<Step>,
    pub heading: Heading,
    pub keeps: bool,
    pub not_understood: Vec<(String, Range<usize>)>,
}

/// Composes a tool from a request.
#[must_use]
pub fn compose(request: &str, library: &(impl Library + ?Sized)) -> Composed {
    let mut missing = Vec::new();
    match plan(request, library, &mut missing).and_then(finish) {
        Ok(composed) => composed,
        Err(refusal) => Composed { not_understood: missing, ..Composed::declined(refusal) },
    }
}

/// Returns the name that the person gives the tool, as an identifier.
#[must_use]
pub fn given_name(request: &str) -> Option<String> {
    heading(&split_words(request)).name
}

/// Reads a text as a plan.
pub(crate) fn plan(
    request: &str,
    library: &(impl Library + ?Sized),
    missing: &mut Vec<(String, Range<usize>)>,
) -> Result<Plan, Refusal> {
    if request.chars().count() > crate::guard::MAX_CHARACTERS {
        return refuse(request, &[]).map_or_else(|| Err(nothing_to_do()), Err);
    }
    let words = split_words(request);
    if let Some(refusal) = refuse(request, &words) {
        return Err(refusal);
    }
    let words = without_quotations(request, words);
    let usable: Vec<&crate::library::Known> =
        library.entries().iter().filter(|entry| !has_parameters(&entry.steps)).collect();
    let known: Vec<KnownSteps> = usable
        .iter()
        .map(|entry| KnownSteps { name: entry.name.clone(), steps: entry.steps.clone() })
        .collect();
    let phrases = phrases(&usable);
    let heading = heading(&words);
    let mut tags = tag_without(&words, &heading.words, &phrases);
    let clauses = {
        if !tags.iter().any(|tagged| is_content(&tagged.tag)) {
            // "make a waving gesture": the motion stands before the noun.
            let named: Vec<Range<usize>> =
                heading.words.iter().filter(|range| range.start > 0).cloned().collect();
            tags = tag_without(&words, &named, &phrases);
        }
        split(tags)
    };
    let mut builder = Builder::new(&known);
    let result = builder.clauses(&clauses);
    let built = std::mem::take(&mut builder.built);
    let text = |span: &Range<usize>| (request.get(span.clone()).unwrap_or("").to_owned(), span.clone());
    let not_understood: Vec<(String, Range<usize>)> = built.not_understood.iter().map(text).collect();
    missing.clone_from(&not_understood);
    result?;
    let nodes = arrange(built.items);
    let mut emitter = Emitter::new();
    emitter.notes = built.notes;
    emitter.parameter_name.clone_from(&heading.parameter);
    emitter.keeps = built.keeps;
    let steps = emitter.nodes(&nodes)?;
    let contradicted = built.still.iter().find(|axis| emitter.moved.contains(axis));
    if let Some(axis) = contradicted {
        return Err((
            format!("the request says that the {} stays still and also moves it", axis.title()),
            "say which of the two holds".to_owned(),
        ));
    }
    if !does_something(&steps) {
        if built.still.len() >= Axis::ALL.len() {
            return Err(("a tool that only stays still does nothing".to_owned(), nothing_to_do().1));
        }
        return Err(match emitter.notes.first() {
            Some(note) if !not_understood.is_empty() => (note.clone(), nothing_to_do().1),
            _ => nothing_to_do(),
        });
    }
    Ok(Plan { nodes, emitter, steps, heading, keeps: built.keeps, not_understood })
}

/// Leaves out what stands in quotation marks, if a motion stands outside of them: a "who, me?" shrug. Names stay.
fn without_quotations(request: &str, words: Vec<Word>) -> Vec<Word> {
    let mut quoted: Vec<Range<usize>> = Vec::new();
    let mut open: Option<usize> = None;
    let mut before = ' ';
    for (at, character) in request.char_indices() {
        match (character, open) {
            // Not the sign for inches.
            ('"', None) if !before.is_ascii_digit() => open = Some(at),
            ('\u{201c}', _) => open = Some(at),
            ('"' | '\u{201d}', Some(start)) => {
                quoted.push(start..at);
                open = None;
            }
            _ => {}
        }
        before = character;
    }
    let is_name = |range: &Range<usize>| {
        let last = words.iter().rfind(|word| word.is_word && word.span.end <= range.start);
        last.is_some_and(|word| {
            matches!(
                word.text.as_str(),
                "called" | "named" | "titled" | "name" | "argument" | "parameter" | "setting" | "option"
            )
        })
    };
    quoted.retain(|range| !is_name(range));
    if quoted.is_empty() {
        return words;
    }
    let is_outside = |word: &&Word| !quoted.iter().any(|range| range.contains(&word.span.start));
    let outside: Vec<Word> = words.iter().filter(is_outside).cloned().collect();
    let is_motion = |tagged: &Tagged| match &tagged.tag {
        Tag::Verb(verb) => verb.mode != Mode::Move,
        tag => matches!(tag, Tag::Feeling(_) | Tag::Dir(_) | Tag::Dance | Tag::Circle),
    };
    if tag(&outside, &[]).iter().any(is_motion) { outside } else { words }
}

fn phrases(entries: &[&crate::library::Known]) -> Vec<KnownPhrase> {
    let mut phrases = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        for phrase in std::iter::once(&entry.name).chain(&entry.words) {
            let words: Vec<String> = split_words(&phrase.replace('_', " "))
                .into_iter()
                .filter(|word| word.is_word)
                .map(|word| word.text)
                .collect();
            if words.is_empty() || words.len() > 8 {
                continue;
            }
            // One word may be a usual one, so it needs an article: "do the robot".
            if words.len() == 1 {
                for article in ["the", "your", "my"] {
                    phrases.push((std::iter::once(article.to_owned()).chain(words.clone()).collect(), index));
                }
            }
            phrases.push((words, index));
        }
    }
    phrases
}

fn tag_without(words: &[Word], ranges: &[Range<usize>], phrases: &[KnownPhrase]) -> Vec<Tagged> {
    let kept = words.iter().enumerate().filter(|(at, _)| !ranges.iter().any(|range| range.contains(at)));
    let kept: Vec<Word> = kept.map(|(_, word)| word.clone()).collect();
    tag(&kept, phrases)
}

/// Returns whether a tag says what is done.
pub(crate) fn is_content(tag: &Tag) -> bool {
    matches!(
        tag,
        Tag::Verb(_)
            | Tag::Feeling(_)
            | Tag::Known(_)
            | Tag::Sound
            | Tag::Photo
            | Tag::Play(_)
            | Tag::Dance
            | Tag::Circle
            | Tag::Part(_)
            | Tag::Dir(_)
            | Tag::Cannot(_)
            | Tag::Unknown
            | Tag::Impossible(_)
    )
}

fn has_parameters(steps: &[Step]) -> bool {
    format!("{steps:?}").contains("Parameter(") || format!("{steps:?}").contains("Product(")
}

/// Returns whether steps move or sound.
pub(crate) fn does_something(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Wait(_) => false,
        Step::Move(_) | Step::Neutral { .. } | Step::Play(_) | Step::Sound(_) | Step::Photo {} => true,
        step => does_something(step.inner()),
    })
}

fn finish(plan: Plan) -> Result<Composed, Refusal> {
    let Plan { nodes, mut emitter, mut steps, heading, keeps, not_understood } = plan;
    if !keeps {
        let end = emitter.end_return(&steps);
        steps.extend(end);
    }
    let mut parameters = emitter.parameters.clone();
    offer_times(&nodes, &mut steps, &mut parameters, emitter.is_timed);
    let has_motion = Axis::ALL.iter().any(|axis| crate::emit::moves(&steps, *axis));
    if has_motion {
        parameters.push(Parameter::speed());
    }
    let name = heading.name.unwrap_or_else(|| from_nodes(&nodes));
    let score = Score { name: name.clone(), summary: summary(&nodes), parameters, steps };
    let score = within_limits(score)?;
    Ok(Composed { outcome: Outcome::Score(score), name, notes: emitter.notes, not_understood })
}

/// Lets the caller choose how often, where the tool repeats one thing.
fn offer_times(nodes: &[Node], steps: &mut Vec<Step>, parameters: &mut Vec<Parameter>, is_timed: bool) {
    if is_timed || uses(steps, "times") {
        return;
    }
    fn repeats<'a>(steps: &'a mut [Step], found: &mut Vec<&'a mut minismith_score::Number>) {
        for step in steps {
            match step {
                Step::Repeat { times, steps } => {
                    found.push(times);
                    repeats(steps, found);
                }
                Step::Together(inner) | Step::Sequence(inner) => repeats(inner, found),
                Step::When(reaction)
                | Step::Whenever(reaction)
                | Step::AsLongAs(reaction)
                | Step::Until(reaction) => {
                    repeats(&mut reaction.steps, found);
                }
                _ => {}
            }
        }
    }
    let only = match nodes {
        [Node::Act(act)] => act.pause.is_none().then_some(act),
        _ => None,
    };
    let is_single =
        only.is_some_and(|act| act.course().is_ok_and(|(shape, _)| shape != Shape::Go) || act.is_back);
    let mut found = Vec::new();
    repeats(steps, &mut found);
    let is_plain = nodes.iter().all(|node| {
        !matches!(
            node,
            Node::Act(Act { pause: Some(_), .. }) | Node::Times { pause: Some(_), .. } | Node::Raw { .. }
        )
    });
    match found.as_mut_slice() {
        [times] if is_plain => {
            if let minismith_score::Number::Value(count) = **times {
                let high = if count <= 10.0 { 10.0 } else { 50.0 };
                parameters.insert(0, Parameter { default: count, high, ..Parameter::times(10) });
                **times = minismith_score::Number::Parameter("times".to_owned());
            }
        }
        [] if is_single => {
            let inside = std::mem::take(steps);
            steps.push(Step::Repeat {
                times: minismith_score::Number::Parameter("times".to_owned()),
                steps: inside,
            });
            parameters.insert(0, Parameter::times(1));
        }
        _ => {}
    }
}

/// Narrows the parameters until the longest call takes at most 120 seconds.
pub(crate) fn within_limits(mut score: Score) -> Result<Score, Refusal> {
    let refused = |error: minismith_score::ScoreError| (error.reason, error.hint);
    compile(&score, &Arguments::new(), &Setting::default()).map_err(refused)?;
    for _ in 0..60 {
        let slowest: Arguments = score
            .parameters
            .iter()
            .map(|parameter| {
                (
                    parameter.name.clone(),
                    if parameter.name == "speed" { parameter.low } else { parameter.high },
                )
            })
            .collect();
        if compile(&score, &slowest, &Setting::default()).is_ok() {
            return Ok(score);
        }
        let narrowed =
            score.parameters.iter_mut().find(|parameter| match (parameter.name.as_str(), parameter.kind) {
                ("speed", _) => false,
                (_, Kind::Int) => parameter.high > parameter.default,
                _ => parameter.high > parameter.default * 1.05 && parameter.high > 5.0,
            });
        if let Some(parameter) = narrowed {
            parameter.high = match parameter.kind {
                Kind::Int => (parameter.high - ((parameter.high - parameter.default) / 4.0).ceil().max(1.0))
                    .max(parameter.default),
                Kind::Float => (parameter.high * 0.8).max(parameter.default).ceil(),
            };
        } else if let Some(speed) = score
            .parameters
            .iter_mut()
            .find(|parameter| parameter.name == "speed" && parameter.low < parameter.default)
        {
            speed.low = ((speed.low + 0.1) * 10.0).round().min(speed.default * 10.0) / 10.0;
        } else {
            break;
        }
    }
    score.parameters.retain(|parameter| parameter.name != "speed" || parameter.low < parameter.high);
    compile(&score, &Arguments::new(), &Setting::default()).map_err(refused)?;
    Ok(score)
}

/// Narrows the ranges of the parameters until the longest call takes at most 120 seconds.
///
/// # Errors
/// Why the default call breaks a rule or takes too long.
pub fn narrowed(score: Score) -> Result<Score, Declined> {
    within_limits(score).map_err(Declined::from)
}

/// Says what a tool does, in one sentence.
pub(crate) fn summary(nodes: &[Node]) -> String {
    let mut labels: Vec<String> = Vec::new();
    for node in nodes {
        node.acts(&mut |node| {
            let label = match node {
                Node::Act(act) => act.label(),
                Node::Raw { label, .. } => label.clone(),
                Node::Sound => "plays a sound".to_owned(),
                Node::Photo => "takes a photo".to_owned(),
                _ => return,
            };
            if labels.last() != Some(&label) && labels.len() < 6 {
                labels.push(label);
            }
        });
    }
    let condition = nodes.iter().find_map(|node| match node {
        Node::React { event, .. } => Some(event.describe()),
        _ => None,
    });
    let mut text = labels.join(", then ");
    if let Some(condition) = condition {
        text = format!("{text} when there is {condition}");
    }
    let plain: String = capitalized(&text)
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || " ,_-".contains(*c))
        .take(280)
        .collect();
    if plain.trim().is_empty() { "Moves.".to_owned() } else { format!("{}.", plain.trim()) }
}

/// Returns words as a name; for corrections.
pub(crate) fn name_of(words: &[String]) -> String {
    identifier(words)
}
