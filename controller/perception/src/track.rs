//! Tracks detections over time with a Kalman filter, and gives each track an id ([`Tracker`]).
//!
//! Tracks are in the world frame: x forward, y left, z up from the neutral head, in metres. Their state is azimuth, elevation
//! and distance from the origin. Each detection is transformed with the head pose at exposure, so the robot's own motion does
//! not move the tracks.

use firmware_bridge::camera::BgrImage;
use firmware_bridge::clock::Timestamp;
use nalgebra::{Matrix2, Point3, Vector2};

use crate::detect::{BoundingBox, Face, Object};
use crate::frame::Frame;

/// Height of a detected face in metres, from chin to hairline. It is the mean of ANSUR II's menton to crinion, 0.19 m, plus a
/// small margin.
const FACE_HEIGHT: f64 = 0.21;
/// Assumed height of an object in metres.
const OBJECT_HEIGHT: f64 = 0.3;
/// Minimum and maximum plausible distance in metres.
const MIN_DISTANCE: f64 = 0.15;
const MAX_DISTANCE: f64 = 6.0;
/// Acceleration noise of a target in rad/s²: a person who turns round in front of the robot.
const ACCELERATION_NOISE: f64 = 1.0;
/// Measurement noise in radians: about 1.5 pixels at 320 pixels and a field of view of 98 degrees.
const ANGLE_NOISE: f64 = 0.01;
/// Maximum angle in radians between a track's prediction and a detection. It covers a walking pace between two images. Twice
/// the filter's standard deviation is added.
const GATE: f64 = 0.15;
/// Number of detections from which a track is confirmed.
const CONFIRMING_HITS: u32 = 2;

/// Kind of a tracked target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A face.
    Face,
    /// An object of this class.
    Object(&'static str),
}

/// A detection in one image, in the world frame.
#[derive(Clone, Copy, Debug)]
pub struct Detection {
    /// Kind.
    pub kind: Kind,
    /// Position in metres in the world frame. The distance is estimated from the size.
    pub position: Point3<f64>,
    /// Bounding box in pixels.
    pub bounds: BoundingBox,
    /// Reference pixel: the nose of a face, the centre of an object.
    pub pixel: (f64, f64),
    /// Roll of a face to the right in the image, in radians. Zero for objects.
    pub roll: f64,
    /// Confidence, 0 to 1.
    pub score: f64,
}

impl Detection {
    /// Converts a face, or returns `None` where the distortion model is not valid.
    #[must_use]
    pub fn face(frame: &Frame, image: &BgrImage, face: &Face) -> Option<Self> {
        let [right, left, nose, ..] = face.landmarks;
        Some(Detection {
            kind: Kind::Face,
            position: position(frame, image, nose, face.bounds.height, FACE_HEIGHT)?,
            bounds: face.bounds,
            pixel: nose,
            roll: (left.1 - right.1).atan2(left.0 - right.0),
            score: face.score,
        })
    }

    /// Converts an object, or returns `None` where the distortion model is not valid.
    #[must_use]
    pub fn object(frame: &Frame, image: &BgrImage, object: &Object) -> Option<Self> {
        let pixel = object.bounds.center();
        Some(Detection {
            kind: Kind::Object(object.label),
            position: position(frame, image, pixel, object.bounds.height, OBJECT_HEIGHT)?,
            bounds: object.bounds,
            pixel,
            roll: 0.0,
            score: object.score,
        })
    }
}

/// Returns the world position of a target with this height in metres and in pixels.
fn position(
    frame: &Frame,
    image: &BgrImage,
    (u, v): (f64, f64),
    pixels: f64,
    metres: f64,
) -> Option<Point3<f64>> {
    let intrinsics = frame.intrinsics_for(image);
    let ray = intrinsics.unproject(u, v)?;
    let depth = (intrinsics.focal_length[1] * metres / pixels.max(1.0)).clamp(MIN_DISTANCE, MAX_DISTANCE);
    Some(frame.world_from_camera() * Point3::from(ray * (depth / ray.z)))
}

/// Kalman filter for an angle or a distance and its rate.
#[derive(Clone, Copy, Debug)]
struct Filter {
    /// Value and rate.
    state: Vector2<f64>,
    covariance: Matrix2<f64>,
}

