//! Which of the things found is which over time: each is a track with a number, filtered by a Kalman filter.
//!
//! Tracks live in the world frame (x forward, y left, z up from the neutral head, metres), as azimuth, elevation and distance
//! from its origin. Every finding is brought there by the pose that the head had when the picture was taken, so the robot's
//! own motion does not move them.

use firmware_bridge::camera::Picture;
use firmware_bridge::clock::Tick;
use nalgebra::{Matrix2, Point3, Vector2};

use crate::detect::{Bounds, Face, Thing};
use crate::frame::Frame;

/// How high a face is as the detector bounds it, metres: from the chin to the hairline (the mean of ANSUR II's menton to
/// crinion, 0.19 m, and a little around it).
const FACE_HEIGHT: f64 = 0.21;
/// How high a thing is where nothing better is known, metres.
const THING_HEIGHT: f64 = 0.3;
/// The distances that are believed, metres.
const NEAREST: f64 = 0.15;
const FARTHEST: f64 = 6.0;
/// How much a target may accelerate, radians per second squared: a person who turns round in front of the robot.
const RESTLESS: f64 = 1.0;
/// How exact a finding is, radians: about a pixel and a half at 320 pixels and a field of view of 98 degrees.
const EXACT: f64 = 0.01;
/// How far from where it was expected a finding may be to be taken for the same, radians: a walking pace across the picture
/// between two of them, and twice as much as the filter doubts.
const GATE: f64 = 0.15;
/// How often one has to be found to be believed.
const BELIEVED: u32 = 2;

/// What a track is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A face.
    Face,
    /// A thing of this class.
    Thing(&'static str),
}

/// One finding in one picture, in the world.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// What.
    pub kind: Kind,
    /// Where, metres in the world frame; the distance is guessed by its size.
    pub place: Point3<f64>,
    /// Where in the picture, pixels.
    pub bounds: Bounds,
    /// The pixel that stands for it: the nose of a face, the middle of a thing.
    pub pixel: (f64, f64),
    /// How far it leans to the right in the picture, radians; of a face only.
    pub roll: f64,
    /// How sure the model is, 0 to 1.
    pub score: f64,
}

impl Found {
    /// A face; none where the lens's model does not hold.
    #[must_use]
    pub fn face(frame: &Frame, picture: &Picture, face: &Face) -> Option<Self> {
        let [right, left, nose, ..] = face.landmarks;
        Some(Found {
            kind: Kind::Face,
            place: place(frame, picture, nose, face.bounds.height, FACE_HEIGHT)?,
            bounds: face.bounds,
            pixel: nose,
            roll: (left.1 - right.1).atan2(left.0 - right.0),
            score: face.score,
        })
    }

    /// A thing; none where the lens's model does not hold.
    #[must_use]
    pub fn thing(frame: &Frame, picture: &Picture, thing: &Thing) -> Option<Self> {
        let pixel = thing.bounds.middle();
        Some(Found {
            kind: Kind::Thing(thing.label),
            place: place(frame, picture, pixel, thing.bounds.height, THING_HEIGHT)?,
            bounds: thing.bounds,
            pixel,
            roll: 0.0,
            score: thing.score,
        })
    }
}

/// Where in the world something is that is this high in metres, and in pixels.
fn place(
    frame: &Frame,
    picture: &Picture,
    (u, v): (f64, f64),
    pixels: f64,
    metres: f64,
) -> Option<Point3<f64>> {
    let lens = frame.lens_for(picture);
    let ray = lens.ray(u, v)?;
    let depth = (lens.focal[1] * metres / pixels.max(1.0)).clamp(NEAREST, FARTHEST);
    Some(frame.world_from_camera() * Point3::from(ray * (depth / ray.z)))
}

/// An angle or a distance and how fast it changes, with what is not known of them.
#[derive(Clone, Copy, Debug)]
struct Filter {
    /// The value and its rate.
    state: Vector2<f64>,
    doubt: Matrix2<f64>,
}

impl Filter {
    fn new(value: f64, exact: f64) -> Self {
        // At first nothing is known of the rate: a radian a second.
        Filter { state: Vector2::new(value, 0.0), doubt: Matrix2::new(exact * exact, 0.0, 0.0, 1.0) }
    }

    /// What it would be after a while.
    fn after(&self, seconds: f64, restless: f64) -> Filter {
        let step = Matrix2::new(1.0, seconds, 0.0, 1.0);
        let (square, power) = (seconds * seconds, restless * restless);
        let noise =
            Matrix2::new(square * square / 4.0, square * seconds / 2.0, square * seconds / 2.0, square)
                * power;
        Filter { state: step * self.state, doubt: step * self.doubt * step.transpose() + noise }
    }

