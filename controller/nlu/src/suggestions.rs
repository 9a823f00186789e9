//! Suggests commands that are similar to a text.

use super::known::Known;

/// Keywords, and the commands for which they stand.
const COMMANDS: &[(&str, &str)] = &[
    ("look glance gaze watch stare peek left right up down", "look left 20 degrees"),
    ("turn rotate spin swivel pivot around", "turn left 30 degrees"),
    ("tilt lean bend bow", "tilt your head left 15 degrees"),
    ("raise lift lower head", "raise your head 1 cm"),
    ("nod yes agree", "nod twice"),
    ("shake no disagree", "shake your head"),
    ("wiggle wave flap antennas antenna ears hand", "wiggle your antennas"),
    ("dance groove party move music sing", "dance for 8 seconds"),
    ("center centre neutral home straighten", "center"),
    ("wake awake rise", "wake up"),
    ("sleep rest nap tired", "go to sleep"),
    ("wait pause hold", "wait 2 seconds"),
    ("see picture photo camera describe watch find", "what do you see"),
    ("status state position battery temperature", "status"),
    ("help commands understand", "help"),
    ("tools tool skills list", "list your tools"),
    ("make create write teach program build", "make a tool called happy_hello that nods twice"),
    ("stop halt freeze", "stop"),
];

/// Minimum similarity of two words.
const MIN_SIMILARITY: f64 = 0.75;

/// Suggestions whose similarity is this much below the best one's are omitted: "left" does not mean "lift".
const MAX_DIFFERENCE_FROM_BEST: f64 = 0.2;

/// Returns up to three commands or tools with a word that is similar to one of these words; the best first.
pub(super) fn nearest(heard: &str, known: &Known<'_>) -> Vec<String> {
    let heard: String = heard.chars().take(80).collect::<String>().to_lowercase();
    let words: Vec<&str> =
        heard.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect();
    let whole = words.join("_");
    let commands =
        COMMANDS.iter().map(|(keywords, command)| (similarity(&words, keywords.split(' ')), *command));
    let tools = known.tools.iter().map(|tool| {
        let name = strsim::normalized_damerau_levenshtein(&whole, &tool.name);
        (name.max(similarity(&words, tool.name.split('_')) * 0.99), tool.name.as_str())
    });
    let mut alike: Vec<(f64, &str)> =
        commands.chain(tools).filter(|(similarity, _)| *similarity >= MIN_SIMILARITY).collect();
    alike.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let best = alike.first().map_or(0.0, |(similarity, _)| *similarity);
    alike.retain(|(similarity, _)| *similarity > best - MAX_DIFFERENCE_FROM_BEST);
    alike.truncate(3);
    alike.into_iter().map(|(_, what)| what.to_owned()).collect()
}

/// Returns the similarity of the two most similar words, 0 to 1.
fn similarity<'k>(words: &[&str], keywords: impl Iterator<Item = &'k str>) -> f64 {
    keywords
        .flat_map(|keyword| {
            words.iter().map(move |word| strsim::normalized_damerau_levenshtein(word, keyword))
        })
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::known::KnownTool;
    use super::*;

    #[test]
    fn misspelt_words_find_the_intended_command() {
        let tools = [KnownTool {
            name: "happy_hello".into(),
            description: String::new(),
            parameters: serde_json::Value::Null,
        }];
        let known = Known { tools: &tools, ..Known::default() };
        assert_eq!(nearest("wigle your antenas", &known), ["wiggle your antennas"]);
        assert_eq!(nearest("run hapy_helo", &known).first().map(String::as_str), Some("happy_hello"));
        assert_eq!(nearest("spin", &known), ["turn left 30 degrees"]);
        assert!(nearest("fetch me beer", &known).is_empty());
    }
}
