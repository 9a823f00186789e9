//! Phrases with their meaning. In each list, phrases are separated by bars.

use crate::tag::{Growth, Manner, Role, Tag, Unit};

/// Returns all phrases.
pub(super) fn phrases() -> Vec<(&'static str, Tag)> {
    use Tag::{Filler, Grow};
    let mut phrases: Vec<(&'static str, Tag)> = Vec::new();
    let mut add =
        |tag: Tag, list: &'static str| phrases.extend(list.split('|').map(|phrase| (phrase, tag.clone())));
    add(Tag::And, "and|&|plus|as well as");
    add(
        Tag::Then,
        "then|and then|after that|afterwards|afterward|next|subsequently|followed by|thereafter|\
             after this|as soon as|before finally|later|once that is done|once done|when done|\
             when finished|once finished|when you are done|and after that|secondly|thirdly|\
             second of all",
    );
    add(
        Tag::First,
        "first|firstly|start with|begin with|first of all|to begin with|to start with|at the start|at the beginning|\
             initially",
    );
    add(
        Tag::Last,
        "finally|lastly|end with|finish with|last|at the end|in the end|to finish|to end|at last|last of all",
    );
    add(Tag::Before, "before");
    add(Tag::After, "after|having first|having|after having");
    add(Tag::While, "while|whilst|during which|as it|as you|as the");
    add(Tag::With, "with");
    add(
        Tag::Without,
        "without|but not|and not|do not|does not|is not|are not|never|no|not|neither|nor|\
             instead of|rather than|should not|must not|may not|can not|will not",
    );
    add(
        Tag::Same,
        "at the same time|simultaneously|at once|in parallel|in unison|in sync|synchronously|\
             concurrently|at the same moment|at exactly the same time|at exactly the same moment|\
             along with it|together|in step|all at once|both at once|at the very same time|\
             at the very same moment",
    );
    add(
        Tag::Throughout,
        "all the while|the whole time|all the time|throughout|meanwhile|in the meantime|\
             the entire time|all along|for the whole time",
    );
    add(
        Tag::Alternate,
        "alternately|alternatingly|alternate|alternating|take turns|taking turns|in turn|\
             in turns|by turns|one after the other|one after another|one at a time|in alternation|\
             one by one|turn by turn|left right left right|in opposite directions|\
             opposite directions|out of phase|in opposition",
    );
    add(
        Filler,
        "never both at once|never at the same time|not at the same time|\
             never both at the same time|not both at once|never together|not together",
    );
    add(
        Tag::Between,
        "in between|between|between each|between them|between each one|between the two|\
             in between each|apart|between every|between repetitions|in between them|between times|\
             after each|after every|after each one",
    );
    add(Tag::Each, "each|each time|every time|apiece|every one");
    add(
        Tag::Return,
        "back|back again|let them go|let it go|let go|release|come up|come down|get up|\
             rise again|return|come back|go back|come back up|back up|back down|relax|recover|\
             straighten|straighten up|upright again|put it back|bring it back|bring them back|\
             put them back|take it back|let it return|let them return|move back|home|settle|up again|\
             down again|lower it again|lower them again|raise it again|raise them again|lower again|\
             back in|there and back|in again|out and back in|reset|undo|back where it was|\
             back to where it was|back to where they were|back where they were|\
             back to where it started|to where it started|to where it was|close again",
    );
    add(
        Tag::Home,
        "middle|center|normal|neutral|rest|rest position|resting position|start position|\
             the start|straight ahead|straight|starting position|starting point|the beginning|\
             neutral position|initial position|default position|original position|center position|\
             the middle|centered|back to normal|back to neutral|back to the middle|\
             back to the center|recenter|return to normal|return to the middle|return to neutral|\
             finish in the middle|end in the middle",
    );
    add(Tag::Hold, "hold|hold it|stay|keep|remain|linger|maintain|stays there|keep it");
    add(
        Tag::StayThere,
        "stay there|stay like that|stay that way|remain there|keep it there|keep them there|\
             hold it there|hold that|hold this|hold there|keep there|leave it there|leave them there|\
             hold the pose|hold the position|hold that pose|keep the pose|without coming back|\
             without returning|without going back|stay in that position|stay in place there|\
             remain in that position|stay put there|do not come back|do not return|do not go back|\
             stay down|stay up|stay so",
    );
    add(
        Tag::Pause,
        "wait|pause|take a break|break|take a pause|do nothing|without doing anything|without doing a thing|nothing at all|hesitate|rest for|wait for|\
             hold on|a rest",
    );
    add(
        Tag::Still,
        "still|stay still|keep still|quiet|stay quiet|stay where it is|stay where they are|\
             remain still|stay put|fixed|motionless|stay in place|immobile|unmoved|leave alone|alone|\
             hold still|completely still|perfectly still|stationary|steady|frozen|untouched|\
             stay as it is|stay as they are|keep quiet|stay fixed|at rest|remain where it is|\
             remain where they are|not move|does not move|do not move|never move|not moving|\
             do not stir|does not stir|not stir|do not budge|does not budge|not budge|\
             stand still|freeze|do not budge|does not budge|stay calm|sit still|in place",
    );
    add(Tag::Only, "only|just|solely|nothing but|merely|exclusively|alone moves");
    add(
        Tag::NothingElse,
        "nothing else|nothing else moves|nothing else should move|no other part moves|\
             everything else stays still|everything else still|the rest stays still|everything else|\
             nothing else budges|nothing else stirs|nothing budges|nothing else changes|nothing else happens|\
             the rest of the robot|nothing more|no other part|no other parts|and nothing else|\
             the rest still|the other stays still|anything else",
    );
    add(Tag::Pronoun, "it|them|they|its|their");
    add(Tag::Again, "again|another|once again");
    add(
        Tag::OnceMore,
        "once more|one more time|a second time|a third time|a fourth time|a last time|one last time",
    );
    add(
        Tag::RepeatAll,
        "repeat|repeat this|repeat that|repeat it|repeat the whole thing|repeat everything|\
             do this|do it|do that|do so|do the whole thing|the whole thing|all of it|all of that|\
             do all of that|do all of this|everything|do everything|repeat all|repeat all of it|\
             repeat all of this|repeat all of that|the whole sequence|repeat the sequence|\
             the sequence|loop|loop this|repeats|in a loop|do the same|the same",
    );
    add(
        Tag::Sound,
        "play a sound|make a sound|play sound|make a noise|sound|beep|chirp|noise|a tone|tone|\
             make a beep|play a tone|play a noise|play a chime|chime|bleep|ding|jingle|play a jingle|\
             play some sound|sound plays|happy sound|cheerful sound|funny sound|merry sound|happy noise|happy beep|happy tone|happy tune",
    );
    add(
        Tag::Cannot("speak"),
        "speak|talk|say hello out loud|say|tell|announce|out loud|say out loud|sing|shout|\
             whisper|voice|say hello|say goodbye|read out|count aloud",
    );
    add(
        Tag::Photo,
        "photo|photos|picture|pictures|take a photo|take a picture|snapshot|snapshots|take a photograph|\
             take photographs|selfie|take photos|take pictures|take another photo|take another picture|snap a photo|\
             snap a picture|take a snapshot|take snapshots|take an image|shoot a photo|take a selfie|\
             take one photo|take one picture|take another|another photo|another picture",
    );
    add(Tag::Cannot("record videos"), "film|record|video|image|images|videos|photograph");
    add(
        Tag::Cannot("follow things"),
        "follow|track|look at me|look at you|follow me|look at the person|look at the face|\
             look at it|towards it|toward it|towards me|toward me|towards the sound|toward the sound|\
             towards the voice|to the voice|to the sound|copy|mimic|imitate|mirror me|\
             where the sound comes from|to whoever|towards whoever",
    );
    add(
        Tag::Cannot("choose at random"),
        "random|randomly|at random|unpredictably|by chance|flip a coin|random direction",
    );
    add(
        Tag::Impossible("it has no wheels, legs, arms or hands"),
        "walk|run away|fly|drive|run around|jump off|grab|grasp|pick up the|clap your hands|kick|\
             roll away|climb|roll over|backflip|somersault|cartwheel|handstand|juggle|hug|\
             shake hands|shake my hand|high five|point a finger|wave a hand|wave your hand|\
             wave its hand|wave an arm|wave your arm|arm|arms|hand|hands|leg|legs|foot|feet|finger|\
             fingers|wheels|tail|wings|swim|come to me|fetch|bring me|open the door|float|levitate|\
             hover|teleport",
    );
    add(
        Tag::Impossible("its eyes and its face do not move"),
        "smile|wink|blink|nose|close your eyes|open your mouth|mouth|blink your eyes|\
             blink its eyes|eyelids|eyebrows|frown|roll your eyes|roll its eyes|close its eyes|blush|\
             light up|lights|leds|led|change color",
    );
    add(
        Tag::Impossible(
            "the head turns at most 60 degrees to a side and the body at most 160; it cannot turn without an end",
        ),
        "round and round|around and around|all the way round|all the way around|full circle|\
             full turn|full rotation|complete turn|complete rotation|whole turn|in circles|\
             spin around|spin round|spin in circles|spin continuously|pirouette|turn right round|\
             upside down|right round|full spin|complete circle|several turns|full circles|full turns|\
             spin like a top|full revolution|revolution|revolutions|somersaults",
    );
    add(
        Tag::Impossible("a tool ends after at most 120 seconds"),
        "forever|endlessly|without end|for ever|infinitely|non stop|nonstop|never stop|\
             never stops|until the end of time|all day|all night|eternally|for hours|indefinitely|\
             infinite|infinity|without stopping|never ending|until i say stop|\
             until you are told to stop|every hour|every day|every morning|for an hour|for days|\
             permanently",
    );
    add(
        Tag::Circle,
        "circle|draw a circle|circle with the head|in a circle|make a circle|roll the head|\
             roll your head|roll its head|draw a circle with the head|head circle|circles|circular|\
             figure eight",
    );
    add(Tag::Play("wake_up"), "wake up|wake|awaken");
    add(Tag::Play("go_to_sleep"), "go to sleep|sleep|lie down to sleep");
    add(Tag::Dance, "dance|groove|boogie|jig|party|headbang");
    for (words, factor) in [
        (
            "quick|quickly|fast|rapid|rapidly|swift|swiftly|brisk|briskly|sharp|sharply|snappy|hard|\
             energetic|energetically|vigorous|vigorously|lively|hectic|wildly|hastily|abruptly|\
             suddenly|excitedly",
            0.6,
        ),
        (
            "very fast|very quickly|really fast|as fast as possible|super fast|extremely fast|\
             as fast as it can|as quickly as possible|as fast as you can",
            0.45,
        ),
        (
            "slow|slowly|gently|gentle|leisurely|lazily|lazy|calm|calmly|smoothly|softly|soft|\
             sleepily|unhurriedly|solemnly|carefully|majestically",
            1.7,
        ),
        (
            "very slowly|really slowly|very slow|extremely slowly|in slow motion|ever so slowly|\
             super slowly|as slowly as possible|as slowly as it can",
            2.6,
        ),
        ("faster|quicker|more quickly|speedier|livelier", 0.7),
        ("slower|more slowly|calmer|gentler|more gently|more calmly", 1.5),
        (
            "a bit faster|a little faster|slightly faster|somewhat faster|a bit quicker|\
             a little quicker",
            0.8,
        ),
        (
            "a bit slower|a little slower|slightly slower|somewhat slower|a bit more slowly|\
             a little more slowly",
            1.3,
        ),
        (
            "much faster|a lot faster|far faster|twice as fast|double speed|at double speed|with double the speed|\
             at double the speed|double the speed|way faster|two times faster",
            0.5,
        ),
        (
            "much slower|a lot slower|half as fast|at half speed|half speed|twice as slow|\
             half the speed|way slower|twice as slowly",
            2.0,
        ),
    ] {
        add(Tag::Manner(Manner::Pace(factor)), words);
    }
    for (words, factor) in [
        (
            "slightly|a little|a bit|a little bit|small|little|tiny|subtly|subtle|a touch|barely|\
             slight|minimal|minimally|just a little|just a bit|only a little|only a bit|modestly|\
             short|shallow",
            0.5,
        ),
        (
            "far|wide|widely|big|large|deep|deeply|strongly|strong|a lot|very far|great|huge|high|\
             long way|a long way|low|generous|grand|greatly",
            1.5,
        ),
    ] {
        add(Tag::Manner(Manner::Size(factor)), words);
    }
    for (words, factor) in [
        (
            "further|farther|more|wider|bigger|larger|deeper|stronger|a little further|a bit further|\
             even further|further still|greater|even more|still further|even wider|even bigger|\
             a bit more|a little more|a bit wider|a bit bigger|a little bigger|a little wider|\
             a bit higher|more strongly|a bit deeper",
            1.5,
        ),
        (
            "less|smaller|less far|narrower|less wide|a bit less|a little less|a bit smaller|\
             a little smaller|not so far|not as far|not so much|not so big|shallower|weaker|\
             less deep|more subtle",
            0.65,
        ),
        (
            "twice as far|twice as big|twice as wide|twice as high|twice as deep|twice as large|\
             twice as much|double the size|doubled|double|two times as far|two times as high|\
             two times as big|two times bigger",
            2.0,
        ),
        (
            "half as far|half as big|half as wide|half as high|half as deep|half as large|\
             half as much|half the size|halved|half the angle|half the height|half the distance|\
             only half",
            0.5,
        ),
        ("three times as far|three times as big|three times as high|three times as wide", 3.0),
        (
            "much bigger|much wider|much further|much larger|much deeper|a lot bigger|a lot further|\
             a lot wider",
            1.9,
        ),
    ] {
        add(Tag::Manner(Manner::Further(factor)), words);
    }
    add(
        Tag::Manner(Manner::Full),
        "all the way|fully|completely|as far as possible|as far as it can|as far as it goes|\
             entirely|to the limit|maximally|as far as you can|as wide as possible|\
             as high as possible|as high as it can|totally|as low as possible|right down|right up|\
             full",
    );
    add(
        Grow(Growth::Bigger),
        "bigger and bigger|bigger than the one before|bigger than the last|wider every time|\
             wider each time|bigger each time|bigger every time|further each time|further every time|\
             a little further each time|a little further every time|larger and larger|\
             wider and wider|deeper and deeper|deeper each time|deeper every time|growing|grow|\
             increasing|increase|larger each time|larger every time|further and further|\
             farther and farther|farther each time|higher and higher|higher each time|\
             higher every time|more each time|more every time|more and more|a bit further each time|\
             a bit wider each time|a bit bigger each time|larger than the one before|\
             deeper than the one before|wider than the one before|further than the one before|\
             bigger than the previous one|larger than the previous one|deeper than the last|\
             wider than the last|larger than the last|bigger than before|further than before|\
             wider than before|deeper than before|deeper than the previous one|\
             wider than the previous one|higher than the one before|higher than the last|\
             stronger and stronger|stronger each time|get bigger|get wider|get larger|get deeper|\
             become bigger|become larger|become wider|getting bigger|more than the last|\
             more than before|each one bigger|each bigger|a bit more each time|\
             a little more each time|a little bigger each time|a little wider each time|\
             a little deeper each time|small at first|small to large|from small to large|\
             from small to big|bigger with each|crescendo|starting small|start small",
    );
    add(
        Grow(Growth::Smaller),
        "smaller and smaller|smaller each time|smaller every time|smaller than the one before|\
             smaller than the last|shrinking|shrink|decreasing|decrease|less each time|\
             less every time|less and less|narrower and narrower|narrower each time|\
             weaker and weaker|fading|fade|fade out|fading away|dying down|die down|die away|\
             dying away|getting smaller|get smaller|become smaller|shallower and shallower|\
             shallower each time|smaller than the previous one|lower and lower|narrower every time|\
             diminishing|diminish|dwindle|dwindling|a bit smaller each time|\
             a little smaller each time|a little less each time|a bit less each time|starting big|\
             start big|starting large|start large|from large to small|from big to small|\
             half as big each time|smaller than before|smaller with each|shorter and shorter|ebb|\
             ebb away|peter out|tapering off|taper off|calms down|calm down|come to rest|\
             until it stops|shallower than the one before|less than before|less than the one before|\
             weaker each time|big at first|large at first",
    );
    add(
        Grow(Growth::Faster),
        "faster and faster|faster each time|faster every time|quicker and quicker|speeding up|\
             speed up|accelerating|accelerate|getting faster|get faster|become faster|\
             quicker each time|faster than the one before|more and more quickly|faster than the last|\
             quicker every time|start slow|start slowly|starting slowly|starting slow|slow at first|\
             slowly at first|gathering speed|gather speed|picking up speed|pick up speed|ever faster|\
             first slowly and then fast|first slowly then fast|first slowly and then quickly|\
             first slowly then quickly|first slow and then fast|first slow then fast|\
             quicker than the one before|increasingly fast|increasing speed|with increasing speed|\
             growing speed|rising speed|increasing tempo|rising tempo|growing tempo|increasing pace|\
             from slow to fast|faster towards the end|faster toward the end|quicker towards the end|accelerates",
    );
    add(
        Grow(Growth::Slower),
        "slower and slower|slower each time|slower every time|slowing down|slow down|\
             getting slower|get slower|become slower|decelerating|decelerate|more and more slowly|\
             slower than the one before|slower than the last|start fast|starting fast|fast at first|\
             quickly at first|quick at first|losing speed|ever slower|first fast and then slowly|\
             first quickly and then slowly|first quickly then slowly|first fast then slow|\
             first fast and then slow|increasingly slow|decreasing speed|with decreasing speed|\
             falling speed|decreasing tempo|falling tempo|decreasing pace|from fast to slow|\
             winding down|wind down|running down|run down|slower than the previous one|slower towards the end|\
             slower toward the end|decelerates",
    );
    add(
        Tag::Reach,
        "until it reaches|until they reach|up to about|until reaching|reaching|reach|ending at|\
             end at|until it is at|until they are at|to a maximum of|until it gets to",
    );
    add(Tag::For, "for|lasting|last for|takes|take|for about|for exactly|duration of");
    add(Tag::Over, "over|within|in the course of|taking|over the course of|in about|in exactly");
    add(Tag::By, "by|to about|of about");
    add(Tag::Per, "every|per");
    for (role, list) in [
        (
            Role::Times,
            "how often|how many times|the number of times|the number of repetitions|\
             number of repetitions|repetitions|the count|as often as i say|as often as i want|\
             as often as i like|as many times as i say|as many times as i want|\
             as many times as i like|a given number of times|a number of times that i give|\
             a number of times that i choose|a number of times i choose|a number of times|n times|\
             the number of|number of|how many|x times|any number of times|as often as you are told|\
             that many times|as many times as i ask|as often as i ask|as many as i say|\
             the amount of times|a chosen number of times|an adjustable number of times",
        ),
        (
            Role::Size,
            "how wide|how big|how large|how deep|how high|how much|the size|size|amplitude|\
             the amplitude|how strongly|the width|the depth|the height|width|how deeply|how widely|\
             the range of|the extent|the intensity|intensity|how strong|\
             depth|height|extent|range|strength|magnitude|how wildly|how broad|how broadly",
        ),
        (Role::Distance, "how far|as far as i say|as far as i want|as far as i like|as far as i choose"),
        (
            Role::Speed,
            "how fast|how quickly|the speed|speed|the tempo|how slow|how slowly|the pace|pace|\
             as fast as i say|as fast as i want|as fast as i like",
        ),
        (
            Role::Seconds,
            "how long|the duration|duration|as many seconds as i say|as many seconds as i want|\
             as many seconds as i like|as long as i say|as long as i want|as long as i like|\
             a given number of seconds|a number of seconds that i give|\
             a number of seconds that i choose|a number of seconds i choose|\
             a number of seconds i give|a given time|that many seconds|n seconds|\
             the number of seconds|number of seconds|a number of seconds|a time that i give|\
             a time i choose|a time i give|as many seconds as i choose|as many seconds as i ask|\
             a chosen number of seconds|as many seconds as i give|how many seconds",
        ),
        (
            Role::Degrees,
            "a number of degrees that i give|a number of degrees that i choose|\
             a number of degrees i choose|a number of degrees i give|a given number of degrees|\
             as many degrees as i say|as many degrees as i want|as many degrees as i like|\
             that many degrees|a given angle|an angle that i give|an angle that i choose|\
             an angle i choose|an angle i give|n degrees|the number of degrees|number of degrees|\
             a number of degrees|the angle|angle|by an angle|how many degrees|\
             as many degrees as i choose|as many degrees as i give|a chosen angle|\
             an adjustable angle|degrees that i give|the given angle|as many degrees as i ask|\
             x degrees",
        ),
        (
            Role::Millimetres,
            "a number of millimetres that i give|a number of millimeters that i give|\
             as many millimetres as i say|as many millimeters as i say|that many millimetres|\
             that many millimeters|a given number of millimetres|a given number of millimeters|\
             how many millimetres|how many millimeters|the number of millimetres|\
             the number of millimeters|a number of millimetres|a number of millimeters|\
             as many millimetres as i want|as many millimeters as i want|\
             as many millimetres as i choose|as many millimetres as i give",
        ),
    ] {
        add(Tag::Param(role), list);
    }
    add(
        Tag::Cannot("take a side as a parameter"),
        "which side|which direction|which antenna|which ear|which way|the side|the direction|\
             which one",
    );
    add(
        Tag::Amount(90.0, Unit::Degrees),
        "quarter turn|a quarter turn|right angle|horizontal|to horizontal|to the horizontal|until they are horizontal|\
             till they are horizontal|until it is horizontal|until horizontal|until both are horizontal|out horizontally",
    );
    add(
        Tag::Amount(180.0, Unit::Degrees),
        "half turn|a half turn|half a turn|u turn|half circle|half a circle",
    );
    add(
        Tag::Amount(1.0, Unit::Seconds),
        "a moment|a second|moment|briefly|a short while|a short moment|for a moment",
    );
    add(Tag::Amount(2.0, Unit::Seconds), "a while|for a while");
    add(Tag::Amount(1.5, Unit::Seconds), "a second and a half|a sec and a half");
    add(Tag::Amount(1.0, Unit::Seconds), "a sec|a beat or so");
    add(Tag::Amount(0.5, Unit::Seconds), "an instant|a split second|half a second");
    add(Tag::Amount(60.0, Unit::Seconds), "a minute");
    add(Tag::Amount(30.0, Unit::Seconds), "half a minute");
    add(Tag::Count(1), "once|one time|a single time|single");
    add(Tag::Count(2), "twice|both times|double time|a couple of times");
    add(Tag::Count(3), "thrice|a few times");
    add(Tag::Count(4), "several times|some times|many times|a number of rounds");
    add(
        Tag::Rate(1.0),
        "once a second|once per second|once every second|every second|each second|one per second|\
             once in a second|per second",
    );
    add(
        Tag::Rate(0.5),
        "twice a second|twice per second|every half second|twice every second|\
             every half a second|two times a second|two times per second",
    );
    add(
        Tag::InAll,
        "in all|in total|altogether|all in all|all told|in sum|total|a total of|in all that makes",
    );
    add(Tag::Rate(2.0), "every other second|every couple of seconds");
    add(
        Filler,
        "a|an|the|to|of|on|at|is|are|be|it is|you|your|i|my|me|we|us|please|so|that|which|who|\
             whose|where|in which|there|has|have|had|do|does|make|give|let|can|could|would|should|\
             will|must|may|want|like|need|wish|robot|reachy|mini|side|position|way|direction|time|\
             thing|its|also|too|as well|very|really|quite|about|around|roughly|approximately|exactly|\
             precisely|at least|at most|maximum|minimum|overall|\
             each of them|of them|both of them|some|bit|nicely|kind|one|ones|on one beat|on the next|\
             on the next beat|on each beat|on every beat|on the beat|to the beat|in time|in rhythm|\
             in tempo|in time with|with the beat|beat|beats|rhythm|polite|nice|friendly|cute|funny|\
             sweet|little|good|long|new|different|where i can choose|i can choose|let me choose|\
             let me set|let me say|let me pick|let me decide|i can set|i can say|i choose|i say|\
             i set|i give|i want|i tell|i pass|as a parameter|with a parameter for|parameter|\
             parameters|adjustable|configurable|variable|choose|decide|pick|select|control|adjust|\
             specify|should be|as i say|number|amount|that i give|that i choose|that i say|\
             that i want|i can give|i can pass|can be set|can be chosen|settable|let me control|\
             let me adjust|argument|perform|execute|show|display|act|act as if|pretend|pretend to be|\
             start|begin|by starting|finish|stop|end|ends|from|into|onto|if possible|kindly|ok|okay|\
             hi|hello|hey|thanks|thank you|well|now|however|or so|ish|actually|simply|even|all|\
             whole|entire|both|either|other|any|because|since|though|although|such|like this|\
             as follows|the following|following|in order|order|in this order|step|steps|part|parts|\
             motion|movement|movements|gesture|pose|posture|position|routine|trick|animation|for me|\
             for us|with me|by itself|itself|yourself|himself|themselves|try|seem|appear|look like|\
             as if|like a|bit like|away|this|those|these|along|leave|up to|off to|towards|toward|\
             against|off|through|until|than|same|at normal speed|normal speed|usual|\
             usually|always|eight|will be|going to|gonna|used to|able to|remember|sure|make sure|\
             ensure|careful|attention|pay attention|am|was|were|been|he|she|his|her|him|what|say|\
             quarter|angle of|distance|per|degree|in the air|air|over to|over there|here|so that|\
             in a row|row|straightaway|immediately|right away|at the very end|final|final position|\
             round|rounds|time each|hands free|other words|length|lasts|duration of|second time|\
             first time|original|people|person|someone|somebody|guest|guests|visitor|visitors|user|\
             audience|everyone|everybody|friend|friends|children|others|room|house|front|camera|\
             create|write|build|teach|learn|invent|tool|skill|function|animation|teach yourself|\
             design|add|program|something|ability|macro|behaviour|behavior|use|using|sequence|\
             no more than|above|across|ago|almost|already|alright|amid|anybody|anyhow|anyone|anyway|\
             anywhere|aren|aside|available|became|becomes|behind|being|below|beneath|beside|besides|\
             better|beyond|brief|certain|clear|correct|despite|did|doing|due|enough|etc|everywhere|exact|\
             feel|fine|former|general|got|happen|happens|hence|hers|herself|idea|important|\
             indeed|inside|late|lets|letting|lots|made|main|makes|might|mine|moreover|myself|natural|\
             near|necessary|nobody|oh|ordinary|our|ours|outside|particular|plain|pretty|\
             proper|ready|real|regular|seems|shall|similar|simple|somehow|sometimes|\
             somewhere|special|theirs|thereby|therefore|thus|under|underneath|upon|\
             useful|via|wants|whatever|whereas|whereby|wherever|whichever|whom|why|yet|yours|\
             period|manner|style|fashion|mood|emotion|expression|attitude|character|\
             personality|sense|type|level|stage|cycle|stroke|\
             spot|horizon|wall|window|demo|response|sign|mark|theatrical|dramatic|elegant|\
             graceful|mechanical|robotic|cautious|crisp|clean|smooth|tense|stiff|relaxed|cool|warm|\
             humble|formal|casual|royal|military|soldier|butler|king|queen|not more than|no longer than|\
             not longer than|no need|action|command|called|\
             double take|listen|shoulder|dog|cat|puppy|bird|owl|child|named|tools|double take|listen|\
             shoulder|dog|cat|puppy|bird|owl|child|come|comes|coming|came|count|counts|counting|\
             rather|instead|change|maybe|perhaps|otherwise|unless|correction|version",
    );
    phrases
}
