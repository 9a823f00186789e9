//! The file as it is written: which keys there are, each with the type that checks its value.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::agents::{AgentName, AgentText};
use super::camera::{CameraSource, LensName, Measured, ProviderName, SceneChoice};
use super::choice::{Brain, Flag, MayLack, NotAllowed, RobotChoice, SomePath};
use super::kept::{MaybeAddress, Viewer};
use super::language_model::{KeyName, ModelName, ServerAddress};
use super::logs::{Collector, Levels};
use super::quantity::{
    Acceleration, AntennaRange, Baud, BodyRange, Connections, CpuSeconds, Days, DiskSize, FileSize, Files,
    FrameRate, Frames, HeadRange, Iterations, Jerk, KeptPictures, Kilobytes, Latency, Margin, Megabytes,
    Milliseconds, MotionRate, Part, Patience, PictureRate, Pixels, Port, Rate, Repeats, RequestRate, Retries,
    Scale, Seed, SentRate, SentWidth, SimulatedSeconds, Speed, Steadiness, Steps, Temperature, TokenBudget,
    TurnTokens, Volts, WallSeconds, Watchdog,
};
use super::serve::{Host, HostName, MaybePath, MaybeRole, Origin, Peers};
use super::signing::PublicKey;
use super::voice::{Call, CallName, Device, Engine, SpokenRole, StopWord, VoiceWord};
use crate::agent_spec::Ability;

/// The value of a key, where the key is given.
#[derive(Clone, Debug)]
pub(super) struct Given<T>(pub(super) Option<T>);

impl<T> Default for Given<T> {
    fn default() -> Self {
        Given(None)
    }
}

/// Every value is read as the text that stands there, so that its own type judges it and the error has its line.
impl<'de, T: FromStr<Err = NotAllowed>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<T>(PhantomData<T>);

        impl<T: FromStr<Err = NotAllowed>> Visitor<'_> for Text<T> {
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

/// The values of a key that takes a list, where the key is given.
#[derive(Clone, Debug)]
pub(super) struct Listed<T>(pub(super) Option<Vec<T>>);

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed(None)
    }
}

