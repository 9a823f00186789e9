//! Computes digests of bytes.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of `bytes`, in lower-case hexadecimal.
#[must_use]
pub fn hex_sha256(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes).into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}
