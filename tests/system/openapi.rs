//! The OpenAPI document is true: schemathesis generates requests from it and checks the responses.

use std::path::PathBuf;

use minismith_tests::{TestDir, workspace};

use super::cli::listening;

/// A fast tool with the document's example name.
const GREET: &str = "def greet(times: int = 1) -> str:\n    \"\"\"Greet.\n\n    Args:\n        times: How often, between \
                     1 and 5.\n\n    Returns:\n        The greeting.\n    \"\"\"\n    return \" \".join([\"hi\"] * times)\n";

/// The options of the run. A 503 is correct where the document lists it; elsewhere the status check rejects it.
const CONFIG: &str = r#"
seed = 20
request-timeout = 20.0

[generation]
max-examples = 5
no-shrink = true
deterministic = true
database = "none"

[phases.stateful]
enabled = false

[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
"#;

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,\
                      response_headers_conformance,negative_data_rejection,unsupported_method,allow_header_conformance";

/// Returns the program; prints a note and returns none where there is none.
fn schemathesis() -> Option<PathBuf> {
    let program = workspace().join(".cache/clients/bin/schemathesis");
    if program.is_file() {
        return Some(program);
    }
    println!("skipped: schemathesis is not installed (make clients)");
    None
}

#[test]
// It is Python code and needs a process of its own.
#[allow(clippy::disallowed_methods)]
fn server_matches_its_openapi_document() {
    let Some(program) = schemathesis() else { return };
    let bench = TestDir::new();
    let tool = bench.write("greet.py", GREET);
    let _added = bench.run(&["tool", "add", tool.to_str().unwrap()]).exits(0);
    let mut server = bench.start(&["serve", "--robot", "mock", "--port", "0", "--json"]);
    let address = listening(&server.line().unwrap());
    let config = bench.write("schemathesis.toml", CONFIG);
    let output = std::process::Command::new(program)
        .args(["--config-file", config.to_str().unwrap(), "run", "--no-color"])
        .arg(format!("http://{address}/api/v1/openapi.json"))
        .args(["--checks", CHECKS, "--continue-on-failure"])
        // The telemetry stream never ends.
        .args(["--exclude-path", "/api/v1/camera/stream"])
        .current_dir(bench.path("."))
        .env_remove("HYPOTHESIS_PROFILE")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let health = super::cli::send(&address, "GET /health", &[], "");
    assert_eq!((health.0, &health.1["status"]), (200, &serde_json::json!("ok")));
}
