//! Converts uncompressed camera images to BGR pixels ([`Pixels`]).

use firmware_bridge::camera::BgrImage;

/// Pixel layout of an uncompressed format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pixels {
    /// YUV 4:2:2, packed as Y, U, Y, V.
    Yuyv,
    /// YUV 4:2:2, packed as U, Y, V, Y.
    Uyvy,
    /// YUV 4:2:0: the Y plane, then one plane of U and V pairs.
    Nv12,
    /// YUV 4:2:0: the Y plane, then the U plane, then the V plane.
    Yu12,
    /// Blue, green, red.
    Bgr,
    /// Red, green, blue.
    Rgb,
    /// Luma only.
    Grey,
}

impl Pixels {
    /// Returns the bytes in a row of the first plane, without padding.
    #[must_use]
    pub fn row(self, width: usize) -> usize {
        match self {
            Pixels::Yuyv | Pixels::Uyvy => width.div_ceil(2) * 4,
            Pixels::Bgr | Pixels::Rgb => width * 3,
            Pixels::Nv12 | Pixels::Yu12 | Pixels::Grey => width,
        }
    }

    /// Decodes an image. Rows begin `stride` bytes apart; 0 means no padding. Returns `None` when there are too few bytes.
    #[must_use]
    pub fn read(self, bytes: &[u8], width: usize, height: usize, stride: usize) -> Option<BgrImage> {
        if width == 0 || height == 0 {
            return None;
        }
        let stride = stride.max(self.row(width));
        let mut bgr = vec![0; width.checked_mul(height)?.checked_mul(3)?];
        for (row, out) in bgr.chunks_exact_mut(width * 3).enumerate() {
            let line = bytes.get(row * stride..row * stride + self.row(width))?;
            let out = out.as_chunks_mut::<3>().0;
            match self {
                Pixels::Bgr => out.copy_from_slice(line.as_chunks::<3>().0),
                Pixels::Rgb => {
                    for (to, [r, g, b]) in out.iter_mut().zip(line.as_chunks::<3>().0) {
                        *to = [*b, *g, *r];
                    }
                }
                Pixels::Grey => {
                    for (to, grey) in out.iter_mut().zip(line) {
                        *to = [*grey; 3];
                    }
                }
                Pixels::Yuyv => {
                    for (to, [y0, u, y1, v]) in out.chunks_mut(2).zip(line.as_chunks::<4>().0) {
                        convert_pair(to, [*y0, *y1], *u, *v);
                    }
                }
                Pixels::Uyvy => {
                    for (to, [u, y0, v, y1]) in out.chunks_mut(2).zip(line.as_chunks::<4>().0) {
                        convert_pair(to, [*y0, *y1], *u, *v);
                    }
                }
                Pixels::Nv12 => {
                    let from = (height + row / 2) * stride;
                    let colours = bytes.get(from..from + width.div_ceil(2) * 2)?.as_chunks::<2>().0;
                    for ((to, ys), [u, v]) in out.chunks_mut(2).zip(line.chunks(2)).zip(colours) {
                        convert_pair(to, luma_pair(ys), *u, *v);
                    }
                }
                Pixels::Yu12 => {
                    let (half, chroma_stride, rows) =
                        (width.div_ceil(2), stride.div_ceil(2), height.div_ceil(2));
                    let blue = height * stride + row / 2 * chroma_stride;
                    let red = blue + rows * chroma_stride;
                    let (us, vs) = (bytes.get(blue..blue + half)?, bytes.get(red..red + half)?);
                    for ((to, ys), (u, v)) in out.chunks_mut(2).zip(line.chunks(2)).zip(us.iter().zip(vs)) {
                        convert_pair(to, luma_pair(ys), *u, *v);
                    }
                }
            }
        }
        BgrImage::of(height, width, bgr)
    }
}

/// Returns one or two neighbouring luma values. At the end of a row the second repeats the first.
fn luma_pair(ys: &[u8]) -> [u8; 2] {
    let first = ys.first().copied().unwrap_or_default();
    [first, ys.get(1).copied().unwrap_or(first)]
}

