//! [`resolve`] converts the keys of a file to a [`Config`]: built-in values, units, absolute paths and checks across keys.

use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::units::Radians;

use super::camera::{IntrinsicsName, intrinsics};
use super::file::{EndpointKeys, File, Given, Listed, SpeechKeys};
use super::language_model::overheard;
use super::places::Places;
use super::roster::roster;
use super::{
    Agents, Apps, BUILT_IN, BUILT_IN_NAME, Budget, Bus, Camera, CameraSource, Config, ConfigError, Endpoint,
    Fleet, FleetMembership, FleetOperator, Group, Head, LanguageModel, Limits, LocalModel, Logs, Memory, Nlu,
    RecordingConfig, RerunConfig, RobotChoice, SceneChoice, Server, Service, Stewart, ToolHost, Update,
    Vision, Voice, Workshop, parse,
};
use crate::journal::RotatingFile;
use crate::paths::Layout;

/// Returns the configuration of `own`, with the built-in value for each missing key.
pub(super) fn resolve(own: &File, name: &str, folder: &Path, layout: &Layout) -> Result<Config, ConfigError> {
    let built_in = parse(BUILT_IN_NAME, BUILT_IN)?;
    let mut places = Places::new(layout, folder, name);
    /// The value of one key.
    macro_rules! of {
        ($($key:ident).+) => {
            pick(&own.$($key).+, &built_in.$($key).+, stringify!($($key).+))?
        };
    }
    /// The built-in path of one key.
    macro_rules! default {
        ($($key:ident).+) => {
            built_in.$($key).+.0.as_ref().map(|path| path.0.as_path())
        };
    }
    /// The path of one key: a file or folder that the program writes for its user.
    macro_rules! user_path {
        ($name:literal, $($key:ident).+) => {
            places.of_the_user($name, stringify!($($key).+), &of!($($key).+).0, default!($($key).+))?
        };
    }
    let tools = places.tools(&of!(tools.directory).0, default!(tools.directory))?;
    let predefined = places.predefined(of!(tools.predefined), &tools);
    let models = places.models(&of!(models.directory).0, default!(models.directory));
    let python = places.python(&of!(tool_host.python).0, default!(tool_host.python));
    let local_model = places.local_model(&of!(local_model.directory).0, default!(local_model.directory));
    let sessions = user_path!("sessions", memory.file);
    let journal = user_path!("journal", journal.file);
    /// The path of one key that may be none.
    macro_rules! maybe_user_path {
        ($name:literal, $($key:ident).+) => {
            match of!($($key).+).0 {
                None => None,
                Some(path) => {
                    let default = built_in.$($key).+.0.as_ref().and_then(|path| path.0.as_deref());
                    Some(places.of_the_user($name, stringify!($($key).+), &path, default)?)
                }
            }
        };
    }
    let traces = maybe_user_path!("traces", traces.directory);
    let log = maybe_user_path!("log", logs.file);
    let photographs = user_path!("photographs", camera.photo_directory);
    let tokens = user_path!("tokens", server.token_file);
    let signing_key = user_path!("signing key", workshop.signing_key);
    let programs = user_path!("programs of self-update", update.directory);
    let app_directory = user_path!("apps", compat.app_directory);
    let fleet_directory = user_path!("fleet", fleet.directory);
    let limits = Limits {
        body_rotation: Group {
            max_angle: of!(limits.body_rotation.max_angle_deg).into(),
            max_velocity: Radians(of!(limits.body_rotation.max_velocity_rad_s).value()),
            max_acceleration: Radians(of!(limits.body_rotation.max_acceleration_rad_s2).value()),
            max_jerk: Radians(of!(limits.body_rotation.max_jerk_rad_s3).value()),
        },
        stewart: Stewart {
            soft_limit_margin: of!(limits.stewart.soft_limit_margin_deg).into(),
            max_velocity: Radians(of!(limits.stewart.max_velocity_rad_s).value()),
            max_acceleration: Radians(of!(limits.stewart.max_acceleration_rad_s2).value()),
            max_jerk: Radians(of!(limits.stewart.max_jerk_rad_s3).value()),
        },
        antennas: Group {
            max_angle: of!(limits.antennas.max_angle_deg).into(),
            max_velocity: Radians(of!(limits.antennas.max_velocity_rad_s).value()),
            max_acceleration: Radians(of!(limits.antennas.max_acceleration_rad_s2).value()),
            max_jerk: Radians(of!(limits.antennas.max_jerk_rad_s3).value()),
        },
        head: Head {
            max_pitch: of!(limits.head.max_pitch_deg).into(),
            max_roll: of!(limits.head.max_roll_deg).into(),
            max_relative_yaw: of!(limits.head.max_relative_yaw_deg).into(),
            min_singularity_margin: of!(limits.head.min_singularity_margin).value(),
        },
        unapproved_tool_scale: of!(limits.unapproved_tool_scale),
    };
    let budget = Budget {
        robot_time: Duration::from_secs_f64(of!(workshop.budget.robot_time_s).value()),
        guest: minismith_protocol::Limits {
            cpu_seconds: u64::from(of!(workshop.budget.cpu_time_s).value()),
            memory_bytes: u64::from(of!(workshop.budget.max_memory_mb).value()) << 20,
            output_bytes: u64::from(of!(workshop.budget.max_output_kb).value()) << 10,
            wall_seconds: of!(workshop.budget.wall_time_s).value(),
            frames: u64::from(of!(workshop.budget.max_frames).value()),
            frames_per_second: u64::from(of!(workshop.budget.frames_per_second).value()),
            motions_per_second: u64::from(of!(workshop.budget.motions_per_second).value()),
            ..minismith_protocol::Limits::default()
        },
    };
    let config = Config {
        source: None,
        old_spellings: Vec::new(),
        robot: match of!(robot) {
            RobotChoice::Serial(device) => RobotChoice::Serial(places.absolute(&device)),
            mock => mock,
        },
        rate: of!(control_loop.rate_hz),
        limits,
        bus: Bus {
            baud: of!(bus.baud).0,
            min_voltage_v: of!(bus.min_voltage_v).value(),
            watchdog: of!(bus.watchdog_ms).time(),
            reply_timeout: Duration::from_millis(u64::from(of!(bus.reply_timeout_ms).value())),
        },
        server: Server {
            host: of!(server.host).0,
            port: of!(server.port).value(),
            token_file: tokens,
            anonymous_role: of!(server.anonymous_role).0,
            allowed_hosts: listed(&own.server.allowed_hosts),
            allowed_origins: listed(&own.server.allowed_origins),
            max_connections: of!(server.max_connections).value(),
            rate_limit_per_s: of!(server.rate_limit_per_s).value(),
            mcp_idle_timeout: Duration::from_secs(u64::from(of!(server.mcp_idle_timeout_s).value())),
            tls: tls(of!(server.tls_certificate).0, of!(server.tls_key).0, name)?
                .map(|(certificate, key)| (places.absolute(&certificate), places.absolute(&key))),
            mdns: of!(server.mdns).0,
            trusted_peers: listed(&own.compat.trusted_peers),
            camera_socket: of!(compat.camera_socket),
            webrtc: of!(compat.webrtc),
        },
        tools,
        predefined,
        models,
        workshop: Workshop {
            max_repair_attempts: of!(workshop.max_repair_attempts).value(),
            signing_key,
            trusted_signers: own
                .workshop
                .trusted_signers
                .0
                .as_ref()
                .or(built_in.workshop.trusted_signers.0.as_ref())
                .cloned()
                .unwrap_or_default(),
            budget,
        },
        apps: Apps {
            directory: app_directory,
            sdk: of!(compat.app_sdk).0,
            memory_bytes: u64::from(of!(compat.app_memory_mb).value()) << 20,
        },
        fleet: Fleet {
            name: of!(fleet.fleet),
            router: of!(fleet.router).0,
            directory: fleet_directory,
            membership: match of!(fleet.robot).0 {
                None => None,
                Some(robot) => Some(FleetMembership {
                    robot,
                    groups: listed(&own.fleet.groups),
                    camera_fps: of!(fleet.camera_fps).value(),
                    token_file: of!(fleet.token_file).0.map(|path| places.absolute(&path)),
                }),
            },
            operator: match of!(fleet.operator).0 {
                None => None,
                Some(name) => Some(FleetOperator {
                    name,
                    identity: of!(fleet.operator_identity).0.map(|path| places.absolute(&path)),
                }),
            },
        },
        update: Update { public_key: of!(update.public_key).0, directory: programs },
        tool_host: ToolHost {
            python,
            sandbox_requirements: pick(
                &Given(own.tool_host.optional_sandbox_mechanisms.0.clone()),
                &Given(built_in.tool_host.optional_sandbox_mechanisms.0),
                "tool_host.optional_sandbox_mechanisms",
            )?
            .into_iter()
            .map(|name| name.0)
            .collect(),
        },
        nlu: of!(nlu),
        language_model: LanguageModel {
            endpoints: endpoints(
                "language_model",
                own.language_model.endpoints.0.as_ref().or(built_in.language_model.endpoints.0.as_ref()),
                name,
            )?,
            request_timeout: Duration::from_secs_f64(of!(language_model.request_timeout_s).value()),
            read_timeout: Duration::from_secs_f64(of!(language_model.read_timeout_s).value()),
            max_retries: of!(language_model.max_retries).value(),
            max_prompt_tokens: of!(language_model.max_prompt_tokens).value(),
            max_completion_tokens: of!(language_model.max_completion_tokens).value(),
            temperature: of!(language_model.temperature).value(),
            seed: of!(language_model.seed).value(),
        },
        local_model: LocalModel {
            directory: local_model,
            threads: of!(local_model.threads).value(),
            context_tokens: of!(local_model.context_tokens).value(),
            memory_headroom_bytes: u64::from(of!(local_model.memory_headroom_mb).value()) << 20,
            idle_timeout: Duration::from_secs_f64(of!(local_model.idle_timeout_s).value()),
        },
        agents: Agents {
            max_model_calls: of!(agents.max_model_calls).value(),
            max_tokens: u64::from(of!(agents.max_tokens).value()),
            timeout_s: of!(agents.timeout_s).value(),
            max_repeated_calls: of!(agents.max_repeated_calls).value(),
            roster: roster(built_in.agents.roster.0.as_ref(), own.agents.roster.0.as_ref())
                .map_err(|problem| ConfigError::Whole { file: name.to_owned(), problem })?,
        },
        memory: Memory { file: sessions, retention_days: of!(memory.retention_days).value() },
        camera: Camera {
            source: match of!(camera.source) {
                CameraSource::Files(path) => CameraSource::Files(places.absolute(&path)),
                other => other,
            },
            scene: match of!(camera.scene) {
                SceneChoice::File(path) => SceneChoice::File(places.absolute(&path)),
                built_in => built_in,
            },
            size: (of!(camera.width).value(), of!(camera.height).value()),
            fps: of!(camera.fps).value(),
            latency: Duration::from_millis(u64::from(of!(camera.latency_ms).value())),
            intrinsics: intrinsics(of!(camera.intrinsics), &listed(&own.camera.calibration), name)?,
            auto_intrinsics: of!(camera.intrinsics) == IntrinsicsName::Auto
                && listed(&own.camera.calibration).is_empty(),
            photo_directory: photographs,
        },
        vision: Vision {
            execution_providers: listed(&own.vision.execution_providers)
                .into_iter()
                .map(|provider| provider.0)
                .collect(),
            idle_timeout: Duration::from_secs_f64(of!(vision.idle_timeout_s).value()),
            endpoints: endpoints("vision", own.vision.endpoints.0.as_ref(), name)?,
            upload_width_px: of!(vision.upload_width_px).value(),
            max_uploads_per_hour: of!(vision.max_uploads_per_hour).value(),
        },
        voice: Voice {
            microphone: of!(voice.microphone).0,
            speaker: of!(voice.speaker).0,
            wake_words: listed(&own.voice.wake_words).into_iter().map(|word| word.0).collect(),
            stop_words: listed(&own.voice.stop_words).into_iter().map(|word| word.0).collect(),
            wake_word_mode: of!(voice.wake_word_mode),
            role: of!(voice.role).0,
            attention_timeout: Duration::from_secs_f64(of!(voice.attention_timeout_s).value()),
            barge_in: of!(voice.barge_in).0,
            barge_in_stops_motion: of!(voice.barge_in_stops_motion).0,
            min_confidence: of!(voice.min_confidence).value(),
            volume: of!(voice.volume).value(),
            head_wobble: of!(voice.head_wobble).value(),
            antenna_cues: of!(voice.antenna_cues).0,
            language: of!(voice.language).0,
            tts_engine: of!(voice.tts_engine),
            transcription: endpoints("voice.transcription", own.voice.transcription.0.as_ref(), name)?
                .into_iter()
                .next()
                .map(|endpoint| Service { endpoint, voice: String::new() }),
            speech: speech(own.voice.speech.0.as_ref(), name)?,
        },
        recording: RecordingConfig {
            journal: RotatingFile {
                path: journal,
                max_bytes: u64::from(of!(journal.max_file_mb).value()) << 20,
                retained: of!(journal.max_files).value(),
            },
            traces,
            retention_days: of!(traces.retention_days).value(),
            max_total_bytes: u64::from(of!(traces.max_total_mb).value()) << 20,
            camera_fps: of!(traces.camera_fps).value(),
            rerun: RerunConfig {
                file: of!(rerun.file).0.map(|path| places.absolute(&path)),
                connect: of!(rerun.connect).0,
                listen: of!(rerun.listen).0,
                sample_rate_hz: of!(rerun.sample_rate_hz).value(),
                camera_fps: of!(rerun.camera_fps).value(),
            },
        },
        logs: Logs {
            file: match (log, of!(logs.max_file_mb), of!(logs.max_files)) {
                (None, ..) => None,
                (Some(path), longest, stored) => Some(RotatingFile {
                    path,
                    max_bytes: u64::from(longest.value()) << 20,
                    retained: stored.value(),
                }),
            },
            levels: of!(logs.level),
        },
        otlp_endpoint: of!(telemetry.otlp_endpoint).0,
        locations: std::mem::take(&mut places.found),
        untrusted: layout.untrusted().map(Path::to_owned).collect(),
    };
    let plain_http = of!(language_model.allow_plain_http).0;
    agree(&config, plain_http, name)?;
    may_be_asked("vision.endpoints", &config.vision.endpoints, plain_http, name)?;
    match config.bus.watchdog {
        Some(time) if time < config.rate.period() * 3 => Err(ConfigError::Whole {
            file: name.to_owned(),
            problem: format!(
                "bus.watchdog_ms ({}) is less than three control cycles at control_loop.rate_hz ({}), so the servos would \
                 stop during a motion; raise either one, or disable the watchdog with 0",
                time.as_millis(),
                config.rate.value()
            ),
        }),
        _ => Ok(config),
    }
}

