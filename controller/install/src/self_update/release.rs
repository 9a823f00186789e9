//! [`Release`]: what an archive is, by the signed comment of its signature and by nothing else.

use std::fs::File;
use std::io::{Read, Seek};

use minisign_verify::{PublicKey, Signature};
use semver::Version;

use super::UpdateError;

/// The first word of a signed comment.
const PROGRAM: &str = "minismith";

/// What was signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The version.
    pub version: Version,
    /// The architecture, as Rust names it: `x86_64`, `aarch64`.
    pub architecture: String,
}

impl Release {
    /// Checks the signature of an archive, and returns what the signed comment says: `minismith VERSION ARCHITECTURE`.
    pub fn verify(archive: &mut File, signature: &str, key: &str) -> Result<Self, UpdateError> {
        let key = PublicKey::from_base64(key).map_err(|error| UpdateError::Key(error.to_string()))?;
        let forged = |error: minisign_verify::Error| UpdateError::Signature(error.to_string());
        let signature = Signature::decode(signature).map_err(forged)?;
        let mut verifier = key.verify_stream(&signature).map_err(forged)?;
        archive.rewind().map_err(UpdateError::Read)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let length = archive.read(&mut buffer).map_err(UpdateError::Read)?;
            match buffer.get(..length) {
                None | Some([]) => break,
                Some(bytes) => verifier.update(bytes),
            }
        }
        verifier.finalize().map_err(forged)?;
        Release::parse(signature.trusted_comment())
    }

    fn parse(comment: &str) -> Result<Self, UpdateError> {
        let unknown = || UpdateError::Comment(comment.chars().take(80).collect());
        let words: Vec<&str> = comment.split(' ').collect();
        let [PROGRAM, version, architecture] = words.as_slice() else { return Err(unknown()) };
        let version = Version::parse(version).map_err(|_| unknown())?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if architecture.is_empty() || !architecture.chars().all(is_plain) {
            return Err(unknown());
        }
        Ok(Release { version, architecture: (*architecture).to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_has_three_words() {
        let release = Release::parse("minismith 1.20.3-rc.1 aarch64").unwrap();
        assert_eq!((release.version.minor, release.architecture.as_str()), (20, "aarch64"));
        for bad in [
            "",
            "minismith 1.0.0",
            "minismith 1.0 aarch64",
            "minismith 1.0.0 aarch64 more",
            "other 1.0.0 aarch64",
            "minismith  1.0.0 aarch64",
            "minismith 1.0.0 ../x",
            "timestamp:1760000000\tfile:minismith-1.0.0.tar.gz",
        ] {
            assert!(matches!(Release::parse(bad), Err(UpdateError::Comment(_))), "{bad}");
        }
    }
}
