//! Unix sockets for programs on this computer ([`LocalListener`]).

use std::fs::Permissions;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A socket that the user and the group of this program may open. Dropping it removes it.
#[derive(Debug)]
pub struct LocalListener {
    path: PathBuf,
    listener: UnixListener,
}

impl LocalListener {
    /// Listens at the path; replaces the socket that a program left there when it was killed.
    ///
    /// # Errors
    /// [`ErrorKind::AddrInUse`] if another program listens there; otherwise when something else is at the path, or the socket
    /// cannot be made.
    pub fn bind(path: &Path) -> io::Result<Self> {
        let listener = match UnixListener::bind(path) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                if !std::fs::symlink_metadata(path)?.file_type().is_socket() {
                    return Err(io::Error::other("something that is not a socket is there; move it away"));
                }
                if UnixStream::connect(path).is_ok() {
                    return Err(error);
                }
                std::fs::remove_file(path)?;
                UnixListener::bind(path)?
            }
            other => other?,
        };
        let listener = LocalListener { path: path.into(), listener };
        std::fs::set_permissions(path, Permissions::from_mode(0o660))?;
        listener.listener.set_nonblocking(true)?;
        Ok(listener)
    }

    /// Returns the next connection, which does not block, if there is one.
    #[must_use]
    pub fn accept(&self) -> Option<OwnedFd> {
        let (stream, _) = self.listener.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        Some(stream.into())
    }
}

impl AsFd for LocalListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for LocalListener {
    fn drop(&mut self) {
        // Someone may have removed it.
        let _removed = std::fs::remove_file(&self.path);
    }
}
