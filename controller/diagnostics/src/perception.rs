//! Checks vision: the camera, the models that detect objects in images, and the services that receive images.

use minismith_perception::camera::health::{Finding, examine};
use minismith_perception::detect::{FACES, THINGS};
use minismith_perception::models::{ModelError, ModelFile};

use super::Check;
use minismith_control::perception::photos;
use minismith_control::robot::models_of;
use minismith_runtime::config::{CameraSource, Config, RobotChoice};
use minismith_toolchain::workshop::semantics::MEANING;

/// The models to look for.
const MODELS: [&ModelFile; 3] = [&FACES, &THINGS, &MEANING];

/// The facts about vision.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    /// The findings about the camera.
    pub camera: Vec<Finding>,
    /// Missing models.
    pub without: Vec<ModelError>,
    /// Whether the photographs of the simulated scene exist.
    pub photos: bool,
}

impl Sight {
    /// Collects the facts without taking an image.
    pub(super) fn look(config: &Config) -> Self {
        let good = |what: String| vec![Finding { ok: true, what, remedy: None }];
        let is_real = matches!(config.robot, RobotChoice::Serial(_));
        let camera = match &config.camera.source {
            CameraSource::None => good("none, as `camera.source` says".into()),
            CameraSource::Scene => good("the simulated scene".into()),
            CameraSource::Auto if !is_real => good("the simulated scene".into()),
            CameraSource::Auto => examine(None),
            CameraSource::Device(path) => examine(Some(path)),
            CameraSource::Files(path) if path.exists() => good(format!("pictures from {}", path.display())),
            CameraSource::Files(path) => vec![Finding {
                ok: false,
                what: format!("there is no {}", path.display()),
                remedy: Some("put a picture, or a folder of them, there, or change `camera.source`".into()),
            }],
            CameraSource::Stream(_) => good("a stream on the network; it is read on demand".into()),
        };
        let models = models_of(config);
        Sight {
            camera,
            without: MODELS.into_iter().filter_map(|model| models.examine(model).err()).collect(),
            photos: photos(&config.models).join("astronaut.png").is_file(),
        }
    }

    /// Returns a check for each.
    pub(super) fn judge(&self, config: &Config) -> Vec<Check> {
        let mut checks: Vec<Check> = self
            .camera
            .iter()
            .map(|found| match &found.remedy {
                Some(remedy) if !found.ok => Check::warning("camera", found.what.clone(), remedy.clone()),
                _ => Check::ok("camera", found.what.clone()),
            })
            .collect();
        let without = self.without.iter();
        checks.extend(without.map(|no| Check::warning("models", no.to_string(), "make models")));
        if !self.photos {
            let detail = "the simulated camera has no photographs, so it sees no face";
            checks.push(Check::warning("models", detail, "make models"));
        }
        if self.without.is_empty() && self.photos {
            checks.push(Check::ok("models", "for faces, for objects, and for the meaning of words"));
        }
        checks.push(match config.vision.endpoints.as_slice() {
            [] => Check::ok("pictures", "this program sends none to other computers"),
            [first, rest @ ..] => {
                let also = if rest.is_empty() { String::new() } else { format!(" or {} more", rest.len()) };
                Check::warning(
                    "pictures",
                    format!(
                        "up to {} an hour may go to {}{also}",
                        config.vision.max_uploads_per_hour, first.url
                    ),
                    "set vision.endpoints to `[]` to keep all of them here",
                )
            }
        });
        checks
    }
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;

    #[test]
    fn missing_models_and_images_that_leave_the_computer_are_reported() {
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
        let images = checks.iter().find(|check| check.name == "pictures").unwrap();
        assert_eq!(images.status, CheckStatus::Warning);
        assert!(images.detail.contains("https://example.org/v1"), "{images}");
    }
}
