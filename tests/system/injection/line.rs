//! The bytes of a prompt on the connection to an endpoint, read as a model would read them.

use minismith_language_model::{Form, Model, Prompt, Watch};
use serde_json::Value;

use super::WORD;
use crate::model::{Server, client, config, says};

/// Sends prompts through the real client, and returns the defects in the bytes sent.
pub(super) fn faults_on_the_line(prompts: &[Prompt]) -> Vec<String> {
    let server = Server::start(prompts.iter().map(|_| says("fine")).collect());
    let mut client = client(&config(vec![server.endpoint()]));
    for prompt in prompts {
        let prompt = Prompt { form: Form::Text, ..prompt.clone() };
        client.answer(&prompt, &mut |_| Watch::On).unwrap();
    }
    let requests = server.requests();
    assert_eq!(requests.len(), prompts.len());
    requests.iter().flat_map(|request| faults_of_request(request)).collect()
}

/// Returns the defects of one request: the word outside of a fence, a fence closed from within, the frame of a
/// conversation, or invisible characters.
fn faults_of_request(request: &str) -> Vec<String> {
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    let mut faults = Vec::new();
    let mut fenced = 0;
    for message in body["messages"].as_array().unwrap() {
        let content = message["content"].as_str().unwrap();
        let mut mark: Option<String> = None;
        for line in content.lines() {
            let closing = mark.as_ref().map(|mark| format!("</data {mark}>"));
            match (&mark, line.strip_prefix("<data ").and_then(|rest| rest.split_once(" from "))) {
                (None, Some((opened, _))) if message["role"] != "system" => mark = Some(opened.to_owned()),
                _ if closing.as_deref() == Some(line) => mark = None,
                (Some(_), _) if line.contains(WORD) => fenced += 1,
                (None, _) if line.contains(WORD) && message["role"] != "assistant" => {
                    faults.push(format!("outside of the fence: {line}"));
                }
                _ => {}
            }
        }
        if let Some(mark) = mark {
            faults.push(format!("the fence {mark} is not closed: {content}"));
        }
        let shown = content.to_lowercase();
        for frame in ["<|", "[inst]", "</s>", "<<sys", "<start_of_", "<tool_call", "<\u{ff5c}"] {
            if shown.contains(frame) {
                faults.push(format!("{frame} in {content}"));
            }
        }
        let hidden = |c: char| {
            matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}' | '\u{1b}' | '\u{7}')
        };
        if content.chars().any(hidden) {
            faults.push(format!("hidden characters in {content:?}"));
        }
    }
    if fenced == 0 {
        faults.push(format!("nothing is fenced: {body}"));
    }
    faults
}
