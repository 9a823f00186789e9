//! The meaning of single words and of fixed phrases.

/// A verb of motion, or of its absence, by what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Nod,
    Shake,
    Turn,
    Spin,
    Look,
    Tilt,
    Lean,
    Raise,
    Lower,
    /// Wiggle, wave, flap, flick.
    Wiggle,
    /// Flick, twitch: once.
    Flick,
    /// Sway, rock.
    Sway,
    Bob,
    Salute,
    Bow,
    Duck,
    Stretch,
    /// Spread, open.
    Spread,
    /// Close, tuck.
    Close,
    /// Fold, droop.
    Fold,
    /// Move, go, bring.
    Move,
    /// Return, relax.
    Return,
    /// Stay, keep, remain.
    Stay,
    /// Hold.
    Hold,
    /// Wait, pause.
    Wait,
    /// Repeat.
    Repeat,
    /// Take, last.
    Take,
    /// Play a sound, beep.
    Sound,
    /// Take a photo.
    Photo,
    /// Say something.
    Say,
    /// Follow, dance: moves, but nobody can say how.
    Vague,
}

impl Verb {
    /// Returns whether the verb itself means several swings.
    pub(crate) const fn is_oscillation(self) -> bool {
        matches!(self, Verb::Nod | Verb::Shake | Verb::Wiggle | Verb::Sway | Verb::Bob)
    }

    /// Returns whether it moves something.
    pub(crate) const fn is_motion(self) -> bool {
        !matches!(
            self,
            Verb::Return
                | Verb::Stay
                | Verb::Hold
                | Verb::Wait
                | Verb::Repeat
                | Verb::Take
                | Verb::Sound
                | Verb::Photo
                | Verb::Say
                | Verb::Vague
        )
    }
}

const VERBS: [(Verb, &str); 31] = [
    (Verb::Nod, "nod noddle peck"),
    (Verb::Shake, "shake shook shaken headshake"),
    (
        Verb::Turn,
        "turn rotate twist swivel pivot yaw pan veer wheel crank swerve revolve orient orientate reorient redirect twirl",
    ),
    (Verb::Spin, "spin spun whirl"),
    (
        Verb::Look,
        "look gaze glance peek peer stare peep face glare squint scan survey gawk ogle glimpse aim direct glower gape goggle",
    ),
    (Verb::Tilt, "tilt cock incline roll tip pitch slant angle list cant bank skew slope heel"),
    (Verb::Lean, "lean bend bent slouch stoop arch"),
    (
        Verb::Raise,
        "raise lift rise rose risen hoist elevate perk prick heave ascend erect boost hike uplift climb levitate loft upraise hitch",
    ),
    (
        Verb::Lower,
        "lower drop sink sank descend dip dips slump plunge plop tumble slip fall fell fallen dive subside dunk depress deflate",
    ),
    (
        Verb::Wiggle,
        "wiggle waggle wag wave flap flutter wobble jiggle beat wriggle squirm fidget flail swish twiddle whisk bobble thrash waft shimmy joggle jostle wigwag",
    ),
    (Verb::Flick, "twitch flick flip pulse click wink tick tap jab quirk tweak jolt prod"),
    (Verb::Sway, "sway rock oscillate teeter totter undulate weave lilt pendulum waddle swagger"),
    (Verb::Bob, "bob bounce"),
    (Verb::Salute, "salute"),
    (Verb::Bow, "bow curtsy curtsey genuflect"),
    (Verb::Duck, "duck crouch cower hunch squat"),
    (Verb::Stretch, "stretch extend crane"),
    (Verb::Spread, "spread open splay unfold flare unfurl outstretch fan"),
    (Verb::Close, "close shut tuck squeeze press pinch cross furl clamp converge"),
    (Verb::Fold, "fold droop hang hung flop sag flatten lay laid dangle wilt collapse loll crumple"),
    (
        Verb::Move,
        "move go goes went gone swing swung jerk shoot shot thrust whip dart swoop fling poke ease drift tug yank drag guide steer flex nudge edge glide scoot travel send curl flinch recoil retreat retract withdraw advance jut lunge bring brought put set push slide slid shift snap jump pop hop point pull draw drawn come came travel shove propel displace lurch leap approach protrude translate stick throw threw thrown hurl sling fly flew flown zoom dash shuffle sidle inch haul wince cringe budge stir spring sprung sprang",
    ),
    (Verb::Return, "return undo undoes relax level reset recenter recentre straighten settle restore"),
    (Verb::Stay, "stay keep kept remain freeze froze frozen leave stand"),
    (Verb::Hold, "hold held linger"),
    (Verb::Wait, "wait pause rest break breather delay gap dwell later silence stillness idle idleness"),
    (Verb::Repeat, "repeat"),
    (Verb::Take, "take took taken last finish complete end"),
    (Verb::Sound, "play beep chirp sound tone chime honk"),
    (Verb::Photo, "photo photograph picture snapshot image pic capture"),
    (Verb::Say, "say said speak announce greet shout whisper tell"),
    (
        Verb::Vague,
        "tremble jitter judder shiver quiver vibrate shudder quake dance follow track listen yawn sneeze sleep",
    ),
];