impl Filter {
    fn new(value: f64, noise: f64) -> Self {
        // The initial rate is unknown: its standard deviation is 1 rad/s.
        Filter { state: Vector2::new(value, 0.0), covariance: Matrix2::new(noise * noise, 0.0, 0.0, 1.0) }
    }

    /// Predicts the state after a time.
    fn predict(&self, seconds: f64, acceleration_noise: f64) -> Filter {
        let step = Matrix2::new(1.0, seconds, 0.0, 1.0);
        let (square, power) = (seconds * seconds, acceleration_noise * acceleration_noise);
        let noise =
            Matrix2::new(square * square / 4.0, square * seconds / 2.0, square * seconds / 2.0, square)
                * power;
        Filter { state: step * self.state, covariance: step * self.covariance * step.transpose() + noise }
    }

    /// Updates the state with a measurement. `off` is the innovation.
    fn update(&self, angle_off: f64, noise: f64) -> Filter {
        let weight = self.covariance.column(0) / (self.covariance.m11 + noise * noise);
        let mut stored = Matrix2::identity();
        stored.set_column(0, &(Vector2::new(1.0, 0.0) - weight));
        Filter { state: self.state + weight * angle_off, covariance: stored * self.covariance }
    }

    /// Sets the rate to zero.
    fn at_rest(&self) -> Filter {
        Filter { state: Vector2::new(self.state.x, 0.0), ..*self }
    }
}

/// A tracked target.
#[derive(Clone, Debug)]
pub struct Track {
    /// Id. One tracker never reuses an id.
    pub id: u32,
    /// Last detection.
    pub last: Detection,
    /// Time of the last detection.
    pub seen_at: Timestamp,
    /// Number of images with a detection.
    pub hits: u32,
    now: Timestamp,
    azimuth: Filter,
    elevation: Filter,
    distance: Filter,
}

impl Track {
    /// Predicts its position at a time, in metres in the world frame. It extrapolates the velocity for a short time only.
    #[must_use]
    pub fn position_at(&self, at: Timestamp) -> Point3<f64> {
        // A target that is out of sight for longer rarely continues in a straight line.
        let seconds =
            at.since(self.seen_at).as_secs_f64().min(0.4) - self.now.since(self.seen_at).as_secs_f64();
        let ahead = |filter: &Filter| filter.state.x + filter.state.y * seconds.max(0.0);
        let (azimuth, elevation) = (ahead(&self.azimuth), ahead(&self.elevation));
        let distance = self.distance.state.x.clamp(MIN_DISTANCE, MAX_DISTANCE);
        Point3::new(
            distance * elevation.cos() * azimuth.cos(),
            distance * elevation.cos() * azimuth.sin(),
            distance * elevation.sin(),
        )
    }

    /// Returns its angular velocity around the robot in rad/s, to the left and up.
    #[must_use]
    pub fn speed(&self) -> (f64, f64) {
        (self.azimuth.state.y, self.elevation.state.y)
    }

    /// Returns whether it has enough detections to be confirmed.
    #[must_use]
    pub const fn is_believed(&self) -> bool {
        self.hits >= CONFIRMING_HITS
    }

    fn predict_to(&mut self, now: Timestamp) {
        let seconds = now.since(self.now).as_secs_f64();
        self.now = self.now.max(now);
        self.azimuth = self.azimuth.predict(seconds, ACCELERATION_NOISE);
        self.elevation = self.elevation.predict(seconds, ACCELERATION_NOISE);
        self.distance = self.distance.predict(seconds, 2.0);
        if now.since(self.seen_at).as_secs_f64() > 0.4 {
            self.azimuth = self.azimuth.at_rest();
            self.elevation = self.elevation.at_rest();
            self.distance = self.distance.at_rest();
        }
    }

    /// Returns the angle in radians between a position and the prediction.
    fn angle_off(&self, position: &Point3<f64>) -> f64 {
        let (azimuth, elevation, _) = polar(position);
        let side = wrap_angle(azimuth - self.azimuth.state.x) * elevation.cos();
        side.hypot(elevation - self.elevation.state.x)
    }