    /// What it is once this was measured; `off` is how far from the state.
    fn told(&self, off: f64, exact: f64) -> Filter {
        let weight = self.doubt.column(0) / (self.doubt.m11 + exact * exact);
        let mut kept = Matrix2::identity();
        kept.set_column(0, &(Vector2::new(1.0, 0.0) - weight));
        Filter { state: self.state + weight * off, doubt: kept * self.doubt }
    }

    /// Comes to rest.
    fn calmed(&self) -> Filter {
        Filter { state: Vector2::new(self.state.x, 0.0), ..*self }
    }
}

/// Something that was found more than once.
#[derive(Clone, Debug)]
pub struct Track {
    /// Which: never given twice by one tracker.
    pub id: u32,
    /// How it was found last.
    pub last: Found,
    /// When.
    pub seen_at: Tick,
    /// In how many pictures.
    pub hits: u32,
    now: Tick,
    azimuth: Filter,
    elevation: Filter,
    distance: Filter,
}

impl Track {
    /// Where it is at a moment, metres in the world frame: with the speed that it had, for as long as that can be believed.
    #[must_use]
    pub fn place_at(&self, at: Tick) -> Point3<f64> {
        // Nobody goes on in a straight line for longer unseen.
        let seconds =
            at.since(self.seen_at).as_secs_f64().min(0.4) - self.now.since(self.seen_at).as_secs_f64();
        let ahead = |filter: &Filter| filter.state.x + filter.state.y * seconds.max(0.0);
        let (azimuth, elevation) = (ahead(&self.azimuth), ahead(&self.elevation));
        let distance = self.distance.state.x.clamp(NEAREST, FARTHEST);
        Point3::new(
            distance * elevation.cos() * azimuth.cos(),
            distance * elevation.cos() * azimuth.sin(),
            distance * elevation.sin(),
        )
    }

    /// How fast it goes round the robot, radians per second: to the left, and up.
    #[must_use]
    pub fn speed(&self) -> (f64, f64) {
        (self.azimuth.state.y, self.elevation.state.y)
    }

    /// Whether it was found often enough to be believed.
    #[must_use]
    pub const fn is_believed(&self) -> bool {
        self.hits >= BELIEVED
    }

    fn wait(&mut self, now: Tick) {
        let seconds = now.since(self.now).as_secs_f64();
        self.now = self.now.max(now);
        self.azimuth = self.azimuth.after(seconds, RESTLESS);
        self.elevation = self.elevation.after(seconds, RESTLESS);
        self.distance = self.distance.after(seconds, 2.0);
        if now.since(self.seen_at).as_secs_f64() > 0.4 {
            self.azimuth = self.azimuth.calmed();
            self.elevation = self.elevation.calmed();
            self.distance = self.distance.calmed();
        }
    }

    /// How far a place is from where this one is expected, radians.
    fn off(&self, place: &Point3<f64>) -> f64 {
        let (azimuth, elevation, _) = polar(place);
        let side = turn(azimuth - self.azimuth.state.x) * elevation.cos();
        side.hypot(elevation - self.elevation.state.x)
    }

    fn told(&mut self, found: Found, now: Tick) {
        let (azimuth, elevation, distance) = polar(&found.place);
        self.azimuth = self.azimuth.told(turn(azimuth - self.azimuth.state.x), EXACT);
        self.elevation = self.elevation.told(elevation - self.elevation.state.x, EXACT);
        self.distance = self.distance.told(distance - self.distance.state.x, 0.15 * distance);
        (self.last, self.seen_at, self.hits) = (found, now, self.hits.saturating_add(1));
    }
}

/// Azimuth to the left, elevation, distance.
fn polar(place: &Point3<f64>) -> (f64, f64, f64) {
    let level = place.x.hypot(place.y);
    (place.y.atan2(place.x), place.z.atan2(level), level.hypot(place.z))
}

/// An angle between minus and plus half a turn.
fn turn(angle: f64) -> f64 {
    angle.sin().atan2(angle.cos())
}

/// All that is tracked.
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

/// No picture has more that is worth following.
const MOST: usize = 64;

impl Tracker {
    /// One that forgets what it has not seen for so many seconds.
    #[must_use]
    pub const fn forgetting_after(seconds: f64) -> Self {
        Tracker { tracks: Vec::new(), next: 1, forgets: seconds }
    }