/// Returns the stems from which a word may be inflected, the word itself first.
fn stems(word: &str) -> Vec<String> {
    let mut found = vec![word.to_owned()];
    for suffix in ["s", "es", "ed", "d", "ing"] {
        let Some(stem) = word.strip_suffix(suffix).filter(|stem| stem.len() >= 2) else { continue };
        found.push(stem.to_owned());
        if suffix == "ing" {
            found.push(format!("{stem}e"));
        }
        // A doubled consonant: `nodding`.
        let mut letters = stem.chars().rev();
        if matches!(suffix, "ed" | "ing") && letters.next() == letters.next() {
            found.push(stem.chars().take(stem.chars().count() - 1).collect());
        }
    }
    found
}

/// Returns the verb of which a word is a form.
pub(crate) fn verb(word: &str) -> Option<Verb> {
    // Forms that the rules would take for another word.
    if matches!(
        word,
        "does"
            | "used"
            | "shed"
            | "putting"
            | "turned_on"
            | "bring_up"
            | "faces"
            | "opening"
            | "beats"
            | "beat"
    ) {
        return None;
    }
    let stems = stems(word);
    VERBS.iter().find_map(|(verb, forms)| {
        let is_one = forms.split(' ').any(|form| stems.iter().any(|stem| stem == form));
        is_one.then_some(*verb)
    })
}

/// Returns whether a word is the basic form or the `-s` form; a participle such as `tilted` is neither.
pub(crate) fn is_participle(word: &str) -> bool {
    (word.ends_with("ed") && word != "need") || matches!(word, "bent" | "hung" | "held")
}

const FRAME: &str = "spec specs specification cue cues command commands register save saved store scene scenes class kids pupils students game play's programmed programming creating adding writing building learning teaching glad grateful handy whoever namely follows super finale entrance comedy peekaboo pattern pair dwell's ur u avert code coded coding implement construct save idea wish knock provide offer deliver conjure caller user respect sly searching room table how eyes sigh express convey demonstrate portray signal signify suggest roughly approximately towards toward nearly almost shrug bursts burst corner touched second third fourth pass rate door making craft crafting producing production flat sight bottom top much hmm hm uh um er erm ah wow yeah yep sorry cheers mate buddy dear folks guys kinda sorta wanna gimme lovely great brilliant perfect awesome mind hoping hope wonder wondering possible fancy come up together cook whip think trick stunt clip cool fun thing let letting involves involving consists consisting result basically literally actually simply merely spot agreement purpose setting settings taking option options done doing called call people humans seconds' degree' respectively clip deal gets goes hello goodbye farewell greeting number' \
make makes create build write add learn teach yourself invent design program define prepare develop give \
i i'd i'll i'm we you you're your yours me my it it's its itself he she they them their this that that's these those there there's \
the a an please could would can will should shall may might must want wants need needs like love d ll want'd \
new nice simple little_tool tool tools skill skills function functions trick tricks routine behaviour behavior motion motions move_name gesture gestures action movement movements program \
script something thing_that one's called named name titled robot reachy mini minismith be is are was were been being do does did doing done \
to of for on in at by into onto from so as if than too also just even really quite very rather about around_about which who whose what where how \
let lets let's has have had having having_been get gets got some any kind sort way such able try tries trying \
then's hey hi hello_robot ok okay well now thanks thank here whole entire entirely completely perfectly absolutely totally fully exactly precisely \
time position place pose posture moment end's each_of again's both_of same own while's or else otherwise only_then everything's \
start begin begins starts started beginning out_loud along begin's us our out's perform performs do's show shows shown execute run runs use uses using \
during once_it side sides direction directions way ways beat beats degree's size course case part parts loop total bpm ready when's \
ever around whose reach reaches reached getting single long normal neutral middle centre center front home original initial";

