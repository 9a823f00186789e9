//! The built-in file, partial files, and a table of bad ones.

use super::*;

pub(super) fn check(text: &str) -> Result<Config, ConfigError> {
    let name = "robot.yaml";
    let folder = Path::new("/home/ada");
    let layout = Layout::of_project(Environment::of_this_process(), folder);
    read_own(name, text.as_bytes(), folder, &layout)
}

#[track_caller]
pub(super) fn refused(text: &str, message: &str) {
    assert_eq!(check(text).unwrap_err().to_string(), message, "for {text:?}");
}

#[test]
fn the_built_in_file_has_the_start_values() {
    let config = Config::built_in().unwrap();
    assert_eq!(config.robot, RobotChoice::Mock);
    assert_eq!(config.rate.period(), Duration::from_millis(10));
    assert_eq!(config.limits.body_rotation.max_angle, Radians::from_degrees(160.0));
    assert_eq!(config.limits.stewart.soft_limit_margin, Radians::from_degrees(1.0));
    assert_eq!(config.limits.stewart.max_acceleration, Radians(120.0));
    assert_eq!(config.limits.antennas.max_velocity, Radians(15.0));
    assert_eq!(config.limits.head.max_relative_yaw, Radians::from_degrees(65.0));
    assert_eq!(config.bus.watchdog, Some(Duration::from_millis(200)));
    assert_eq!(config.workshop.budget.robot_time, Duration::from_secs(120));
    assert_eq!(config.workshop.budget.guest, minismith_protocol::Limits::default());
    assert_eq!(config.tool_host.sandbox_requirements.to_string(), "everything but landlock");
    assert!(config.tools.is_absolute() && config.tools.ends_with("tools"));
}

#[test]
fn the_built_in_file_gives_every_key_and_explains_each() {
    // Every key it gives is known; `built_in` above would fail were one missing. Each stands under a comment.
    let mut explained = false;
    let mut in_roster = false;
    for line in BUILT_IN.lines() {
        // The keys of an agent are explained above the list of agents.
        in_roster = line == "  roster:" || (in_roster && (line.is_empty() || line.starts_with("    ")));
        if in_roster && line != "  roster:" {
            continue;
        }
        let is_comment = line.trim_start().starts_with('#');
        let is_plain = ["max_velocity_rad_s:", "max_acceleration_rad_s2:", "max_jerk_rad_s3:"]
            .iter()
            .any(|key| line.trim_start().starts_with(key));
        assert!(line.is_empty() || is_comment || explained || is_plain, "no comment above {line:?}");
        explained = is_comment;
    }
}

#[test]
fn a_file_changes_only_what_it_gives() {
    let built_in = Config::built_in().unwrap();
    let config =
        check("robot: dev/robot\ncontrol_loop: {rate_hz: 50}\nlimits:\n  head: {max_pitch_deg: 20}\n")
            .unwrap();
    assert_eq!(config.robot, RobotChoice::Serial("/home/ada/dev/robot".into()));
    assert_eq!(config.rate.value(), 50.0);
    assert_eq!(config.limits.head.max_pitch, Radians::from_degrees(20.0));
    assert_eq!(config.limits.head.max_roll, built_in.limits.head.max_roll);
    assert_eq!(config.bus, built_in.bus);
    assert_eq!(config.tools, Path::new("/home/ada/tools"));
}

#[test]
fn what_is_commented_out_has_its_built_in_value() {
    let built_in = Config::built_in().unwrap();
    assert_eq!(check("control_loop:\n  # rate_hz: 50\n").unwrap().rate, built_in.rate);
    assert_eq!(check("# robot: mock-bus\n").unwrap().robot, built_in.robot);
}

#[test]
fn quoted_values_and_an_absent_watchdog_are_fine() {
    let config =
        check("robot: \"mock-bus\"\nbus: {watchdog_ms: 0, baud: '57600'}\nserver: {host: '::1'}").unwrap();
    assert_eq!(config.robot, RobotChoice::MockBus);
    assert_eq!(config.bus.watchdog, None);
    assert_eq!(config.bus.baud, 57_600);
    assert!(config.server.host.is_ipv6());
}

