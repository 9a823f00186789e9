//! The beat of a sound: how many beats a minute has, and when the first one comes.
//!
//! The onsets of notes are where the level rises. The beat is the period at which they repeat best; periods near 120 beats
//! per minute are preferred, as listeners do (Ellis, "Beat Tracking by Dynamic Programming", 2007).

use std::time::Duration;

use crate::audio::{Clip, samples_in};

/// The time between two levels.
const HOP: Duration = Duration::from_millis(10);
/// What follows is not analysed.
const MAX_ANALYSED: Duration = Duration::from_secs(60);
/// The slowest and the fastest beat, per minute.
const RANGE: (f64, f64) = (40.0, 240.0);
/// The beat that listeners prefer, per minute, and the width of their preference, octaves.
const PREFERRED: f64 = 120.0;
const PREFERENCE_OCTAVES: f64 = 0.9;
/// A period at which the onsets correlate less than this with themselves is no beat.
const MIN_CORRELATION: f64 = 0.25;
/// The level below which changes are noise, as a fraction of the loudest.
const FLOOR: f64 = 1e-4;

/// A regular beat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beat {
    /// Beats per minute.
    pub per_minute: f64,
    /// When the first beat comes, seconds.
    pub first: f64,
}

/// Finds the beat of a sound; none if it has no regular one, or is shorter than about four beats.
#[must_use]
pub fn beat(clip: &Clip) -> Option<Beat> {
    let hop = HOP.as_secs_f64();
    let onsets = onsets(clip);
    let lag = |per_minute: f64| 60.0 / per_minute / hop;
    let (shortest, longest) = (lag(RANGE.1).floor() as usize, lag(RANGE.0).ceil() as usize);
    let longest = longest.min(onsets.len() / 3);
    let own = correlation(&onsets, 0);
    if own <= 0.0 || longest <= shortest {
        return None;
    }
    let correlations: Vec<f64> = (0..=longest + 1).map(|lag| correlation(&onsets, lag) / own).collect();
    let at = |lag: usize| correlations.get(lag).copied().unwrap_or(0.0);
    let preference = |lag: usize| {
        let octaves = (60.0 / (lag as f64 * hop) / PREFERRED).log2() / PREFERENCE_OCTAVES;
        (-0.5 * octaves * octaves).exp()
    };
    // A beat that falls between two levels is split over them.
    let strength = |lag: usize| at(lag - 1).mul_add(0.5, at(lag)) + 0.5 * at(lag + 1);
    let best = (shortest.max(1)..=longest).max_by(|one, other| {
        (strength(*one) * preference(*one)).total_cmp(&(strength(*other) * preference(*other)))
    })?;
    if strength(best) < MIN_CORRELATION {
        return None;
    }
    let period = refined(&correlations, best);
    Some(Beat { per_minute: 60.0 / (period * hop), first: phase(&onsets, period) * hop })
}

/// Returns how much the level rises, per hop: of the sound, and of its high frequencies.
fn onsets(clip: &Clip) -> Vec<f64> {
    let hop = samples_in(HOP, clip.rate).max(1);
    let analysed = clip.samples.get(..samples_in(MAX_ANALYSED, clip.rate).min(clip.samples.len()));
    let powers: Vec<[f64; 2]> = analysed
        .unwrap_or(&[])
        .chunks_exact(hop)
        .map(|chunk| {
            let all: f64 = chunk.iter().map(|sample| f64::from(*sample).powi(2)).sum();
            let high: f64 = chunk
                .windows(2)
                .map(|pair| match pair {
                    [one, next] => f64::from(next - one).powi(2),
                    _ => 0.0,
                })
                .sum();
            [all, high]
        })
        .collect();
    let loudest = |band: fn(&[f64; 2]) -> f64| powers.iter().map(band).fold(0.0, f64::max);
    let loudest = [loudest(|[all, _]| *all), loudest(|[_, high]| *high)];
    let level =
        |power: f64, loudest: f64| if loudest > 0.0 { (power / loudest).max(FLOOR).ln() } else { 0.0 };
    let rise = |pair: &[[f64; 2]]| match pair {
        [[all, high], [next_all, next_high]] => {
            let [all_peak, high_peak] = loudest;
            (level(*next_all, all_peak) - level(*all, all_peak)).max(0.0)
                + (level(*next_high, high_peak) - level(*high, high_peak)).max(0.0)
        }
        _ => 0.0,
    };
    let mut rises: Vec<f64> = powers.windows(2).map(rise).collect();
    rises.insert(0, 0.0);
    // Without the mean, noise does not correlate with itself.
    let mean = rises.iter().sum::<f64>() / rises.len() as f64;
    rises.iter_mut().for_each(|rise| *rise -= mean);
    rises
}

fn correlation(onsets: &[f64], lag: usize) -> f64 {
    let later = onsets.get(lag..).unwrap_or(&[]);
    onsets.iter().zip(later).map(|(one, other)| one * other).sum::<f64>() / later.len().max(1) as f64
}

