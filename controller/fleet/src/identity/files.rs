//! Files that only their owner reads.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::error::IdentityError;

/// The largest file that is read, bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> IdentityError {
    move |source| IdentityError::File { path: path.to_path_buf(), source }
}

/// Reads a text of bounded length.
///
/// # Errors
/// [`IdentityError::File`].
pub fn read(path: &Path) -> Result<String, IdentityError> {
    let mut text = String::new();
    let file = fs::File::open(path).map_err(failed(path))?;
    file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(failed(path))?;
    Ok(text)
}

/// Makes a folder for its owner alone.
///
/// # Errors
/// [`IdentityError::File`].
pub fn make_private_folder(path: &Path) -> Result<(), IdentityError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed(path))
}

/// Writes a file for its owner alone, atomically: it is complete, or unchanged.
///
/// # Errors
/// [`IdentityError::File`].
pub fn write_private(path: &Path, text: &str) -> Result<(), IdentityError> {
    let beside = path.with_extension("new");
    // A file that is there would keep its mode.
    let _none = fs::remove_file(&beside);
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(failed(path))
}

/// Checks that only its owner reads a file.
///
/// # Errors
/// [`IdentityError::Readable`], or [`IdentityError::File`].
pub fn check_private(path: &Path) -> Result<(), IdentityError> {
    let mode = fs::metadata(path).map_err(failed(path))?.mode();
    if mode & 0o077 == 0 { Ok(()) } else { Err(IdentityError::Readable(path.to_path_buf())) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn files_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        make_private_folder(&inner).unwrap();
        let file = inner.join("key.pem");
        for text in ["one", "two"] {
            write_private(&file, text).unwrap();
            assert_eq!(read(&file).unwrap(), text);
            assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        }
        check_private(&file).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(check_private(&file).unwrap_err().to_string().contains("chmod 600"));
    }
}
