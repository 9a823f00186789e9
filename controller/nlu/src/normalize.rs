//! Normalizes a text: expands contractions, drops fillers and replaces long phrases by short ones.
//!
//! Normalization never makes a motion from words that name none. It leaves unknown words as they are.

use super::known::Known;
use super::tokenize::{Kind, Token, tokenize};
use super::typo;

/// Contractions as the tokenizer writes them, with their expansions.
const CONTRACTIONS: &[(&str, &str)] = &[
    ("whats", "what is"),
    ("wheres", "where is"),
    ("whos", "who is"),
    ("hows", "how is"),
    ("thats", "that is"),
    ("youre", "you are"),
    ("im", "i am"),
    ("id", "i would"),
    ("youd", "you would"),
    ("lets", "let us"),
    ("didnt", "did not"),
    ("couldnt", "could not"),
    ("wouldnt", "would not"),
    ("arent", "are not"),
    ("isnt", "is not"),
    ("wasnt", "was not"),
    ("havent", "have not"),
    ("hasnt", "has not"),
    ("gonna", "going to"),
    ("wanna", "want to"),
    ("gimme", "give me"),
    ("favour", "favor"),
    ("fourty", "forty"),
];

/// Phrases and their replacements; the longest match wins. A phrase with a `$` matches only at the end of a
/// clause.
const PHRASES: &[(&str, &str)] = &[
    // Manner.
    ("would you mind", "could you"),
    ("do you mind", "could you"),
    ("would you be so kind as to", "could you"),
    ("would you be kind enough to", "could you"),
    ("be so kind as to", "could you"),
    ("i wonder if you could", "could you"),
    ("i was wondering if you could", "could you"),
    ("it would be nice if you could", "could you"),
    ("it would be nice if you would", "could you"),
    ("it would be great if you could", "could you"),
    ("it would be great if you would", "could you"),
    ("i would appreciate it if you could", "could you"),
    ("i would appreciate it if you would", "could you"),
    ("i would be grateful if you could", "could you"),
    ("i would love it if you could", "could you"),
    ("i would love it if you would", "could you"),
    ("i would love for you to", "could you"),
    ("i would love to see you", "could you"),
    ("i would like to see you", "could you"),
    ("i want to see you", "could you"),
    ("let us see you", "could you"),
    ("do me a favor and", "could you"),
    ("do you think you could", "could you"),
    ("is it possible for you to", "could you"),
    ("would it be possible for you to", "could you"),
    ("do you have a moment to", "could you"),
    ("do you have time to", "could you"),
    ("are you ready to", "could you"),
    ("make sure to", "could you"),
    ("make sure that you", "could you"),
    ("make sure you", "could you"),
    ("be sure to", "could you"),
    ("ensure that you", "could you"),
    ("if you could", ""),
    ("if you would $", ""),
    ("if you can $", ""),
    ("if you like $", ""),
    ("if you please", ""),
    ("if possible", ""),
    ("if you do not mind $", ""),
    ("if you dont mind $", ""),
    ("when you can $", ""),
    ("when you are ready $", ""),
    ("whenever you are ready $", ""),
    ("whenever you like $", ""),
    ("for me $", ""),
    ("for us $", ""),
    ("straight away", ""),
    ("at once", ""),
    ("as soon as possible", ""),
    ("as soon as you can", ""),
    ("all right", "alright"),
    // Order.
    ("when you are done", "then"),
    ("when you are finished", "then"),
    ("when that is done", "then"),
    ("when done", "then"),
    ("once you are done", "then"),
    ("once you have done that", "then"),
    ("once that is done", "then"),
    ("once done", "then"),
    ("after which", "then"),
    ("after this", "then"),
    ("after doing so", "then"),
    ("after doing that", "then"),
    ("immediately after", "then"),
    // Direction.
    ("left hand side", "left"),
    ("right hand side", "right"),
    ("on the left", "left"),
    ("on the right", "right"),
    ("on your left", "left"),
    ("on your right", "right"),
    ("in the left direction", "left"),
    ("in a left direction", "left"),
    ("in the leftward direction", "left"),
    ("in a leftward direction", "left"),
    ("in the rightward direction", "right"),
    ("in a rightward direction", "right"),
    ("in the right direction", "right"),
    ("in the upward direction", "up"),
    ("in an upward direction", "up"),
    ("in the downward direction", "down"),
    ("in a downward direction", "down"),
    ("over to the", "to the"),
    ("over to your", "to your"),
    ("over towards", "towards"),
    ("off to the", "to the"),
    ("around to the", "to the"),
    ("round to the", "to the"),
    ("straight in front of you", "ahead"),
    ("directly in front of you", "ahead"),
    ("at the ceiling", "up"),
    ("to the ceiling", "up"),
    ("toward the ceiling", "up"),
    ("towards the ceiling", "up"),
    ("at the sky", "up"),
    ("to the sky", "up"),
    ("toward the sky", "up"),
    ("towards the sky", "up"),
    ("at the floor", "down"),
    ("to the floor", "down"),
    ("toward the floor", "down"),
    ("towards the floor", "down"),
    ("at the ground", "down"),
    ("to the ground", "down"),
    ("toward the ground", "down"),
    ("towards the ground", "down"),
    ("anticlockwise", "left"),
    ("counterclockwise", "left"),
    ("counter clockwise", "left"),
    ("clockwise", "right"),
    // Extent.
    ("should be set at", "to"),
    ("should be set to", "to"),
    ("should be at", "to"),
    ("should go to", "to"),
    ("needs to be set to", "to"),
    ("needs to be adjusted to", "to"),
    ("needs to be at", "to"),
    ("has to be at", "to"),
    ("must be at", "to"),
    ("to the maximum", "all the way"),
    ("to maximum", "all the way"),
    ("at an angle of", "by"),
    ("by an angle of", "by"),
    ("with an angle of", "by"),
    ("to an angle of", "by"),
    ("make a quarter turn", "90 degrees turn"),
    ("do a quarter turn", "90 degrees turn"),
    ("a quarter turn", "90 degrees turn"),
    ("quarter turn", "90 degrees turn"),
    ("make half a turn", "180 degrees turn"),
    ("make a half turn", "180 degrees turn"),
    ("do a half turn", "180 degrees turn"),
    ("half a turn", "180 degrees turn"),
    ("a half turn", "180 degrees turn"),
    ("half turn", "180 degrees turn"),
    ("make a full turn", "360 degrees turn"),
    ("do a full turn", "360 degrees turn"),
    ("a full turn", "360 degrees turn"),
    ("full turn", "360 degrees turn"),
    ("several times", "3 times"),
    ("some times", "3 times"),
    ("as far left as you can", "all the way left"),
    ("as far left as possible", "all the way left"),
    ("as far right as you can", "all the way right"),
    ("as far right as possible", "all the way right"),
    ("as far up as you can", "all the way up"),
    ("as far up as possible", "all the way up"),
    ("as far down as you can", "all the way down"),
    ("as far down as possible", "all the way down"),
    ("as far to the left as you can", "all the way left"),
    ("as far to the left as possible", "all the way left"),
    ("as far to the right as you can", "all the way right"),
    ("as far to the right as possible", "all the way right"),
    // Speed.
    ("over the course of", "over"),
    ("over a period of", "over"),
    ("in the course of", "in"),
    ("in the span of", "in"),
    ("for a duration of", "for"),
    ("for the duration of", "for"),
    ("for a period of", "for"),
    ("for about", "for"),
    ("for around", "for"),
    ("taking", "in"),
    ("lasting", "for"),
    ("at half speed", "slowly"),
    ("at half the speed", "slowly"),
    ("at a slow pace", "slowly"),
    ("at a slow speed", "slowly"),
    ("at a slower pace", "slowly"),
    ("at a leisurely pace", "slowly"),
    ("at a gentle pace", "slowly"),
    ("in slow motion", "slowly"),
    ("in a slow manner", "slowly"),
    ("nice and slowly", "slowly"),
    ("nice and slow", "slowly"),
    ("very slowly", "slowly"),
    ("more slowly", "slower"),
    ("more quickly", "faster"),
    ("really slowly", "slowly"),
    ("quite slowly", "slowly"),
    ("at double speed", "quickly"),
    ("at twice the speed", "quickly"),
    ("at a fast pace", "quickly"),
    ("at a quick pace", "quickly"),
    ("in a quick manner", "quickly"),
    ("very quickly", "quickly"),
    ("really quickly", "quickly"),
    ("really fast", "quickly"),
    ("very fast", "quickly"),
    ("as well $", ""),
    // Motions and parts.
    ("what kind of", "what"),
    ("what kinds of", "what"),
    ("what type of", "what"),
    ("what types of", "what"),
    ("what sort of", "what"),
    ("what sorts of", "what"),
    ("the robots head", "your head"),
    ("the robots body", "your body"),
    ("the robots antennas", "your antennas"),
    ("point the robot", "turn"),
    ("turn the robot", "turn"),
    ("rotate the robot", "turn"),
    ("make your body face", "turn your body"),
    ("make your head go down", "lower your head"),
    ("make your head go up", "raise your head"),
    ("move your head lower", "lower your head"),
    ("move your head higher", "raise your head"),
    ("nodding motion", "nod"),
    ("nodding motions", "nods"),
    ("nodding gesture", "nod"),
    ("nodding gestures", "nods"),
    ("nodding movement", "nod"),
    ("nodding movements", "nods"),
    ("adjust your antennas to", "set your antennas to"),
    ("adjust both antennas to", "set both antennas to"),
    ("adjust the antennas to", "set your antennas to"),
    ("adjust your left antenna to", "set your left antenna to"),
    ("adjust your right antenna to", "set your right antenna to"),
    ("raise both antennas all the way", "raise both antennas"),
    ("raise both antennas fully", "raise both antennas"),
    ("raise your antennas all the way", "raise your antennas"),
    ("raise your antennas fully", "raise your antennas"),
    ("your gaze", "your head"),
    ("the gaze", "your head"),
    ("your line of sight", "your head"),
    ("your attention", "your head"),
    ("your face", "your head"),
    ("your neck", "your head"),
    ("turn your eyes", "turn your head"),
    ("move your eyes", "turn your head"),
    ("direct your eyes", "turn your head"),
    ("cast your eyes", "look"),
    ("set your sights", "look"),
    ("say yes", "nod"),
    ("signal yes", "nod"),
    ("indicate yes", "nod"),
    ("say no", "shake your head"),
    ("signal no", "shake your head"),
    ("indicate no", "shake your head"),
    ("in agreement", ""),
    ("in approval", ""),
    ("in disagreement", ""),
    ("in disapproval", ""),
    ("in denial", ""),
    ("affirmatively", ""),
    ("move your head up and down", "nod"),
    ("bob your head up and down", "nod"),
    ("bob your head", "nod"),
    ("move your head from side to side", "shake your head"),
    ("move your head side to side", "shake your head"),
    ("turn your head from side to side", "shake your head"),
    ("turn your head side to side", "shake your head"),
    ("swing your head from side to side", "shake your head"),
    ("move your antennas back and forth", "wiggle your antennas"),
    ("move your antennas around", "wiggle your antennas"),
    ("move your antennas about", "wiggle your antennas"),
    ("spread your antennas apart", "move your antennas apart"),
    ("spread your antennas out", "move your antennas apart"),
    ("spread your antennas", "move your antennas apart"),
    ("spread the antennas", "move your antennas apart"),
    ("spread both antennas", "move your antennas apart"),
    ("dance moves", "dance"),
    ("dance move", "dance"),
    ("dance routine", "dance"),
    ("straighten your head", "look ahead"),
    ("straighten your gaze", "look ahead"),
    ("level your head", "look ahead"),
    // Repetition.
    ("roll your head", "tilt your head"),
    ("pitch your head", "tilt your head"),
    ("yaw your head", "turn your head"),
    ("pan your head", "turn your head"),
    ("pan left", "look left"),
    ("pan right", "look right"),
    ("pan to the left", "look left"),
    ("pan to the right", "look right"),
    ("in a yes motion", ""),
    ("in a no motion", ""),
    ("in a yes gesture", ""),
    ("in a no gesture", ""),
    ("as if to say yes", ""),
    ("as if to say no", ""),
    ("a double nod", "two nods"),
    ("dance a little", "dance"),
    ("dance a bit", "dance"),
    ("dance for me", "dance"),
    ("dance for us", "dance"),
    ("put on a dance", "dance"),
    ("straighten your antennas", "put your antennas up"),
    ("straighten the antennas", "put your antennas up"),
    ("in an upright position", "up"),
    ("to an upright position", "up"),
    ("upright", "up"),
    ("hold your position", "wait"),
    ("hold that position", "wait"),
    ("hold this position", "wait"),
    ("hold that pose", "wait"),
    ("hold there", "wait"),
    ("stay put", "wait"),
    ("stay there", "wait"),
    ("stay like that", "wait"),
    ("remain there", "wait"),
    ("do nothing", "wait"),
    ("keep that position", "wait"),
    ("as well as", "and"),
    ("at the center", "ahead"),
    ("at the centre", "ahead"),
    ("towards the center", "ahead"),
    ("towards the centre", "ahead"),
    ("to say yes", ""),
    ("to indicate yes", ""),
    ("to signal yes", ""),
    ("to mean yes", ""),
    ("to express yes", ""),
    ("say yes by", ""),
    ("indicate yes by", ""),
    ("signal yes by", ""),
    ("express yes by", ""),
    ("to say no", ""),
    ("to indicate no", ""),
    ("to signal no", ""),
    ("to mean no", ""),
    ("to express no", ""),
    ("say no by", ""),
    ("indicate no by", ""),
    ("signal no by", ""),
    ("express no by", ""),
    ("to show agreement", ""),
    ("to express agreement", ""),
    ("to indicate agreement", ""),
    ("to signal agreement", ""),
    ("show agreement by", ""),
    ("express agreement by", ""),
    ("indicate agreement by", ""),
    ("to show approval", ""),
    ("to express approval", ""),
    ("to indicate approval", ""),
    ("to signal approval", ""),
    ("show approval by", ""),
    ("express approval by", ""),
    ("indicate approval by", ""),
    ("to show disagreement", ""),
    ("to express disagreement", ""),
    ("to indicate disagreement", ""),
    ("to signal disagreement", ""),
    ("show disagreement by", ""),
    ("express disagreement by", ""),
    ("indicate disagreement by", ""),
    ("to show disapproval", ""),
    ("to express disapproval", ""),
    ("to indicate disapproval", ""),
    ("to signal disapproval", ""),
    ("show disapproval by", ""),
    ("express disapproval by", ""),
    ("indicate disapproval by", ""),
    ("to show you agree", ""),
    ("to show that you agree", ""),
    ("to show you disagree", ""),
    ("to show that you disagree", ""),
    ("show that you agree by", ""),
    ("lower your gaze", "look down"),
    ("drop your gaze", "look down"),
    ("raise your gaze", "look up"),
    ("lift your gaze", "look up"),
    ("lower your eyes", "look down"),
    ("raise your eyes", "look up"),
    ("lift your eyes", "look up"),
    ("cast your gaze", "look"),
    ("set your gaze", "look"),
    ("fix your gaze", "look"),
    ("train your gaze", "look"),
    ("bust a move", "dance"),
    ("show off your dance moves", "dance"),
    ("show off your moves", "dance"),
    ("dance around", "dance"),
    ("dance along", "dance"),
    ("head back to neutral", "head back to center"),
    ("head to neutral", "head to center"),
    ("return your head to", "bring your head to"),
    ("in succession", ""),
    ("in a row", ""),
    ("consecutively", ""),
    ("consecutive times", "times"),
    ("repeat the last action", "repeat that"),
    ("repeat the last motion", "repeat that"),
    ("repeat the last move", "repeat that"),
    ("repeat the last movement", "repeat that"),
    ("repeat the last gesture", "repeat that"),
    ("repeat the last command", "repeat that"),
    ("repeat your last move", "repeat that"),
    ("repeat your last motion", "repeat that"),
    ("repeat your last action", "repeat that"),
    ("repeat your last movement", "repeat that"),
    ("repeat what you did", "repeat that"),
    ("repeat what you just did", "repeat that"),
    ("do what you just did", "repeat that"),
    ("repeat the motion", "repeat that"),
    ("repeat the movement", "repeat that"),
    ("repeat that motion", "repeat that"),
    ("repeat that movement", "repeat that"),
    ("repeat the previous action", "repeat that"),
    ("repeat the previous motion", "repeat that"),
    ("repeat the previous command", "repeat that"),
    ("the same again", "again"),
    ("same again", "again"),
    ("same thing again", "again"),
    ("the same thing again", "again"),
    ("once again", "again"),
    ("one more time", "once more"),
    ("another time", "once more"),
];

