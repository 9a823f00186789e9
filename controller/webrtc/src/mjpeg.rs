//! Splits the camera's stream into its images: parts of `multipart/x-mixed-replace`, each with a `Content-Length`.

/// The largest image, bytes.
const MAX_IMAGE_BYTES: usize = 8 << 20;

/// The longest head of a part, bytes.
const MAX_HEAD_BYTES: usize = 4 << 10;

/// Reports a stream that is not one of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MjpegError {
    /// A part has no length, or a too long head.
    #[error("a part of the camera's stream has no Content-Length")]
    Head,
    /// An image is larger than any camera's.
    #[error("an image of the camera's stream is larger than {MAX_IMAGE_BYTES} bytes")]
    Size,
}

/// Collects bytes until they are an image.
#[derive(Debug, Default)]
pub struct MjpegReader {
    held: Vec<u8>,
}

impl MjpegReader {
    /// Adds bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Returns the next image; none until all of it is there.
    ///
    /// # Errors
    /// [`MjpegError`]; the stream is then of no use.
    pub fn next_image(&mut self) -> Result<Option<Vec<u8>>, MjpegError> {
        let Some(end) = self.held.windows(4).take(MAX_HEAD_BYTES).position(|four| four == b"\r\n\r\n") else {
            return if self.held.len() > MAX_HEAD_BYTES { Err(MjpegError::Head) } else { Ok(None) };
        };
        let head = String::from_utf8_lossy(self.held.get(..end).unwrap_or_default()).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.and_then(|length| length.trim().parse().ok()).ok_or(MjpegError::Head)?;
        if length > MAX_IMAGE_BYTES {
            return Err(MjpegError::Size);
        }
        let (from, to) = (end + 4, end + 4 + length);
        let Some(image) = self.held.get(from..to).map(<[u8]>::to_vec) else { return Ok(None) };
        self.held.drain(..to);
        Ok(Some(image))
    }

    /// Returns the newest complete image, so that a slow reader skips the others.
    ///
    /// # Errors
    /// [`MjpegError`]; the stream is then of no use.
    pub fn newest_image(&mut self) -> Result<Option<Vec<u8>>, MjpegError> {
        let mut newest = None;
        while let Some(image) = self.next_image()? {
            newest = Some(image);
        }
        Ok(newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(image: &[u8]) -> Vec<u8> {
        let head =
            format!("--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", image.len());
        [head.as_bytes(), image, b"\r\n"].concat()
    }

    #[test]
    fn images_are_found_however_the_stream_is_cut() {
        let stream = [part(b"first"), part(b"\r\n\r\n"), part(b"")].concat();
        for size in 1..stream.len() {
            let (mut reader, mut found) = (MjpegReader::default(), Vec::new());
            for piece in stream.chunks(size) {
                reader.push(piece);
                while let Some(image) = reader.next_image().unwrap() {
                    found.push(image);
                }
            }
            assert_eq!(found, [&b"first"[..], b"\r\n\r\n", b""], "{size}");
        }
    }

    #[test]
    fn the_newest_image_is_taken() {
        let mut reader = MjpegReader::default();
        reader.push(&[part(b"one"), part(b"two"), part(b"three")[..30].to_vec()].concat());
        assert_eq!(reader.newest_image(), Ok(Some(b"two".to_vec())));
        assert_eq!(reader.newest_image(), Ok(None));
    }

    #[test]
    fn nonsense_is_rejected() {
        let mut reader = MjpegReader::default();
        reader.push(b"--picture\r\n\r\n");
        assert_eq!(reader.next_image(), Err(MjpegError::Head));
        let mut reader = MjpegReader::default();
        reader.push(b"Content-Length: 99999999\r\n\r\n");
        assert_eq!(reader.next_image(), Err(MjpegError::Size));
        let mut reader = MjpegReader::default();
        reader.push(&vec![b'x'; MAX_HEAD_BYTES + 4]);
        assert_eq!(reader.next_image(), Err(MjpegError::Head));
    }
}