/// Returns the entries of a list, which is empty if the key is missing.
fn listed<T: Clone>(own: &Listed<T>) -> Vec<T> {
    own.0.clone().unwrap_or_default()
}

/// Checks that certificate and key are both set, or neither.
fn tls(
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    name: &str,
) -> Result<Option<(PathBuf, PathBuf)>, ConfigError> {
    match (certificate, key) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
        _ => Err(ConfigError::Whole {
            file: name.to_owned(),
            problem: "server.tls_certificate and server.tls_key belong together: set both, or neither"
                .to_owned(),
        }),
    }
}

/// Returns the entries of `language_model.endpoints` or `vision.endpoints`. Every entry must be complete.
fn endpoints(
    key: &str,
    entries: Option<&Vec<EndpointKeys>>,
    name: &str,
) -> Result<Vec<Endpoint>, ConfigError> {
    let mut endpoints = Vec::new();
    for (position, entry) in entries.into_iter().flatten().enumerate() {
        let (Some(url), Some(model)) = (&entry.url.0, &entry.model.0) else {
            let lacking = if entry.url.0.is_none() { "url" } else { "model" };
            return Err(ConfigError::Whole {
                file: name.to_owned(),
                problem: format!(
                    "{key}.endpoints[{position}] has no `{lacking}`; each entry needs both `url` and `model`"
                ),
            });
        };
        endpoints.push(Endpoint { url: url.0.clone(), model: model.0.clone(), key: entry.key_env.0.clone() });
    }
    Ok(endpoints)
}

