//! [`File`]: all keys of the configuration file, each with the type that checks its value.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::agents::{AgentName, AgentText};
use super::camera::{CalibrationFile, CameraSource, IntrinsicsName, ProviderName, SceneChoice};
use super::choice::{Flag, InvalidValue, Nlu, OptionalMechanismName, RobotChoice, SomePath};
use super::fleet::{FleetName, MaybeFleetName, Router};
use super::language_model::{KeyName, ModelName, ServerAddress};
use super::logs::{Levels, OtlpEndpoint};
use super::places::PredefinedTools;
use super::quantity::{
    Acceleration, AntennaRange, AppMegabytes, Baud, BodyRange, Connections, ContextTokens, CpuSeconds, Days,
    DiskSize, FileSize, Files, FleetImageRate, FrameRate, Frames, HeadRange, HeadroomMegabytes, IdleSeconds,
    ImageRate, Iterations, Jerk, Kilobytes, Latency, Margin, Megabytes, Milliseconds, MotionRate, Part,
    Patience, Pixels, Port, Rate, Repeats, RequestRate, Retries, Scale, Seed, SentRate, SentWidth,
    SimulatedSeconds, SingularityMargin, Speed, Steps, StoredImageRate, Temperature, Threads, TokenBudget,
    TurnTokens, Volts, WallSeconds, Watchdog,
};
use super::recording::{MaybeAddress, Viewer};
use super::serve::{AutoPath, CameraSocket, Host, HostName, MaybePath, MaybeRole, Origin, Peers, WebRtc};
use super::signing::{MaybeUpdateKey, PublicKey};
use super::voice::{Device, SpokenRole, StopWord, TtsEngine, VoiceWord, WakeWord, WakeWordMode};
use crate::agent_spec::Ability;

/// The value of a key, if the file contains the key.
#[derive(Clone, Debug)]
pub(super) struct Given<T>(pub(super) Option<T>);

impl<T> Default for Given<T> {
    fn default() -> Self {
        Given(None)
    }
}

/// Reads every value as text, so that its own type checks it and the error has its line.
impl<'de, T: FromStr<Err = InvalidValue>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<T>(PhantomData<T>);

        impl<T: FromStr<Err = InvalidValue>> Visitor<'_> for Text<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one value")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text(PhantomData)).map(|value| Given(Some(value)))
    }
}

/// The values of a key with a list, if the file contains the key.
#[derive(Clone, Debug)]
pub(super) struct Listed<T>(pub(super) Option<Vec<T>>);

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed(None)
    }
}

impl<'de, T: FromStr<Err = InvalidValue>> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);

        impl<'de, T: FromStr<Err = InvalidValue>> Visitor<'de> for List<T> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list in square brackets")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(Given(value)) = list.next_element::<Given<T>>()? {
                    values.extend(value);
                }
                Ok(values)
            }
        }

        deserializer.deserialize_seq(List(PhantomData)).map(|values| Listed(Some(values)))
    }
}

/// The mappings of a key with a list of mappings, if the file contains the key.
#[derive(Clone, Debug)]
pub(super) struct Mappings<T>(pub(super) Option<Vec<T>>);

impl<T> Default for Mappings<T> {
    fn default() -> Self {
        Mappings(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Mappings<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list, each entry after a dash")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(values)
            }
        }

        deserializer.deserialize_seq(List(PhantomData)).map(|values| Mappings(Some(values)))
    }
}

/// Declares the mappings of the file. Every key is optional.
macro_rules! mappings {
    ($($(#[$doc:meta])+ $name:ident { $($key:ident: $kind:ty,)+ })+) => {$(
        $(#[$doc])+
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = "a mapping of keys")]
        pub(super) struct $name { $(pub(super) $key: $kind,)+ }
    )+};
}