/// Converts one or two neighbouring pixels that share U and V to BGR, with ITU-R BT.601 and luma from 16 to 235.
///
/// USB cameras mean this unless they report otherwise. The factors are in 256ths.
fn convert_pair(to: &mut [[u8; 3]], ys: [u8; 2], u: u8, v: u8) {
    let (u, v) = (i32::from(u) - 128, i32::from(v) - 128);
    let (blue, green, red) = (516 * u + 128, 128 - 100 * u - 208 * v, 409 * v + 128);
    for (pixel, y) in to.iter_mut().zip(ys) {
        let y = 298 * (i32::from(y) - 16);
        *pixel = [blue, green, red].map(|part| ((y + part) >> 8).clamp(0, 255) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BT.601 values of pure colours as BGR and YUV, from the recommendation's table of colour bars.
    const BARS: [([u8; 3], [u8; 3]); 6] = [
        ([0, 0, 0], [16, 128, 128]),
        ([255, 255, 255], [235, 128, 128]),
        ([0, 0, 255], [81, 90, 240]),
        ([0, 255, 0], [145, 54, 34]),
        ([255, 0, 0], [41, 240, 110]),
        ([128, 128, 128], [126, 128, 128]),
    ];

    fn assert_colour(image: &BgrImage, expected: [u8; 3]) {
        for pixel in image.bgr.chunks_exact(3) {
            assert!(
                pixel.iter().zip(expected).all(|(one, other)| one.abs_diff(other) <= 2),
                "{pixel:?} {expected:?}"
            );
        }
    }

    #[test]
    fn read_gives_the_same_colours_for_every_layout() {
        // Three by three pixels, so that chroma sizes round up. Rows are padded to eight bytes of luma.
        for (expected, [y, u, v]) in BARS {
            let rows = |row: &[u8], count: usize| row.repeat(count);
            let yuyv = rows(&[y, u, y, v, y, u, y, v, 1, 2, 3, 4], 3);
            assert_colour(&Pixels::Yuyv.read(&yuyv, 3, 3, 12).unwrap(), expected);
            let uyvy = rows(&[u, y, v, y, u, y, v, y], 3);
            assert_colour(&Pixels::Uyvy.read(&uyvy, 3, 3, 0).unwrap(), expected);
            let mut nv12 = rows(&[y, y, y, 9, 9, 9, 9, 9], 3);
            nv12.extend(rows(&[u, v, u, v, 9, 9, 9, 9], 2));
            assert_colour(&Pixels::Nv12.read(&nv12, 3, 3, 8).unwrap(), expected);
            let mut yu12 = rows(&[y, y, y, 9, 9, 9, 9, 9], 3);
            yu12.extend(rows(&[u, u, 9, 9], 2));
            yu12.extend(rows(&[v, v, 9, 9], 2));
            assert_colour(&Pixels::Yu12.read(&yu12, 3, 3, 8).unwrap(), expected);
            let [blue, green, red] = expected;
            assert_colour(&Pixels::Bgr.read(&rows(&[blue, green, red], 9), 3, 3, 0).unwrap(), expected);
            assert_colour(&Pixels::Rgb.read(&rows(&[red, green, blue], 9), 3, 3, 0).unwrap(), expected);
        }
        assert_colour(&Pixels::Grey.read(&[77; 9], 3, 3, 0).unwrap(), [77; 3]);
    }

    #[test]
    fn neighbours_keep_their_own_luma() {
        let image = Pixels::Yuyv.read(&[16, 128, 235, 128, 126, 128, 16, 128], 2, 2, 0).unwrap();
        let shades: Vec<u8> = image.bgr.chunks_exact(3).map(|pixel| pixel[0]).collect();
        assert_eq!(shades, [0, 255, 128, 0]);
    }

    #[test]
    fn read_rejects_too_few_bytes() {
        for pixels in
            [Pixels::Yuyv, Pixels::Uyvy, Pixels::Nv12, Pixels::Yu12, Pixels::Bgr, Pixels::Rgb, Pixels::Grey]
        {
            let least = (0..200).find(|length| pixels.read(&vec![0; *length], 6, 4, 0).is_some()).unwrap();
            let expected = match pixels {
                Pixels::Yuyv | Pixels::Uyvy => 48,
                Pixels::Nv12 | Pixels::Yu12 => 36,
                Pixels::Bgr | Pixels::Rgb => 72,
                Pixels::Grey => 24,
            };
            assert_eq!(least, expected, "{pixels:?}");
            assert_eq!(pixels.read(&[0; 99], 0, 4, 0), None);
        }
    }
}
