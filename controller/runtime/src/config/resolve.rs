//! From the keys of a file to what they mean: built-in values, units, whole paths, and values that must agree.

use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::units::Radians;

use super::camera::{LensName, lens};
use super::file::{EndpointKeys, File, Given, Listed, SpeechKeys};
use super::language_model::overheard;
use super::roster::roster;
use super::{
    Agents, BUILT_IN, BUILT_IN_NAME, Brain, Budget, Bus, Camera, CameraSource, Config, ConfigError, Endpoint,
    Group, Head, Kept, LanguageModel, Limits, Live, Logs, Memory, RobotChoice, SceneChoice, Serve, Service,
    Stewart, ToolHost, Vision, Voice, Workshop, parse,
};
use crate::journal::Place;

/// The meaning of the keys: those of `own`, and for each one left out the built-in value.
pub(super) fn resolve(own: &File, name: &str, folder: &Path) -> Result<Config, ConfigError> {
    let built_in = parse(BUILT_IN_NAME, BUILT_IN.as_bytes())?;
    /// The value of one key.
    macro_rules! of {
        ($($key:ident).+) => {
            pick(&own.$($key).+, &built_in.$($key).+, stringify!($($key).+))?
        };
    }
    let limits = Limits {
        body_rotation: Group {
            range: of!(limits.body_rotation.range_deg).into(),
            speed: Radians(of!(limits.body_rotation.speed).value()),
            acceleration: Radians(of!(limits.body_rotation.acceleration).value()),
            jerk: Radians(of!(limits.body_rotation.jerk).value()),
        },
        stewart: Stewart {
            margin: of!(limits.stewart.margin_deg).into(),
            speed: Radians(of!(limits.stewart.speed).value()),
            acceleration: Radians(of!(limits.stewart.acceleration).value()),
            jerk: Radians(of!(limits.stewart.jerk).value()),
        },
        antennas: Group {
            range: of!(limits.antennas.range_deg).into(),
            speed: Radians(of!(limits.antennas.speed).value()),
            acceleration: Radians(of!(limits.antennas.acceleration).value()),
            jerk: Radians(of!(limits.antennas.jerk).value()),
        },
        head: Head {
            pitch: of!(limits.head.pitch_deg).into(),
            roll: of!(limits.head.roll_deg).into(),
            yaw_from_body: of!(limits.head.yaw_from_body_deg).into(),
            least_steadiness: of!(limits.head.least_steadiness).value(),
        },
        untrusted_scale: of!(limits.untrusted_scale),
    };
    let budget = Budget {
        simulated: Duration::from_secs_f64(of!(workshop.budget.simulated_seconds).value()),
        guest: minismith_wire::Limits {
            cpu_seconds: u64::from(of!(workshop.budget.cpu_seconds).value()),
            memory_bytes: u64::from(of!(workshop.budget.memory_mb).value()) << 20,
            output_bytes: u64::from(of!(workshop.budget.output_kb).value()) << 10,
            wall_seconds: of!(workshop.budget.wall_seconds).value(),
            frames: u64::from(of!(workshop.budget.frames).value()),
            frames_per_second: u64::from(of!(workshop.budget.frames_per_second).value()),
            motions_per_second: u64::from(of!(workshop.budget.motions_per_second).value()),
            ..minismith_wire::Limits::default()
        },
    };
    let config = Config {
        source: None,
        robot: match of!(robot) {
            RobotChoice::Serial(device) => RobotChoice::Serial(absolute(folder, &device)),
            mock => mock,
        },
        rate: of!(pulse.rate_hz),
        limits,
        bus: Bus {
            baud: of!(bus.baud).0,
            least_volts: of!(bus.least_volts).value(),
            watchdog: of!(bus.watchdog_ms).time(),
            reply_timeout: Duration::from_millis(u64::from(of!(bus.reply_timeout_ms).value())),
        },
        serve: Serve {
            host: of!(serve.host).0,
            port: of!(serve.port).value(),
            tokens: absolute(folder, &of_the_user(&of!(serve.tokens).0)),
            without_token: of!(serve.without_token).0,
            names: listed(&own.serve.names),
            origins: listed(&own.serve.origins),
            connections: of!(serve.connections).value(),
            requests_per_second: of!(serve.requests_per_second).value(),
            tls: tls(of!(serve.certificate).0, of!(serve.key).0, name)?
                .map(|(certificate, key)| (absolute(folder, &certificate), absolute(folder, &key))),
            announce: of!(serve.announce).0,
            trusted_peers: listed(&own.compat.trusted_peers),
        },
        tools: absolute(folder, &of!(tools.directory).0),
        models: absolute(folder, &of!(models.directory).0),
        workshop: Workshop {
            max_iterations: of!(workshop.max_iterations).value(),
            signing_key: absolute(folder, &of_the_user(&of!(workshop.signing_key).0)),
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
        tool_host: ToolHost {
            python: absolute(folder, &of!(tool_host.python).0),
            bar: pick(
                &Given(own.tool_host.may_lack.0.clone()),
                &Given(built_in.tool_host.may_lack.0),
                "tool_host.may_lack",
            )?
            .into_iter()
            .map(|name| name.0)
            .collect(),
        },
        brain: of!(brain),
        language_model: LanguageModel {
            endpoints: endpoints(
                "language_model",
                own.language_model.endpoints.0.as_ref().or(built_in.language_model.endpoints.0.as_ref()),
                name,
            )?,
            answer: Duration::from_secs_f64(of!(language_model.answer_seconds).value()),
            silence: Duration::from_secs_f64(of!(language_model.silence_seconds).value()),
            retries: of!(language_model.retries).value(),
            prompt_tokens: of!(language_model.prompt_tokens).value(),
            answer_tokens: of!(language_model.answer_tokens).value(),
            temperature: of!(language_model.temperature).value(),
            seed: of!(language_model.seed).value(),
        },
        agents: Agents {
            steps: of!(agents.steps).value(),
            tokens: u64::from(of!(agents.tokens).value()),
            seconds: of!(agents.seconds).value(),
            repeats: of!(agents.repeats).value(),
            roster: roster(built_in.agents.roster.0.as_ref(), own.agents.roster.0.as_ref())
                .map_err(|problem| ConfigError::Whole { file: name.to_owned(), problem })?,
        },
        memory: Memory {
            file: absolute(folder, &of_the_user(&of!(memory.file).0)),
            keep_days: of!(memory.keep_days).value(),
        },
        camera: Camera {
            source: match of!(camera.source) {
                CameraSource::Files(path) => CameraSource::Files(absolute(folder, &of_the_user(&path))),
                other => other,
            },
            scene: match of!(camera.scene) {
                SceneChoice::File(path) => SceneChoice::File(absolute(folder, &of_the_user(&path))),
                built_in => built_in,
            },
            size: (of!(camera.width).value(), of!(camera.height).value()),
            fps: of!(camera.fps).value(),
            latency: Duration::from_millis(u64::from(of!(camera.latency_ms).value())),
            lens: lens(of!(camera.lens), &listed(&own.camera.calibration), name)?,
            own_lens: of!(camera.lens) == LensName::Auto && listed(&own.camera.calibration).is_empty(),
            album: absolute(folder, &of_the_user(&of!(camera.album).0)),
        },
        vision: Vision {
            providers: listed(&own.vision.providers).into_iter().map(|provider| provider.0).collect(),
            endpoints: endpoints("vision", own.vision.endpoints.0.as_ref(), name)?,
            sent_width: of!(vision.sent_width).value(),
            sent_per_hour: of!(vision.sent_per_hour).value(),
        },
        voice: Voice {
            microphone: of!(voice.microphone).0,
            speaker: of!(voice.speaker).0,
            names: listed(&own.voice.names).into_iter().map(|name| name.0).collect(),
            stop_words: listed(&own.voice.stop_words).into_iter().map(|word| word.0).collect(),
            call: of!(voice.call),
            role: of!(voice.role).0,
            attentive: Duration::from_secs_f64(of!(voice.attentive_seconds).value()),
            barge_in: of!(voice.barge_in).0,
            cuts_motion: of!(voice.cuts_motion).0,
            unsure_below: of!(voice.unsure_below).value(),
            volume: of!(voice.volume).value(),
            sway: of!(voice.sway).value(),
            antennas: of!(voice.antennas).0,
            language: of!(voice.language).0,
            engine: of!(voice.engine),
            transcription: endpoints("voice.transcription", own.voice.transcription.0.as_ref(), name)?
                .into_iter()
                .next()
                .map(|endpoint| Service { endpoint, voice: String::new() }),
            speech: speech(own.voice.speech.0.as_ref(), name)?,
        },
        kept: Kept {
            journal: Place {
                path: absolute(folder, &of_the_user(&of!(journal.file).0)),
                longest: u64::from(of!(journal.rotate_mb).value()) << 20,
                kept: of!(journal.keep_files).value(),
            },
            traces: of!(traces.directory).0.map(|path| absolute(folder, &of_the_user(&path))),
            keep_days: of!(traces.keep_days).value(),
            most_bytes: u64::from(of!(traces.keep_mb).value()) << 20,
            pictures_per_second: of!(traces.pictures_per_second).value(),
            live: Live {
                file: of!(rerun.file).0.map(|path| absolute(folder, &of_the_user(&path))),
                viewer: of!(rerun.viewer).0,
                serve: of!(rerun.serve).0,
                beats_per_second: of!(rerun.beats_per_second).value(),
                pictures_per_second: of!(rerun.pictures_per_second).value(),
            },
        },
        logs: Logs {
            file: match (of!(logs.file).0, of!(logs.most_mib), of!(logs.keep_files)) {
                (None, ..) => None,
                (Some(path), longest, kept) => Some(Place {
                    path: absolute(folder, &of_the_user(&path)),
                    longest: u64::from(longest.value()) << 20,
                    kept: kept.value(),
                }),
            },
            levels: of!(logs.level),
        },
        collector: of!(telemetry.otlp).0,
    };
    let plain_http = of!(language_model.allow_plain_http).0;
    agree(&config, plain_http, name)?;
    may_be_asked("vision.endpoints", &config.vision.endpoints, plain_http, name)?;
    match config.bus.watchdog {
        Some(time) if time < config.rate.beat() * 3 => Err(ConfigError::Whole {
            file: name.to_owned(),
            problem: format!(
                "bus.watchdog_ms ({}) is less than three beats at pulse.rate_hz ({}), so the servos would stop in \
                 the middle of a motion; raise either one, or switch the watchdog off with 0",
                time.as_millis(),
                config.rate.value()
            ),
        }),
        _ => Ok(config),
    }
}

/// What a list holds that is empty where it is left out.
fn listed<T: Clone>(own: &Listed<T>) -> Vec<T> {
    own.0.clone().unwrap_or_default()
}

/// Certificate and key: both or neither.
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
            problem: "serve.certificate and serve.key belong together: give both, or neither".to_owned(),
        }),
    }
}