    /// Takes in what was found in the picture of this moment. The nearest pairs of what was expected and what was found go
    /// together first.
    pub fn see(&mut self, at: Tick, found: &[Found]) {
        for track in &mut self.tracks {
            track.wait(at);
        }
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (which, track) in self.tracks.iter().enumerate() {
            let doubt = 2.0 * (track.azimuth.doubt.m11 + track.elevation.doubt.m11).sqrt();
            for (place, one) in found.iter().enumerate().take(MOST) {
                let off = track.off(&one.place);
                if one.kind == track.last.kind && off < GATE + doubt.min(0.5) {
                    pairs.push((off, which, place));
                }
            }
        }
        pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut taken = vec![false; found.len()];
        let mut told = vec![false; self.tracks.len()];
        for (_, which, place) in pairs {
            let (Some(told), Some(taken)) = (told.get_mut(which), taken.get_mut(place)) else { continue };
            if *told || *taken {
                continue;
            }
            if let (Some(track), Some(one)) = (self.tracks.get_mut(which), found.get(place)) {
                track.told(*one, at);
                (*told, *taken) = (true, true);
            }
        }
        let forgets = self.forgets;
        self.tracks.retain(|track| {
            let unseen = at.since(track.seen_at).as_secs_f64();
            // What was seen once only is soon forgotten.
            unseen <= if track.is_believed() { forgets } else { forgets.min(0.3) }
        });
        for (one, taken) in found.iter().zip(taken) {
            if !taken && self.tracks.len() < MOST {
                let (azimuth, elevation, distance) = polar(&one.place);
                self.tracks.push(Track {
                    id: self.next,
                    last: *one,
                    seen_at: at,
                    hits: 1,
                    now: at,
                    azimuth: Filter::new(azimuth, EXACT),
                    elevation: Filter::new(elevation, EXACT),
                    distance: Filter::new(distance, 0.15 * distance),
                });
                self.next = self.next.wrapping_add(1);
            }
        }
    }

    /// All tracks, oldest first.
    #[must_use]
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The track of this number.
    #[must_use]
    pub fn track(&self, id: u32) -> Option<&Track> {
        self.tracks.iter().find(|track| track.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: Kind, azimuth: f64, elevation: f64) -> Found {
        let (azimuth, elevation) = (azimuth.to_radians(), elevation.to_radians());
        Found {
            kind,
            place: Point3::new(
                elevation.cos() * azimuth.cos(),
                elevation.cos() * azimuth.sin(),
                elevation.sin(),
            ),
            bounds: Bounds { x: 0.0, y: 0.0, width: 1.0, height: 1.0 },
            pixel: (0.0, 0.0),
            roll: 0.0,
            score: 0.9,
        }
    }

    fn at(milliseconds: u64) -> Tick {
        Tick(milliseconds * 1_000_000)
    }

    fn azimuth(track: &Track, now: Tick) -> f64 {
        let place = track.place_at(now);
        place.y.atan2(place.x).to_degrees()
    }

    #[test]
    fn one_that_walks_keeps_its_number_and_is_ahead_of_its_last_picture() {
        let mut tracker = Tracker::default();
        // 30 degrees a second.
        for frame in 0..60 {
            tracker.see(at(frame * 33), &[found(Kind::Face, frame as f64 * 0.99 - 30.0, 5.0)]);
        }
        let [track] = tracker.tracks() else { panic!("{:?}", tracker.tracks()) };
        assert_eq!(track.id, 1);
        assert!((track.speed().0.to_degrees() - 30.0).abs() < 1.5, "{}", track.speed().0.to_degrees());
        let (seen, ahead) = (59.0 * 0.99 - 30.0, azimuth(track, at(59 * 33 + 100)));
        assert!((ahead - seen - 3.0).abs() < 0.5, "{ahead} {seen}");
        // Unseen for longer, it is not thought to run away.
        assert!((azimuth(track, at(59 * 33 + 5_000)) - seen).abs() < 13.0);
    }

    #[test]
    fn noise_is_smoothed_and_a_passing_blur_is_not_believed() {
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
    fn two_that_stand_apart_keep_their_numbers_and_kinds_are_not_mixed() {
        let mut tracker = Tracker::default();
        for frame in 0..40 {
            let step = frame as f64 * 0.5;
            let mut both = vec![found(Kind::Face, step - 20.0, 0.0), found(Kind::Face, 20.0 - step, 12.0)];
            if frame % 2 == 1 {
                both.reverse();
            }
            both.push(found(Kind::Thing("cup"), step - 20.0, 0.0));
            tracker.see(at(frame * 33), &both);
        }
        assert_eq!(tracker.tracks().len(), 3);
        let end = at(39 * 33);
        assert!((azimuth(tracker.track(1).unwrap(), end) - -0.5).abs() < 0.5);
        assert!((azimuth(tracker.track(2).unwrap(), end) - 0.5).abs() < 0.5);
        assert_eq!(tracker.track(3).unwrap().last.kind, Kind::Thing("cup"));
    }

    #[test]
    fn one_that_is_hidden_for_a_moment_is_the_same_and_after_long_another() {
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
