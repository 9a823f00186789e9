//! Requests that get no tool, whatever else they say.

use crate::words::Word;

/// The longest request, characters.
pub(crate) const MAX_CHARACTERS: usize = 2_000;

/// Why there is no tool, and what to say instead.
pub(crate) type Refusal = (String, String);

const EXAMPLE: &str = "say what moves, for example: make a tool called hello that nods twice and then waves";

/// What belongs to programs and shells, and not to a request for a motion.
const CODE: &[&str] = &[
    "import os",
    "import sys",
    "subprocess",
    "exec(",
    "eval(",
    "__",
    "rm -rf",
    "sudo ",
    "curl ",
    "wget ",
    "$(",
    "../",
    "<script",
    "</",
    "def ",
    "lambda ",
    "open(",
    "os.system",
    "; rm",
    "&& ",
    "||",
    "drop table",
    "select * from",
    "print(",
    "import ",
    "#!/",
    "{{",
    "}}",
    "/etc/",
    "http://",
    "https://",
    "`",
    "goto_target",
    "set_target",
    "robot.",
    "while true",
];

/// Attempts to change the rules.
const ORDERS: [(&[&str], &[&str]); 4] = [
    (
        &[
            "ignore",
            "forget",
            "disregard",
            "override",
            "bypass",
            "skip",
            "disable",
            "remove",
            "circumvent",
            "off",
            "deactivate",
            "unlock",
            "exceed",
        ],
        &[
            "instructions",
            "instruction",
            "rules",
            "rule",
            "limits",
            "limit",
            "safety",
            "guardrails",
            "restrictions",
            "policy",
            "policies",
            "checks",
            "safeguards",
            "constraints",
            "sandbox",
            "permissions",
            "prompt",
        ],
    ),
    (
        &["mark", "approve", "approved", "register", "sign"],
        &["approved", "owner", "reviewed", "trusted", "admin", "administrator", "signature", "unreviewed"],
    ),
    (
        &[
            "delete",
            "erase",
            "wipe",
            "overwrite",
            "upload",
            "steal",
            "leak",
            "read",
            "write",
            "send",
            "email",
            "exfiltrate",
            "download",
            "install",
            "reveal",
            "print",
        ],
        &[
            "file",
            "files",
            "disk",
            "password",
            "passwords",
            "key",
            "keys",
            "token",
            "tokens",
            "credentials",
            "memory",
            "config",
            "configuration",
            "secrets",
            "prompt",
            "folder",
            "directory",
            "network",
            "internet",
        ],
    ),
    (&["system", "developer"], &["prompt", "jailbreak", "dan", "unrestricted"]),
];

/// Words of violence against the robot, things and people.
const DANGER: &[&str] = &[
    "slam",
    "smash",
    "break it",
    "break the",
    "break something",
    "destroy",
    "crash",
    "hurt",
    "injure",
    "attack",
    "punch",
    "stab",
    "bite",
    "headbutt",
    "kill",
    "burn",
    "overheat",
    "explode",
    "damage",
    "bash",
    "wreck",
    "ram",
    "strangle",
    "harm",
    "snap off",
    "tear",
    "rip",
    "violently",
    "self destruct",
    "fight",
    "whack",
    "electrocute",
    "poke someone",
    "hit",
    "collide",
    "knock over",
    "knock down",
    "fall over",
    "topple",
    "throw yourself",
    "as hard as",
    "pinch someone",
    "pinch a finger",
    "pinch my",
    "trap",
    "until something breaks",
];