/// The entries of `language_model.endpoints` or `vision.endpoints`; each has to be whole.
fn endpoints(
    key: &str,
    entries: Option<&Vec<EndpointKeys>>,
    name: &str,
) -> Result<Vec<Endpoint>, ConfigError> {
    let mut endpoints = Vec::new();
    for (place, entry) in entries.into_iter().flatten().enumerate() {
        let (Some(url), Some(model)) = (&entry.url.0, &entry.model.0) else {
            let lacking = if entry.url.0.is_none() { "url" } else { "model" };
            return Err(ConfigError::Whole {
                file: name.to_owned(),
                problem: format!(
                    "{key}.endpoints[{place}] has no `{lacking}`; each entry needs both `url` and `model`"
                ),
            });
        };
        endpoints.push(Endpoint { url: url.0.clone(), model: model.0.clone(), key: entry.key_env.0.clone() });
    }
    Ok(endpoints)
}

/// The first service that speaks.
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

/// Whether there is a language model for the brain that needs one, and nobody can overhear what is said to it.
fn agree(config: &Config, plain_http: bool, name: &str) -> Result<(), ConfigError> {
    let model = &config.language_model;
    let problem = match config.brain {
        Brain::Openai if model.endpoints.is_empty() => {
            "brain is `openai`, and language_model.endpoints names nobody to ask; write for example `language_model: \
             {endpoints: [{url: http://127.0.0.1:8080/v1, model: NAME}]}`, or `brain: offline`"
                .to_owned()
        }
        _ => {
            may_be_asked("language_model.endpoints", &model.endpoints, plain_http, name)?;
            for (key, service) in
                [("voice.transcription", &config.voice.transcription), ("voice.speech", &config.voice.speech)]
            {
                let asked = service.iter().map(|service| service.endpoint.clone()).collect::<Vec<_>>();
                may_be_asked(key, &asked, plain_http, name)?;
            }
            return Ok(());
        }
    };
    Err(ConfigError::Whole { file: name.to_owned(), problem })
}