mappings! {
    /// The whole file.
    File {
        robot: Given<RobotChoice>,
        control_loop: ControlLoopKeys,
        limits: LimitsKeys,
        bus: BusKeys,
        server: ServerKeys,
        compat: CompatKeys,
        fleet: FleetKeys,
        tools: ToolsKeys,
        models: ModelsKeys,
        workshop: WorkshopKeys,
        update: UpdateKeys,
        tool_host: ToolHostKeys,
        nlu: Given<Nlu>,
        language_model: LanguageModelKeys,
        local_model: LocalModelKeys,
        agents: AgentsKeys,
        memory: MemoryKeys,
        camera: CameraKeys,
        vision: VisionKeys,
        voice: VoiceKeys,
        journal: JournalKeys,
        traces: TracesKeys,
        rerun: RerunKeys,
        logs: LogsKeys,
        telemetry: TelemetryKeys,
    }
    /// `camera`.
    CameraKeys {
        source: Given<CameraSource>,
        scene: Given<SceneChoice>,
        width: Given<Pixels>,
        height: Given<Pixels>,
        fps: Given<ImageRate>,
        latency_ms: Given<Latency>,
        intrinsics: Given<IntrinsicsName>,
        calibration: Listed<CalibrationFile>,
        photo_directory: Given<SomePath>,
    }
    /// `voice`.
    VoiceKeys {
        microphone: Given<Device>,
        speaker: Given<Device>,
        wake_words: Listed<WakeWord>,
        stop_words: Listed<StopWord>,
        wake_word_mode: Given<WakeWordMode>,
        role: Given<SpokenRole>,
        attention_timeout_s: Given<Patience>,
        barge_in: Given<Flag>,
        barge_in_stops_motion: Given<Flag>,
        min_confidence: Given<Part>,
        volume: Given<Part>,
        head_wobble: Given<Part>,
        antenna_cues: Given<Flag>,
        language: Given<VoiceWord>,
        tts_engine: Given<TtsEngine>,
        transcription: Mappings<EndpointKeys>,
        speech: Mappings<SpeechKeys>,
    }
    /// An entry of `voice.speech`.
    SpeechKeys {
        url: Given<ServerAddress>,
        model: Given<ModelName>,
        key_env: Given<KeyName>,
        voice: Given<VoiceWord>,
    }
    /// `vision`.
    VisionKeys {
        execution_providers: Listed<ProviderName>,
        idle_timeout_s: Given<Patience>,
        endpoints: Mappings<EndpointKeys>,
        upload_width_px: Given<SentWidth>,
        max_uploads_per_hour: Given<SentRate>,
    }
    /// `journal`.
    JournalKeys {
        file: Given<SomePath>,
        max_file_mb: Given<FileSize>,
        max_files: Given<Files>,
    }
    /// `traces`.
    TracesKeys {
        directory: Given<MaybePath>,
        retention_days: Given<Days>,
        max_total_mb: Given<DiskSize>,
        camera_fps: Given<StoredImageRate>,
    }
    /// `rerun`.
    RerunKeys {
        file: Given<MaybePath>,
        connect: Given<Viewer>,
        listen: Given<MaybeAddress>,
        sample_rate_hz: Given<FrameRate>,
        camera_fps: Given<StoredImageRate>,
    }
    /// `logs`.
    LogsKeys {
        file: Given<MaybePath>,
        level: Given<Levels>,
        max_file_mb: Given<FileSize>,
        max_files: Given<Files>,
    }
    /// `telemetry`.
    TelemetryKeys {
        otlp_endpoint: Given<OtlpEndpoint>,
    }
    /// `control_loop`.
    ControlLoopKeys {
        rate_hz: Given<Rate>,
    }
    /// `limits`.
    LimitsKeys {
        body_rotation: BodyKeys,
        stewart: StewartKeys,
        antennas: AntennaKeys,
        head: HeadKeys,
        unapproved_tool_scale: Given<Scale>,
    }
    /// `limits.body_rotation`.
    BodyKeys {
        max_angle_deg: Given<BodyRange>,
        max_velocity_rad_s: Given<Speed>,
        max_acceleration_rad_s2: Given<Acceleration>,
        max_jerk_rad_s3: Given<Jerk>,
    }
    /// `limits.stewart`.
    StewartKeys {
        soft_limit_margin_deg: Given<Margin>,
        max_velocity_rad_s: Given<Speed>,
        max_acceleration_rad_s2: Given<Acceleration>,
        max_jerk_rad_s3: Given<Jerk>,
    }
    /// `limits.antennas`.
    AntennaKeys {
        max_angle_deg: Given<AntennaRange>,
        max_velocity_rad_s: Given<Speed>,
        max_acceleration_rad_s2: Given<Acceleration>,
        max_jerk_rad_s3: Given<Jerk>,
    }
    /// `limits.head`.
    HeadKeys {
        max_pitch_deg: Given<HeadRange>,
        max_roll_deg: Given<HeadRange>,
        max_relative_yaw_deg: Given<HeadRange>,
        min_singularity_margin: Given<SingularityMargin>,
    }
    /// `bus`.
    BusKeys {
        baud: Given<Baud>,
        min_voltage_v: Given<Volts>,
        watchdog_ms: Given<Watchdog>,
        reply_timeout_ms: Given<Milliseconds>,
    }
    /// `server`.
    ServerKeys {
        host: Given<Host>,
        port: Given<Port>,
        token_file: Given<SomePath>,
        anonymous_role: Given<MaybeRole>,
        allowed_hosts: Listed<HostName>,
        allowed_origins: Listed<Origin>,
        max_connections: Given<Connections>,
        rate_limit_per_s: Given<RequestRate>,
        mcp_idle_timeout_s: Given<IdleSeconds>,
        tls_certificate: Given<MaybePath>,
        tls_key: Given<MaybePath>,
        mdns: Given<Flag>,
    }
    /// `compat`.
    CompatKeys {
        trusted_peers: Listed<Peers>,
        camera_socket: Given<CameraSocket>,
        webrtc: Given<WebRtc>,
        app_directory: Given<SomePath>,
        app_sdk: Given<AutoPath>,
        app_memory_mb: Given<AppMegabytes>,
    }
    /// `fleet`.
    FleetKeys {
        robot: Given<MaybeFleetName>,
        fleet: Given<FleetName>,
        groups: Listed<FleetName>,
        camera_fps: Given<FleetImageRate>,
        operator: Given<MaybeFleetName>,
        operator_identity: Given<MaybePath>,
        router: Given<Router>,
        token_file: Given<MaybePath>,
        directory: Given<SomePath>,
    }
    /// `tools`.
    ToolsKeys {
        directory: Given<SomePath>,
        predefined: Given<PredefinedTools>,
    }
    /// `models`.
    ModelsKeys {
        directory: Given<SomePath>,
    }
    /// `workshop`.
    WorkshopKeys {
        max_repair_attempts: Given<Iterations>,
        signing_key: Given<SomePath>,
        trusted_signers: Listed<PublicKey>,
        budget: BudgetKeys,
    }
    /// `update`.
    UpdateKeys {
        public_key: Given<MaybeUpdateKey>,
        directory: Given<SomePath>,
    }
    /// `workshop.budget`.
    BudgetKeys {
        robot_time_s: Given<SimulatedSeconds>,
        cpu_time_s: Given<CpuSeconds>,
        max_memory_mb: Given<Megabytes>,
        max_output_kb: Given<Kilobytes>,
        wall_time_s: Given<WallSeconds>,
        max_frames: Given<Frames>,
        frames_per_second: Given<FrameRate>,
        motions_per_second: Given<MotionRate>,
    }
    /// `tool_host`.
    ToolHostKeys {
        python: Given<SomePath>,
        optional_sandbox_mechanisms: Listed<OptionalMechanismName>,
    }
    /// `language_model`.
    LanguageModelKeys {
        endpoints: Mappings<EndpointKeys>,
        allow_plain_http: Given<Flag>,
        request_timeout_s: Given<Patience>,
        read_timeout_s: Given<Patience>,
        max_retries: Given<Retries>,
        max_prompt_tokens: Given<TokenBudget>,
        max_completion_tokens: Given<TokenBudget>,
        temperature: Given<Temperature>,
        seed: Given<Seed>,
    }
    /// An entry of `language_model.endpoints`.
    EndpointKeys {
        url: Given<ServerAddress>,
        model: Given<ModelName>,
        key_env: Given<KeyName>,
    }
    /// `local_model`.
    LocalModelKeys {
        directory: Given<SomePath>,
        threads: Given<Threads>,
        context_tokens: Given<ContextTokens>,
        memory_headroom_mb: Given<HeadroomMegabytes>,
        idle_timeout_s: Given<Patience>,
    }
    /// `agents`.
    AgentsKeys {
        max_model_calls: Given<Steps>,
        max_tokens: Given<TurnTokens>,
        timeout_s: Given<WallSeconds>,
        max_repeated_calls: Given<Repeats>,
        roster: Mappings<AgentKeys>,
    }
    /// An entry of `agents.roster`.
    AgentKeys {
        name: Given<AgentName>,
        purpose: Given<AgentText>,
        instructions: Given<AgentText>,
        functions: Listed<Ability>,
    }
    /// `memory`.
    MemoryKeys {
        file: Given<SomePath>,
        retention_days: Given<Days>,
    }
}