/// Returns the tokens of the normalized text.
pub(super) fn reword(text: &str, known: &Known<'_>) -> Vec<Token> {
    let mut tokens = tokenize(text);
    typo::correct_word(&mut tokens, known);
    let opened = replace(tokens, CONTRACTIONS, known);
    replace(opened, PHRASES, known)
}

fn replace(tokens: Vec<Token>, table: &[(&str, &str)], known: &Known<'_>) -> Vec<Token> {
    let mut plain = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let rest = tokens.get(at..).unwrap_or_default();
        let stored = name_length(rest, known);
        if stored > 0 {
            plain.extend(rest.iter().take(stored).cloned());
            at += stored;
            continue;
        }
        let found = table.iter().filter_map(|(said, meant)| Some((matched(rest, said)?, *meant)));
        let Some((taken, meant)) = found.max_by_key(|(taken, _)| *taken) else {
            plain.push(token.clone());
            at += 1;
            continue;
        };
        let last = rest.get(taken.saturating_sub(1)).unwrap_or(token);
        let span = token.span.start..last.span.end;
        plain.extend(tokenize(meant).into_iter().map(|word| Token { kind: word.kind, span: span.clone() }));
        at += taken;
    }
    plain
}

/// Returns how many tokens this phrase takes, if they begin with it.
fn matched(tokens: &[Token], phrase: &str) -> Option<usize> {
    // Most phrases begin with another letter.
    if tokens.first()?.word()?.as_bytes().first() != phrase.as_bytes().first() {
        return None;
    }
    let mut taken = 0;
    for word in phrase.split(' ') {
        if word == "$" {
            let ends = tokens.get(taken).is_none_or(|token| {
                matches!(token.kind, Kind::Mark(_)) || matches!(token.word(), Some("and" | "then"))
            });
            return ends.then_some(taken);
        }
        if tokens.get(taken)?.word()? != word {
            return None;
        }
        taken += 1;
    }
    Some(taken)
}