#[test]
fn unknown_keys_are_named_with_what_was_meant() {
    for (text, message) in [
        (
            "robot: mock\ncontrol_lop: {rate_hz: 100}",
            "robot.yaml:2: control_lop: unknown key; allowed here: robot, control_loop, limits, bus, server, compat, fleet, tools, models, \
             workshop, update, tool_host, nlu, language_model, local_model, agents, memory, camera, vision, voice, journal, traces, rerun, logs, telemetry; did you mean `control_loop`?",
        ),
        (
            "limits:\n  stewart:\n    max_velocity_rad_s: 3\n    max_acceleraton: 9",
            "robot.yaml:4: limits.stewart.max_acceleraton: unknown key; allowed here: soft_limit_margin_deg, \
             max_velocity_rad_s, max_acceleration_rad_s2, max_jerk_rad_s3; did you mean `max_acceleration_rad_s2`?",
        ),
        (
            "control_loop:\n  rate: 100",
            "robot.yaml:2: control_loop.rate: unknown key; allowed here: rate_hz; did you mean `rate_hz`?",
        ),
        ("tools: {xyzzy: 1}", "robot.yaml:1: tools.xyzzy: unknown key; allowed here: directory, predefined"),
        (
            "tool-host: {}",
            "robot.yaml:1: tool-host: unknown key; allowed here: robot, control_loop, limits, bus, server, compat, fleet, tools, models, workshop, update, tool_host, nlu, language_model, local_model, agents, memory, camera, vision, voice, journal, traces, rerun, logs, telemetry; did you mean `tool_host`?",
        ),
        (
            "tools: {\"a`, expected `b\": 1}",
            "robot.yaml:1: tools.a`, expected `b: unknown key; allowed here: directory, predefined",
        ),
        (
            "tools: {<<: {directory: x}}",
            "robot.yaml:1: tools.<<: unknown key; allowed here: directory, predefined",
        ),
        ("tools: {1: x}", "robot.yaml:1: tools.1: unknown key; allowed here: directory, predefined"),
    ] {
        refused(text, message);
    }
}

