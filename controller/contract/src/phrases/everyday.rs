//! More phrases by meaning: how people say the same in other words.

/// As in the table of the parent module.
pub(super) const PHRASES: &[(&str, &str)] = &[
    (
        "together",
        "at one and the same moment|at one and the same instant|in the very same instant|in the same instant|at that same instant|at the very same instant|hand in hand\
         |arriving together|arriving at both together|arriving at the same time|arriving at once|involved at once\
         |all in one|at one time|at a single stroke|in one fell swoop|in one sweep|both of them at once|all of them at once\
         |going together|moving together|going at once|moving at once|going in step|moving in step|all going at once\
         |at the very same moment|synchronously|in lockstep|in harmony|in synchrony|in concert|as one",
    ),
    (
        "there",
        "hang there|hangs there|wait there|waits there|rest there|rests there|pause there|pauses there|freeze there\
         |freezes there|sit there|sits there|linger there|lingers there|hover there|hovers there|dwell there|stick there\
         |stand there|stands there|stop there|stops there|stay as you are|stay so|stays so|remain so|remains so\
         |wait in that position|waits in that position|rest in that position|rests in that position|pause in that position\
         |keep that pose|keeps that pose|keep that position|keeps that position|stay in that pose|stays in that pose\
         |remain like that|remains like that|stay like this|stays like this|stays in that position\
         |remains in that position|leave it like that|leaves it like that|stay at that angle|stays at that angle|hang on there",
    ),
    (
        "return",
        "look at me again|looks at me again|look back at me|looks back at me|face me again|faces me again|to where you were|to where you started|to where you began|to where it began|to where it started|to where it was\
         |where you were|where you began|ending up where it started|ending up where you started|ending where it started\
         |finishing where it started|end up where it started|ends up where it started|winding up where it started\
         |to its old place|to its place|to their place|to their places|as you were|to how it was|to how you were\
         |to its former position|to the previous position|to its previous position|to where it came from\
         |to where you came from|unfold again|unfolds again|uncurl|uncurls|unbend|unbends|upright once more|straighten out",
    ),
    (
        "neutral",
        "to the front again|dead ahead|to face front|facing forward again|home position|zero position|base position\
         |to the usual position|to its usual position|to the usual place|to its usual place|in its usual place\
         |to the resting position|to its resting position|to the resting place|to the central position|the midline",
    ),
    (
        "frame",
        "on the trot|on the bounce|back to back|without any rest|without rest|without any pause|without pausing\
         |without a rest|without a pause|without any break|without a break|without breaks|without any breaks|without stopping\
         |without a stop|with no rest|with no pause|with no break|with no breaks|with no stops|with no gap|without a gap\
         |without any gap|without gaps|without interruption|nonstop|non stop|no rest in between|without any rest in between\
         |without a pause in between|without pauses in between|with no rest in between|with no pause in between\
         |and that is it|that is it|and that's it|that's it|that's all|that is all|and no more|all told|in sum|and done",
    ),
    (
        "then",
        "when it is up again|when it's up again|once it is up again|once it's up again|when the head is up again|once the head is up again\
         |when the head is back|once the head is back|when the head is up|when it has come up|when it has come back|when it is back up|when it is down|when it is up|when it is there\
         |once up|once down|once there|once back|from there|at which point|thereupon|that done|this done|with that done\
         |in the next step|as the next step|as a next step|as a second step|followed up by|whereupon|upon which|thereafter\
         |later on|secondly|thirdly",
    ),
    (
        "then",
        "not until it has got there|not until it is there|not until it has arrived|not until that is done|not until then\
         |not before it has got there|not before it is there|follow it with|follow that with|follow this with|follow it up with",
    ),
    ("down", "at its feet|at your feet|at his feet|its own feet|your own feet"),
    (
        "up",
        "at the stars|to the stars|at the roof|the heavens|at the moon|at the clouds|heavenward|heavenwards|skyward|skywards",
    ),
    ("triple", "a triple|triple|treble"),
    (
        "slow",
        "at a leisurely pace|at an unhurried pace|at a relaxed pace|at a calm pace|at a gentle pace|at a slow tempo|at low speed\
         |in slow mo|unhurriedly|leisurely|at a crawl|ever so slowly|dreamily|in no hurry|inch by inch|gradually|bit by bit",
    ),
    (
        "fast",
        "like crazy|like mad|at a brisk pace|at a fast pace|at a rapid pace|at high speed|at speed|at full speed|at top speed|in no time|in a flash\
         |like a shot|like lightning|in the blink of an eye|with a jerk|with a snap|in a hurry|hastily|speedily|in quick succession\
         |in rapid succession",
    ),
    (
        "grows",
        "starting small and ending big|starting small|small at first and big at the end|from small to large|from small to big\
         |from tiny to huge|starting out small|beginning small|starting tiny",
    ),
    (
        "shrinks",
        "starting big and ending small|starting big|big at first and small at the end|from large to small|from big to small\
         |from huge to tiny|starting out big|starting large|beginning big|let them die away|lets them die away|let it die away",
    ),
    (
        "faster",
        "picks up speed|pick up speed|picking up speed|gathers speed|gathering speed|accelerating|accelerates|gaining speed\
         |quicker each time|faster each time|faster with each one|more and more quickly|ever more quickly",
    ),
    ("slower", "more and more slowly|ever more slowly|slower each time|slower with each one|losing speed"),
    (
        "inward",
        "bring them together|brings them together|pull them together|pulls them together|draw them together|draws them together\
         |press them together|presses them together|towards each other|toward each other",
    ),
    (
        "eachtime",
        "on every pass|on each pass|with every pass|with each pass|every pass|each pass|with every go|with each go",
    ),
    ("degrees", "x degrees|n degrees|some angle|an angle of my choosing|an angle of my choice"),
    ("times", "x times|count times|k times"),
    ("distance", "x millimetres|n millimetres|x mm|n mm|x millimeters|n millimeters"),
    ("seconds", "x seconds|n seconds"),
    ("throughout", "all along|the entire while|from start to finish|all the way through|all through"),
    (
        "choose",
        "argument|arguments|as its argument|an option|knob|knobs|a dial|the caller|i pass in|pass in|passed in|up to me\
         |for me to decide|for me to choose|for me to set|for me to say|picks|my call|up to the caller|up to whoever calls",
    ),
    ("distance", "distance|a distance"),
    (
        "still",
        "don't join in|doesn't join in|do not join in|does not join in|not join in|not joining in|stays out of it|stay out of it\
         |keeps out of it|uninvolved|not involved|isn't involved|aren't involved|unaffected|not taking part|don't take part\
         |doesn't take part|do not take part|does not take part",
    ),
    ("nothing", "nothing besides|nothing apart from that|nothing other than that|nothing beyond that"),
    (
        "frame",
        "to make up for it|to make up for that|to compensate|in compensation|no more|no less|you've just heard|for a change|head included|of course|medium|in number|in succession|defaults to|default of|default is|the default|default|play dead|plays dead|seems|double take|in millimetres|in millimeters|in mm|in degrees|in seconds|in centimetres|if i leave it out|if left out\
         |if omitted|if not given|when omitted|being the default|the default being|if i don't give one|keep that up|keeps that up\
         |keep it up|keeps it up|carry on|until it nearly stops|until it almost stops|until it comes to rest\
         |until it comes to a stop|to attention",
    ),
    (
        "last",
        "finish by|finishes by|finishing by|end by|ends by|ending by|conclude by|concludes by|rounds it off with|round it off with|finishes it off with|tops it off with|caps it off with|ends it with|ends with\
         |ending with|finishes with|finishing with|concludes with|closes with|winds up with|wraps it up with|finishes up with",
    ),
    (
        "then",
        "goes on to|go on to|moves on to|proceeds to|continues with|continues by|and only afterwards|only afterwards|only then",
    ),
    ("when", "at the sound of|at the sight of|on the sound of"),
    ("period", "on every second|on each second|every single second"),
    ("distance", "as many millimetres as|as many millimeters as|as many mm as"),
    (
        "whenever",
        "each time there's|every time there's|whenever there's|as long as there's|for as long as there's",
    ),
    ("when", "when there's|if there's|once there's|as soon as there's"),
    ("until", "until there's"),
    ("still", "is a statue|like a statue|a statue|frozen solid|like a rock|do nothing|does nothing"),
    (
        "when",
        "your cue is|its cue is|the cue is|your signal is|the signal is|the trigger is|triggered by|set off by|cued by\
         |prompted by|the moment you|the moment it|the instant you|the moment somebody|the moment someone|just when\
         |right when|on hearing|upon hearing|upon seeing",
    ),
    (
        "whenever",
        "for as long as you can see|as long as you can see|for as long as you see|as long as it can see|for as long as somebody\
         |as long as somebody|for as long as someone|as long as someone|as long as anybody|for as long as there\
         |so long as you see|so long as there",
    ),
    (
        "still",
        "rides along|ride along|makes no movement of its own|make no movement of its own|makes no movement|make no movement\
         |makes no move|make no move|makes no motion|takes no part|take no part|plays no part|sits it out|stays passive\
         |remains passive|stay passive|not move a muscle|don't move a muscle|doesn't move a muscle|holds its place|keeps its place\
         |holds its position|keeps its position|keeps its pose",
    ),
    (
        "frame",
        "either side is ok|either side is okay|either side is fine|either side will do|whichever side|no matter which side\
         |says nothing|say nothing|stays silent|stay silent|without speaking|without a word|without saying anything|if i give none|if i don't give any|if i give nothing|unless i give one|when i call it|when i call you|when called|when it is called|when you are called|when i run it|when it runs\
         |whenever i call it|each time i call it|unless i say otherwise|unless told otherwise|unless i say so\
         |unless stated otherwise|unless otherwise specified|unless i ask for another|if i don't say|if i say nothing\
         |if nothing is given|by default|as the default|as default|is the default|should be the default|maybe|perhaps\
         |possibly|you've got|you have got|a grand|for now|no matter what|so to speak|in other words|in short|i mean\
         |if you like|if you will|if possible|as it were|kind of|sort of|at any rate|by the way",
    ),
    (
        "first",
        "begin by|begins by|beginning by|start by|starts by|starting by|in first place|as a first step|as the first step|the first thing|at the outset|to get going|to get started|firstly",
    ),
    (
        "last",
        "as the last step|as a last step|the very last thing|at the very end|right at the end|to round it all off\
         |to bring it to an end|in the last step|at the close|as a last thing|to round off|to round it off|to top it off\
         |as a finale|to wrap up|to conclude",
    ),
];
