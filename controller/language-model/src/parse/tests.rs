//! Tests of good and bad replies of models.

use serde_json::json;

use super::*;
use crate::Message;

fn function(name: &str) -> Function {
    Function { name: name.into(), description: String::new(), parameters: json!({"type": "object"}) }
}

fn calls() -> Form {
    Form::Calls(vec![function("nod"), function("look")])
}

fn prompt(form: Form) -> Prompt {
    Prompt { purpose: "test", instructions: String::new(), messages: vec![], form, max_tokens: 50 }
}

fn text(text: &str) -> Reply {
    Reply { text: text.into(), finish: Some("stop".into()), ..Reply::default() }
}

fn native(calls: &[(&str, &str, &str)]) -> Reply {
    let call = |(id, name, arguments): &(&str, &str, &str)| RawCall {
        id: (*id).into(),
        name: (*name).into(),
        arguments: (*arguments).into(),
    };
    Reply { calls: calls.iter().map(call).collect(), ..Reply::default() }
}

/// Returns names and arguments of the calls, or the text.
fn short_of(said: Result<Completion, UnusableReply>) -> String {
    match said {
        Ok(Completion::Text(text)) => format!("text {text}"),
        Ok(Completion::Json(json)) => format!("json {json}"),
        Ok(Completion::Calls { text, calls }) => {
            let calls = calls
                .iter()
                .map(|call| format!("{} {} {}", call.id, call.name, Value::Object(call.arguments.clone())));
            format!("{text}|{}", calls.collect::<Vec<_>>().join("|"))
        }
        Err(unfit) => format!("{}: {}", if unfit.can_be_fixed { "mend" } else { "no" }, unfit.reason),
    }
}

#[test]
fn native_calls_are_read() {
    let read = |reply: &Reply| short_of(read(reply, &prompt(calls()), Strategy::Native));
    assert_eq!(
        read(&native(&[("a", "nod", "{\"times\": 2}"), ("b", "look", "")])),
        "|a nod {\"times\":2}|b look {}"
    );
    assert_eq!(read(&native(&[("", "nod", "{}"), ("", "nod", "{}")])), "|call_1 nod {}|call_2 nod {}");
    assert_eq!(read(&native(&[("a", "nod", "{}"), ("a", "nod", "{}")])), "|a nod {}|call_2 nod {}");
    assert_eq!(read(&text(" Hello ")), "text Hello");
    assert_eq!(read(&text("<think>hm</think> Hello")), "text Hello");
    assert_eq!(read(&text("")), "mend: it is empty");
    assert_eq!(
        read(&native(&[("a", "nod", "{\"times\": ")])),
        "mend: the arguments of `nod` are no JSON object"
    );
    assert_eq!(read(&native(&[("a", "nod", "[1]")])), "mend: the arguments of `nod` are no JSON object");
    assert_eq!(read(&native(&[("a", "rm", "{}")])), "mend: it calls `rm`, and the functions are nod, look");
    let long = read(&native(&[("a", &"x\n".repeat(500), "{}")]));
    assert!(long.len() < 120 && !long.contains('\n'), "{long}");
    assert_eq!(read(&native(&vec![("a", "nod", "{}"); 17])), "no: it makes more than 16 calls at once");
}

#[test]
fn written_calls_are_read_even_when_malformed() {
    for strategy in [Strategy::Schema, Strategy::Plain] {
        let read = |said: &str| short_of(read(&text(said), &prompt(calls()), strategy));
        let nod = "|call_1 nod {\"times\":2}";
        for said in [
            r#"{"calls": [{"name": "nod", "arguments": {"times": 2}}]}"#,
            r#"{"name": "nod", "arguments": {"times": 2}}"#,
            r#"{{"name": "nod", "arguments": {"times": 2}}}"#,
            "```json\n{\"name\": \"nod\", \"parameters\": {\"times\": 2}}\n```",
            r#"{"tool_calls": [{"type": "function", "function": {"name": "nod", "arguments": "{\"times\": 2}"}}]}"#,
        ] {
            assert_eq!(read(said), nod, "{said}");
        }
        let both = r#"{"calls": [{"name": "look", "arguments": {}}, {"name": "say", "arguments": {"text": "There."}}]}"#;
        assert_eq!(read(both), "There.|call_1 look {}");
        assert_eq!(read(r#"{"calls": [{"name": "say", "arguments": {"text": "Paris."}}]}"#), "text Paris.");
        assert_eq!(read(r#"{"calls": [{"name": "say", "arguments": {}}]}"#), "mend: `say` needs its `text`");
        assert_eq!(read(r#"{"calls": []}"#), "mend: it is empty");
        assert!(read(r#"{"calls": [{"name": "rm", "arguments": {}}]}"#).starts_with("mend: it calls `rm`"));
        assert!(read(r#"{"calls": [1]}"#).starts_with("mend: it has not the form"));
        assert!(read(r#"{"hello": 1}"#).starts_with("mend: it has not the form"));
        assert!(read("{\"name\": \"nod\"").starts_with("mend: it holds no whole"));
        let many = format!("{{\"calls\": [{}]}}", vec!["{\"name\":\"nod\",\"arguments\":{}}"; 17].join(","));
        assert!(read(&many).starts_with("no: it makes more than 16"));
    }
    let sentence = text("I can't do that.");
    assert_eq!(short_of(read(&sentence, &prompt(calls()), Strategy::Plain)), "text I can't do that.");
    assert!(short_of(read(&sentence, &prompt(calls()), Strategy::Schema)).starts_with("mend"));
}

#[test]
fn ids_of_calls_are_unique_across_messages() {
    let arguments = Map::new();
    let earlier = Part::Called { id: "call_1".into(), name: "nod".into(), arguments };
    let prompt =
        Prompt { messages: vec![Message { parts: vec![earlier], ..Message::model("x") }], ..prompt(calls()) };
    let said = r#"{"calls": [{"name": "nod", "arguments": {}}]}"#;
    assert_eq!(short_of(read(&text(said), &prompt, Strategy::Schema)), "|call_2 nod {}");
}

#[test]
fn documents_must_fit_their_schemas() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n"],
        "additionalProperties": false});
    let of = |reply: Reply| short_of(read(&reply, &prompt(Form::Json(schema.clone())), Strategy::Schema));
    assert_eq!(of(text("{\"n\": 3}")), "json {\"n\":3}");
    assert_eq!(of(text("Here: {\"n\": 3}.")), "json {\"n\":3}");
    assert_eq!(of(text("{\"n\": 30}")), "mend: the object has a `n` that is 30; it must be at most 9");
    assert_eq!(of(text("{\"n\": 3, \"m\": 1}")), "mend: the object has a `m`, which is not allowed");
    assert_eq!(of(text("3")), "mend: it holds no whole JSON object");
    let cut = Reply { finish: Some("length".into()), ..text("{\"n\": ") };
    assert_eq!(of(cut), "no: it is longer than the tokens it was given; it holds no whole JSON object");
    let withheld = Reply { finish: Some("content_filter".into()), ..text("") };
    assert_eq!(of(withheld), "no: the endpoint's filter withheld it");
}