#[test]
fn bad_values_are_named_with_what_is_allowed() {
    for (text, message) in [
        (
            "robot: mokc",
            "robot.yaml:1: robot: `mokc` is not allowed; allowed: mock, mock-bus, or the path of a serial device such \
             as /dev/ttyACM0; did you mean `mock`?",
        ),
        (
            "robot: mock_bus",
            "robot.yaml:1: robot: `mock_bus` is not allowed; allowed: mock, mock-bus, or the path of a serial device \
             such as /dev/ttyACM0; did you mean `mock-bus`?",
        ),
        (
            "robot: ttyACM0",
            "robot.yaml:1: robot: `ttyACM0` is not allowed; allowed: mock, mock-bus, or the path of a serial device \
             such as /dev/ttyACM0; did you mean `/dev/ttyACM0`?",
        ),
        (
            "\n\ncontrol_loop:\n  rate_hz: 1000",
            "robot.yaml:4: control_loop.rate_hz: `1000` is not allowed; allowed: a number from 10 to 400 (Hz)",
        ),
        (
            "control_loop: {rate_hz: 100 Hz}",
            "robot.yaml:1: control_loop.rate_hz: `100 Hz` is not allowed; allowed: a number from 10 to 400 (Hz); did you mean \
             `100`?",
        ),
        (
            "control_loop: {rate_hz: .nan}",
            "robot.yaml:1: control_loop.rate_hz: `.nan` is not allowed; allowed: a number from 10 to 400 (Hz)",
        ),
        (
            "control_loop: {rate_hz: NaN}",
            "robot.yaml:1: control_loop.rate_hz: `NaN` is not allowed; allowed: a number from 10 to 400 (Hz)",
        ),
        (
            "control_loop: {rate_hz: 1e999}",
            "robot.yaml:1: control_loop.rate_hz: `1e999` is not allowed; allowed: a number from 10 to 400 (Hz)",
        ),
        (
            "control_loop:\n  rate_hz:\n",
            "robot.yaml:2: control_loop.rate_hz: `` is not allowed; allowed: a number from 10 to 400 (Hz)",
        ),
        (
            "limits: {head: {max_pitch_deg: -40}}",
            "robot.yaml:1: limits.head.max_pitch_deg: `-40` is not allowed; allowed: a number from 1 to 90 (degrees)",
        ),
        (
            "limits: {body_rotation: {max_velocity_rad_s: 0}}",
            "robot.yaml:1: limits.body_rotation.max_velocity_rad_s: `0` is not allowed; allowed: a number from 0.01 to 40 (rad/s)",
        ),
        (
            "bus:\n  baud: 1_000_000",
            "robot.yaml:2: bus.baud: `1_000_000` is not allowed; allowed: 9600, 57600, 115200, 1000000, 2000000, \
             3000000, 4000000; did you mean `1000000`?",
        ),
        (
            "bus: {watchdog_ms: 250}",
            "robot.yaml:1: bus.watchdog_ms: `250` is not allowed; allowed: 0 (off), or 20 to 2540 in steps of 20 \
             (milliseconds); did you mean `260`?",
        ),
        (
            "bus: {watchdog_ms: 2560}",
            "robot.yaml:1: bus.watchdog_ms: `2560` is not allowed; allowed: 0 (off), or 20 to 2540 in steps of 20 (milliseconds)",
        ),
        (
            "server: {host: localhost}",
            "robot.yaml:1: server.host: `localhost` is not allowed; allowed: an address: 127.0.0.1 or ::1 for this computer \
             only, 0.0.0.0 or :: for all network interfaces; did you mean `127.0.0.1`?",
        ),
        (
            "compat: {trusted_peers: [0.0.0.0/0]}",
            "robot.yaml:1: compat.trusted_peers[0]: `0.0.0.0/0` is not allowed; allowed: an address such as 192.168.1.20, or a \
             network such as 192.168.1.0/28",
        ),
        (
            "server: {port: 65536}",
            "robot.yaml:1: server.port: `65536` is not allowed; allowed: a whole number from 0 to 65535",
        ),
        (
            "workshop: {budget: {cpu_time_s: 10s}}",
            "robot.yaml:1: workshop.budget.cpu_time_s: `10s` is not allowed; allowed: a whole number from 1 to 600 \
             (seconds); did you mean `10`?",
        ),
        (
            "workshop: {max_repair_attempts: 2.5}",
            "robot.yaml:1: workshop.max_repair_attempts: `2.5` is not allowed; allowed: a whole number from 1 to 10",
        ),
        (
            "tool_host:\n  optional_sandbox_mechanisms:\n    - landlock\n    - namespace",
            "robot.yaml:4: tool_host.optional_sandbox_mechanisms[1]: `namespace` is not allowed; allowed: namespaces, pivot_root, landlock; did \
             you mean `namespaces`?",
        ),
        (
            "tool_host: {optional_sandbox_mechanisms: [seccomp]}",
            "robot.yaml:1: tool_host.optional_sandbox_mechanisms[0]: `seccomp` is not allowed; allowed: namespaces, pivot_root, landlock (no \
             tool runs without seccomp, on any machine)",
        ),
        (
            "tool_host: {optional_sandbox_mechanisms: landlock}",
            "robot.yaml:1: tool_host.optional_sandbox_mechanisms: there is string \"landlock\" here; allowed: a list in square brackets",
        ),
        (
            "tool_host: {least_cage: landlock}",
            "robot.yaml:1: tool_host.least_cage: unknown key; allowed here: python, optional_sandbox_mechanisms",
        ),
        (
            "workshop: {budget: {max_frames: -1}}",
            "robot.yaml:1: workshop.budget.max_frames: `-1` is not allowed; allowed: a whole number from 0 to 1000000",
        ),
        (
            "workshop: {budget: {frames_per_second: 0}}",
            "robot.yaml:1: workshop.budget.frames_per_second: `0` is not allowed; allowed: a whole number from 1 to 1000",
        ),
        (
            "workshop:\n  trusted_signers:\n    - 00ff",
            "robot.yaml:3: workshop.trusted_signers[0]: `00ff` is not allowed; allowed: a public key of 64 hexadecimal \
             digits, as `minismith tool export` tells it",
        ),
        (
            "update: {public_key: RWQ}",
            "robot.yaml:1: update.public_key: `RWQ` is not allowed; allowed: none, or the second line of a .pub file of \
             minisign",
        ),
        (
            "nlu: gramar",
            "robot.yaml:1: nlu: `gramar` is not allowed; allowed: grammar, llm, local; did you mean `grammar`?",
        ),
        (
            "language_model:\n  endpoints:\n    - url: 127.0.0.1:8080/v1",
            "robot.yaml:3: language_model.endpoints[0].url: `127.0.0.1:8080/v1` is not allowed; allowed: an address that \
             begins with http:// or https://, without user, `?` or `#`, such as http://127.0.0.1:8080/v1; did you mean \
             `http://127.0.0.1:8080/v1`?",
        ),
        (
            "language_model:\n  endpoints:\n    - url: http://127.0.0.1/v1\n      modell: x",
            "robot.yaml:4: language_model.endpoints[0].modell: unknown key; allowed here: url, model, key_env; did you \
             mean `model`?",
        ),
        (
            "language_model: {endpoints: [{key_env: sk-secret}]}",
            "robot.yaml:1: language_model.endpoints[0].key_env: `what stands here` is not allowed; allowed: the name of \
             an environment variable in capitals, such as OPENAI_API_KEY, never the key itself",
        ),
        (
            "language_model: {endpoints: {url: x}}",
            "robot.yaml:1: language_model.endpoints: there is map here; allowed: a list, each entry after a dash",
        ),
        (
            "language_model: {endpoints: [{model: two words}]}",
            "robot.yaml:1: language_model.endpoints[0].model: `two words` is not allowed; allowed: a model's name as its \
             endpoint lists it, without spaces",
        ),
        (
            "language_model: {allow_plain_http: yes}",
            "robot.yaml:1: language_model.allow_plain_http: `yes` is not allowed; allowed: true, false",
        ),
        (
            "language_model: {read_timeout_s: 0}",
            "robot.yaml:1: language_model.read_timeout_s: `0` is not allowed; allowed: a number from 0.1 to 3600 \
             (seconds)",
        ),
        ("tools: {directory: ''}", "robot.yaml:1: tools.directory: `` is not allowed; allowed: a path"),
        (
            "robot: \"a\\x1b[31m\"",
            "robot.yaml:1: robot: `a\\u{1b}[31m` is not allowed; allowed: mock, mock-bus, or the path of a serial device such as /dev/ttyACM0",
        ),
    ] {
        refused(text, message);
    }
}

