//! The keys of a lexicon: how its files name the concepts.
//!
//! A key may be several concepts, one after another: `look up: [抬头]`, `past nod: [nodded, genickt]`,
//! `nod count:2: [not twice]`. Keys whose use is not plain from their name:
//!
//! | key | what it marks | phrases |
//! |---|---|---|
//! | `request` | what follows is asked of the robot, even if the sentence told something before | could you, I want you to |
//! | `asks` | a question that moves nothing, up to the end of the sentence | how, what, are you, did you |
//! | `somebody` | something is told of others, or of "I" | my dog, she, they, I |
//! | `past X` | a participle or a past form; moves only after "until", "once" and requests | nodded |
//! | `third X` | the third person or a plural noun; moves after a number or a part | nods |
//! | `article` | a noun follows, perhaps after an unknown adjective, which is then harmless | a, your |
//! | `to` | somebody or something unknown may follow; harmless at a gesture | at, to, in front of |
//! | `like` | a comparison with unknown words, which are harmless | like a, comme un |
//! | `taking` | before or after a time: how long it takes | taking, en prenant |
//! | `back_a_bit` | backwards after a verb that shifts the head, otherwise less far | back a little |
//! | `over` | before a time: how long it takes; otherwise of no importance | over, over the course of |
//! | `courtesy` | a word of a request in the speaker's own way: what stands before the verb asks for it | wondering, grateful |
//! | `taken_back` | a correction that takes back what was said, also if nothing follows | no, wait no |
//! | `than_last` | makes a change from one repetition to the next of the comparison before it | than the one before |
//! | `same_side`, `other_side` | the side that was named last in the text, or the other one | to that same side, away from it |
//! | `both_turns` | the last two motions, or the two steps of the last one | both of those |
//! | `other_order` | the steps that were done or said last, the last one first | in the other order |
//! | `smaller fewer` | smaller; after a number, so many less than before | fewer, less |
//! | `chin` | the head; raised or lowered, it pitches | chin, nose |
//! | `more_or_then` | at the start of a text "more", else "then" | 再 |
//! | `alone X` | X where the text says nothing else of a motion, else the words one by one | not twice |
//! | `stop_order_alone` | a stop if it is all that a sentence says | para |
//! | `left_one`, `right_one` | an antenna if antennas were named, else a side | la izquierda |
//! | `both` | both antennas, if antennas were named | both, them |
//! | `shift` | the head goes somewhere without turning | slide |
//! | `call` | an unknown name may follow | hey, dear |
//! | `restart` | ends what was told or asked before | okay, anyway |
//! | `because` | a reason or purpose follows, up to the end of the sentence | because, so that |
//! | `if`, `unless` | a condition follows, up to a comma or a verb: `face`, `clap`, `touch`, `voice` tell which one, `nobody` negates it; anything else is declined | if, whenever, as soon as |
//! | `if_so` | after a signal was named: if there is one; otherwise "then" | if so, if there is one |
//! | `plus` | before a number, where nothing is named that moves: so much further; otherwise "and" | plus, add |
//! | `from_now` | after a time: what it stands with waits so long | from now |
//! | `until_said` | the following words are what somebody will say, up to the end of the clause | until I say, jusqu'à ce que je dise |
//! | `each_time` | what follows happens at each repetition | with every one of them |
//! | `between` | a time is a pause between repetitions | in between |
//! | `cancel` | what follows is taken out of the sentence again | forget the, leave out |
//! | `factor:2` | a factor of the comparison that follows in the same key: `factor:2 bigger` | twice as far |
//! | `trend_faster` | from one repetition to the next; also `slower`, `bigger`, `smaller` | faster and faster |
//! | fields of a file | `spellings: {u: you}`: how words are typed in haste; `not_follows_verb: true`: "not" negates the clause in which it stands; `decimal: point`; `variants: "頭头"` | |
//! | `later` | after a time or between two steps "then", else a time that nobody knows, for which it cannot wait | later |
//! | `decimal` | between the digits of a number that is spoken | point |

use minismith_score::Event;

use crate::concept::{Act, Compared, Concept, Part, Unit, Way};