/// Whether nobody can overhear what these are told.
fn may_be_asked(key: &str, asked: &[Endpoint], plain_http: bool, name: &str) -> Result<(), ConfigError> {
    match overheard(asked) {
        Some((place, endpoint)) if !plain_http => Err(ConfigError::Whole {
            file: name.to_owned(),
            problem: format!(
                "{key}[{place}] would be asked over plain http at {}, where others can listen and answer in its \
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

/// `~` is the user's own folder, and `~/.config` is where the user keeps configuration. Where neither is known, the
/// path stays as it is.
fn of_the_user(path: &Path) -> PathBuf {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = folder("HOME");
    for (usual, variable) in [(".config", "XDG_CONFIG_HOME"), (".local/share", "XDG_DATA_HOME")] {
        if let Ok(rest) = path.strip_prefix(Path::new("~").join(usual)) {
            let folder = folder(variable).or_else(|| home.map(|home| home.join(usual)));
            return folder.map_or_else(|| path.to_owned(), |folder| folder.join(rest));
        }
    }
    let moved = path.strip_prefix("~").ok().zip(home).map(|(rest, home)| home.join(rest));
    moved.unwrap_or_else(|| path.to_owned())
}

/// Where a path of the file leads, whatever the current folder is later.
fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let joined = folder.join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}
