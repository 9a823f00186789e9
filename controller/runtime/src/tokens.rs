//! API tokens: 256 random bits each. The token file stores their hashes with a name and a role.
//!
//! The file is read again after a change, so that a revoked token stops working at once. Tokens are random, so SHA-256 without
//! salt is sufficient: guessing is infeasible.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use firmware_bridge::clock::system_time;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::config::bytes_of;
use crate::role::Role;

/// The prefix of every token, by which a leaked one is recognised.
const MARK: &str = "minismith_";

/// Maximum number of tokens.
const MOST: usize = 1000;

/// Maximum length of a token's name, bytes.
const MAX_NAME_CHARS: usize = 64;

/// Maximum size of the file, bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A stored token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// When it was created.
    pub created: String,
    /// SHA-256 of the token, hexadecimal.
    sha256: String,
}

/// An error of the token file.
#[derive(Debug, thiserror::Error)]
pub enum TokensError {
    /// Other users may read or write the file.
    #[error("{} may be read or written by others; run `chmod 600 {}`", .path.display(), .path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// The file is invalid.
    #[error("cannot read tokens: {} is not a token file: {why}; repair it, or remove it and create the tokens again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file cannot be read or written.
    #[error("cannot use {}: {source}; name another file with `server: {{token_file: FILE}}` in config.yaml", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The name is in use.
    #[error(
        "cannot add the token: the name {name:?} is in use; choose another name, or remove it with `minismith token remove {name}`"
    )]
    Taken {
        /// The name.
        name: String,
    },
    /// The token is unknown.
    #[error("unknown token {name:?}; `minismith token list` shows the known ones")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The name is invalid.
    #[error("invalid token name: use 1 to {MAX_NAME_CHARS} letters, digits, `-`, `_` or `.`")]
    NotAName,
    /// There are too many tokens.
    #[error("too many tokens: {MOST} exist, {MOST} allowed; remove some")]
    TooMany,
}

impl TokensError {
    /// Returns whether the request caused the error, not the file.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(
            self,
            TokensError::Taken { .. }
                | TokensError::Unknown { .. }
                | TokensError::NotAName
                | TokensError::TooMany
        )
    }
}

/// Returns all tokens of a file; none if it does not exist.
///
/// # Errors
/// When the file cannot be read, is invalid, or other users may access it.
pub fn list(path: &Path) -> Result<Vec<Token>, TokensError> {
    let failed = |source| TokensError::Io { path: path.to_owned(), source };
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file.map_err(failed)?,
    };
    if file.metadata().map_err(failed)?.mode() & 0o077 != 0 {
        return Err(TokensError::Open { path: path.to_owned() });
    }
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(failed)?;
    let damaged = |why: String| TokensError::Damaged { path: path.to_owned(), why };
    let tokens: Vec<Token> = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    match tokens.iter().find(|token| bytes_of::<32>(&token.sha256).is_none()) {
        Some(token) => Err(damaged(format!("{:?} has no hash of 64 hexadecimal digits", token.name))),
        None => Ok(tokens),
    }
}

/// Creates a token, stores its hash and returns it. It cannot be retrieved later.
///
/// # Errors
/// [`TokensError`].
pub fn add(path: &Path, name: &str, role: Role) -> Result<String, TokensError> {
    let well = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(well) {
        return Err(TokensError::NotAName);
    }
    let mut secret = [0; 32];
    let io_error = |source| TokensError::Io { path: path.to_owned(), source };
    let got = rustix::rand::getrandom(&mut secret, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| io_error(error.into()))?;
    if got != secret.len() {
        return Err(io_error(io::Error::other("the system returned too few random bytes")));
    }
    let secret = format!("{MARK}{}", URL_SAFE_NO_PAD.encode(secret));
    change(path, |tokens| {
        if tokens.iter().any(|token| token.name == name) {
            return Err(TokensError::Taken { name: name.into() });
        }
        if tokens.len() >= MOST {
            return Err(TokensError::TooMany);
        }
        let sha256 = hash(&secret).iter().map(|byte| format!("{byte:02x}")).collect();
        let created = humantime::format_rfc3339_seconds(system_time()).to_string();
        tokens.push(Token { name: name.into(), role, created, sha256 });
        Ok(())
    })?;
    Ok(secret)
}

/// Revokes a token.
///
/// # Errors
/// [`TokensError`].
pub fn remove(path: &Path, name: &str) -> Result<(), TokensError> {
    change(path, |tokens| {
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        if tokens.len() == before { Err(TokensError::Unknown { name: name.into() }) } else { Ok(()) }
    })
}