impl<'de, T: FromStr<Err = NotAllowed>> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);

        impl<'de, T: FromStr<Err = NotAllowed>> Visitor<'de> for List<T> {
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

/// The mappings of a key that takes a list of them, where the key is given.
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

/// Declares the mappings of the file, in which every key may be left out.
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
        pulse: PulseKeys,
        limits: LimitsKeys,
        bus: BusKeys,
        serve: ServeKeys,
        compat: CompatKeys,
        tools: ToolsKeys,
        models: ModelsKeys,
        workshop: WorkshopKeys,
        tool_host: ToolHostKeys,
        brain: Given<Brain>,
        language_model: LanguageModelKeys,
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
        fps: Given<PictureRate>,
        latency_ms: Given<Latency>,
        lens: Given<LensName>,
        calibration: Listed<Measured>,
        album: Given<SomePath>,
    }
    /// `voice`.
    VoiceKeys {
        microphone: Given<Device>,
        speaker: Given<Device>,
        names: Listed<CallName>,
        stop_words: Listed<StopWord>,
        call: Given<Call>,
        role: Given<SpokenRole>,
        attentive_seconds: Given<Patience>,
        barge_in: Given<Flag>,
        cuts_motion: Given<Flag>,
        unsure_below: Given<Part>,
        volume: Given<Part>,
        sway: Given<Part>,
        antennas: Given<Flag>,
        language: Given<VoiceWord>,
        engine: Given<Engine>,
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
        providers: Listed<ProviderName>,
        endpoints: Mappings<EndpointKeys>,
        sent_width: Given<SentWidth>,
        sent_per_hour: Given<SentRate>,
    }
    /// `journal`.
    JournalKeys {
        file: Given<SomePath>,
        rotate_mb: Given<FileSize>,
        keep_files: Given<Files>,
    }
    /// `traces`.
    TracesKeys {
        directory: Given<MaybePath>,
        keep_days: Given<Days>,
        keep_mb: Given<DiskSize>,
        pictures_per_second: Given<KeptPictures>,
    }
    /// `rerun`.
    RerunKeys {
        file: Given<MaybePath>,
        viewer: Given<Viewer>,
        serve: Given<MaybeAddress>,
        beats_per_second: Given<FrameRate>,
        pictures_per_second: Given<KeptPictures>,
    }
    /// `logs`.
    LogsKeys {
        file: Given<MaybePath>,
        level: Given<Levels>,
        most_mib: Given<FileSize>,
        keep_files: Given<Files>,
    }
    /// `telemetry`.
    TelemetryKeys {
        otlp: Given<Collector>,
    }
    /// `pulse`.
    PulseKeys {
        rate_hz: Given<Rate>,
    }
    /// `limits`.
    LimitsKeys {
        body_rotation: BodyKeys,
        stewart: StewartKeys,
        antennas: AntennaKeys,
        head: HeadKeys,
        untrusted_scale: Given<Scale>,
    }
    /// `limits.body_rotation`.
    BodyKeys {
        range_deg: Given<BodyRange>,
        speed: Given<Speed>,
        acceleration: Given<Acceleration>,
        jerk: Given<Jerk>,
    }
    /// `limits.stewart`.
    StewartKeys {
        margin_deg: Given<Margin>,
        speed: Given<Speed>,
        acceleration: Given<Acceleration>,
        jerk: Given<Jerk>,
    }
    /// `limits.antennas`.
    AntennaKeys {
        range_deg: Given<AntennaRange>,
        speed: Given<Speed>,
        acceleration: Given<Acceleration>,
        jerk: Given<Jerk>,
    }
    /// `limits.head`.
    HeadKeys {
        pitch_deg: Given<HeadRange>,
        roll_deg: Given<HeadRange>,
        yaw_from_body_deg: Given<HeadRange>,
        least_steadiness: Given<Steadiness>,
    }
    /// `bus`.
    BusKeys {
        baud: Given<Baud>,
        least_volts: Given<Volts>,
        watchdog_ms: Given<Watchdog>,
        reply_timeout_ms: Given<Milliseconds>,
    }
    /// `serve`.
    ServeKeys {
        host: Given<Host>,
        port: Given<Port>,
        tokens: Given<SomePath>,
        without_token: Given<MaybeRole>,
        names: Listed<HostName>,
        origins: Listed<Origin>,
        connections: Given<Connections>,
        requests_per_second: Given<RequestRate>,
        certificate: Given<MaybePath>,
        key: Given<MaybePath>,
        announce: Given<Flag>,
    }
    /// `compat`.
    CompatKeys {
        trusted_peers: Listed<Peers>,
    }
    /// `tools`.
    ToolsKeys {
        directory: Given<SomePath>,
    }
    /// `models`.
    ModelsKeys {
        directory: Given<SomePath>,
    }
    /// `workshop`.
    WorkshopKeys {
        max_iterations: Given<Iterations>,
        signing_key: Given<SomePath>,
        trusted_signers: Listed<PublicKey>,
        budget: BudgetKeys,
    }
    /// `workshop.budget`.
    BudgetKeys {
        simulated_seconds: Given<SimulatedSeconds>,
        cpu_seconds: Given<CpuSeconds>,
        memory_mb: Given<Megabytes>,
        output_kb: Given<Kilobytes>,
        wall_seconds: Given<WallSeconds>,
        frames: Given<Frames>,
        frames_per_second: Given<FrameRate>,
        motions_per_second: Given<MotionRate>,
    }
    /// `tool_host`.
    ToolHostKeys {
        python: Given<SomePath>,
        may_lack: Listed<MayLack>,
    }
    /// `language_model`.
    LanguageModelKeys {
        endpoints: Mappings<EndpointKeys>,
        allow_plain_http: Given<Flag>,
        answer_seconds: Given<Patience>,
        silence_seconds: Given<Patience>,
        retries: Given<Retries>,
        prompt_tokens: Given<TokenBudget>,
        answer_tokens: Given<TokenBudget>,
        temperature: Given<Temperature>,
        seed: Given<Seed>,
    }
    /// An entry of `language_model.endpoints`.
    EndpointKeys {
        url: Given<ServerAddress>,
        model: Given<ModelName>,
        key_env: Given<KeyName>,
    }
    /// `agents`.
    AgentsKeys {
        steps: Given<Steps>,
        tokens: Given<TurnTokens>,
        seconds: Given<WallSeconds>,
        repeats: Given<Repeats>,
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
        keep_days: Given<Days>,
    }
}