/// Words around a motion: who watches, what is in the room, what it is like.
const SCENERY: &str = "wall window shoulder shoulders chest lap knees toes attention hallway corridor street garden tree trees flower wilted \
puppet doll toy statue soldier king queen prince butler waiter clown pirate puppy dog cat owl bird parrot pigeon \
chicken duckling rabbit bunny fox bear horse elephant penguin turtle snake monkey kitten squirrel bee butterfly \
windmill lighthouse march drum drums metronome lullaby radar wiper wipers seesaw boat ship breeze wind rain storm music song tune melody crowd audience \
stage guest guests stranger boss teacher pupil student child children baby friend friends colleague neighbour neighbor \
family owner master everyone everybody \
gives given performing executes delivers offers etc curt bare barely pace rhythm pattern ticks argument arguments \
picks passes passed dead amount ending whatever whichever maybe perhaps possibly probably apparently essentially \
eventually gonna because since though hence thus therefore besides beyond upon beside beneath among amongst across \
against alongside outside inside nearby hither thither proper properly real truly plain clean neat neatly tidy tidily \
actual style fashion type version variant demo example sample sequence steps step stage stages phase phases series \
combo combination choreography bit piece portion remaining following previous former latter joke prank reply answer \
response sign expression sense effect impression idea ideas mode job task role things stuff good better best fine \
favourite favorite special particular certain specific exact usual regular ordinary typical standard";

/// Returns whether a word says nothing about the motion.
pub(crate) fn is_frame(word: &str) -> bool {
    [FRAME, SCENERY].iter().any(|list| list.split_ascii_whitespace().any(|one| one == word))
}

const MANNER: &str = "startled thinking dejected downcast glum gleeful courteous gracious dainty stately emphatic amazed astonished shocked frightened terrified worried delighted pleased unhappy gloomy miserable furious annoyed irritated puzzled perplexed bewildered interested inquisitive drowsy weary exhausted bashful cheeky mischievous triumphant smug lonely relaxed tense dreamy eager eagerly majestic majestically regal regally courteously respectfully graciously mournful mournfully wistful wistfully cautious cautiously gingerly delicate delicately tender tenderly serene serenely peaceful peacefully theatrical theatrically exaggerated abrupt abruptly sudden suddenly bouncy jaunty jauntily perky \
shyly shy happily happy sadly sad politely polite gently gentle gracefully graceful smoothly smooth softly soft \
excited excitedly curious curiously proud proudly angry angrily surprised confused bored boredly tired tiredly sleepy sleepily \
cheerful cheerfully friendly playful playfully nervous nervously calm calmly confident confidently cute cutely elegant elegantly \
lazy lazily elegantly solemn solemnly respectful respectfully sneaky sneakily dramatic dramatically thoughtful thoughtfully \
scared afraid anxious anxiously lovely funny silly nicely hard firmly firm lively energetic energetically enthusiastic enthusiastically \
hesitant hesitantly timid timidly grumpy grumpily mysterious mysteriously welcoming warmly warm sharp sharply crisp crisply \
politeness joy joyfully joyful merrily merry embarrassed lovingly loving attentive attentively careful carefully clearly visibly \
breathe breathing act acts pretend pretends celebrate celebrates metronome clock tick away disappointed disappointment approval approvingly agreement disagreement yes_no greeting goodbye bye surprise excitement curiosity \
regretful regretfully sceptical skeptical sceptically knowingly mischievous mischievously naturally natural casually casual stiffly stiff robotic \
loudly loud quietly morning night sorry sulky sulk sulking disbelief";

