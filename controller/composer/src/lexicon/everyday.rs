//! Words of everyday speech: adverbs, interjections, purposes, comparisons. In each list, phrases are separated by bars.

use crate::tag::{Growth, Manner, Role, Tag, Unit};

/// Returns all phrases.
pub(super) fn phrases() -> Vec<(&'static str, Tag)> {
    let mut phrases: Vec<(&'static str, Tag)> = Vec::new();
    let mut add =
        |tag: Tag, list: &'static str| phrases.extend(list.split('|').map(|phrase| (phrase, tag.clone())));
    // How something is done, without a change of the motion.
    add(Tag::Filler, "full round|full rounds|full cycle|full cycles|full go|full swing|full swings");
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
        "avert|averts|says nothing|say nothing|stays silent|stay silent|without speaking|without a word|without saying anything|by that angle|by this angle|if i give none|if i do not give any|if i give nothing|if i do not give one|unless i give one|if i do not|to make up for it|to make up for that|to compensate|in compensation|hmm|hm|uh|um|er|erm|ah|wow|yeah|yep|sorry|cheers|mate|buddy|dear|folks|guys|kinda|sorta|wanna|\
         gimme|lovely|great|brilliant|perfect|awesome|come up|come up with|put together|cook up|rustle up|\
         work out|figure out|how about|what about|see if|whip up|think of|think up|dream up|\
         set up|love|fancy|would love|i would love|i love|i fancy|i wonder|possible|\
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
    add(Tag::Alternate, "in opposite phase|in antiphase|in counterphase|in anti phase|against each other");
    add(Tag::Count(3), "triple");
    add(Tag::For, "go on for|goes on for|carry on for|keep going for|keep it up for|continue for");
    add(Tag::Filler, "swap the order|change the order|switch the order|reverse the order|the other order");
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
        "not one after the other|not one after another|in one diagonal movement|in one diagonal motion|in the same go|in the same breath|in the same movement|in the same motion|in the same move|at one go|in one go|in a single motion|in one motion|in one movement|as one|in concert|in tandem|side by side with it|\
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
        "begin by|begins by|beginning by|start by|starts by|starting by|before anything else|step one|first step|for a start|to kick off|kick off with|kicks off with|kick off by|open with|opens with|starting with|starts with|beginning with|begins with|at first",
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
        "twice that angle|double that angle|twice that far|twice that much|twice that size|twice that|double that|double it|twice the size|twice the amount|double the angle|double the amount|twice the angle|twice as strong|twice as strongly|twice as deeply|twice as widely",
    );
    add(
        Tag::Manner(Manner::Further(0.65)),
        "tinier|milder|subtler|less pronounced|less dramatic|less exaggerated|more modest|too big|too large|too wide|too deep|too far|too much|too strong|too extreme|reduce|tone it down|tone down|less strong|less extreme",
    );
    add(
        Tag::Manner(Manner::Full),
        "as far as they go|as far as they will go|as far as it will go|as far as you like|to the max|to the maximum|to its limit|to their limit|to the very end|to the end stop|as much as possible|as deep as possible|as deeply as possible|as big as possible|as far as they can|as far up as possible|as far down as possible|as much as you can|as much as it can|to the extreme|right to the end|the whole way",
    );
    add(
        Tag::Same,
        "at one and the same moment|at one and the same instant|in one and the same moment|going together|moving together|going at once|moving at once|going in step|moving in step|in the very same instant|\
         in the same instant|at the same instant|at that same instant|at the very same instant|hand in hand|side by side in time|\
         arriving together|arriving at both together|arriving at the same time|arriving at once|involved at once|all in one|\
         at one time|all going at once|at a single stroke|in one fell swoop|in one sweep|both of them at once|all of them at once",
    );
    add(
        Tag::Dir(crate::tag::Dir::Down),
        "at its feet|at your feet|at his feet|its own feet|your own feet|at the tips of its toes",
    );
    add(
        Tag::Dir(crate::tag::Dir::Up),
        "stars|the stars|the roof|the heavens|the rafters|the treetops|at the moon|at the clouds",
    );
    add(
        Tag::NothingElse,
        "nothing besides|nothing beyond that|nothing other than that|nothing apart from that|not a thing more",
    );
    add(
        Tag::Amount(1.0, Unit::Seconds),
        "a full second|a whole second|a good second|one full second|one whole second",
    );
    add(Tag::Home, "look ahead|gaze ahead|look straight|look to the front|face straight");
    add(Tag::Manner(Manner::Pace(0.5)), "at full tilt|full tilt|flat out fast");
    add(Tag::Still, "a statue|be a statue|frozen solid|like a rock|like a stone");
    add(Tag::Rate(1.0), "on every second|on each second|every single second");
    add(Tag::Amount(1.0, Unit::Seconds), "another second|one more second|a further second");
    add(Tag::RepeatAll, "it all|all of them|all parts|the whole lot|the lot of it");
    add(
        Tag::Filler,
        "either side is ok|either side is okay|either side is fine|either side will do|whichever side|no matter which side|\
         medium|average|moderate|moderately|always|normally|no less|twin|joke|i mean|just heard|heard|happen|happens|in number|in succession|play dead|plays dead|i pass in|pass in|passed in|if i leave it out|if left out|if it is left out|if omitted|if it is omitted|if not given|\
         if none is given|when omitted|if i say nothing|if i do not say|if i do not give one|being the default|the default being|\
         if i do not specify it|unless i specify it|unless i say so|unless otherwise stated|in every way|keep that up|\
         keep it up|keep this up|keep going|carry on|in quick succession|to attention|until it nearly stops|until it almost stops|\
         until they nearly stop|until it comes to rest|until it comes to a stop|until it fades",
    );
    add(
        Tag::Last,
        "finish by|finishes by|finishing by|end by|ends by|ending by|conclude by|concludes by|concluding by|round it off with|rounds it off with|finish it off with|top it off with|cap it off with|end it with|close it with|\
         wind up with|winds up with|close with|closes with|wrap it up with|finish up with|ends up with",
    );
    add(
        Tag::Manner(Manner::Pace(0.6)),
        "like crazy|like mad|frantically|furiously|frantic|manically|in rapid order|at full speed|at top speed|like a shot|like lightning|at lightning speed|in the blink of an eye|\
         at breakneck speed|with a jerk|with a snap|double quick|lively and quick|post haste|in a hurry|in haste|hastily",
    );
    add(
        Tag::Manner(Manner::Pace(1.7)),
        "at an unhurried pace|at a relaxed pace|at a calm pace|at a slow tempo|at a crawl|at snail's pace|like a sloth|\
         inch by inch|ever so slowly|dreamily|in no hurry|with great care|all the time in the world",
    );
    add(
        Tag::Grow(Growth::Bigger),
        "starting small and ending big|starting small|small at first and big at the end|from small to large|from small to big|\
         from tiny to huge|starting out small|beginning small|starting tiny|gaining height|gaining depth|gaining width",
    );
    add(
        Tag::Grow(Growth::Smaller),
        "starting big and ending small|starting big|big at first and small at the end|from large to small|from big to small|\
         from huge to tiny|starting out big|starting large|beginning big|starting huge|let them die away|let it die away|die away",
    );
    add(
        Tag::Grow(Growth::Faster),
        "gather speed|gathering speed|gather pace|gathering pace|quicker each time|faster with each one|ever more quickly|\
         more and more quickly|more and more rapidly|in ever shorter intervals|at an ever faster pace",
    );
    add(
        Tag::Grow(Growth::Slower),
        "more and more slowly|slower each time|ever more slowly|in ever longer intervals|at an ever slower pace|\
         grinding to a halt|winding down",
    );
    add(
        Tag::Still,
        "ride along|just ride along|go along for the ride|be carried along|make no movement|make no movement of its own|\
         make no move|make no motion|make no moves|take no part|play no part|sit it out|stay passive|passive|remain passive|\
         remain uninvolved|uninvolved|not get involved|not do a thing|not move a muscle|do not move a muscle|not stir at all|\
         hold its peace|keep its place|hold its place|hold its position|keep its position|keep its pose|stay out of this",
    );
    add(
        Tag::StayThere,
        "hang there|wait there|rest there|pause there|freeze there|sit there|linger there|hover|hover there|dwell|dwell there|\
         stick there|stand there|stop there|stay as you are|freeze in that pose|freeze like that|stay so|remain so|\
         wait in that position|rest in that position|pause in that position|keep that up there|keep that pose|keep that position|\
         stay in that pose|remain like that|remain like this|stay like this|leave it like that|leave it at that angle|\
         stay at that angle|hold at that point|stay at that point|hang on there|stay put like that|tarry|abide",
    );
    add(
        Tag::Return,
        "look at me again|look at you again|look back at me|face me again|look at us again|look at the camera again|peek back|glance back|gaze back|peep back|look back|face back|sink back|drop back|settle back|ease back|glide back|drift back|slide back|float back|fall back|spring back|snap back|\
         sneak back|creep back|slip back|swing back|rise back|rise back up|lift back|sink back down|drop back down|lower back|\
         lower back down|settle back down|ease back down|fold back up|roll back|bounce back|swivel back|turn back again|\
         straighten out|unfold again|uncurl|unbend|unroll|come upright|stand up again|stand upright again|upright once more|\
         come to where it was|to where you were|to where you started|where you were|where you began|to where it began|\
         to where it came from|to where you came from|ending up where it started|ending up where you started|\
         ending where it started|finishing where it started|end up where it started|ends up where it started|\
         winding up where it started|to its old place|to its place|to their place|to their places|as you were|\
         be back where it started|to how it was|to how you were|the way it was before|to its former position|\
         to the previous position|to its previous position|to the position before",
    );
    add(
        Tag::Home,
        "to the front again|back to the front|dead ahead|dead center|straight to the front|facing forward again|\
         facing front again|to face front|facing front|to face forward|home position|zero position|base position|\
         idle position|usual position|usual place|upright position|relaxed position|resting place|central position|\
         the front again|come home to the middle|coming home to the middle|come to the center again|midline",
    );
    add(
        Tag::RepeatAll,
        "go through all of that|go through that|go through all that|go through this|go through all of this|go through it|\
         go through it all|run through that|run through all of that|run through it|all of the above|do the lot|the lot|\
         perform this|perform that|perform it all|play it all|do these|do those|cycle through that|cycle through it",
    );
    add(
        Tag::Filler,
        "and stop when they walk off|and stop when they leave|stop when they walk off|stop when they leave|stop when they go|\
         stop when they are gone|stop once they are gone|stop once they leave|stop as soon as they leave|stop when nobody is there|\
         stop when the face is gone|stop when the face disappears|stop when it disappears|stop when they go away|\
         stop when you no longer see them|stop when they disappear|stop when they walk away|stop once they walk away|\
         when i call it|when i call you|when called|when it is called|when you are called|when i run it|when run|when it runs|\
         whenever i call it|each time i call it|on the trot|on the bounce|back to back|without any rest|without rest|without any pause|without pausing|\
         without a rest|without any break|without breaks|without any breaks|without stopping|without a stop|with no rest|\
         with no pause|with no break|with no breaks|with no stops|with no gap|without a gap|without any gap|without gaps|\
         without interruption|uninterrupted|uninterruptedly|nonstop|non stop|no rest in between|without any rest in between|\
         without a pause in between|without pauses in between|with no rest in between|with no pause in between|and that is it|\
         that is it|that is all|and that is all|and no more|and done|make it|nosy|snooty",
    );
    add(
        Tag::Filler,
        "guilty|impatient|impatiently|suspicious|wary|warily|aloof|arrogant|arrogantly|bitter|\
         brave|bravely|carefree|cocky|cold|cosy|cruel|cunning|curt|dazed|defiant|defiantly|\
         demure|desperate|determined|devious|devoted|disdainful|distracted|dizzy|doleful|\
         downhearted|droopy|eerie|envious|expectant|fierce|fiercely|flirtatious|flustered|focused|\
         forlorn|frosty|furtive|furtively|gallant|genial|gloating|grave|gravely|greedy|gruff|\
         helpless|hopeful|hopeless|humbly|icy|imperious|innocent|innocently|insistent|intense|\
         intent|jealous|jittery|jovial|jubilant|keen|languid|lethargic|longing|lukewarm|meek|\
         meekly|menacing|merciful|mocking|moping|motherly|needy|nostalgic|ominous|optimistic|\
         overwhelmed|panicked|panicky|patient|patiently|perky|pessimistic|pitiful|pleading|poised|\
         pompous|pouty|prim|quizzical|rebellious|regret|reluctant|remorseful|repentant|reproachful|\
         resentful|resigned|restless|restlessly|reverent|rude|sarcastic|sassy|scornful|sentimental|\
         sleek|slyly|smirking|snobbish|sober|somber|sombre|spooky|stern|sternly|stoic|strict|\
         stubborn|stubbornly|sullen|sunny|superior|supportive|sympathetic|threatening|\
         troubled|uptight|vain|vexed|watchful|welcoming|wicked|wise|woeful|zealous|zen|resolute|\
         resolutely|ceremonial|ceremonious|clumsy|clumsily|creepy|creepily|jerky|springy|nonchalant|\
         nonchalantly|offhand|perfunctory|ritual|whimsical|zesty|guilt|shame|awe|contempt|fatigue|\
         loneliness|despair|jealousy|nervousness|impatience|defiance|humility|reverence|contentment|\
         amusement|irritation|frustration|apprehension|suspicion|chest|lap|knees|toes|hallway|\
         corridor|street|garden|tree|trees|flower|puppet|doll|toy|prince|pigeon|chicken|\
         turtle|snake|monkey|bee|butterfly|windmill|march|drum|drums|lullaby|clock|metronome|lighthouse|radar|wiper|wipers|\
         boat|ship|breeze|rain|storm|crowd|stranger|boss|student|colleague|neighbour|neighbor|\
         family|owner|master",
    );
    add(
        Tag::Then,
        "in the next place|follow it with|follow that with|follow this with|follow it up with|follow that up with|follow up with|\
         not until then|no sooner than that|when it is up again|once it is up again|when the head is up again|once the head is up again|\
         when the head is back|once the head is back|when the head is up|when it has come up|when it has come back|when it is back up|when it is down|\
         when it is up|when it is there|once up|once down|once there|once it has come back|once back|once it is back up|\
         from there|at which point|whereafter|thereupon|that being done|this done|in second place|in third place|\
         in the next step|as the next step|as a next step|as a second step|to follow|followed up by|then it is time for",
    );
    add(
        Tag::First,
        "the first|in first place|as a first step|as the first step|the first thing|first thing|at the outset|to open|\
         by way of opening|to get going|to get started",
    );
    add(
        Tag::Last,
        "as the last step|as a last step|the final step|the very last thing|at the very end|right at the end|by way of closing|\
         to round it all off|to bring it to an end|in the last step|at the close|as a last thing",
    );
    phrases
}