/// Returns the first service for speech output.
fn speech(entries: Option<&Vec<SpeechKeys>>, name: &str) -> Result<Option<Service>, ConfigError> {
    let Some(entry) = entries.and_then(|entries| entries.first()) else { return Ok(None) };
    let (Some(url), Some(model), Some(voice)) = (&entry.url.0, &entry.model.0, &entry.voice.0) else {
        return Err(ConfigError::Whole {
            file: name.to_owned(),
            problem: "voice.speech[0] needs `url`, `model` and `voice`".into(),
        });
    };
    let endpoint = Endpoint { url: url.0.clone(), model: model.0.clone(), key: entry.key_env.0.clone() };
    Ok(Some(Service { endpoint, voice: voice.0.clone() }))
}

/// Checks that a language model is configured if it is needed, and that no connection can be intercepted.
fn agree(config: &Config, plain_http: bool, name: &str) -> Result<(), ConfigError> {
    has_endpoint(config, name)?;
    may_be_asked("language_model.endpoints", &config.language_model.endpoints, plain_http, name)?;
    for (key, service) in
        [("voice.transcription", &config.voice.transcription), ("voice.speech", &config.voice.speech)]
    {
        let asked = service.iter().map(|service| service.endpoint.clone()).collect::<Vec<_>>();
        may_be_asked(key, &asked, plain_http, name)?;
    }
    Ok(())
}

