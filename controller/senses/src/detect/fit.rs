//! A picture in the size that a model takes, as numbers.

use firmware_bridge::camera::Picture;

/// Brings pictures to a size, row by row. What it works in is kept from picture to picture.
///
/// A pixel is the mean of what it covers, weighted by how near that is (a triangle as wide as two pixels of the smaller
/// size); where the picture grows, it lies between its neighbours.
#[derive(Default)]
pub(super) struct Fit {
    across: Weights,
    down: Weights,
    /// All rows of the picture, each as wide as asked.
    narrow: Vec<f32>,
    /// One row of what was asked.
    row: Vec<f32>,
}

impl Fit {
    /// Gives each row of a whole picture in this size to `take`, from the top: three numbers (blue, green, red) of 0 to 255 for
    /// each pixel.
    pub(super) fn rows(
        &mut self,
        picture: &Picture,
        width: usize,
        height: usize,
        mut take: impl FnMut(usize, &[f32]),
    ) {
        let length = width * 3;
        self.row.resize(length, 0.0);
        if (picture.width, picture.height) == (width, height) {
            for (number, pixels) in picture.bgr.chunks_exact(length.max(1)).enumerate() {
                for (number, byte) in self.row.iter_mut().zip(pixels) {
                    *number = f32::from(*byte);
                }
                take(number, &self.row);
            }
            return;
        }
        self.across.set(picture.width, width);
        self.down.set(picture.height, height);
        self.narrow.resize(picture.height * length, 0.0);
        let rows = picture.bgr.chunks_exact(picture.width * 3);
        for (row, narrow) in rows.zip(self.narrow.chunks_exact_mut(length)) {
            for ((first, weights), pixel) in self.across.each().zip(narrow.chunks_exact_mut(3)) {
                let (mut blue, mut green, mut red) = (0.0, 0.0, 0.0);
                let seen = row.get(first * 3..).unwrap_or_default().chunks_exact(3);
                for (weight, seen) in weights.iter().zip(seen) {
                    if let [b, g, r] = seen {
                        blue += weight * f32::from(*b);
                        green += weight * f32::from(*g);
                        red += weight * f32::from(*r);
                    }
                }
                pixel.copy_from_slice(&[blue, green, red]);
            }
        }
        for (number, (first, weights)) in self.down.each().enumerate() {
            self.row.fill(0.0);
            let seen = self.narrow.get(first * length..).unwrap_or_default().chunks_exact(length);
            for (weight, seen) in weights.iter().zip(seen) {
                for (sum, one) in self.row.iter_mut().zip(seen) {
                    *sum += weight * one;
                }
            }
            take(number, &self.row);
        }
    }
}

/// Which pixels of a line make each pixel of a line of another length, and with which weights.
#[derive(Default)]
struct Weights {
    from: usize,
    to: usize,
    /// The first that counts, and where its weights lie.
    spans: Vec<(usize, std::ops::Range<usize>)>,
    weights: Vec<f32>,
}

impl Weights {
    fn set(&mut self, from: usize, to: usize) {
        if (self.from, self.to) == (from, to) {
            return;
        }
        (self.from, self.to) = (from, to);
        self.spans.clear();
        self.weights.clear();
        let scale = from as f64 / to as f64;
        let reach = scale.max(1.0);
        for place in 0..to {
            let middle = (place as f64 + 0.5) * scale;
            let first = (middle - reach).round().max(0.0) as usize;
            let end = ((middle + reach).round() as usize).clamp(first + 1, from.max(first + 1));
            let weight = |pixel: usize| (1.0 - ((pixel as f64 + 0.5 - middle) / reach).abs()).max(0.0);
            let sum: f64 = (first..end).map(weight).sum();
            let start = self.weights.len();
            self.weights.extend((first..end).map(|pixel| (weight(pixel) / sum) as f32));
            self.spans.push((first, start..self.weights.len()));
        }
    }

    fn each(&self) -> impl Iterator<Item = (usize, &[f32])> {
        self.spans.iter().map(|(first, span)| (*first, self.weights.get(span.clone()).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(picture: &Picture, width: usize, height: usize) -> Vec<f32> {
        let mut all = Vec::new();
        Fit::default().rows(picture, width, height, |number, row| {
            assert_eq!(number * width * 3, all.len());
            all.extend_from_slice(row);
        });
        assert_eq!(all.len(), width * height * 3);
        all
    }

    #[test]
    fn the_same_size_is_the_same_picture() {
        let picture = Picture::of(2, 3, (0..18).collect()).unwrap();
        assert_eq!(fitted(&picture, 3, 2), (0..18_u8).map(f32::from).collect::<Vec<_>>());
    }

    #[test]
    fn a_plain_picture_stays_plain_and_colours_stay_apart_in_any_size() {
        let picture = Picture::of(40, 70, [10, 100, 200].repeat(40 * 70)).unwrap();
        for (width, height) in [(1, 1), (13, 7), (70, 20), (141, 90), (7, 200)] {
            for pixel in fitted(&picture, width, height).chunks_exact(3) {
                for (one, meant) in pixel.iter().zip([10.0, 100.0, 200.0]) {
                    assert!((one - meant).abs() < 1e-3, "{width} {height}: {pixel:?}");
                }
            }
        }
    }

    #[test]
    fn a_slope_stays_where_it_is() {
        // Blue rises by one a column, green by two a row; away from the edges a resized slope is the same slope, but
        // for the triangle's corners.
        let mut bgr = Vec::new();
        for row in 0..60_u8 {
            for column in 0..90_u8 {
                bgr.extend([column, 2 * row, 0]);
            }
        }
        let picture = Picture::of(60, 90, bgr).unwrap();
        for (width, height) in [(30_u8, 20_u8), (45, 40), (180, 120)] {
            let small = fitted(&picture, width.into(), height.into());
            let (row, column) = (height / 2, width / 3);
            let pixel = &small[(usize::from(row) * usize::from(width) + usize::from(column)) * 3..][..3];
            let blue = (f32::from(column) + 0.5) * 90.0 / f32::from(width) - 0.5;
            let green = 2.0 * ((f32::from(row) + 0.5) * 60.0 / f32::from(height) - 0.5);
            assert!(
                (pixel[0] - blue).abs() < 0.1 && (pixel[1] - green).abs() < 0.1,
                "{pixel:?} {blue} {green}"
            );
        }
    }
}
