//! Words of everyday speech: adverbs, interjections, purposes, comparisons. In each list, phrases are separated by bars.

use crate::tag::{Growth, Manner, Role, Tag, Unit};

/// Returns all phrases.
pub(super) fn phrases() -> Vec<(&'static str, Tag)> {
    let mut phrases: Vec<(&'static str, Tag)> = Vec::new();
    let mut add =
        |tag: Tag, list: &'static str| phrases.extend(list.split('|').map(|phrase| (phrase, tag.clone())));
    // How something is done, without a change of the motion.
    add(
        Tag::Filler,
        "nicely|politely|gracefully|elegantly|clearly|visibly|distinctly|noticeably|evenly|steadily|\
         regularly|rhythmically|firmly|stiffly|mechanically|robotically|naturally|normally|\
         respectfully|formally|casually|confidently|dramatically|theatrically|knowingly|warmly|\
         kindly|friendly|thoughtfully|dreamily|mysteriously|curtly|crisply|neatly|cleanly|\
         precisely|exactly|roughly|approximately|possibly|probably|hopefully|basically|literally|\
         certainly|definitely|obviously|simply|merely|actually|generally|usually|typically|ideally|\
         preferably|solely|purely|properly|correctly|carefully|really|truly|fairly|nearly|almost|\
         initially|originally|previously|repeatedly|continuously|constantly|continually|\
         consecutively|successively|respectively|directly|instantly|promptly|shortly|lately|\
         loudly|quietly|silently|approvingly|disapprovingly|reluctantly|hesitantly|cautiously|\
         sideways on|charmingly|sweetly|cutely|amusingly|comically|regally|grandly|stately|\
         seriously|absolutely|utterly|wholly|individually|separately|independently|jointly|\
         equally|similarly|likewise|accordingly|eventually|ultimately|symmetrically|vertically|\
         horizontally|laterally|partially|partly|remotely|lonely|early|daily|only ever|barely visibly",
    );
    add(
        Tag::Filler,
        "appreciate|i would appreciate|by default|default|defaulting to|as the default|struck|enter|type in|key in|i enter|\
         inspect|examine|check out|investigate|study|out of it|out of this|see what|discover|explore|at all|\
         knock up|knock together|provide|offer|deliver|furnish|conjure up|conjure|caller|caller says|caller gives|caller sets|\
         user says|user gives|user sets|user chooses|caller chooses|the person says|whoever calls it|respect|show respect|\
         deference|politeness|sympathy|sly|shifty|crafty|eyes|sceptical look|searching|tempo of|to a tempo of|at a tempo of|\
         how|that is how|this is how|here is how|not before|not after|and not before|not earlier|not the other way round|\
         not the other way around|in that order|in this order|with no pauses|without pauses|with no pause|without a pause|\
         without any pause|no pauses|no pause|with no break|without a break|seamlessly|is up to me|up to me|up to you|up to the caller|\
         up to the user|left to me|my choice|my decision|of my choosing|of my choice|of your choice|follow this pattern|\
         follow this order|as described|as described below|as shown|here goes|all right|right then|so then|please do|\
         express|convey|demonstrate|portray|communicate|depict|radiate|exude|give off|signal|signify|suggest|\
         look all|come across as|look and feel|as a form of|version of|sort of like|quite like|something like|\
         from the center|from the middle|from neutral|from center|from straight ahead|from the rest position|from rest|\
         from its normal position|from the normal position|no more and no less|no more no less|not more and not less|\
         in bursts|burst|bursts|corner|round a corner|around a corner|in sets|as|pass|at a rate of|rate|rate of|at a speed of|at a tempo of|at intervals of|frequency|door|courteous|gracious|respectful|sincere|jolly little|dainty|stately|subdued|solid|decent|tidy|neat|\
         well mannered|gentlemanly|ladylike|courtly|obedient|eager little|earnest|hearty|playful little|\
         at the bottom|at the top|at the lowest point|at the highest point|at the far end|at its lowest|\
         at its highest|at full stretch|at the furthest point|at the turning point|at the extreme|out of sight|\
         out of view|flat|down flat|by that much|that much|by this much|by that amount|that amount|by it|by so much|\
         handsome|marvellous|marvelous|wonderful|beautiful|pleasant|entertaining|fun|funky|catchy|snazzy|quirky|\
         understated|respectable|classic|classical|typical|ordinary little|standard|basic|whole body|fancy little|\
         out loud to yourself|in your own time|in its own time|on purpose|by hand|that is all|that is it|nothing fancy|\
         taking|takes in|accepting|accepts|takes as input|as input|input|value|values|setting|settings|option|options|\
         result|results|involve|involves|involving|consists of|consisting of|made up of|composed of|comprising|comprises|\
         made of|features|featuring|includes|including|feature|include|contain|contains|containing",
    );
    // Interjections, and ways to ask.
    add(
        Tag::Filler,
        "hmm|hm|uh|um|er|erm|ah|wow|yeah|yep|sorry|cheers|mate|buddy|dear|folks|guys|kinda|sorta|wanna|\
         gimme|lovely|great|brilliant|perfect|awesome|come up|come up with|put together|cook up|rustle up|\
         work out|figure out|how about|what about|see if|whip up|think of|think up|dream up|\
         set up|love|fancy|would love|i would love|i love|i fancy|i wonder|wondering|possible|\
         if you can|if you could|if you like|if you would|would you mind|mind|hoping|hope|\
         looking for|help me|give me|show me|show us|goes like this|works like this|do the following|\
         here is what|what i want|what i need|what happens is|the idea is|the point is|happen|\
         taught|trained|train|capable|designed|supposed|meant|programmed|supply|provide|come with|\
         script|clip|stunt|act out|party piece|bit of|piece|set piece|item|number of times each|\
         each of which|some sort|sort|sorts|some kind|kinds|type of|short|quick little|simple little|\
         deal|stuff|everything about|business|matter|job|task|purpose|effect|impression|feeling of|\
         a total|total|of each|its own|your own|own|on the spot|there and then|for a start|for starters|\
         you know|of course|after all|i mean|i think|i guess|i suppose|i believe|at that|as such|\
         as usual|as normal|on my command|on command|when i ask|when asked|when called|when it is called|\
         when you are called|when i call it|when run|when it runs|when started|when i run it|whenever i ask|\
         every time i call it|every time it runs|when triggered|each call|each run",
    );
    // What a gesture is for.
    add(
        Tag::Filler,
        "in agreement|in disagreement|in approval|in disapproval|in greeting|in disbelief|in refusal|\
         in denial|in thanks|in respect|in delight|in joy|in salute|in reply|in response|\
         in confirmation|in acknowledgement|as a greeting|as a goodbye|as a farewell|as a thank you|\
         as a yes|as a no|as a reply|as a sign of respect|as a sign|in a sign of respect|hello|goodbye|bye|\
         bye bye|farewell|good morning|good night|good evening|hi there|welcome back|out of respect|\
         for no|for yes|yes|meaning yes|meaning no|to show it agrees|to show you agree|to agree|to disagree|\
         to greet|to confirm|to refuse|to thank|agreement|disagreement|approval|disapproval|acknowledgement",
    );
    add(Tag::Without, "except|except for|excluding|leaving out|save for|apart from|other than");
    add(Tag::Pause, "of nothing|of silence|of stillness|of rest|of peace|of quiet|nothing happens");
    add(Tag::Count(3), "triple");
    add(Tag::Count(1), "one more|one last|another one|one final|one extra|one additional|just the one");
    add(
        Tag::Part(crate::tag::PartRef::OtherSide),
        "swap the sides|swap sides|swap the directions|swap the two directions|swap left and right|mirror it|mirror that|\
         mirror this|reverse the direction|reverse the directions|reverse it|reverse that|flip it|flip the direction|\
         the other way round|the other way around|the opposite way round|switch the sides|swap them|swap them round|\
         swap them around|vice versa|wrong way round|wrong way around|wrong way|wrong side|wrong direction|mirrored|\
         mirror image|swap it round|swap it around|turn it around|flipped|inverted",
    );
    add(
        Tag::Impossible("it stands where it is and cannot travel"),
        "roll across|drive across|move across the room|roll around the room|roll over to|go across the room|move around the room|\
         go to the kitchen|go to the door|leave the room|across the floor|roll along|travel across|roll forwards across|\
         come over here|come here|off the table|off the desk",
    );
    add(Tag::Amount(10.0, Unit::Millimetres), "a centimetre|a centimeter");
    add(Tag::Amount(25.4, Unit::Millimetres), "an inch");
    add(Tag::Cannot("count"), "count to two|count to three|count to four|count to five|count to ten");
    add(
        Tag::Param(Role::Times),
        "as often as i tell you|as often as i tell you to|as many times as i tell you|as many times as i tell you to",
    );
    add(
        Tag::First,
        "before you do anything|before it does anything|before doing anything|before anything happens|before starting|\
         before you start|before it starts|before you begin|before it begins|before moving|before it moves|before you move",
    );
    add(
        Tag::Prior,
        "before you do so|before you do that|before it does so|before it does that|before you do this|before that|before this|\
         before doing so|before doing that|beforehand|prior to that|prior to this|before which",
    );
    // From one repetition to the next.
    add(
        Tag::Each,
        "as they go|as they go on|as they go along|as it goes|as you go|as time goes on|as it proceeds|\
         than the previous one|than the previous|than the one before|than the one before it|than the last|\
         than the last one|than before|than the preceding one|than the one preceding it|than its predecessor|\
         with every repetition|with each repetition|with each one|with every one|with each round|\
         with every round|each round|every round|from one to the next|as it goes on|as it goes along|\
         as you go on|as you go along|with every go|with each go|each go|every go|on each repetition|\
         on every repetition|at each repetition|at every repetition|with each pass|each pass|every pass|\
         with each step|each step|every step|every single time|each and every time|by each time|\
         than the time before|than the prior one|than the one previous|than the former",
    );
    add(
        Tag::Grow(Growth::Bigger),
        "swell|swelling|expand|expanding|widening|deepening|building up|build up|builds up|amplify|\
         lower than the last|lower than the one before|lower than the previous one|lower each time|\
         lower every time|ever bigger|ever wider|ever larger|ever deeper|ever higher|ever further|\
         in increasing size|with increasing size|with increasing amplitude|with growing amplitude|\
         increasingly big|increasingly wide|increasingly large|increasingly deep|bigger as it goes|\
         broader and broader|stronger every time|more pronounced each time|more extreme each time",
    );
    add(
        Tag::Grow(Growth::Smaller),
        "subside|subsiding|narrowing|shrinks away|die out|dying out|ever smaller|ever narrower|ever shallower|\
         with decreasing size|with decreasing amplitude|with falling amplitude|increasingly small|\
         increasingly narrow|less far each time|less deep each time|tinier and tinier|until it is barely visible|\
         until it dies down|until nothing is left|fizzle out|wane|waning|tail off|tailing off|trail off",
    );
    add(
        Tag::Grow(Growth::Faster),
        "hurry up|hurrying up|pick up pace|picking up pace|pick up the pace|pick up the tempo|ever quicker|\
         in shorter and shorter intervals|at shorter and shorter intervals|increasingly quick|\
         increasingly rapid|more rapid each time|accelerando|at an increasing pace|at an increasing speed|\
         at increasing speed|shortening the pause|getting quicker|get quicker|become quicker|becoming faster|\
         growing faster|becoming quicker|gain speed|gaining speed|brisker each time",
    );
    add(
        Tag::Grow(Growth::Slower),
        "lose speed|lose pace|losing pace|increasingly slow|increasingly slowly|ritardando|at decreasing speed|\
         at a decreasing pace|at a decreasing speed|becoming slower|growing slower|grow slower|\
         tire out|run out of steam|running out of steam|wind down slowly|calmer each time",
    );
    add(
        Tag::Throughout,
        "from start to finish|from beginning to end|all the way through|the entire duration|in the background|\
         for the duration|for the entire time|during all of this|during all this|during all that|while all that happens",
    );
    add(
        Tag::Same,
        "in the same go|in the same breath|in the same movement|in the same motion|in the same move|at one go|in one go|in a single motion|in one motion|in one movement|as one|in concert|in tandem|side by side with it|\
         in lockstep|in harmony|in synchrony|synchronised|synchronized|in time with each other|both together|\
         done together|both done together|all together|jointly together|coinciding|at one and the same time",
    );
    add(
        Tag::Then,
        "and after this|after which|upon which|whereupon|that done|with that done|following that|following this|\
         once it has finished|once that has finished|once that is over|once it is done|once you have done that|\
         having done that|having done so|when that is done|when that is over|when this is done|before then|\
         then finally|and then finally|before ending with|before finishing with|and finally|and lastly|\
         straight after|straight after that|right after|right after that|immediately after|immediately afterwards|\
         shortly after|shortly afterwards|thirdly|fourthly|step two|step three|step four|\
         second step|third step|fourth step|followed straight by|followed immediately by|proceed to|proceeds to|\
         go on to|goes on to|continue with|continues with|continue by|moves on to|and only then|only then",
    );
    add(
        Tag::While,
        "for as long as it takes to|as long as it takes to|for the time it takes to|during the time it takes to|\
         throughout which|at the same time as|simultaneously with|in time with|in sync with|in step with|along with|\
         in parallel with|in parallel to|together with|all while|whereas",
    );
    add(
        Tag::First,
        "before anything else|step one|first step|for a start|to kick off|kick off with|kicks off with|kick off by|open with|opens with|starting with|starts with|beginning with|begins with|at first",
    );
    add(
        Tag::Last,
        "step last|to round off|to round it off|to round things off|round off with|to conclude|conclude with|concludes with|in conclusion|to wrap up|wrap up with|wraps up with|as a finale|for the finale|as the finale|to close|ending with|ends with|finishing with|finishes with|end on|as a finish|to top it off|to cap it off|last thing",
    );
    add(
        Tag::Alternate,
        "one then the other|one and then the other|first one then the other|first one and then the other|\
         swapping sides|switching sides|changing sides|in an alternating fashion|in alternating order|\
         not both at once but in turn|one antenna after the other|one ear after the other|see saw|seesaw|\
         like a seesaw|like a see saw|opposite to each other|against each other|in counter motion|\
         right left right left|back and forth between left and right",
    );
    add(
        Tag::Pause,
        "breather|take a breather|catch its breath|beat of silence|gap|interval|intermission|lull|silence|\
         moment of stillness|moment of rest|stand by|idle for|delay|hang on",
    );
    add(Tag::Amount(0.5, Unit::Seconds), "half a sec|a beat|a heartbeat|a fraction of a second|a tick");
    add(Tag::Amount(1.0, Unit::Seconds), "a sec|a tick or two");
    add(
        Tag::NothingElse,
        "other things|other parts|all other things|the others|other thing|nobody else|everything other|all else|the remainder|\
         the rest of you|the rest of it",
    );
    add(
        Tag::Filler,
        "excuse me|might i trouble you|trouble you for|i should be grateful|i should be most grateful|i would be grateful|\
         i would be most grateful|i would be very grateful|grateful if|grateful for|much obliged|be so kind|so kind as to|\
         i was thinking|i have been thinking|i am thinking|i was wondering|you know how|you know what|have in mind|\
         bunny|rabbit|kitten|cat|fox|bear|horse|pony|cow|duckling|parrot|penguin|squirrel|mouse|elephant|lizard|robin|hen|\
         rooster|sheep|goat|pupil|teacher|baby|toddler|lady|gentleman|waiter|butler|pirate|clown|dancer|actor|monk|samurai|\
         song|music|melody|tune|drum|bar|bars|measure|measures|dead|news|visible|recognisable|noticeable|ready to|prepared to",
    );
    add(
        Tag::Home,
        "face front|face forward|face forwards|face ahead|face the front|look front|face straight ahead|to zero|to 0|to origin|back to origin|back to zero|back to 0|to the origin",
    );
    add(Tag::Pause, "nothing moves|nothing stirs|nothing at all|no movement at all|not move at all");
    add(
        Tag::Only,
        "nothing moves but|nothing moves except|nothing moves apart from|nothing may move but|nothing may move except",
    );
    add(
        Tag::While,
        "for the entire time that|the entire time that|for the whole time that|the whole time that|all the time that|\
         during the time that|the whole time the|the entire time the|the whole time your|the whole time its|the whole time it|\
         the whole time you|all the time the|all the while the|as long as the|for as long as the|for as long as your|\
         the entire time your|the entire time it",
    );
    add(Tag::Throughout, "the whole while|for the whole while|the entire while");
    add(
        Tag::Filler,
        "i would say|i should say|nothing flashy|nothing special|nothing wild|nothing fancier|nothing fancier than that|nothing dramatic|nothing crazy|\
         nothing too fancy|nothing more than that|nothing too big|nothing over the top|pls|plz|thx|ty|u|ur|eager|for that long|\
         that long|this long|param|params|put in",
    );
    add(
        Tag::Dir(crate::tag::Dir::Out),
        "out to the side|straight out to the side|out to its side|out sideways|out to the sides|off to the side",
    );
    add(
        Tag::PriorAll,
        "before all that|before all of that|before any of that|before all this|before everything else",
    );
    add(Tag::RepeatAll, "iterate|iterate this|iterate that|all of this|rinse and repeat");
    add(
        Tag::Stages(3),
        "in stages|stage by stage|step by step|in steps|in small steps|in little steps|in increments",
    );
    add(Tag::Amount(1.5, Unit::Seconds), "a little while|a bit of time|a little moment|some time");
    add(
        Tag::Still,
        "off limits|in peace|like a statue|hands off|not be touched|not touched|not to be touched|is not to be touched|are not to be touched|not to move|do not stir|does not stir|not stir|not budge|never budge|stay rigid|remain rigid|rigid|stay motionless|\
         remain motionless|stays as is|stay as is|keep completely still|stays frozen|stay frozen|stock still|\
         unmoving|not be moved|is not moved|are not moved|not to be moved|not take part|does not take part|\
         do not take part|do not join in|does not join in|not join in|stay out of it|keep out of it|\
         keep where it is|keep where they are|hold where it is|left alone|left as it is|left as they are|\
         unchanged|parked|locked|locked in place|glued in place|not affected|unaffected|stay at rest|inactive|\
         is not involved|are not involved|not involved|sit this out|sits this out|stays neutral|stay neutral|\
         remain neutral|does nothing|not do anything|does not do anything|do not do anything|not moved|\
         keep from moving|refrain from moving|without any movement|not shift|does not shift|do not shift",
    );
    add(
        Tag::Manner(Manner::Pace(0.6)),
        "speedily|hurriedly|frantically|furiously|nimbly|eagerly|jauntily|perkily|frenetically|jerkily|zippy|\
         zippily|pronto|hurried|frantic|urgent|urgently|at speed|at pace|at a brisk pace|at a fast pace|\
         at a quick pace|in quick succession|in rapid succession|at high speed|rapid fire|in no time|in a flash|\
         smartly|sudden|abrupt|bouncy",
    );
    add(
        Tag::Manner(Manner::Pace(1.7)),
        "gradually|bit by bit|little by little|languidly|lethargically|ponderously|sluggishly|wearily|\
         tenderly|serenely|peacefully|tranquilly|deliberately|delicately|lightly|ceremoniously|gingerly|\
         mournfully|unhurried|sluggish|gradual|slow motion|in slow mo|at a slow pace|at a leisurely pace|\
         at low speed|at a gentle pace|taking its time|take its time|take your time|taking your time|\
         with no hurry|without haste|without hurry|without hurrying|steady and slow|ever so gently|\
         steadily and slowly|dignified|with dignity",
    );
    add(
        Tag::Manner(Manner::Pace(1.5)),
        "less quickly|less fast|less hurried|less hasty|not so fast|not so quick|not so quickly|not as fast|not as quick|at a slower pace|slow it down|slow this down|slow that down|take it slower|take it easy|easier|more leisurely|more relaxed|more gently|too fast|too quick|too quickly|too hasty|too hectic|too rapid",
    );
    add(
        Tag::Manner(Manner::Pace(0.7)),
        "speed it up|speed this up|speed that up|at a faster pace|at a quicker pace|more briskly|more rapidly|swifter|brisker|snappier|more energetic|more energy|more lively|more pep|less slowly|not so slow|not so slowly|not as slow|too slow|too slowly|too sluggish|get a move on|pick it up",
    );
    add(
        Tag::Manner(Manner::Size(0.5)),
        "just slightly|ever so slightly|very slightly|a fraction|a tad|a smidgen|a hair|a whisker|faintly|faint|minutely|minute|microscopic|minuscule|teeny|wee|hardly|scarcely|delicate|discreet|discreetly|modest|half heartedly|halfheartedly|very small|very little|narrow|mini nod|smallish|weak|weakly|timid little",
    );
    add(
        Tag::Manner(Manner::Size(1.5)),
        "broad|broadly|massively|massive|enormous|enormously|giant|gigantic|exaggerated|exaggeratedly|sweeping|pronounced|emphatic|emphatically|vast|sizeable|considerably|a good deal|quite far|pretty far|heavily|profound|profoundly|boldly|bold|whopping|hefty|largish|biggish|extravagant|extravagantly|expansive|dramatically large|hugely|very big|very large|very wide|very deep|very deeply|generously",
    );
    add(
        Tag::Manner(Manner::Further(1.5)),
        "broader|huger|more pronounced|more exaggerated|more dramatic|not big enough|not far enough|not deep enough|not wide enough|too small|too little|too shallow|too narrow|too subtle|too timid|too weak|exaggerate|enlarge|widen|deepen|bolder",
    );
    add(
        Tag::Manner(Manner::Further(0.5)),
        "only half as far|only half as much|only half as big|only half as wide|only half as deep|just half as far|\
         just half as much|just half as big|only half that|half that|half of that|half of it|by half|only half of it|\
         only half the way|half the amplitude|half as strong|half as strongly|half as widely|half as deeply",
    );
    add(
        Tag::Manner(Manner::Further(2.0)),
        "twice that|double that|double it|twice the size|twice the amount|double the angle|double the amount|twice the angle|twice as strong|twice as strongly|twice as deeply|twice as widely",
    );
    add(
        Tag::Manner(Manner::Further(0.65)),
        "tinier|milder|subtler|less pronounced|less dramatic|less exaggerated|more modest|too big|too large|too wide|too deep|too far|too much|too strong|too extreme|reduce|tone it down|tone down|less strong|less extreme",
    );
    add(
        Tag::Manner(Manner::Full),
        "as far as they go|as far as they will go|as far as it will go|as far as you like|to the max|to the maximum|to its limit|to their limit|to the very end|to the end stop|as much as possible|as deep as possible|as deeply as possible|as big as possible|as far as they can|as far up as possible|as far down as possible|as much as you can|as much as it can|to the extreme|right to the end|the whole way",
    );
    phrases
}