/// Checks that an endpoint is configured if one is needed.
pub(super) fn has_endpoint(config: &Config, name: &str) -> Result<(), ConfigError> {
    match config.nlu {
        Nlu::Llm if config.language_model.endpoints.is_empty() => Err(ConfigError::Whole {
            file: name.to_owned(),
            problem:
                "nlu is `llm`, but language_model.endpoints is empty; write for example `language_model: \
                      {endpoints: [{url: http://127.0.0.1:8080/v1, model: NAME}]}`, or `nlu: grammar`"
                    .to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Checks that no others can read the traffic to these endpoints.
fn may_be_asked(key: &str, asked: &[Endpoint], plain_http: bool, name: &str) -> Result<(), ConfigError> {
    match overheard(asked) {
        Some((position, endpoint)) if !plain_http => Err(ConfigError::Whole {
            file: name.to_owned(),
            problem: format!(
                "{key}[{position}] would be asked over plain http at {}, where others can listen and answer in its \
                 place{}; use https, or, if the way there is safe, `language_model: {{allow_plain_http: true}}`",
                endpoint.url,
                if endpoint.key.is_some() { ", and read the key" } else { "" },
            ),
        }),
        _ => Ok(()),
    }
}

fn pick<T: Clone>(own: &Given<T>, built_in: &Given<T>, key: &str) -> Result<T, ConfigError> {
    own.0.as_ref().or(built_in.0.as_ref()).cloned().ok_or_else(|| ConfigError::Whole {
        file: BUILT_IN_NAME.to_owned(),
        problem: format!("{key} has no value; this program was built from an incomplete config.yaml"),
    })
}
