//! OpenAI's official Python client: models, complete and streamed responses, sessions, files and errors.

use minismith_tests::{TestDir, workspace};
use serde_json::json;

use super::cli::listening;
use super::mcp::{clients_python, exercised};

#[test]
fn openai_client_controls_the_robot() {
    if clients_python().is_none() {
        return;
    }
    let bench = TestDir::configured(
        "memory: {file: sessions.sqlite}\nbus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n",
    );
    let mut program = bench.start(&["serve", "--json", "--port", "0"]);
    let url = format!("http://{}", listening(&program.line().unwrap()));
    bench.write("data.csv", "a,b\n1,5\n2,6\n6,7\n");
    let has_code = workspace().join(".venv-code/bin/python").is_file();
    if !has_code {
        println!("skipped in part: the libraries for code tasks are not installed; run `make code`");
    }
    let arguments = if has_code { vec![&*url, "data.csv"] } else { vec![&*url] };
    let seen = exercised(&bench, "exercise_openai.py", &arguments).unwrap();

    assert_eq!(seen["models"], json!(["minismith", "minismith-react", "minismith-plan"]));
    assert_eq!((&seen["model"], &seen["no_model"]), (&json!("minismith"), &json!("model_not_found")));

    let whole = &seen["whole"];
    let choice = &whole["choices"][0];
    assert_eq!((&whole["object"], &whole["model"]), (&json!("chat.completion"), &json!("minismith")));
    assert_eq!((&choice["message"]["role"], &choice["finish_reason"]), (&json!("assistant"), &json!("stop")));
    assert_eq!(choice["message"]["content"], "Done: look left 20 deg.");
    assert_eq!(
        (&whole["minismith"]["outcome"], &whole["usage"]["total_tokens"]),
        (&json!("done"), &json!(0))
    );
    assert!((seen["after"]["posture"]["yaw_deg"].as_f64().unwrap() - 20.0).abs() < 1.0, "{}", seen["after"]);

    let steps = seen["talk"]["minismith"]["steps"].as_array().unwrap();
    assert!(steps.len() == 1 && steps[0]["kind"].as_str().unwrap().contains("5 mm"), "{}", seen["talk"]);

    let stream = &seen["stream"];
    assert_eq!(stream["pieces"], json!(["Done: nod twice.", " Done: dance for 4 s."]), "{stream}");
    // The first chunk arrives after the first step, while the robot executes the second.
    assert_eq!((&stream["meanwhile"], &stream["after"]), (&json!("playing"), &json!("holding")), "{stream}");
    assert_eq!(stream["last"]["minismith"]["steps"].as_array().unwrap().len(), 2, "{stream}");
    assert_eq!(stream["usage"]["total_tokens"], 0, "{stream}");
    assert_eq!(seen["left"], "holding");

    assert_eq!(seen["further"]["minismith"]["outcome"], "done", "{}", seen["further"]);
    let another = &seen["further_for_another"]["minismith"]["outcome"];
    assert_eq!(another, "not_understood", "{}", seen["further_for_another"]);

    for (what, kind, param) in [
        ("model", "NotFoundError", "model"),
        ("picture", "BadRequestError", "messages"),
        ("n", "BadRequestError", "n"),
        ("tools", "BadRequestError", "tools"),
        ("way", "BadRequestError", "agent_type"),
        ("session", "BadRequestError", "metadata"),
    ] {
        let wrong = &seen["wrong"][what];
        assert_eq!((&wrong["kind"], &wrong["param"]), (&json!(kind), &json!(param)), "{what}: {wrong}");
    }
    if has_code {
        let answer = &seen["file"];
        assert_eq!(answer["choices"][0]["message"]["content"], "3.0", "{answer}");
        assert_eq!(answer["minismith"]["answer"]["success"], true, "{answer}");
        assert_eq!(seen["wrong"]["file"]["kind"], "BadRequestError", "{}", seen["wrong"]);
    }
}
