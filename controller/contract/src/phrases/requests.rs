//! How people speak of a tool that is to be made: what it is for, how it is kept, and what its caller chooses.

/// As in the table of the parent module.
pub(super) const PHRASES: &[(&str, &str)] = &[
    (
        "frame",
        "for the play|for our play|for my play|for a play|for the show|for my show|for our show|for the game|for my game|for my class\
         |for our class|for the class|for the lesson|for my lesson|for the stage|for the kids|for my kids|for the children\
         |for my students|for my pupils|for the party|for the scene|for the final scene|for the next scene|for act one|for act two\
         |for the finale|for the entrance|for the audience|for the rehearsal|for a demo|for the demo|for my project\
         |as a tool|as a skill|as a command|as a routine|as a function|as a cue|as one tool|as one skill|as one command\
         |as one routine|as one function|make it a tool|make it a skill|make it a command|make it a routine|make that a tool\
         |make that a skill|make that a command|make that a routine|make this a tool|make this a skill|make of it a tool\
         |make a tool of it|make a tool out of it|make a tool for that|make a skill for that|make a tool from that\
         |save it|save that|save this|save all of this|save all of that|store it|store that|store this|keep it as|register it\
         |register that|register this|remember it|remember that|program that|program this|program it|write that|write it as|write that as\
         |add it as|file it under|call it|name it|i'd be glad if|i would be glad if|i'd be happy if|i would be happy if\
         |i'd be grateful if|i would be grateful if|it would be nice if|it would be great if|would be so kind as to\
         |be so kind as to|would you mind|do me a favour and|do me a favor and|i want to be able to tell you to\
         |i want to be able to say|i want to be able to|i can call|i can run|i can use|that i can call|so that i can call it|i teach\
         |pls|plz|thx|thanks a lot|as a reusable skill|as a reusable function|as a reusable tool|a reusable|i am asking you to|i am wanting|am asking\
         |the following one|the following|as follows|my dear|sweetheart|darling|honey|for my granddaughter|for my grandson|for my daughter|for my son\
         |for my wife|for my husband|for my grandchildren|bedtime story|if you could|that means|meaning|its only content is|whose job is to\
         |whose only job is to|and go through|you go through|new skill|new tool|new command|new routine|new trick|new function|one program|one tool|one skill|one command|small gesture",
    ),
    (
        "choose",
        "as an input|an input|the input|input|inputs|as a parameter|is a parameter|as one parameter|one argument|takes an argument\
         |accepts|accepting|is passed in|are passed in|passed in as a parameter|passed in as an argument|passed as a parameter\
         |passed as an argument|i pass in|whoever calls|whoever calls it|the caller gives|the caller passes|the caller says\
         |the caller chooses|the caller picks|selectable by the caller|chosen by the caller|set by the caller|given by the caller\
         |i give the number|i put in the number|i put in|i enter|i type in|i supply|i provide|according to what i pass\
         |depending on what i pass|depending on what i say|i've selected|i have selected|i select|i've chosen|i have chosen",
    ),
    (
        "times",
        "that many times|so many times|exactly that many times|exactly so many times|many times is|the repetitions|repetitions is\
         |a count|a quantity|the quantity|with that many|that many",
    ),
    (
        "between",
        "separated by|are separated by|which are separated by|spaced by|spaced|set apart by|with a gap of|with gaps of|from one to the next",
    ),
    (
        "together",
        "in same time|in the meantime both|all at the same moment|both things together|the two together|two things happen together\
         |two things happen at once|two things happen at the same time|and at the very same time|concurrent|simultaneous",
    ),
    (
        "then",
        "when that's done|when that is done|when it's done|once you've done that|once that's over|directly after that|continue with\
         |continues with|goes on with|go on with",
    ),
    (
        "frame",
        "snap a|snaps a|snapping a|shoot a|shoots a|shooting a|capture a|captures a|capture an|captures an|capturing a|capturing an|grab a|grabs a",
    ),
    (
        "slow",
        "at slow speed|at a slow speed|at low speed|at a low speed|unhurried|take your time over|takes its time over|taking its time|in no hurry",
    ),
    (
        "fast",
        "at high speed|at a high speed|at fast speed|at a fast speed|super fast|hurry through|hurries through|in a hurry|in quick succession",
    ),
    (
        "grows",
        "small to big|from small to big|small to large|from small to large|from little to big|from tiny to big|from tiny to large\
         |smallest first|starting small and getting bigger|starting small and growing",
    ),
    (
        "shrinks",
        "big to small|from big to small|large to small|from large to small|from big to little|from big to tiny|biggest first\
         |largest first",
    ),
    (
        "nothing",
        "without doing anything|of doing nothing|of nothing|of stillness|without any movement at all|without moving at all",
    ),
    ("together", "as it does so|as you do so"),
    ("morefast", "more fast|more quick|more rapid"),
    ("moreslow", "more slow"),
    (
        "over",
        "spread over|spread out over|stretched over|stretched out over|distributed over|drawn out over|in the space of|over the course of\
         |over a period of|over a span of|over a duration of",
    ),
    (
        "neutral",
        "to the lowered position|to its lowered position|to the resting position|to its resting position|to rest position\
         |to the rest position|to where it started|to where it was",
    ),
    (
        "return",
        "undo the turn|undoes the turn|undo that turn|undo the rotation|undoes the rotation|undo that rotation|undo the motion\
         |undoes the motion|undo the movement|undoes the movement|reverse the turn|reverses the turn|turn undone|rotation undone\
         |undo it|undoes it|undo this|undo that",
    ),
    (
        "when",
        "on spotting|upon spotting|at the sight of|on catching sight of|each time you catch sight of|each time it catches sight of",
    ),
];
