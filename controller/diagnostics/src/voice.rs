//! What the robot hears and speaks with: models, espeak-ng, microphone and speaker, and who hears what is said to it.

use minismith_senses::models::{ModelFile, NoModel};
use minismith_voice::devices::array::{Array, NoArray};
use minismith_voice::{devices, hibari, moonshine, vad};

use super::Check;
use minismith_control::body::models_of;
use minismith_runtime::config::Config;
use minismith_runtime::processes;

/// The models that there may be.
const MODELS: [&ModelFile; 5] =
    [&vad::MODEL, &moonshine::ENCODER, &moonshine::DECODER, &moonshine::TOKENS, &hibari::MODEL];

/// What was seen of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Voice {
    /// Models that are not to be had.
    without: Vec<NoModel>,
    has_espeak: bool,
    microphones: Vec<String>,
    speakers: Vec<String>,
    /// Whether microphones that tell directions are there, and why they can't be asked.
    array: Option<Result<(), NoArray>>,
}

impl Voice {
    /// Looks; nothing is opened.
    pub(super) fn look(config: &Config) -> Self {
        let models = models_of(config);
        let (microphones, speakers) = devices::list();
        Voice {
            without: MODELS.into_iter().filter_map(|model| models.examine(model).err()).collect(),
            has_espeak: processes::find("espeak-ng").is_some(),
            microphones,
            speakers,
            array: Array::find().map(|array| array.map(|_| ())).transpose(),
        }
    }

    /// A check for each.
    pub(super) fn judge(&self, config: &Config) -> Vec<Check> {
        let mut checks = Vec::new();
        match self.without.first() {
            Some(missing) => checks.push(Check::warn("voice", missing.to_string(), "make models")),
            None => checks.push(Check::good("voice", "models to hear and to speak with")),
        }
        if !self.has_espeak {
            let detail = "espeak-ng is not installed, so nothing can be spoken";
            checks.push(Check::warn("voice", detail, "apt install espeak-ng, or scripts/sound --speak"));
        }
        let mut device = |what: &'static str, wanted: &Option<String>, known: &[String]| match wanted {
            None => checks.push(Check::good(what, "none, as the configuration says")),
            Some(wanted) if known.contains(wanted) => checks.push(Check::good(what, wanted.clone())),
            Some(wanted) => {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                checks.push(Check::warn(
                    what,
                    format!("there is no `{wanted}` among the devices of ALSA, which are: {known}"),
                    format!("plug one in, or name another one under `voice: {{{what}: ...}}`; `listen --wav FILE` needs none"),
                ));
            }
        };
        device("microphone", &config.voice.microphone, &self.microphones);
        device("speaker", &config.voice.speaker, &self.speakers);
        match &self.array {
            None => {}
            Some(Ok(())) => checks.push(Check::good("direction", "the microphones tell where a voice comes from")),
            Some(Err(error)) => checks.push(Check::warn(
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
            Check::good("speech", "nothing that is said leaves this machine by this program")
        } else {
            Check::warn(
                "speech",
                format!("what is said to the robot, or by it, goes to {}", urls.join(" and ")),
                "that is what voice.transcription and voice.speech say; `[]` there keeps all of it here",
            )
        });
        checks
    }
}

/// A machine that hears and speaks.
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
    use super::super::State;
    use super::*;

    #[test]
    fn what_is_missing_is_told_and_so_is_who_hears_what_is_said() {
        let mut config = Config::built_in().unwrap();
        let good = healthy().judge(&config);
        assert!(good.iter().all(|check| check.state == State::Good), "{good:?}");
        config.models = std::env::temp_dir().join("minismith-no-models-here");
        let nothing = Voice { has_espeak: false, ..Voice::look(&config) };
        assert_eq!(nothing.without.len(), MODELS.len());
        let remedies: Vec<_> = nothing.judge(&config).into_iter().filter_map(|check| check.remedy).collect();
        assert!(remedies[0] == "make models" && remedies[1].contains("espeak-ng"), "{remedies:?}");
        config.voice.microphone = Some("plughw:77,0".into());
        let text = format!("{:?}", healthy().judge(&config));
        assert!(text.contains("there is no `plughw:77,0`") && text.contains("--wav FILE"), "{text}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("robot.yaml");
        std::fs::write(&file, "voice: {transcription: [{url: https://example.org/v1, model: ears}]}")
            .unwrap();
        let told = healthy().judge(&Config::load(Some(&file)).unwrap());
        let speech = told.iter().find(|check| check.name == "speech").unwrap();
        assert!(speech.state == State::Warn && speech.detail.contains("https://example.org/v1"), "{speech}");
    }
}
