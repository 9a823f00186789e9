//! Who this computer is in a fleet ([`Identity`]): a private key, its certificate, and that of the fleet.
//!
//! The files are in one folder that only their owner reads: `identity.json`, `key.pem`, `certificate.pem` and `fleet.pem`.
//!
//! Reading order: this file, [`files`] (private files), [`authority`] (who issues certificates), [`access`] (what each role may),
//! [`enrolment`] (how a computer gets its certificate), [`proof`] (who withdrew a tool), [`error`].

pub mod access;
pub mod authority;
pub mod enrolment;
pub mod error;
pub mod files;
pub mod proof;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::keys::Name;
use access::Role;
use error::IdentityError;

/// The files of an identity.
const DESCRIPTION: &str = "identity.json";
const KEY: &str = "key.pem";
const CERTIFICATE: &str = "certificate.pem";
const FLEET_CERTIFICATE: &str = "fleet.pem";

/// The description of an identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The fleet.
    pub fleet: Name,
    /// The member; the common name of its certificate.
    pub name: Name,
    /// What it may do.
    pub role: Role,
    /// The member that may revoke others.
    pub owner: Name,
    /// The router, such as `tls/192.168.1.5:7447`.
    pub router: String,
}

/// Who this computer is in a fleet.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its folder.
    folder: PathBuf,
    /// The fleet.
    pub fleet: Name,
    /// The member.
    pub name: Name,
    /// What it may do.
    pub role: Role,
    /// The member that may revoke others.
    pub owner: Name,
    /// The router.
    pub router: String,
}

impl Identity {
    /// Reads an identity; none if the folder does not exist.
    ///
    /// # Errors
    /// [`IdentityError`] if it is damaged, or others can read its key.
    pub fn read(folder: &Path) -> Result<Option<Self>, IdentityError> {
        let path = folder.join(DESCRIPTION);
        if !path.exists() {
            return Ok(None);
        }
        let text = files::read(&path)?;
        let read: Description = serde_json::from_str(&text)
            .map_err(|error| IdentityError::Damaged { path, cause: error.to_string() })?;
        files::check_private(&folder.join(KEY))?;
        let Description { fleet, name, role, owner, router } = read;
        Ok(Some(Identity { folder: folder.to_path_buf(), fleet, name, role, owner, router }))
    }

    /// Writes an identity, its description last: it exists when all of it does.
    ///
    /// # Errors
    /// [`IdentityError::File`].
    pub fn write(
        folder: &Path,
        described: &Description,
        key: &str,
        certificate: &str,
        fleet_certificate: &str,
    ) -> Result<(), IdentityError> {
        files::make_private_folder(folder)?;
        files::write_private(&folder.join(KEY), key)?;
        files::write_private(&folder.join(CERTIFICATE), certificate)?;
        files::write_private(&folder.join(FLEET_CERTIFICATE), fleet_certificate)?;
        let text = serde_json::to_string_pretty(described).unwrap_or_default();
        files::write_private(&folder.join(DESCRIPTION), &text)
    }

    /// Returns Zenoh's configuration of TLS: both sides show a certificate of the fleet.
    #[must_use]
    pub fn tls(&self) -> Value {
        let file = |name: &str| self.folder.join(name).display().to_string();
        json!({
            "root_ca_certificate": file(FLEET_CERTIFICATE),
            "enable_mtls": true,
            "connect_private_key": file(KEY),
            "connect_certificate": file(CERTIFICATE),
            "listen_private_key": file(KEY),
            "listen_certificate": file(CERTIFICATE),
            "verify_name_on_connect": true,
            "close_link_on_expiration": true,
        })
    }
}
