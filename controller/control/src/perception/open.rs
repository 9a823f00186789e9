//! Opens the configured camera of a robot.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use firmware_bridge::camera::CameraIntrinsics;
use firmware_bridge::clock::MonotonicClock;
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient};
use minismith_perception::camera::capture::{Capture, CaptureOptions};
use minismith_perception::camera::files::Files;
use minismith_perception::camera::source::Source;
use minismith_perception::camera::v4l2::{FormatRequest, V4l2};
use minismith_perception::camera::{Camera, CameraError};
use minismith_perception::frame::{CameraPose, Frame};
use mock_robot::scene::{Scene, SceneError};

use super::SceneCamera;
use crate::snapshot::posture_of;
use minismith_runtime::config::{CameraSource, Config, RobotChoice, SceneChoice};
use minismith_runtime::net::mjpeg_client;

/// Returns the folder of the scenes' photographs, in the folder of models.
#[must_use]
pub fn photos(models: &Path) -> PathBuf {
    models.join("photographs")
}

/// Returns the camera of this robot. An unavailable camera is reported on first use.
#[must_use]
pub fn camera_of(config: &Config, robot: &RobotChoice, control_loop: &ControlLoopHandle) -> Arc<dyn Camera> {
    let is_real = matches!(robot, RobotChoice::Serial(_));
    let wanted = FormatRequest {
        width: config.camera.size.0,
        height: config.camera.size.1,
        rate: f64::from(config.camera.fps),
    };
    let rate = f64::from(config.camera.fps);
    match &config.camera.source {
        CameraSource::None => Arc::new(NoCamera("`camera.source` is `none` in the configuration".into())),
        CameraSource::Scene => scene_camera(config),
        CameraSource::Auto if !is_real => scene_camera(config),
        CameraSource::Auto => {
            real(config, control_loop, "the first camera", move || Box::new(V4l2::new(None, wanted)))
        }
        CameraSource::Device(path) => {
            let (name, path) = (path.display().to_string(), path.clone());
            real(config, control_loop, &name, move || Box::new(V4l2::new(Some(path.clone()), wanted)))
        }
        CameraSource::Files(path) => {
            let (name, path) = (path.display().to_string(), path.clone());
            real(config, control_loop, &name, move || {
                Box::new(Files::new(path.clone(), rate, Arc::new(MonotonicClock::start())))
            })
        }
        CameraSource::Stream(address) => {
            let address = address.clone();
            real(config, control_loop, "a camera on the network", move || {
                Box::new(mjpeg_client::stream(&address))
            })
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
                    "the simulated camera shows no people until `minismith setup` (or `make models`) has installed its photographs and the program has restarted"
                );
            }
            Arc::new(SceneCamera::new(Arc::new(scene)))
        }
        Err(no) => Arc::new(NoCamera(no.to_string())),
    }
}

fn scene_of(config: &Config) -> Result<Scene, SceneError> {
    let photographs = photos(&config.models);
    match &config.camera.scene {
        SceneChoice::BuiltIn(name) => Scene::built_in(name, &photographs),
        SceneChoice::File(file) => Scene::load(file, &photographs),
    }
}

fn real(
    config: &Config,
    control_loop: &ControlLoopHandle,
    name: &str,
    source: impl Fn() -> Box<dyn Source> + Send + Sync + 'static,
) -> Arc<dyn Camera> {
    Arc::new(LazyCamera {
        name: name.to_owned(),
        intrinsics: config.camera.intrinsics,
        options: CaptureOptions {
            intrinsics: config.camera.auto_intrinsics,
            latency: config.camera.latency,
            ..CaptureOptions::default()
        },
        control_loop: control_loop.clone(),
        source: Box::new(source),
        opened: Mutex::default(),
    })
}

/// A camera that opens on first use, since most commands do not need it.
struct LazyCamera {
    name: String,
    intrinsics: CameraIntrinsics,
    options: CaptureOptions,
    control_loop: ControlLoopHandle,
    source: Box<dyn Fn() -> Box<dyn Source> + Send + Sync>,
    opened: Mutex<Opened>,
}

/// The state of a device.
#[derive(Default)]
enum Opened {
    /// Nobody has asked for an image yet.
    #[default]
    NotYet,
    Open(Arc<Capture>),
    /// Another program uses the device.
    Released,
}

impl LazyCamera {
    fn capture(&self) -> Option<Arc<Capture>> {
        match &*self.opened.lock().unwrap_or_else(PoisonError::into_inner) {
            Opened::Open(capture) => Some(capture.clone()),
            Opened::NotYet | Opened::Released => None,
        }
    }

    /// Returns the camera, and whether this call opened it; none while another program uses it.
    fn open(&self) -> Option<(Arc<Capture>, bool)> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        match &*opened {
            Opened::Open(capture) => return Some((capture.clone(), false)),
            Opened::Released => return None,
            Opened::NotYet => {}
        }
        let control_loop = self.control_loop.clone();
        let view = move || {
            let head = posture_of(&control_loop.snapshot())?.head;
            Some(CameraPose { time: control_loop.robot_time(), head })
        };
        let capture =
            Arc::new(Capture::start((self.source)(), self.intrinsics, Box::new(view), self.options));
        *opened = Opened::Open(capture.clone());
        Some((capture, true))
    }
}

impl Camera for LazyCamera {
    fn name(&self) -> String {
        self.capture().map_or_else(|| self.name.clone(), |camera| camera.name())
    }

    fn intrinsics(&self) -> CameraIntrinsics {
        self.capture().map_or(self.intrinsics, |camera| camera.intrinsics())
    }

    fn latest_frame(&self, from: &CameraPose) -> Result<Arc<Frame>, CameraError> {
        let Some((camera, is_new)) = self.open() else {
            let reason = "a client of the official API has taken it for itself (`/api/media/release`)";
            return Err(CameraError::NoFrameYet { reason: reason.into() });
        };
        if is_new {
            // The first image takes a moment. The first caller waits for it, or for the error.
            camera.wait_until(self.options.stale_after, |status| status.frames > 0 || status.error.is_some());
        }
        camera.latest_frame(from)
    }

    fn release(&self, released: bool) {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        match (released, &*opened) {
            (true, _) => *opened = Opened::Released,
            (false, Opened::Released) => *opened = Opened::NotYet,
            (false, _) => {}
        }
    }
}

/// A missing camera, with the reason.
struct NoCamera(String);

impl Camera for NoCamera {
    fn name(&self) -> String {
        "no camera".into()
    }

    fn intrinsics(&self) -> CameraIntrinsics {
        CameraIntrinsics::pinhole(320, 240)
    }

    fn latest_frame(&self, _from: &CameraPose) -> Result<Arc<Frame>, CameraError> {
        Err(CameraError::NoFrameYet { reason: self.0.clone() })
    }
}
