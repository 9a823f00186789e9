//! Opens the configured camera of a robot.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use firmware_bridge::camera::Lens;
use firmware_bridge::clock::WallClock;
use firmware_bridge::pulse::{Conductor, PulseHandle};
use minismith_senses::camera::capture::{Capture, CaptureOptions};
use minismith_senses::camera::files::Files;
use minismith_senses::camera::source::Source;
use minismith_senses::camera::v4l2::{V4l2, Wanted};
use minismith_senses::camera::{Camera, NoFrame};
use minismith_senses::frame::{Frame, Viewpoint};
use mock_robot::scene::{NoScene, Scene};

use super::SceneCamera;
use crate::snapshot::posture_of;
use minismith_runtime::config::{CameraSource, Config, RobotChoice, SceneChoice};
use minismith_runtime::net::pictures;

/// Returns the folder of the scenes' photographs, in the folder of models.
#[must_use]
pub fn photographs(models: &Path) -> PathBuf {
    models.join("photographs")
}

/// Returns the camera of this robot. An unavailable camera is reported on first use.
#[must_use]
pub fn camera_of(config: &Config, robot: &RobotChoice, pulse: &PulseHandle) -> Arc<dyn Camera> {
    let is_real = matches!(robot, RobotChoice::Serial(_));
    let wanted = Wanted {
        width: config.camera.size.0,
        height: config.camera.size.1,
        rate: f64::from(config.camera.fps),
    };
    let rate = f64::from(config.camera.fps);
    match &config.camera.source {
        CameraSource::None => Arc::new(Blind("`camera.source` is `none` in the configuration".into())),
        CameraSource::Scene => scene_camera(config),
        CameraSource::Auto if !is_real => scene_camera(config),
        CameraSource::Auto => {
            real(config, pulse, "the first camera", move || Box::new(V4l2::new(None, wanted)))
        }
        CameraSource::Device(path) => {
            let (name, path) = (path.display().to_string(), path.clone());
            real(config, pulse, &name, move || Box::new(V4l2::new(Some(path.clone()), wanted)))
        }
        CameraSource::Files(path) => {
            let (name, path) = (path.display().to_string(), path.clone());
            real(config, pulse, &name, move || {
                Box::new(Files::new(path.clone(), rate, Arc::new(WallClock::start())))
            })
        }
        CameraSource::Stream(address) => {
            let address = address.clone();
            real(config, pulse, "a camera on the network", move || Box::new(pictures::stream(&address)))
        }
    }
}

/// Returns the camera of a simulated robot.
#[must_use]
pub fn scene_camera(config: &Config) -> Arc<dyn Camera> {
    match scene_of(config) {
        Ok(scene) => {
            if config.camera.scene == SceneChoice::BuiltIn("room".into())
                && scene.identity() == Scene::empty().identity()
            {
                tracing::info!(
                    "the simulated camera shows no people until `make models` has installed its photographs and the program has restarted"
                );
            }
            Arc::new(SceneCamera::new(Arc::new(scene)))
        }
        Err(no) => Arc::new(Blind(no.to_string())),
    }
}

fn scene_of(config: &Config) -> Result<Scene, NoScene> {
    let photographs = photographs(&config.models);
    match &config.camera.scene {
        SceneChoice::BuiltIn(name) => Scene::built_in(name, &photographs),
        SceneChoice::File(file) => Scene::load(file, &photographs),
    }
}

fn real(
    config: &Config,
    pulse: &PulseHandle,
    name: &str,
    source: impl Fn() -> Box<dyn Source> + Send + Sync + 'static,
) -> Arc<dyn Camera> {
    Arc::new(Sleeping {
        name: name.to_owned(),
        lens: config.camera.intrinsics,
        options: CaptureOptions {
            own_lens: config.camera.auto_intrinsics,
            latency: config.camera.latency,
            ..CaptureOptions::default()
        },
        pulse: pulse.clone(),
        source: Box::new(source),
        awake: OnceLock::new(),
    })
}

/// A camera that opens on first use, since most commands do not need it.
struct Sleeping {
    name: String,
    lens: Lens,
    options: CaptureOptions,
    pulse: PulseHandle,
    source: Box<dyn Fn() -> Box<dyn Source> + Send + Sync>,
    awake: OnceLock<Capture>,
}

impl Camera for Sleeping {
    fn name(&self) -> String {
        self.awake.get().map_or_else(|| self.name.clone(), Camera::name)
    }

    fn lens(&self) -> Lens {
        self.awake.get().map_or(self.lens, Camera::lens)
    }

    fn newest(&self, from: &Viewpoint) -> Result<Arc<Frame>, NoFrame> {
        let is_new = self.awake.get().is_none();
        let camera = self.awake.get_or_init(|| {
            let pulse = self.pulse.clone();
            let view = move || {
                let head = posture_of(&pulse.snapshot())?.head;
                Some(Viewpoint { at: pulse.stage_now(), head })
            };
            Capture::start((self.source)(), self.lens, Box::new(view), self.options)
        });
        if is_new {
            // The first image takes a moment. The first caller waits for it, or for the error.
            camera
                .wait_until(self.options.stale_after, |status| status.frames > 0 || status.trouble.is_some());
        }
        camera.newest(from)
    }
}

/// A missing camera, with the reason.
struct Blind(String);

impl Camera for Blind {
    fn name(&self) -> String {
        "no camera".into()
    }

    fn lens(&self) -> Lens {
        Lens::pinhole(320, 240)
    }

    fn newest(&self, _from: &Viewpoint) -> Result<Arc<Frame>, NoFrame> {
        Err(NoFrame::None { reason: self.0.clone() })
    }
}