#[test]
fn wrong_shapes_are_named() {
    for (text, message) in [
        ("robot: [mock]", "robot.yaml:1: robot: there is sequence here; allowed: one value"),
        ("robot: {mock: 1}", "robot.yaml:1: robot: there is map here; allowed: one value"),
        (
            "robot: mock\ncontrol_loop: 100",
            "robot.yaml:2: control_loop: there is integer `100` here; allowed: a mapping of keys",
        ),
        (
            "control_loop: []",
            "robot.yaml:1: control_loop: there is sequence here; allowed: a mapping of keys",
        ),
        ("mock", "robot.yaml:1: the file: there is string \"mock\" here; allowed: a mapping of keys"),
        (
            "tools:\n  directory: a\n  directory: b",
            "robot.yaml:2: tools.directory: is given twice in this section; keep one",
        ),
    ] {
        refused(text, message);
    }
}

#[test]
fn values_that_do_not_fit_together_are_named() {
    refused(
        "control_loop: {rate_hz: 10}",
        "robot.yaml: bus.watchdog_ms (200) is less than three control cycles at control_loop.rate_hz (10), so the servos \
         would stop during a motion; raise either one, or disable the watchdog with 0",
    );
    assert!(check("control_loop: {rate_hz: 10}\nbus: {watchdog_ms: 300}").is_ok());
    refused(
        "nlu: llm",
        "robot.yaml: nlu is `llm`, but language_model.endpoints is empty; write for example `language_model: {endpoints: \
         [{url: http://127.0.0.1:8080/v1, model: NAME}]}`, or `nlu: grammar`",
    );
    refused(
        "language_model: {endpoints: [{url: http://127.0.0.1/v1, model: m}, {url: http://127.0.0.1/v1}]}",
        "robot.yaml: language_model.endpoints[1] has no `model`; each entry needs both `url` and `model`",
    );
}