    fn update(&mut self, found: Detection, now: Timestamp) {
        let (azimuth, elevation, distance) = polar(&found.position);
        self.azimuth = self.azimuth.update(wrap_angle(azimuth - self.azimuth.state.x), ANGLE_NOISE);
        self.elevation = self.elevation.update(elevation - self.elevation.state.x, ANGLE_NOISE);
        self.distance = self.distance.update(distance - self.distance.state.x, 0.15 * distance);
        (self.last, self.seen_at, self.hits) = (found, now, self.hits.saturating_add(1));
    }
}

/// Converts to azimuth (positive left), elevation and distance.
fn polar(position: &Point3<f64>) -> (f64, f64, f64) {
    let level = position.x.hypot(position.y);
    (position.y.atan2(position.x), position.z.atan2(level), level.hypot(position.z))
}

/// Normalises an angle to minus pi to pi.
fn wrap_angle(angle: f64) -> f64 {
    angle.sin().atan2(angle.cos())
}

/// Tracks all targets.
#[derive(Clone, Debug)]
pub struct Tracker {
    tracks: Vec<Track>,
    next: u32,
    forgets: f64,
}

impl Default for Tracker {
    fn default() -> Self {
        Tracker::forgetting_after(2.0)
    }
}

/// Maximum number of tracks.
const MAX_TRACKS: usize = 64;

impl Tracker {
    /// Creates a tracker that drops tracks without a detection for this many seconds.
    #[must_use]
    pub const fn forgetting_after(seconds: f64) -> Self {
        Tracker { tracks: Vec::new(), next: 1, forgets: seconds }
    }

    /// Updates the tracks with the detections of one image. Predictions and detections are paired greedily, the nearest pairs
    /// first.
    pub fn see(&mut self, at: Timestamp, found: &[Detection]) {
        for track in &mut self.tracks {
            track.predict_to(at);
        }
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (which, track) in self.tracks.iter().enumerate() {
            let uncertainty = 2.0 * (track.azimuth.covariance.m11 + track.elevation.covariance.m11).sqrt();
            for (position, one) in found.iter().enumerate().take(MAX_TRACKS) {
                let angle_off = track.angle_off(&one.position);
                if one.kind == track.last.kind && angle_off < GATE + uncertainty.min(0.5) {
                    pairs.push((angle_off, which, position));
                }
            }
        }
        pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut taken = vec![false; found.len()];
        let mut is_updated = vec![false; self.tracks.len()];
        for (_, which, position) in pairs {
            let (Some(is_updated), Some(taken)) = (is_updated.get_mut(which), taken.get_mut(position)) else {
                continue;
            };
            if *is_updated || *taken {
                continue;
            }
            if let (Some(track), Some(one)) = (self.tracks.get_mut(which), found.get(position)) {
                track.update(*one, at);
                (*is_updated, *taken) = (true, true);
            }
        }
        let forgets = self.forgets;
        self.tracks.retain(|track| {
            let unseen = at.since(track.seen_at).as_secs_f64();
            // A track with a single detection is dropped soon.
            unseen <= if track.is_believed() { forgets } else { forgets.min(0.3) }
        });
        for (one, taken) in found.iter().zip(taken) {
            if !taken && self.tracks.len() < MAX_TRACKS {
                let (azimuth, elevation, distance) = polar(&one.position);
                self.tracks.push(Track {
                    id: self.next,
                    last: *one,
                    seen_at: at,
                    hits: 1,
                    now: at,
                    azimuth: Filter::new(azimuth, ANGLE_NOISE),
                    elevation: Filter::new(elevation, ANGLE_NOISE),
                    distance: Filter::new(distance, 0.15 * distance),
                });
                self.next = self.next.wrapping_add(1);
            }
        }
    }