/// Returns the concepts that a key of a lexicon names: several where a word means several things, "look up".
#[must_use]
pub fn concepts(key: &str) -> Option<Vec<Concept>> {
    key.split(' ').map(concept).collect()
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn concept(key: &str) -> Option<Concept> {
    use Concept as C;
    if let Some((kind, value)) = key.split_once(':') {
        let number: f64 = value.parse().ok()?;
        return Some(match kind {
            "number" => C::Number(number),
            "count" => C::Count(number as u32),
            "size" => C::Size(number),
            "pace" => C::Pace(number),
            "angle" => C::Unit(Unit::Angle(number)),
            "length" => C::Unit(Unit::Length(number)),
            "time" => C::Unit(Unit::Time(number)),
            "factor" => C::Factor(number),
            _ => return None,
        });
    }
    Some(match key {
        "nod" => C::Act(Act::Nod),
        "shake" => C::Act(Act::Shake),
        "bow" => C::Act(Act::Bow),
        "wiggle" => C::Act(Act::Wiggle),
        "wave" => C::Act(Act::Wave),
        "look" => C::Act(Act::Look),
        "turn" => C::Act(Act::Turn),
        "tilt" => C::Act(Act::Tilt),
        "move" => C::Act(Act::Move),
        "shift" => C::Act(Act::Shift),
        "raise" => C::Act(Act::Raise),
        "lower" => C::Act(Act::Lower),
        "lean" => C::Act(Act::Lean),
        "spread" => C::Act(Act::Spread),
        "close" => C::Act(Act::Close),
        "sway" => C::Act(Act::Sway),
        "scan" => C::Act(Act::Scan),
        "circle" => C::Act(Act::Circle),
        "dance" => C::Act(Act::Dance),
        "wait" => C::Act(Act::Wait),
        "hold" => C::Act(Act::Hold),
        "center" => C::Act(Act::Center),
        "return" => C::Act(Act::Return),
        "wake" => C::Act(Act::Wake),
        "sleep" => C::Act(Act::Sleep),
        "happy" => C::Act(Act::Happy),
        "sad" => C::Act(Act::Sad),
        "curious" => C::Act(Act::Curious),
        "surprised" => C::Act(Act::Surprised),
        "tired" => C::Act(Act::Tired),
        "sound" => C::Act(Act::Sound),
        "head" => C::Part(Part::Head),
        "chin" => C::Part(Part::Chin),
        "body" => C::Part(Part::Body),
        "antenna" => C::Part(Part::Antenna),
        "antennas" => C::Part(Part::Antennas),
        "left_antenna" => C::Part(Part::LeftAntenna),
        "right_antenna" => C::Part(Part::RightAntenna),
        "other" => C::Part(Part::Other),
        "left" => C::Way(Way::Left),
        "right" => C::Way(Way::Right),
        "up" => C::Way(Way::Up),
        "down" => C::Way(Way::Down),
        "forward" => C::Way(Way::Forward),
        "backward" => C::Way(Way::Back),
        "out" => C::Way(Way::Out),
        "in_way" => C::Way(Way::In),
        "ahead" => C::Way(Way::Ahead),
        "aside" => C::Way(Way::Aside),
        "sides" => C::Way(Way::Sides),
        "opposite" => C::Way(Way::Opposite),
        "times" => C::Times,
        "most" => C::Most,
        "bigger" => C::More(Compared::Bigger),
        "smaller" => C::More(Compared::Smaller),
        "faster" => C::More(Compared::Faster),
        "slower" => C::More(Compared::Slower),
        "longer" => C::More(Compared::Longer),
        "shorter" => C::More(Compared::Shorter),
        "and" => C::And,
        "then" => C::Then,
        "first" => C::First,
        "last" => C::Last,
        "while" => C::While,
        "together" => C::Together,
        "with" => C::With,
        "in_turn" => C::InTurn,
        "before" => C::Before,
        "after" => C::After,
        "not" => C::Not,
        "without" => C::Without,
        "still" => C::Still,
        "only" => C::Only,
        "correction" => C::Correction,
        "taken_back" => C::TakenBack,
        "instead" => C::Instead,
        "again" => C::Again,
        "as_well" => C::AsWell,
        "same" => C::Same,
        "it" => C::It,
        "both_turns" => C::BothTurns,
        "other_order" => C::OtherOrder,
        "plus" => C::Plus,
        "if_so" => C::IfSo,
        "from_now" => C::FromNow,
        "undo" => C::Undo,
        "stay" => C::Stay,
        "for" => C::For,
        "in" => C::In,
        "every" => C::Every,
        "if_face" => C::If(Event::Face),
        "if_touch" => C::If(Event::Touch),
        "if_clap" => C::If(Event::Clap),
        "if_voice" => C::If(Event::Voice),
        "if" => C::When,
        "unless" => C::Unless,
        "face" => C::Signal(Event::Face),
        "clap" => C::Signal(Event::Clap),
        "touch" => C::Signal(Event::Touch),
        "voice" => C::Signal(Event::Voice),
        "nobody" => C::Nobody,
        "request" => C::Request,
        "asks" => C::Asks,
        "past" => C::Past,
        "third" => C::Third,
        "article" => C::Article,
        "to" => C::To,
        "like" => C::Like,
        "taking" => C::Taking,
        "over" => C::Over,
        "back_a_bit" => C::BackABit,
        "courtesy" => C::Courtesy,
        "than_last" => C::ThanLast,
        "fewer" => C::Fewer,
        "more_or_then" => C::MoreOrThen,
        "alone" => C::Alone,
        "or" => C::Or,
        "stop_order_alone" => C::StopOrderAlone,
        "both" => C::Part(Part::Both),
        "left_one" => C::Part(Part::LeftOne),
        "right_one" => C::Part(Part::RightOne),
        "call" => C::Call,
        "restart" => C::Restart,
        "because" => C::Because,
        "each_time" => C::EachTime,
        "between" => C::Between,
        "cancel" => C::Cancel,
        "decimal" => C::Decimal,
        "trend_faster" => C::Trend(Compared::Faster),
        "trend_slower" => C::Trend(Compared::Slower),
        "trend_bigger" => C::Trend(Compared::Bigger),
        "trend_smaller" => C::Trend(Compared::Smaller),
        "otherwise" => C::Otherwise,
        "until" => C::Until,
        "until_stop" => C::UntilStop,
        "until_said" => C::UntilSaid,
        "later" => C::Later,
        "somebody" => C::Somebody,
        "cannot" => C::Cannot,
        "stop_order" => C::StopOrder,
        "same_side" => C::SameSide,
        "other_side" => C::OtherSide,
        "skip" => C::Skip,
        "comma" => C::Comma,
        "stop" => C::Stop,
        _ => return None,
    })
}
