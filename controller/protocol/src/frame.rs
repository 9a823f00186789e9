//! Length-prefixed frames over a byte stream: a length of four bytes, little-endian, then that many bytes.

use std::io::{Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum length of a JSON frame in bytes.
pub const MAX_FRAME_BYTES: usize = 1 << 20;

/// Maximum length of a raw frame in bytes, such as a camera image.
pub const MAX_RAW_BYTES: usize = 32 << 20;

/// Reports why a frame cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side has closed the channel, or the system reports an error.
    #[error("the channel failed: {0}")]
    Io(#[from] std::io::Error),
    /// The frame exceeds the limit.
    #[error("the frame is too long: {length} bytes, {limit} allowed")]
    TooLong {
        /// Length in bytes.
        length: usize,
        /// Limit in bytes.
        limit: usize,
    },
    /// The data is not the expected JSON.
    #[error("cannot parse the frame: {0}")]
    NotUnderstood(#[from] serde_json::Error),
}

/// Writes a value as a JSON frame.
///
/// # Errors
/// Returns an error when it exceeds [`MAX_FRAME_BYTES`], or the channel fails.
pub fn write<T: Serialize>(to: &mut impl Write, value: &T) -> Result<(), FrameError> {
    let bytes = serde_json::to_vec(value)?;
    write_bytes(to, &bytes, MAX_FRAME_BYTES)
}

/// Reads a JSON frame.
///
/// # Errors
/// Returns an error when it exceeds [`MAX_FRAME_BYTES`], is not the expected JSON, or the channel fails.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> Result<T, FrameError> {
    Ok(serde_json::from_slice(&read_bytes(from, MAX_FRAME_BYTES)?)?)
}

/// Writes a raw frame.
///
/// # Errors
/// Returns an error when it exceeds `limit`, or the channel fails.
pub fn write_bytes(to: &mut impl Write, bytes: &[u8], limit: usize) -> Result<(), FrameError> {
    if bytes.len() > limit {
        return Err(FrameError::TooLong { length: bytes.len(), limit });
    }
    let length =
        u32::try_from(bytes.len()).map_err(|_| FrameError::TooLong { length: bytes.len(), limit })?;
    // A single write for short frames wakes the reader only once.
    let mut framed = Vec::with_capacity(bytes.len() + 4);
    framed.extend_from_slice(&length.to_le_bytes());
    framed.extend_from_slice(bytes);
    to.write_all(&framed)?;
    to.flush()?;
    Ok(())
}

/// Reads a raw frame. It checks the length before it allocates.
///
/// # Errors
/// Returns an error when it exceeds `limit`, or the channel fails.
pub fn read_bytes(from: &mut impl Read, limit: usize) -> Result<Vec<u8>, FrameError> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > limit {
        return Err(FrameError::TooLong { length, limit });
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GuestMessage, HostCall, HostReply};

    #[test]
    fn messages_round_trip() {
        let turn = GuestMessage::Asks {
            cue: HostCall::Sleep { seconds: 0.5 },
            spent: 40_000,
            printed: "hello".into(),
        };
        let mut bytes = Vec::new();
        write(&mut bytes, &turn).unwrap();
        assert_eq!(read::<GuestMessage>(&mut bytes.as_slice()).unwrap(), turn);
    }

    #[test]
    fn malformed_frames_are_errors() {
        assert!(matches!(
            read::<GuestMessage>(&mut [255, 255, 255, 255, 1].as_slice()),
            Err(FrameError::TooLong { .. })
        ));
        assert!(matches!(read::<GuestMessage>(&mut [9, 0, 0, 0, 1].as_slice()), Err(FrameError::Io(_))));
        let mut bytes = Vec::new();
        write(&mut bytes, &serde_json::json!({"turn": "asks", "cue": {"cue": "launch"}})).unwrap();
        assert!(matches!(read::<GuestMessage>(&mut bytes.as_slice()), Err(FrameError::NotUnderstood(_))));
        let mut bytes = Vec::new();
        write(&mut bytes, &HostReply::Proceed).unwrap();
        assert!(read::<HostReply>(&mut bytes.as_slice()).is_ok());
    }
}