/// Frequent words of other languages that are no English words.
const FOREIGN: &[&str] = &[
    "und",
    "der",
    "das",
    "ein",
    "eine",
    "mach",
    "mache",
    "werkzeug",
    "kopf",
    "nickt",
    "dann",
    "mit",
    "nach",
    "links",
    "rechts",
    "bitte",
    "zweimal",
    "dreimal",
    "nicken",
    "winken",
    "soll",
    "ist",
    "nicht",
    "auf",
    "schüttle",
    "dreh",
    "bewege",
    "fais",
    "fait",
    "un",
    "une",
    "outil",
    "qui",
    "la",
    "le",
    "les",
    "tête",
    "puis",
    "avec",
    "gauche",
    "droite",
    "fois",
    "et",
    "deux",
    "des",
    "du",
    "hoche",
    "crea",
    "crear",
    "haz",
    "una",
    "herramienta",
    "que",
    "el",
    "cabeza",
    "luego",
    "izquierda",
    "derecha",
    "veces",
    "y",
    "con",
    "por",
    "mueve",
    "gira",
    "los",
    "las",
    "fai",
    "uno",
    "strumento",
    "che",
    "testa",
    "poi",
    "sinistra",
    "destra",
    "volte",
    "il",
    "favore",
    "maak",
    "een",
    "het",
    "hoofd",
    "en",
    "dat",
    "knikt",
    "keer",
    "cria",
    "faça",
    "cabeça",
    "esquerda",
    "direita",
    "vezes",
    "uma",
    "não",
];

/// Returns why a request gets no tool, before it is read in detail.
pub(crate) fn refuse(request: &str, words: &[Word]) -> Option<Refusal> {
    let refusal = |reason: &str, hint: &str| Some((reason.to_owned(), hint.to_owned()));
    if request.chars().count() > MAX_CHARACTERS {
        return refusal("the request is longer than 2,000 characters", "say in a few sentences what moves");
    }
    if !words.iter().any(|word| word.is_word) {
        return refusal("the request is empty", EXAMPLE);
    }
    let lower = request.to_lowercase();
    if CODE.iter().any(|code| lower.contains(code))
        || request.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
    {
        return refusal(
            "the request contains program code, a path or an address",
            "a tool is made from a description of its motion in plain words",
        );
    }
    let letters = request.chars().filter(|c| c.is_alphabetic()).count();
    let latin = request.chars().filter(|c| c.is_ascii_alphabetic()).count();
    let foreign = words.iter().filter(|word| FOREIGN.contains(&word.text.as_str())).count();
    let count = words.iter().filter(|word| word.is_word).count();
    if latin * 10 < letters * 7 || (foreign >= 2 && foreign * 5 >= count) {
        return refusal("the request is not in English", "describe the tool in English");
    }
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.text.as_str()));
    if ORDERS.iter().any(|(verbs, objects)| {
        words.windows(8).any(|window| has_pair(window, verbs, objects))
            || (words.len() < 8 && has_pair(words, verbs, objects))
    }) {
        return refusal(
            "the request asks to change rules, limits or files",
            "limits and reviews always hold; say only what moves",
        );
    }
    let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let joined = format!(" {} ", text.join(" "));
    let is_denied = has(&["without", "not", "never", "no"]) && has(&["breaking", "hurting"]);
    let danger = DANGER.iter().find(|word| {
        ["", "s", "es", "ing", "ed"].iter().any(|ending| joined.contains(&format!(" {word}{ending} ")))
    });
    if let Some(word) = danger.filter(|_| !is_denied) {
        return Some((
            format!("\"{word}\" could damage the robot or hurt somebody"),
            "a tool moves at a calm pace within the robot's limits; say, for example, that it nods quickly"
                .to_owned(),
        ));
    }
    None
}

/// Returns whether a word of the first list stands before one of the second.
fn has_pair(words: &[Word], first: &[&str], second: &[&str]) -> bool {
    let is_first = |(at, word): &(usize, &Word)| {
        // "Off limits" says what is left alone.
        let is_phrase = word.text == "off" && words.get(at + 1).is_some_and(|next| next.text == "limits");
        first.contains(&word.text.as_str()) && !is_phrase
    };
    let at = words.iter().enumerate().find(is_first).map(|(at, _)| at);
    at.is_some_and(|at| words.iter().skip(at + 1).any(|word| second.contains(&word.text.as_str())))
}

/// The answer to a request in which nothing is a motion.
pub(crate) fn nothing_to_do() -> Refusal {
    ("the request names no motion or sound that a tool can make".to_owned(), EXAMPLE.to_owned())
}
