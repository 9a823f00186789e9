use super::*;
use minismith_language_model::Tokens;
use minismith_score::read;

fn says(text: &str) -> Result<ModelAnswer, ModelCallError> {
    Ok(ModelAnswer {
        completion: Completion::Text(text.to_owned()),
        tokens: Tokens::default(),
        from: "test".to_owned(),
    })
}

const REQUEST: &str = "make a tool called yes_twice that nods twice";
const ONCE: &str = "plan: one nod\nname: one\nhead(down=15),\nhead(down=0)\n";
const TWICE: &str = "plan: two nods\nname: two\nrepeat(2, head(down=15), head(down=0))\n";

#[test]
fn each_example_is_a_tool_that_its_contract_does_not_refuse() {
    let (mut right, mut wrong) = (0, Vec::new());
    for example in examples::EXAMPLES.iter() {
        let contract = Contract::from_request(&format!("make a tool that does this: {}", example.request));
        let allowed = Allowed { events: true, ..Allowed::default() };
        let score = read_answer(example.answer, None, allowed);
        let score = score.unwrap_or_else(|why| panic!("{}: {why}", example.request));
        let candidate = Candidate::judged(score, &contract).unwrap();
        if !candidate.is_acceptable() {
            wrong.push(format!("{}: {:?}", example.request, candidate.verdict));
        }
        right += usize::from(candidate.verdict == Verdict::Right);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let all = examples::EXAMPLES.len();
    assert!(all >= 30 && right * 2 > all, "{right} of {all}");
}

#[test]
fn deviation_goes_back_to_the_model_and_the_right_answer_ends_the_search() {
    let contract = Contract::from_request(REQUEST);
    let mut prompts = Vec::new();
    let sampled = sample(REQUEST, Some("yes_twice"), &contract, &|| true, &mut |prompt| {
        prompts.push(prompt.clone());
        says(if prompts.len() == 1 { ONCE } else { TWICE })
    });
    assert_eq!(prompts.len(), 2);
    let complaint = format!("{:?}", prompts[1].messages.last());
    assert!(complaint.contains("expected 2") && complaint.contains("measured"), "{complaint}");
    assert_eq!(sampled.candidates[0].verdict, Verdict::Right);
    assert_eq!(sampled.candidates[0].score.name, "yes_twice");
    // What is stored is written from the score, and reads back as it.
    let score = &sampled.candidates[0].score;
    assert_eq!(read(&write(score)).as_ref(), Ok(score));
    assert!(matches!(sampled.candidates[1].verdict, Verdict::Wrong { .. }));
}

#[test]
fn nonsense_and_silence_give_no_candidate() {
    let contract = Contract::from_request(REQUEST);
    let nonsense = [
        "",
        "plan: x",
        "plan: x\nname: y\nimport os",
        "plan: x\nname: y\nhead(down=15)\n    )\n    robot.goto_sleep(",
        "plan: \"\"\"\nname: a\nhead(left=20), __import__('os')",
        "plan: x\nname: def\nhead(left=20)",
    ];
    for text in nonsense {
        let sampled = sample(REQUEST, None, &contract, &|| true, &mut |_| says(text));
        assert!(sampled.candidates.is_empty(), "{text}: {:?}", sampled.candidates);
    }
    let mut asked = 0;
    let sampled = sample(REQUEST, None, &contract, &|| true, &mut |_| {
        asked += 1;
        Err(ModelCallError::GivenUp)
    });
    assert!(asked == 1 && matches!(sampled.no_answer, Some(ModelCallError::GivenUp)));
    // A slow computer gives one answer.
    let mut asked = 0;
    let sampled = sample(REQUEST, None, &contract, &|| false, &mut |_| {
        asked += 1;
        says(nonsense[0])
    });
    assert!(asked == 1 && sampled.candidates.is_empty() && sampled.no_answer.is_none());
}

#[test]
fn steps_contain_only_what_the_request_speaks_of() {
    let of = |request: &str| allowed(request, &Contract::from_request(request));
    assert_eq!(of(REQUEST), Allowed::default());
    assert!(of("make a tool that nods when it sees a face").events);
    assert!(of("make a tool where I can choose how often it shakes the head").times);
    assert!(!grammar(of(REQUEST)).contains("face()"));
    assert!(grammar(of("nod when you see a face")).contains("face()"));
}

#[test]
fn parameters_are_those_that_the_steps_use() {
    let allowed = Allowed { times: true, degrees: true, seconds: true, ..Allowed::default() };
    let text = "plan: tilts\nname: tilts\nrepeat(times, head(tilt_left=degrees, seconds=seconds), head(tilt_left=0))\n";
    let score = read_answer(text, None, allowed).unwrap();
    let names: Vec<(&str, f64)> = score.parameters.iter().map(|it| (it.name.as_str(), it.high)).collect();
    assert_eq!(names, [("times", 10.0), ("degrees", 30.0), ("seconds", 10.0)]);
    let plain = "plan: a tilt\nname: tilt\nhead(tilt_left=20, seconds=1)\n";
    assert!(read_answer(plain, None, allowed).unwrap().parameters.is_empty());
}