/// Returns the period, hops, from the multiples of the lag: their peaks are known as exactly, and further apart.
fn refined(correlations: &[f64], lag: usize) -> f64 {
    let mut period = peak_near(correlations, lag as f64);
    let mut multiple = 2.0;
    while (period * multiple) + 2.0 < correlations.len() as f64 {
        period = peak_near(correlations, period * multiple) / multiple;
        multiple += 1.0;
    }
    period
}

/// Returns the place of the peak within two hops of a lag, by a parabola through its neighbours.
fn peak_near(correlations: &[f64], lag: f64) -> f64 {
    let centre = lag.round() as usize;
    let at = |lag: usize| correlations.get(lag).copied().unwrap_or(0.0);
    let around = centre.saturating_sub(2).max(1)..=centre + 2;
    let Some(peak) = around.max_by(|one, other| at(*one).total_cmp(&at(*other))) else { return lag };
    let (before, here, after) = (at(peak - 1), at(peak), at(peak + 1));
    let curve = before - 2.0 * here + after;
    let shift = if curve < 0.0 { 0.5 * (before - after) / curve } else { 0.0 };
    peak as f64 + shift.clamp(-0.5, 0.5)
}

/// Returns when the first beat comes, hops.
fn phase(onsets: &[f64], period: f64) -> f64 {
    let strength = |first: usize| {
        let beats = (0_u32..).map(|beat| (first as f64 + f64::from(beat) * period).round() as usize);
        beats
            .take_while(|at| *at < onsets.len())
            .map(|at| {
                let near = onsets.get(at.saturating_sub(1)..(at + 2).min(onsets.len())).unwrap_or(&[]);
                near.iter().sum::<f64>()
            })
            .sum::<f64>()
    };
    let first = (0..period.ceil() as usize).max_by(|one, other| strength(*one).total_cmp(&strength(*other)));
    first.unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 16_000;

    /// Decaying tones at these times, seconds.
    fn hits(seconds: f64, times: impl Iterator<Item = f64>, hertz: f64) -> Clip {
        let mut samples = vec![0.0_f32; (seconds * f64::from(RATE)) as usize];
        for time in times {
            let begin = (time * f64::from(RATE)) as usize;
            for (index, sample) in samples.iter_mut().skip(begin).take(RATE as usize / 8).enumerate() {
                let at = index as f64 / f64::from(RATE);
                *sample += (0.6 * (-30.0 * at).exp() * (std::f64::consts::TAU * hertz * at).sin()) as f32;
            }
        }
        Clip::new(RATE, samples)
    }

    fn regular(per_minute: f64, first: f64, seconds: f64) -> impl Iterator<Item = f64> {
        (0_u32..)
            .map(move |beat| first + f64::from(beat) * 60.0 / per_minute)
            .take_while(move |time| *time < seconds)
    }

    #[test]
    fn drum_is_counted() {
        for (per_minute, first) in
            [(72.0, 0.3), (90.0, 0.0), (100.0, 0.21), (120.0, 0.4), (133.0, 0.1), (150.0, 0.05)]
        {
            let found = beat(&hits(12.0, regular(per_minute, first, 12.0), 90.0)).unwrap();
            assert!((found.per_minute - per_minute).abs() < 0.5, "{per_minute}: {found:?}");
            let period = 60.0 / per_minute;
            let away = (found.first - first).rem_euclid(period);
            assert!(away.min(period - away) < 0.03, "{per_minute}, {first}: {found:?}");
        }
    }

    #[test]
    fn half_beats_and_noise_do_not_mislead() {
        let mut clip = hits(15.0, regular(110.0, 0.2, 15.0), 80.0);
        let between = hits(15.0, regular(220.0, 0.2, 15.0), 3000.0);
        let mut state = 12_345_u32;
        for (sample, other) in clip.samples.iter_mut().zip(&between.samples) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (state >> 8) as f32 / 16_777_216.0 - 0.5;
            *sample += 0.3 * other + 0.02 * noise;
        }
        let found = beat(&clip).unwrap();
        assert!((found.per_minute - 110.0).abs() < 0.5, "{found:?}");
    }

    #[test]
    fn silence_noise_and_irregular_hits_have_no_beat() {
        assert_eq!(beat(&Clip::silence(RATE, Duration::from_secs(10))), None);
        assert_eq!(beat(&Clip::new(RATE, Vec::new())), None);
        assert_eq!(beat(&hits(8.0, [0.4, 1.1, 1.55, 3.0, 3.27, 5.9].into_iter(), 200.0)), None);
        let mut state = 99_u32;
        let noise = (0..RATE * 8).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 16_777_216.0 - 0.5
        });
        assert_eq!(beat(&Clip::new(RATE, noise.collect())), None);
    }
}
