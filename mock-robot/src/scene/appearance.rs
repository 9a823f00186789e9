//! What an image of a scene depends on.

use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::posture::HeadPose;

use super::Scene;

/// All that an image depends on. Two images with equal appearances have equal pixels, so what was found in one of them
/// is also in the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Appearance(pub Arc<[u64]>);

impl Scene {
    /// Returns what an image from this head pose (`world_from_head`) at this time depends on. `None` if the camera has
    /// noise, which makes every image another one.
    #[must_use]
    pub fn appearance(&self, head: &HeadPose, at: Duration) -> Option<Appearance> {
        if !self.noise.is_none() {
            return None;
        }
        let light = self.light.at(at);
        let mut parts = vec![self.identity, u64::from(self.width), u64::from(self.height)];
        parts.extend(head.to_row_major().map(f64::to_bits));
        parts.extend([light.ambient, light.strength].map(f64::to_bits));
        for board in &self.boards {
            match board.pose_at(at) {
                Some(pose) => {
                    parts.push(1);
                    parts.extend(pose.middle.iter().map(|coordinate| coordinate.to_bits()));
                }
                None => parts.push(0),
            }
        }
        Some(Appearance(parts.into()))
    }
}