#[test]
fn endpoints_are_read_in_order() {
    let config = check(
        "nlu: llm\nlanguage_model:\n  request_timeout_s: 1.5\n  endpoints:\n    - url: http://127.0.0.1:8080/v1/\n      \
         model: small\n    - {url: 'https://example.com/v1', model: org/large, key_env: A_KEY}\n",
    )
    .unwrap();
    let model = &config.language_model;
    assert_eq!((config.nlu, model.endpoints.len()), (Nlu::Llm, 2));
    assert_eq!(model.endpoints[0].url.to_string(), "http://127.0.0.1:8080/v1");
    assert_eq!((model.endpoints[0].model.as_str(), &model.endpoints[0].key), ("small", &None));
    assert_eq!(model.endpoints[1].key.as_ref().unwrap().to_string(), "A_KEY");
    assert_eq!(model.request_timeout, Duration::from_millis(1500));
    let built_in = Config::built_in().unwrap();
    assert_eq!(model.read_timeout, built_in.language_model.read_timeout);
    assert_eq!(built_in.language_model.endpoints, []);
    assert_eq!(built_in.nlu, Nlu::Grammar);
}

#[test]
fn nothing_is_said_in_the_clear_where_others_may_listen() {
    let said = |url: &str, more: &str, also: &str| {
        check(&format!("language_model: {{endpoints: [{{url: '{url}', model: m{more}}}]{also}}}"))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for (url, bare, with_key) in [
        ("http://127.0.0.1:1/v1", true, true),
        ("http://[::1]:1/v1", true, true),
        ("http://localhost/v1", true, true),
        ("http://192.168.1.7/v1", true, false),
        ("http://8.8.8.8/v1", false, false),
        ("http://example.com/v1", false, false),
        ("https://example.com/v1", true, true),
    ] {
        assert_eq!(said(url, "", "").is_ok(), bare, "{url}");
        assert_eq!(said(url, ", key_env: K", "").is_ok(), with_key, "{url} with a key");
        assert_eq!(said(url, ", key_env: K", ", allow_plain_http: true"), Ok(()), "{url}");
    }
    assert_eq!(
        said("http://192.168.1.7/v1", ", key_env: K", "").unwrap_err(),
        "robot.yaml: language_model.endpoints[0] would be asked over plain http at http://192.168.1.7/v1, where others \
         can listen and answer in its place, and read the key; use https, or, if the way there is safe, \
         `language_model: {allow_plain_http: true}`"
    );
}

#[test]
fn what_is_no_configuration_is_refused() {
    for empty in ["", "\n \n"] {
        assert_eq!(check(empty), Err(ConfigError::Empty { file: "robot.yaml".into() }));
    }
    let error = text_of("x", b"robot: mock\nnlu: \xff\xfe").unwrap_err();
    assert_eq!(error, ConfigError::NotText { file: "x".into(), line: 2 });
    assert!(matches!(text_of("x", &vec![b'#'; MAX_FILE_BYTES + 1]), Err(ConfigError::TooLong { .. })));
    assert!(matches!(check("robot: mock\n\tnlu: grammar"), Err(ConfigError::NotYaml { line: 2, .. })));
    assert!(matches!(check("robot: *nobody"), Err(ConfigError::NotYaml { line: 1, .. })));
    assert!(matches!(check("robot: mock\n---\nrobot: mock"), Err(ConfigError::Whole { .. })));
}

#[test]
fn aliases_and_depth_cannot_exhaust_memory() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (one, next) in ('a'..='y').zip('b'..='z') {
        bomb.push_str(&format!(
            "{next}: &{next} [*{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}]\n"
        ));
    }
    assert!(check(&bomb).is_err());
    assert!(check(&format!("tools: &t\n  directory: *t\n{bomb}")).is_err());
    assert!(check(&format!("robot: {}", "[".repeat(MAX_FILE_BYTES - 10))).is_err());
    assert!(check(&"{robot: ".repeat(MAX_FILE_BYTES / 8)).is_err());
    assert!(check("control_loop: &p {rate_hz: *p}").is_err());
}

