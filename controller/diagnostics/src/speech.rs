//! Checks speech: models, espeak-ng, microphone and speaker, and the services that receive speech.

use minismith_perception::models::{ModelError, ModelFile};
use minismith_voice::devices::mic_array::{MicArray, MicArrayError};
use minismith_voice::{devices, hibari, moonshine, vad};

use super::Check;
use minismith_control::robot::models_of;
use minismith_runtime::config::Config;
use minismith_runtime::subprocess;

/// The models to look for.
const MODELS: [&ModelFile; 5] =
    [&vad::MODEL, &moonshine::ENCODER, &moonshine::DECODER, &moonshine::TOKENS, &hibari::MODEL];

/// The facts about speech.
#[derive(Clone, Debug, Default)]
pub(super) struct Voice {
    /// Missing models.
    without: Vec<ModelError>,
    has_espeak: bool,
    microphones: Vec<String>,
    speakers: Vec<String>,
    /// The microphone array that reports directions, if it exists, or why it can't be read.
    array: Option<Result<(), MicArrayError>>,
}

impl Voice {
    /// Collects the facts without opening a device.
    pub(super) fn look(config: &Config) -> Self {
        let models = models_of(config);
        let (microphones, speakers) = devices::list();
        Voice {
            without: MODELS.into_iter().filter_map(|model| models.examine(model).err()).collect(),
            has_espeak: subprocess::find("espeak-ng").is_some(),
            microphones,
            speakers,
            array: MicArray::find().map(|array| array.map(|_| ())).transpose(),
        }
    }

    /// Returns a check for each.
    pub(super) fn judge(&self, config: &Config) -> Vec<Check> {
        let mut checks = Vec::new();
        match self.without.first() {
            Some(missing) => checks.push(Check::warning("voice", missing.to_string(), "make models")),
            None => checks.push(Check::ok("voice", "models for recognition and synthesis")),
        }
        if !self.has_espeak {
            let detail = "espeak-ng is not installed, so nothing can be spoken";
            checks.push(Check::warning("voice", detail, "apt install espeak-ng, or scripts/sound --speak"));
        }
        let mut device = |what: &'static str, wanted: &Option<String>, known: &[String]| match wanted {
            None => checks.push(Check::ok(what, "none, as the configuration says")),
            Some(wanted) if known.contains(wanted) => checks.push(Check::ok(what, wanted.clone())),
            Some(wanted) => {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                checks.push(Check::warning(
                    what,
                    format!("ALSA has no device `{wanted}`; its devices are: {known}"),
                    format!("plug one in, or set another one under `voice: {{{what}: ...}}`; `listen --input FILE` needs none"),
                ));
            }
        };
        device("microphone", &config.voice.microphone, &self.microphones);
        device("speaker", &config.voice.speaker, &self.speakers);
        match &self.array {
            None => {}
            Some(Ok(())) => checks.push(Check::ok("direction", "the microphones report the direction of a voice")),
            Some(Err(error)) => checks.push(Check::warning(
                "direction",
                error.to_string(),
                "let your user read it: a file in /etc/udev/rules.d with  SUBSYSTEM==\"usb\", ATTR{idVendor}==\"38fb\", \
                 MODE=\"0666\"  and then `udevadm control --reload; udevadm trigger`",
            )),
        }
        let services = [&config.voice.transcription, &config.voice.speech];
        let urls: Vec<String> =
            services.into_iter().flatten().map(|service| service.endpoint.url.to_string()).collect();
        checks.push(if urls.is_empty() {
            Check::ok("speech", "this program sends no speech to other computers")
        } else {
            Check::warning(
                "speech",
                format!("speech to and from the robot goes to {}", urls.join(" and ")),
                "set voice.transcription and voice.speech to `[]` to keep all of it here",
            )
        });
        checks
    }
}

/// Returns the facts of a computer with everything that speech needs.
#[cfg(test)]
pub(super) fn healthy() -> Voice {
    let devices = vec![devices::DEFAULT.to_owned()];
    Voice {
        without: Vec::new(),
        has_espeak: true,
        microphones: devices.clone(),
        speakers: devices,
        array: Some(Ok(())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;

    #[test]
    fn missing_parts_and_services_that_receive_speech_are_reported() {
        let mut config = Config::built_in().unwrap();
        let good = healthy().judge(&config);
        assert!(good.iter().all(|check| check.status == CheckStatus::Ok), "{good:?}");
        config.models = std::env::temp_dir().join("minismith-no-models-here");
        let nothing = Voice { has_espeak: false, ..Voice::look(&config) };
        assert_eq!(nothing.without.len(), MODELS.len());
        let remedies: Vec<_> = nothing.judge(&config).into_iter().filter_map(|check| check.remedy).collect();
        assert!(remedies[0] == "make models" && remedies[1].contains("espeak-ng"), "{remedies:?}");
        config.voice.microphone = Some("plughw:77,0".into());
        let text = format!("{:?}", healthy().judge(&config));
        assert!(text.contains("ALSA has no device `plughw:77,0`") && text.contains("--input FILE"), "{text}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("robot.yaml");
        std::fs::write(&file, "voice: {transcription: [{url: https://example.org/v1, model: ears}]}")
            .unwrap();
        let reported = healthy().judge(&Config::load(Some(&file)).unwrap());
        let speech = reported.iter().find(|check| check.name == "speech").unwrap();
        assert!(
            speech.status == CheckStatus::Warning && speech.detail.contains("https://example.org/v1"),
            "{speech}"
        );
    }
}
