//! What is only told, and what is ordered beside it.

use crate::tale::{Told, told};

#[test]
fn what_is_told_is_no_order() {
    for text in [
        "I told my friend that you can dance",
        "everybody knows you can tilt your head",
        "he wants me to look up",
        "I bet you can dance",
        "bowing is polite",
        "a nod means yes",
        "it was nice of you to nod",
        "you nod too much",
        "thanks for nodding",
        "that robot over there can nod",
        "I want to dance",
    ] {
        assert_eq!(told(text), Told::Everything, "{text}");
    }
}

#[test]
fn requests_are_no_tales() {
    for text in [
        "I think you should look left",
        "I would like to see you nod",
        "my daughter wants a nod",
        "the doctor wants you to turn your head left",
        "everyone wants to see you dance",
        "a nod will do",
        "a bow would be nice",
        "you should nod",
        "the left antenna can go down",
        "I heard you can dance, so show me",
        "nicke zweimal",
    ] {
        assert_eq!(told(text), Told::Nothing, "{text}");
    }
}

#[test]
fn what_stands_after_a_colon_is_quoted_where_it_was_said_to_others() {
    for text in ["the manual reads: nod twice", "I told her: nod twice", "it says here: nod twice"] {
        assert_eq!(told(text), Told::Everything, "{text}");
    }
    for text in ["I said: nod twice", "I told you: nod twice"] {
        assert_eq!(told(text), Told::Nothing, "{text}");
    }
}

#[test]
fn an_order_beside_a_tale_is_left() {
    for (text, order) in [
        ("my grandmother says you should bow, so bow three times", "so bow three times"),
        ("I told you to look left", "look left"),
        ("thank you for looking left, now look right", "now look right"),
    ] {
        assert_eq!(told(text), Told::AllBut(order.to_owned()), "{text}");
    }
}
