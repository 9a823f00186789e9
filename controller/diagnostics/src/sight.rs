//! What the robot sees with: its camera, the models that find things in pictures, and who is shown pictures.

use minismith_senses::camera::health::{Finding, examine};
use minismith_senses::detect::{FACES, THINGS};
use minismith_senses::models::{ModelFile, NoModel};

use super::Check;
use minismith_control::body::models_of;
use minismith_control::eyes::photographs;
use minismith_runtime::config::{CameraSource, Config, RobotChoice};
use minismith_toolchain::workshop::semantics::MEANING;

/// The models that there may be.
const MODELS: [&ModelFile; 3] = [&FACES, &THINGS, &MEANING];

/// What was seen of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    /// What can be said of the camera.
    pub camera: Vec<Finding>,
    /// Models that are not to be had.
    pub without: Vec<NoModel>,
    /// Whether the mock's photographs are there.
    pub photographs: bool,
}

impl Sight {
    /// Looks; no picture is taken.
    pub(super) fn look(config: &Config) -> Self {
        let good = |what: String| vec![Finding { ok: true, what, remedy: None }];
        let is_real = matches!(config.robot, RobotChoice::Serial(_));
        let camera = match &config.camera.source {
            CameraSource::None => good("none, as `camera.source` says".into()),
            CameraSource::Scene => good("the scene of the mock".into()),
            CameraSource::Auto if !is_real => good("the scene of the mock".into()),
            CameraSource::Auto => examine(None),
            CameraSource::Device(path) => examine(Some(path)),
            CameraSource::Files(path) if path.exists() => good(format!("pictures from {}", path.display())),
            CameraSource::Files(path) => vec![Finding {
                ok: false,
                what: format!("there is no {}", path.display()),
                remedy: Some("put a picture, or a folder of them, there, or change `camera.source`".into()),
            }],
            CameraSource::Stream(_) => {
                good("a stream on the network; it is asked when somebody looks".into())
            }
        };
        let models = models_of(config);
        Sight {
            camera,
            without: MODELS.into_iter().filter_map(|model| models.examine(model).err()).collect(),
            photographs: photographs(&config.models).join("astronaut.png").is_file(),
        }
    }

    /// A check for each.
    pub(super) fn judge(&self, config: &Config) -> Vec<Check> {
        let mut checks: Vec<Check> = self
            .camera
            .iter()
            .map(|found| match &found.remedy {
                Some(remedy) if !found.ok => Check::warn("camera", found.what.clone(), remedy.clone()),
                _ => Check::good("camera", found.what.clone()),
            })
            .collect();
        let without = self.without.iter();
        checks.extend(without.map(|no| Check::warn("models", no.to_string(), "make models")));
        if !self.photographs {
            let detail = "the mock's camera has no photographs, so there is no face for it to see";
            checks.push(Check::warn("models", detail, "make models"));
        }
        if self.without.is_empty() && self.photographs {
            checks.push(Check::good("models", "for faces, for things, and for the meaning of words"));
        }
        checks.push(match config.vision.endpoints.as_slice() {
            [] => Check::good("pictures", "none leaves this machine by this program"),
            [first, rest @ ..] => {
                let also = if rest.is_empty() { String::new() } else { format!(" or {} more", rest.len()) };
                Check::warn(
                    "pictures",
                    format!("up to {} an hour may go to {}{also}", config.vision.sent_per_hour, first.url),
                    "that is what vision.endpoints says; `[]` there keeps all of them here",
                )
            }
        });
        checks
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn what_is_missing_is_told_with_its_command_and_pictures_that_leave_are_told_too() {
        let mut config = Config::built_in().unwrap();
        let nothing = std::env::temp_dir().join("minismith-no-models-here");
        config.models = nothing.clone();
        let sight = Sight::look(&config);
        assert_eq!(sight.without.len(), MODELS.len());
        let checks = sight.judge(&config);
        let models: Vec<_> = checks.iter().filter(|check| check.name == "models").collect();
        assert_eq!(models.len(), MODELS.len() + 1);
        assert!(models.iter().all(|check| check.remedy.as_deref() == Some("make models")));
        config.camera.source = CameraSource::Files(nothing);
        assert!(
            Sight::look(&config).judge(&config).iter().any(|check| check.detail.starts_with("there is no"))
        );
        let endpoint = "{url: https://example.org/v1, model: eyes}";
        let text = format!("vision: {{endpoints: [{endpoint}]}}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("robot.yaml");
        std::fs::write(&file, text).unwrap();
        let config = Config::load(Some(&file)).unwrap();
        let checks = Sight::default().judge(&config);
        let pictures = checks.iter().find(|check| check.name == "pictures").unwrap();
        assert_eq!(pictures.state, State::Warn);
        assert!(pictures.detail.contains("https://example.org/v1"), "{pictures}");
    }
}