/// More moods.
const MOODS: &str = "guilty impatient impatiently suspicious wary warily aloof arrogant arrogantly bitter brave bravely bubbly carefree \
cocky cold content contented cosy crafty cruel cunning curt curtly dazed defiant defiantly demure depressed desperate \
determined devious devoted dignified disdainful distracted dizzy doleful downhearted droopy eerie envious expectant \
fierce fiercely flirtatious flustered focused forlorn frantic frantically frosty furtive furtively gallant genial \
giddy gloating grave gravely greedy groggy grouchy gruff haughty heartbroken helpless heroic hopeful hopefully \
hopeless horrified humble humbly icy imperious indifferent innocent innocently insistent intense intent jealous \
jittery jolly jovial jubilant keen languid languidly lethargic listless longing lost lukewarm meek meekly melancholy \
menacing merciful mocking modest moody mopey moping motherly naughty needy nosy nostalgic obedient offended ominous \
optimistic outraged overjoyed overwhelmed panicked panicky patient patiently pensive pessimistic pitiful pleading \
poised pompous pouty prim quizzical rebellious reflective regret relief relieved reluctant reluctantly remorseful \
repentant reproachful resentful resigned restless restlessly reverent rude sarcastic sassy satisfied scornful \
sentimental sheepish sheepishly shifty sincere sleek slyly smirking snappy snobbish snooty sober somber sombre spooky \
stern sternly stoic strict stubborn stubbornly stunned sullen sunny superior supportive sympathetic tearful thankful \
threatening thrilled trembling troubled uncertain uneasy unimpressed unsure upbeat uptight vain vexed victorious \
vigilant watchful weak weepy wicked wild wise woeful worn zealous zen resolute resolutely ceremonial ceremonious \
ceremoniously grand grandly clumsy clumsily creepy creepily goofy jerky sluggish springy mechanical mechanically \
nonchalant nonchalantly offhand perfunctory ritual whimsical zesty shyness boredom pride sadness happiness anger fear \
grief guilt shame embarrassment disgust delight rage panic awe contempt confusion sleepiness tiredness fatigue \
loneliness despair doubt worry anxiety jealousy nervousness impatience triumph defiance humility reverence contentment \
amusement irritation frustration apprehension suspicion";

/// Returns whether a word tells a manner or a mood, which a measurement of angles can't show.
pub(crate) fn is_manner(word: &str) -> bool {
    [MANNER, MOODS].iter().any(|list| list.split_ascii_whitespace().any(|one| one == word))
}

/// Returns whether a word that is not known otherwise tells a manner, by its ending: "bashfully", "a frolicsome nod".
pub(crate) fn is_manner_by_ending(word: &str, is_before_verb: bool) -> bool {
    const COURSES: [&str; 7] =
        ["diagonally", "obliquely", "circularly", "crosswise", "jointly", "doubly", "triply"];
    let is_word = word.len() >= 6 && word.chars().all(|letter| letter.is_ascii_alphabetic());
    let is_adjective =
        || ["ful", "ous", "ish", "some", "ive", "ant"].iter().any(|ending| word.ends_with(ending));
    is_word && !COURSES.contains(&word) && (word.ends_with("ly") || is_before_verb && is_adjective())
}

/// The value of a number word.
pub(crate) fn number(word: &str) -> Option<f64> {
    const SMALL: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    const TENS: [&str; 7] = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    if let Some(index) = SMALL.iter().position(|small| *small == word) {
        return Some(index as f64);
    }
    if let Some(index) = TENS.iter().position(|ten| *ten == word) {
        return Some(30.0 + 10.0 * index as f64);
    }
    (word == "hundred").then_some(100.0)
}

/// A unit of what is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unit {
    Degrees,
    /// Times this: millimetres.
    Millimetres(f64),
    /// Times this: seconds.
    Seconds(f64),
    Times,
    PerMinute,
    PerSecond,
}

/// Returns the unit that a word names.
pub(crate) fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "degree" | "degrees" | "deg" => Unit::Degrees,
        "mm" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => Unit::Millimetres(1.0),
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => Unit::Millimetres(10.0),
        "inch" | "inches" => Unit::Millimetres(25.4),
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Seconds(1.0),
        "ms" | "millisecond" | "milliseconds" => Unit::Seconds(1e-3),
        "minute" | "minutes" | "min" => Unit::Seconds(60.0),
        "times" | "time" | "x" | "rounds" | "repetitions" | "cycles" | "breaths" => Unit::Times,
        "bpm" => Unit::PerMinute,
        "hz" | "hertz" => Unit::PerSecond,
        _ => return None,
    })
}
