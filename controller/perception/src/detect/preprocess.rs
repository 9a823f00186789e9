//! Resizes an image for a model and converts it to floats ([`Preprocessor`]).

use firmware_bridge::camera::BgrImage;

/// Resizes images row by row, and reuses its buffers from image to image.
///
/// The filter is a triangle two pixels of the smaller size wide. Shrinking averages the covered pixels, and enlarging
/// interpolates between neighbours.
#[derive(Default)]
pub(super) struct Preprocessor {
    across: Weights,
    down: Weights,
    /// All rows of the image, resized in width.
    narrow: Vec<f32>,
    /// One row of the result.
    row: Vec<f32>,
}

impl Preprocessor {
    /// Resizes the whole image and passes each row to `take`, from the top. A pixel is three numbers of 0 to 255: blue, green,
    /// red.
    pub(super) fn rows(
        &mut self,
        image: &BgrImage,
        width: usize,
        height: usize,
        mut take: impl FnMut(usize, &[f32]),
    ) {
        let length = width * 3;
        self.row.resize(length, 0.0);
        if (image.width, image.height) == (width, height) {
            for (number, pixels) in image.bgr.chunks_exact(length.max(1)).enumerate() {
                for (number, byte) in self.row.iter_mut().zip(pixels) {
                    *number = f32::from(*byte);
                }
                take(number, &self.row);
            }
            return;
        }
        self.across.set(image.width, width);
        self.down.set(image.height, height);
        self.narrow.resize(image.height * length, 0.0);
        let rows = image.bgr.chunks_exact(image.width * 3);
        for (row, narrow) in rows.zip(self.narrow.chunks_exact_mut(length)) {
            for ((first, weights), pixel) in self.across.each().zip(narrow.chunks_exact_mut(3)) {
                let (mut blue, mut green, mut red) = (0.0, 0.0, 0.0);
                let source = row.get(first * 3..).unwrap_or_default().chunks_exact(3);
                for (weight, source) in weights.iter().zip(source) {
                    if let [b, g, r] = source {
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
            let source = self.narrow.get(first * length..).unwrap_or_default().chunks_exact(length);
            for (weight, source) in weights.iter().zip(source) {
                for (sum, one) in self.row.iter_mut().zip(source) {
                    *sum += weight * one;
                }
            }
            take(number, &self.row);
        }
    }
}

/// Source pixels and weights for each pixel of a resized line.
#[derive(Default)]
struct Weights {
    from: usize,
    to: usize,
    /// First source pixel, and the range of its weights.
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
        for target in 0..to {
            let centre = (target as f64 + 0.5) * scale;
            let first = (centre - reach).round().max(0.0) as usize;
            let end = ((centre + reach).round() as usize).clamp(first + 1, from.max(first + 1));
            let weight = |pixel: usize| (1.0 - ((pixel as f64 + 0.5 - centre) / reach).abs()).max(0.0);
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

    fn resized(image: &BgrImage, width: usize, height: usize) -> Vec<f32> {
        let mut all = Vec::new();
        Preprocessor::default().rows(image, width, height, |number, row| {
            assert_eq!(number * width * 3, all.len());
            all.extend_from_slice(row);
        });
        assert_eq!(all.len(), width * height * 3);
        all
    }

    #[test]
    fn rows_at_the_same_size_are_unchanged() {
        let image = BgrImage::of(2, 3, (0..18).collect()).unwrap();
        assert_eq!(resized(&image, 3, 2), (0..18_u8).map(f32::from).collect::<Vec<_>>());
    }

    #[test]
    fn rows_preserve_a_uniform_colour_at_any_size() {
        let image = BgrImage::of(40, 70, [10, 100, 200].repeat(40 * 70)).unwrap();
        for (width, height) in [(1, 1), (13, 7), (70, 20), (141, 90), (7, 200)] {
            for pixel in resized(&image, width, height).chunks_exact(3) {
                for (one, expected) in pixel.iter().zip([10.0, 100.0, 200.0]) {
                    assert!((one - expected).abs() < 1e-3, "{width} {height}: {pixel:?}");
                }
            }
        }
    }

    #[test]
    fn rows_preserve_a_gradient() {
        // Blue rises by one per column, green by two per row. Away from the edges, resizing preserves the slope up to the
        // corners of the triangle filter.
        let mut bgr = Vec::new();
        for row in 0..60_u8 {
            for column in 0..90_u8 {
                bgr.extend([column, 2 * row, 0]);
            }
        }
        let image = BgrImage::of(60, 90, bgr).unwrap();
        for (width, height) in [(30_u8, 20_u8), (45, 40), (180, 120)] {
            let small = resized(&image, width.into(), height.into());
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