    /// Returns all tracks, the oldest first.
    #[must_use]
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// Returns the track with this id.
    #[must_use]
    pub fn track(&self, id: u32) -> Option<&Track> {
        self.tracks.iter().find(|track| track.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: Kind, azimuth: f64, elevation: f64) -> Detection {
        let (azimuth, elevation) = (azimuth.to_radians(), elevation.to_radians());
        Detection {
            kind,
            position: Point3::new(
                elevation.cos() * azimuth.cos(),
                elevation.cos() * azimuth.sin(),
                elevation.sin(),
            ),
            bounds: BoundingBox { x: 0.0, y: 0.0, width: 1.0, height: 1.0 },
            pixel: (0.0, 0.0),
            roll: 0.0,
            score: 0.9,
        }
    }

    fn at(milliseconds: u64) -> Timestamp {
        Timestamp(milliseconds * 1_000_000)
    }

    fn azimuth(track: &Track, now: Timestamp) -> f64 {
        let position = track.position_at(now);
        position.y.atan2(position.x).to_degrees()
    }

    #[test]
    fn moving_target_keeps_its_id_and_is_predicted_ahead() {
        let mut tracker = Tracker::default();
        // 30 degrees per second.
        for frame in 0..60 {
            tracker.see(at(frame * 33), &[found(Kind::Face, frame as f64 * 0.99 - 30.0, 5.0)]);
        }
        let [track] = tracker.tracks() else { panic!("{:?}", tracker.tracks()) };
        assert_eq!(track.id, 1);
        assert!((track.speed().0.to_degrees() - 30.0).abs() < 1.5, "{}", track.speed().0.to_degrees());
        let (seen, ahead) = (59.0 * 0.99 - 30.0, azimuth(track, at(59 * 33 + 100)));
        assert!((ahead - seen - 3.0).abs() < 0.5, "{ahead} {seen}");
        // A track without detections does not drift away.
        assert!((azimuth(track, at(59 * 33 + 5_000)) - seen).abs() < 13.0);
    }

    #[test]
    fn noise_is_smoothed_and_a_single_detection_is_not_confirmed() {
        let mut tracker = Tracker::default();
        let mut seed = 7_u64;
        let mut noise = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) as f64 / f64::from(1_u32 << 31) - 0.5) * 2.0
        };
        let mut worst: f64 = 0.0;
        for frame in 0..200 {
            let mut seen = vec![found(Kind::Face, 10.0 + noise(), noise())];
            if frame == 100 {
                seen.push(found(Kind::Face, -40.0, 0.0));
            }
            tracker.see(at(frame * 33), &seen);
            if frame > 30 {
                worst = worst.max((azimuth(&tracker.tracks()[0], at(frame * 33)) - 10.0).abs());
            }
            assert_eq!(
                tracker.tracks().iter().filter(|track| track.is_believed()).count(),
                usize::from(frame > 0)
            );
        }
        assert!(worst < 0.8, "{worst}");
    }

    #[test]
    fn separate_targets_keep_their_ids_and_kinds() {
        let mut tracker = Tracker::default();
        for frame in 0..40 {
            let step = frame as f64 * 0.5;
            let mut both = vec![found(Kind::Face, step - 20.0, 0.0), found(Kind::Face, 20.0 - step, 12.0)];
            if frame % 2 == 1 {
                both.reverse();
            }
            both.push(found(Kind::Object("cup"), step - 20.0, 0.0));
            tracker.see(at(frame * 33), &both);
        }
        assert_eq!(tracker.tracks().len(), 3);
        let end = at(39 * 33);
        assert!((azimuth(tracker.track(1).unwrap(), end) - -0.5).abs() < 0.5);
        assert!((azimuth(tracker.track(2).unwrap(), end) - 0.5).abs() < 0.5);
        assert_eq!(tracker.track(3).unwrap().last.kind, Kind::Object("cup"));
    }

    #[test]
    fn hidden_target_keeps_its_id_briefly_then_gets_a_new_one() {
        let mut tracker = Tracker::default();
        for frame in 0..30 {
            tracker.see(at(frame * 33), &[found(Kind::Face, 10.0, 0.0)]);
        }
        for frame in 30..60 {
            tracker.see(at(frame * 33), &[]);
        }
        tracker.see(at(60 * 33), &[found(Kind::Face, 14.0, 0.0)]);
        assert_eq!((tracker.tracks().len(), tracker.tracks()[0].id), (1, 1));
        for frame in 61..200 {
            tracker.see(at(frame * 33), &[]);
        }
        assert!(tracker.tracks().is_empty());
        tracker.see(at(200 * 33), &[found(Kind::Face, 14.0, 0.0)]);
        assert_eq!(tracker.tracks()[0].id, 2);
    }
}
