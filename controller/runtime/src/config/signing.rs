//! Keys for bundles: trusted public keys, and the private key that signs exported tools.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::choice::InvalidValue;

/// A public key (ed25519), written as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(pub [u8; 32]);

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for PublicKey {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        bytes_of(text).map(PublicKey).ok_or_else(|| {
            InvalidValue::new(
                text,
                "a public key of 64 hexadecimal digits, as `minismith tool export` tells it",
            )
        })
    }
}

/// A public key of minisign, the second line of its `.pub` file, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MaybeUpdateKey(pub(super) Option<String>);

impl FromStr for MaybeUpdateKey {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        /// Algorithm, number and key of minisign, bytes.
        const KEY_BYTES: usize = 2 + 8 + 32;
        if text == "none" {
            return Ok(MaybeUpdateKey(None));
        }
        match STANDARD.decode(text) {
            Ok(bytes) if bytes.len() == KEY_BYTES && bytes.starts_with(b"Ed") => {
                Ok(MaybeUpdateKey(Some(text.to_owned())))
            }
            _ => Err(InvalidValue::new(text, "none, or the second line of a .pub file of minisign")),
        }
    }
}

/// Decodes exactly this many bytes of hexadecimal digits.
#[must_use]
pub fn bytes_of<const LENGTH: usize>(hex: &str) -> Option<[u8; LENGTH]> {
    let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(high * 16 + low).ok(),
            _ => None,
        })
        .collect::<Option<_>>()?;
    bytes.try_into().ok()
}

/// A private key. It cannot be printed or compared.
pub struct SigningSecret([u8; 32]);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(hidden)")
    }
}

/// A private key that cannot be read or created.
#[derive(Debug, thiserror::Error)]
pub enum SigningKeyError {
    /// Other users can read the file.
    #[error("{} may be read by others; run `chmod 600 {}`, or remove it to have a new one made", .path.display(), .path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// The file does not contain a key.
    #[error("{} is no signing key: it should hold 64 hexadecimal digits; remove it to have a new one made", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file can be neither read nor created.
    #[error("can't read or make the signing key {}: {source}; name another place with `workshop: {{signing_key: FILE}}` in config.yaml", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl SigningSecret {
    /// Reads the private key. The first call creates it, readable by its owner only.
    ///
    /// # Errors
    /// If other users can read it, or if it is damaged or cannot be created.
    pub fn read_or_make(path: &Path) -> Result<Self, SigningKeyError> {
        let failed = |source| SigningKeyError::Io { path: path.to_owned(), source };
        match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(path).map_err(failed)?,
            Err(error) => return Err(failed(error)),
            Ok(_) => {}
        }
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.mode() & 0o077 != 0 {
            return Err(SigningKeyError::Open { path: path.to_owned() });
        }
        let mut text = String::new();
        let damaged = || SigningKeyError::Damaged { path: path.to_owned() };
        file.take(100).read_to_string(&mut text).map_err(|_| damaged())?;
        bytes_of(text.trim_end()).map(SigningSecret).ok_or_else(damaged)
    }

    /// Returns the private key, for the one place that signs.
    #[must_use]
    pub const fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Creates the key in a temporary file and links it into place, so that two processes at once end with the same key.
fn make(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut seed = [0; 32];
    let got = rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty())?;
    if got != seed.len() {
        return Err(io::Error::other("the system gave too little randomness"));
    }
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let _of_a_crash = fs::remove_file(&beside);
    let made = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        writeln!(file, "{}", PublicKey(seed))?;
        file.sync_all()?;
        match fs::hard_link(&beside, path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => File::open(folder)?.sync_all(),
        }
    })();
    let _left = fs::remove_file(&beside);
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn hexadecimal_is_read_strictly() {
        assert_eq!(bytes_of("00ff1A"), Some([0, 255, 26]));
        for bad in ["00ff1", "00ff1g", "00ff1a00", "", "0x00ff", "\u{ff10}0ff1a"] {
            assert_eq!(bytes_of::<3>(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_secret_is_made_once_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/signing.key");
        let made = SigningSecret::read_or_make(&path).unwrap();
        let again = SigningSecret::read_or_make(&path).unwrap();
        assert_eq!(made.expose(), again.expose());
        assert_eq!(format!("{made:?}"), "SigningSecret(hidden)");
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let open = SigningSecret::read_or_make(&path).unwrap_err();
        assert!(
            matches!(open, SigningKeyError::Open { .. }) && open.to_string().contains("chmod 600"),
            "{open}"
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "short").unwrap();
        assert!(matches!(SigningSecret::read_or_make(&path), Err(SigningKeyError::Damaged { .. })));
    }
}
