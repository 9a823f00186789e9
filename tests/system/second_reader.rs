//! A sentence that the grammar does not know, read by a language model on this computer. The model is scripted: what it
//! answers is untrusted, whatever it is.

use minismith_assistant::conversation::{Conversation, Mind, Reply, TurnOutcome};
use minismith_language_model::{Completion, Model, ModelAnswer, ModelCallError, Prompt, Scripted, Watch};

use super::agents::House;

const SENTENCE: &str = "turn yuor noddle to the right, please";

fn text(commands: &str) -> Result<Completion, ModelCallError> {
    Ok(Completion::Text(commands.to_owned()))
}

/// A conversation with a model that gives these answers.
fn conversation(
    house: &House,
    answers: Vec<Result<Completion, ModelCallError>>,
) -> (Conversation<'_>, minismith_language_model::scripted::Prompts) {
    let model = Scripted::new(answers);
    let prompts = model.prompts();
    let mind = Mind { is_local: true, ..Mind::new(&house.config, Box::new(model)) };
    (Conversation::new(&house.body, &house.workshop).thinking_with(mind), prompts)
}

/// How far the head was turned in all steps, degrees; left is positive.
fn turned(reply: &Reply) -> Vec<f64> {
    reply.steps.iter().map(|step| step.achieved.as_ref().unwrap().yaw_deg).collect()
}

#[test]
fn sentence_is_read_as_commands_and_said_back() {
    let house = House::new();
    let (mut conversation, prompts) = conversation(&house, vec![text("look right")]);
    let reply = conversation.hear(SENTENCE);
    assert_eq!(reply.outcome, TurnOutcome::Done, "{}", reply.text);
    assert!(reply.text.starts_with("I take that as: look right"), "{}", reply.text);
    assert!(turned(&reply)[0] < -5.0, "{:?}", reply.steps);
    assert_eq!(reply.understood[0].text, SENTENCE);
    // Later sentences refer to it.
    let reply = conversation.hear("and now to the other side");
    assert!(turned(&reply)[0] > 5.0, "{}", reply.text);
    assert_eq!(prompts.seen().len(), 1);
}

#[test]
fn model_that_differs_from_the_words_moves_nothing() {
    for (commands, is_asked) in [
        ("look left", false),
        ("look right, then nod", true),
        ("turn your body right", true),
        ("look right 40 degrees", true),
    ] {
        let house = House::new();
        let gone = Err(ModelCallError::Local { reason: "its process died".into() });
        let (mut conversation, _) = conversation(&house, vec![text(commands), gone]);
        let reply = conversation.hear(SENTENCE);
        assert!(reply.steps.is_empty() && reply.outcome == TurnOutcome::NotUnderstood, "{}", reply.text);
        assert_eq!(reply.text.contains("Do you mean: "), is_asked, "{}", reply.text);
    }
}

#[test]
fn question_is_done_after_a_yes_alone() {
    for (answer, moves) in
        [(Some("Yes."), true), (Some("no"), false), (Some("look left"), false), (None, false)]
    {
        let house = House::new();
        let (conversation, _) = conversation(&house, vec![text("look right, then nod")]);
        let asked = move |question: &str| {
            assert!(question.starts_with("Do you mean: look right, then nod"), "{question}");
            answer.map(str::to_owned)
        };
        let reply = conversation.asking("the person", Box::new(asked)).hear(SENTENCE);
        assert_eq!(reply.steps.len(), usize::from(moves), "{answer:?} {}", reply.text);
    }
}

#[test]
fn what_is_forbidden_or_told_is_not_read_again() {
    let house = House::new();
    let (mut conversation, prompts) = conversation(&house, Vec::new());
    for sentence in
        ["don't look up", "my cat looks left", "how do you nod?", "stop", "take the torque off the motors"]
    {
        assert!(conversation.hear(sentence).steps.iter().all(|step| step.kind == "stop"), "{sentence}");
    }
    assert!(prompts.seen().iter().all(|prompt| prompt.purpose != "second reader"), "{:?}", prompts.seen());
}

#[test]
fn agents_get_what_is_to_move_nothing() {
    let house = House::new();
    let answers = vec![text("none"), Err(ModelCallError::Local { reason: "its process died".into() })];
    let (mut conversation, prompts) = conversation(&house, answers);
    let reply = conversation.hear("whistle a merry tune for the budgie");
    let purposes: Vec<_> = prompts.seen().iter().map(|prompt| prompt.purpose).collect();
    assert!(purposes.len() == 2 && purposes[0] == "second reader", "{purposes:?}");
    assert!(reply.steps.is_empty() && reply.text.contains("its process died"), "{}", reply.text);
}

/// A model that never answers.
struct Silent;

impl Model for Silent {
    fn answer(
        &mut self,
        _: &Prompt,
        watch: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<ModelAnswer, ModelCallError> {
        while watch("") == Watch::On {
            std::thread::yield_now();
        }
        Err(ModelCallError::GivenUp)
    }
}

#[test]
fn who_speaks_does_not_wait_for_a_silent_model() {
    let house = House::new();
    let mind = Mind { is_local: true, ..Mind::new(&house.config, Box::new(Silent)) };
    let mut conversation = Conversation::new(&house.body, &house.workshop).thinking_with(mind);
    conversation.spoken(true);
    let reply = conversation.hear(SENTENCE);
    assert_eq!(reply.outcome, TurnOutcome::NotUnderstood);
    assert!(reply.text.contains("took longer than 3 s"), "{}", reply.text);
}