/// Replaces the file atomically, under a lock.
fn change(
    path: &Path,
    act: impl FnOnce(&mut Vec<Token>) -> Result<(), TokensError>,
) -> Result<(), TokensError> {
    let failed = |source| TokensError::Io { path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let open =
        |path: &Path| OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    let lock = open(&path.with_extension("lock")).map_err(failed)?;
    flock(&lock, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
    let mut tokens = list(path)?;
    act(&mut tokens)?;
    let beside = path.with_extension("new");
    let text = serde_json::to_string_pretty(&tokens).unwrap_or_default();
    (|| {
        let mut file = open(&beside)?;
        writeln!(file, "{text}")?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        File::open(folder)?.sync_all()
    })()
    .map_err(failed)
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// A version of the file: inode, length and modification time.
type Seen = (u64, u64, i64, i64);

#[derive(Debug, Default)]
struct Page {
    seen: Option<Seen>,
    entries: Vec<(Arc<str>, Role, [u8; 32])>,
}

/// The tokens of a server, as the file currently stores them.
#[derive(Debug)]
pub struct TokenBook {
    path: PathBuf,
    page: Mutex<Page>,
}

impl TokenBook {
    /// Returns the tokens of a file.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        TokenBook { path: path.to_owned(), page: Mutex::default() }
    }

    /// Returns whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.read(|entries| entries.is_empty())
    }

    /// Returns the name and role of a token. Compares every entry in constant time.
    #[must_use]
    pub fn find(&self, secret: &str) -> Option<(Arc<str>, Role)> {
        let shown = hash(secret);
        self.read(|entries| {
            let mut found = u32::MAX;
            for (position, (_, _, stored)) in (0_u32..).zip(entries) {
                let same: Choice = shown.ct_eq(stored);
                found = u32::conditional_select(&found, &position, same);
            }
            let (name, role, _) = entries.get(usize::try_from(found).ok()?)?;
            Some((name.clone(), *role))
        })
    }

    fn read<T>(&self, act: impl FnOnce(&[(Arc<str>, Role, [u8; 32])]) -> T) -> T {
        let seen = fs::metadata(&self.path)
            .map(|data| (data.ino(), data.len(), data.mtime(), data.mtime_nsec()))
            .ok();
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        if page.seen != seen {
            // With an invalid file, no token is accepted.
            let tokens = list(&self.path).unwrap_or_else(|error| {
                tracing::error!("no token is accepted: {error}");
                Vec::new()
            });
            let entry = |token: Token| Some((token.name.into(), token.role, bytes_of(&token.sha256)?));
            *page = Page { seen, entries: tokens.into_iter().filter_map(entry).collect() };
        }
        act(&page.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn stores_only_the_hash_of_a_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/tokens.json");
        assert_eq!(list(&path).unwrap(), []);
        let secret = add(&path, "desk", Role::Operator).unwrap();
        let other = add(&path, "owner-1", Role::Owner).unwrap();
        assert!(secret.starts_with(MARK) && secret.len() == MARK.len() + 43 && secret != other);
        let written = fs::read_to_string(&path).unwrap();
        assert!(
            !written.contains(&secret) && !written.contains(secret.trim_start_matches(MARK)),
            "{written}"
        );
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let book = TokenBook::at(&path);
        assert_eq!(book.find(&secret), Some(("desk".into(), Role::Operator)));
        assert_eq!(book.find(&other), Some(("owner-1".into(), Role::Owner)));
        for wrong in ["", MARK, &secret[..secret.len() - 1], &format!("{secret}x")] {
            assert_eq!(book.find(wrong), None, "{wrong}");
        }
        assert!(matches!(add(&path, "desk", Role::Viewer), Err(TokensError::Taken { .. })));
        assert!(matches!(add(&path, "a b", Role::Viewer), Err(TokensError::NotAName)));
        remove(&path, "desk").unwrap();
        assert!(matches!(remove(&path, "desk"), Err(TokensError::Unknown { .. })));
        assert_eq!(book.find(&secret), None);
        assert!(book.find(&other).is_some());
    }

    #[test]
    fn rejects_readable_or_damaged_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let secret = add(&path, "desk", Role::Owner).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(list(&path), Err(TokensError::Open { .. })));
        assert_eq!(TokenBook::at(&path).find(&secret), None);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(TokenBook::at(&path).find(&secret).is_some());
        for damaged in ["", "{}", "[1]", r#"[{"name":"a","role":"owner","created":"","sha256":"00"}]"#] {
            fs::write(&path, damaged).unwrap();
            assert!(matches!(list(&path), Err(TokensError::Damaged { .. })), "{damaged}");
            assert!(
                matches!(add(&path, "more", Role::Viewer), Err(TokensError::Damaged { .. })),
                "{damaged}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
        }
    }
}
