//! Describes pixels alone: which colours an image contains, and whether something moves.

use std::time::Duration;

use firmware_bridge::camera::BgrImage;

use minismith_control::execution::ExecutionContext;
use minismith_control::perception::PerceptionError;

/// Colours with a name.
const NAMES: [&str; 11] =
    ["black", "grey", "white", "red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink"];

/// Returns the name of a colour, as its index in [`NAMES`].
fn name([blue, green, red]: [u8; 3]) -> usize {
    let (red, green, blue) = (f64::from(red), f64::from(green), f64::from(blue));
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let spread = most - least;
    if most < 45.0 {
        return 0;
    }
    if spread < 0.22 * most || spread < 25.0 {
        return match most {
            bright if bright > 200.0 => 2,
            _ => 1,
        };
    }
    let hue = 60.0
        * if most == red {
            ((green - blue) / spread).rem_euclid(6.0)
        } else if most == green {
            (blue - red) / spread + 2.0
        } else {
            (red - green) / spread + 4.0
        };
    match hue {
        hue if hue < 15.0 => 3,
        hue if hue < 40.0 => 4,
        hue if hue < 70.0 => 5,
        hue if hue < 160.0 => 6,
        hue if hue < 195.0 => 7,
        hue if hue < 255.0 => 8,
        hue if hue < 290.0 => 9,
        hue if hue < 345.0 => 10,
        _ => 3,
    }
}

/// Returns the fraction of an image that each colour covers, the largest first.
fn shares(image: &BgrImage) -> Vec<(&'static str, f64)> {
    let mut counts = [0_u32; NAMES.len()];
    let mut all = 0_u32;
    for pixel in image.bgr.as_chunks::<3>().0.iter().step_by(7) {
        if let Some(count) = counts.get_mut(name(*pixel)) {
            *count += 1;
        }
        all += 1;
    }
    let mut shares: Vec<(&str, f64)> = NAMES
        .into_iter()
        .zip(counts)
        .map(|(name, count)| (name, f64::from(count) / f64::from(all.max(1))))
        .collect();
    shares.sort_by(|one, other| other.1.total_cmp(&one.1));
    shares
}

/// The smallest fraction of a colour that is reported.
const MIN_SHARE: f64 = 0.02;

/// Describes the colours of the image.
pub(super) fn colours(context: &ExecutionContext) -> Result<String, PerceptionError> {
    let image = context.frame()?.image()?;
    let reported: Vec<String> = shares(&image)
        .into_iter()
        .filter(|(_, share)| *share >= MIN_SHARE)
        .map(|(name, share)| format!("{name} ({} %)", (share * 100.0).round()))
        .collect();
    Ok(format!("I see {}.", reported.join(", ")))
}

/// The time between the two images that are compared.
const APART: Duration = Duration::from_millis(250);
/// The smallest change of a pixel's brightness, of 255: well beyond a camera's noise.
const CHANGED: u16 = 30;
/// The smallest fraction of the image that has to change.
const MIN_CHANGE: f64 = 0.003;

/// Describes whether something moves. The robot holds still for this; if it does not, the answer says so.
pub(super) fn motion(context: &mut ExecutionContext) -> Result<String, PerceptionError> {
    let before = context.frame()?;
    context.advance_to(context.control.robot_time() + APART);
    let after = context.frame()?;
    let turned = before.from.head.0.rotation.angle_to(&after.from.head.0.rotation);
    if turned > 0.01 {
        return Ok("I can't tell: my own head was moving.".into());
    }
    let (one, other) = (before.image()?, after.image()?);
    Ok(match change(&one, &other) {
        Some((share, across)) => {
            let side = match across {
                left if left < 0.4 => "on the left of my picture",
                right if right > 0.6 => "on the right of my picture",
                _ => "in the middle of my picture",
            };
            let percent = (share * 1000.0).round() / 10.0;
            format!("Something moves {side}: {percent} % of it changed within {} s.", APART.as_secs_f64())
        }
        None => "I see nothing move.".into(),
    })
}

/// Returns how much of an image changed and where across it, or `None` for too little.
fn change(one: &BgrImage, other: &BgrImage) -> Option<(f64, f64)> {
    if (one.width, one.height) != (other.width, other.height) {
        return None;
    }
    let grey = |pixel: &[u8; 3]| pixel.iter().map(|part| u16::from(*part)).sum::<u16>() / 3;
    let (mut count, mut columns) = (0_u32, 0.0);
    let pairs = one.bgr.as_chunks::<3>().0.iter().zip(other.bgr.as_chunks::<3>().0);
    for (position, (before, after)) in pairs.enumerate() {
        if grey(before).abs_diff(grey(after)) > CHANGED {
            count += 1;
            columns += (position % one.width) as f64;
        }
    }
    let share = f64::from(count) / (one.width * one.height) as f64;
    (share >= MIN_CHANGE).then(|| (share, columns / f64::from(count) / one.width as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(colour: [u8; 3]) -> BgrImage {
        BgrImage::of(40, 60, colour.repeat(2400)).unwrap()
    }

    #[test]
    fn colours_have_their_common_names() {
        let cases = [
            ([0, 0, 0], "black"),
            ([250, 250, 250], "white"),
            ([120, 125, 122], "grey"),
            ([40, 40, 210], "red"),
            ([30, 140, 240], "orange"),
            ([60, 210, 230], "yellow"),
            ([60, 180, 60], "green"),
            ([200, 90, 40], "blue"),
            ([200, 40, 120], "purple"),
            ([180, 105, 255], "pink"),
        ];
        for (colour, meant) in cases {
            assert_eq!(shares(&filled(colour))[0], (meant, 1.0), "{colour:?}");
        }
    }

    #[test]
    fn a_change_has_a_position_and_noise_has_none() {
        let (mut after, before) = (filled([100, 100, 100]), filled([100, 100, 100]));
        for value in &mut after.bgr {
            *value += 9;
        }
        assert_eq!(change(&before, &after), None);
        for row in 10..20 {
            for column in 50..58 {
                for part in 0..3 {
                    after.bgr[(row * 60 + column) * 3 + part] = 220;
                }
            }
        }
        let (share, across) = change(&before, &after).unwrap();
        assert!((share - 80.0 / 2400.0).abs() < 1e-9 && across > 0.8, "{share} {across}");
    }
}