#[test]
fn files_are_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.yaml");
    std::fs::write(&path, "tools: {directory: things}\n").unwrap();
    let config = Config::load(Some(&path)).unwrap();
    assert_eq!(config.tools, folder.path().join("things"));
    assert_eq!(config.source, Some(path));

    let missing = folder.path().join("none.yaml");
    let error = Config::load(Some(&missing)).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: cannot be read (No such file", missing.display())), "{error}");
    assert!(matches!(Config::load(Some(folder.path())), Err(ConfigError::Unreadable { .. })));
}

#[test]
fn the_bar_is_lowered_by_name() {
    let bar = |text: &str| check(text).unwrap().tool_host.sandbox_requirements.to_string();
    assert_eq!(bar("tool_host: {optional_sandbox_mechanisms: []}"), "everything");
    assert_eq!(
        bar("tool_host: {optional_sandbox_mechanisms: [pivot_root, namespaces]}"),
        "everything but namespaces, pivot_root"
    );
    assert_eq!(bar("tool_host: {python: p}"), "everything but landlock");
}

/// A configuration in a folder of its own, with a user whose folders are there too.
fn loaded(folder: &Path, text: &str) -> Result<Config, ConfigError> {
    let path = folder.join("config.yaml");
    std::fs::write(&path, text).unwrap();
    let mut environment = Environment::of_this_process();
    environment.variables = [("HOME", folder.join("home").into())].into();
    environment.share = folder.join("usr");
    environment.program = Some(folder.join("bin"));
    Config::load_in(environment, Some(&path))
}

#[test]
fn predefined_tools_are_those_of_the_folder_or_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let predefined = |text: &str| loaded(folder.path(), text).unwrap().predefined;
    assert_eq!(predefined("robot: mock\n"), Predefined::BuiltIn);
    assert_eq!(predefined("tools: {predefined: directory}\n"), Predefined::InTools);
    assert_eq!(predefined("tools: {predefined: ./mine}\n"), Predefined::Folder(at("mine")));
    // A folder that is empty, or holds only states, holds no tool.
    std::fs::create_dir_all(at("tools/predefined/nod")).unwrap();
    std::fs::write(at("tools/predefined/nod/state.json"), "{}").unwrap();
    assert_eq!(predefined("robot: mock\n"), Predefined::BuiltIn);
    let shared = at("usr/tools/predefined/nod");
    std::fs::create_dir_all(&shared).unwrap();
    std::fs::write(shared.join("v1.json"), "{}").unwrap();
    assert_eq!(predefined("robot: mock\n"), Predefined::Folder(at("usr/tools/predefined")));
    std::fs::write(at("tools/predefined/nod/v1.json"), "{}").unwrap();
    assert_eq!(predefined("robot: mock\n"), Predefined::InTools);
    assert_eq!(predefined("tools: {predefined: built-in}\n"), Predefined::BuiltIn);
    refused(
        "tools: {predefined: bulit-in}",
        "robot.yaml:1: tools.predefined: `bulit-in` is not allowed; allowed: auto, directory, built-in, or the path of a \
         folder with a slash in it; did you mean `built-in`?",
    );
}

#[test]
fn a_key_with_its_default_is_looked_for_and_any_other_is_taken_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home/.local/share/minismith");
    std::fs::create_dir_all(home.join("models")).unwrap();
    std::fs::write(home.join("models/one.onnx"), "").unwrap();
    let config = loaded(folder.path(), "models: {directory: .cache/models}\n").unwrap();
    assert_eq!(config.models, home.join("models"));
    let config =
        loaded(folder.path(), "models: {directory: mine}\ntool_host: {python: ~/py/bin/python}\n").unwrap();
    assert_eq!(config.models, folder.path().join("mine"));
    assert_eq!(config.tool_host.python, folder.path().join("home/py/bin/python"));
    let models = config.locations.iter().find(|location| location.name == "models").unwrap();
    assert!(models.reason.starts_with("set in ") && !models.exists, "{models:?}");
}