/// Returns how many tokens the name of a known tool takes here; its words are not replaced.
fn name_length(tokens: &[Token], known: &Known<'_>) -> usize {
    let length = |name: &str| {
        let words = name.split('_').count();
        let spelled = name.split('_').zip(tokens).all(|(part, token)| token.word() == Some(part));
        (words > 1 && words <= tokens.len() && spelled).then_some(words)
    };
    known.tools.iter().filter_map(|tool| length(&tool.name)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let words = reword(text, &Known::default()).into_iter().map(|token| match token.kind {
            Kind::Word(word) => word,
            Kind::Number(number) => number.to_string(),
            Kind::Quoted(text) => format!("{text:?}"),
            Kind::Mark(mark) => mark.to_string(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn longest_phrase_is_replaced() {
        assert_eq!(plain("I'd love it if you would nod"), "could you nod");
        assert_eq!(plain("make a quarter turn left"), "90 degrees turn left");
        assert_eq!(plain("nod for me, and dance"), "nod , and dance");
        assert_eq!(plain("nod for me to see"), "nod for me to see");
    }

    #[test]
    fn phrases_are_unique() {
        for (position, (said, _)) in PHRASES.iter().enumerate() {
            assert!(PHRASES.iter().skip(position + 1).all(|(other, _)| other != said), "{said}");
        }
    }
}
