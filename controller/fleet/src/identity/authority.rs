//! Who issues the certificates of a fleet ([`Authority`]): a folder on its owner's computer.
//!
//! `fleet.key` and `fleet.pem` are the fleet's own key and certificate, `members.json` lists who was enrolled, `router/` is the
//! identity of the router, and `router.json5` its configuration, also for Zenoh's own `zenohd`.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertificateSigningRequestParams, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose, SanType,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::access::{self, Role};
use super::error::IdentityError;
use super::{Description, Identity, files};
use crate::keys::Name;
use crate::net;
use crate::session::Link;

/// How long the fleet's own certificate is valid.
const FLEET_VALIDITY: Duration = Duration::from_hours(24 * 3650);

/// How long the certificate of a member is valid. Then the member is enrolled again.
const MEMBER_VALIDITY: Duration = Duration::from_hours(24 * 365);

/// How far back certificates begin, for clocks that are behind.
const CLOCK_TOLERANCE: Duration = Duration::from_hours(24);

/// The common name of routers. No member can have it.
const ROUTER_NAME: &str = "@router";

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// What it may do.
    pub role: Role,
    /// Whether its rights were taken away.
    pub is_revoked: bool,
}

/// What the authority knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Register {
    fleet: Name,
    owner: Name,
    hosts: Vec<String>,
    port: u16,
    members: Vec<Member>,
}

/// Issues the certificates of a fleet.
#[derive(Debug)]
pub struct Authority {
    folder: PathBuf,
    register: Register,
}

impl Authority {
    /// Makes the authority of a new fleet, and the identity of its owner.
    ///
    /// # Errors
    /// [`IdentityError::Refused`] if there is one already.
    pub fn make(
        place: &Path,
        identity: &Path,
        fleet: &Name,
        owner: &Name,
        hosts: Vec<String>,
        port: u16,
    ) -> Result<Self, IdentityError> {
        let folder = place.to_path_buf();
        if folder.join("members.json").exists() {
            return Err(IdentityError::Refused(format!(
                "the fleet {fleet} exists in {}; use it, or choose another name with --fleet",
                folder.display()
            )));
        }
        files::make_private_folder(&folder)?;
        let hosts = if hosts.is_empty() { vec!["127.0.0.1".to_owned()] } else { hosts };
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.distinguished_name = common_name(&format!("minismith fleet {fleet}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        set_validity(&mut params, FLEET_VALIDITY);
        let certificate = params.self_signed(&key)?;
        files::write_private(&folder.join("fleet.key"), &key.serialize_pem())?;
        files::write_private(&folder.join("fleet.pem"), &certificate.pem())?;
        let register =
            Register { fleet: fleet.clone(), owner: owner.clone(), hosts, port, members: Vec::new() };
        let mut authority = Authority { folder, register };
        authority.make_router()?;
        let key = KeyPair::generate()?;
        let certificate = authority.certify(&params_of(owner.as_str(), Some(Role::Owner), &[])?, &key)?;
        let described = authority.description(owner, Role::Owner);
        Identity::write(identity, &described, &key.serialize_pem(), &certificate, &authority.certificate()?)?;
        authority.add(owner, Role::Owner)?;
        Ok(authority)
    }

    /// Opens the authority of a fleet; none if this computer has none.
    ///
    /// # Errors
    /// [`IdentityError`] if it is damaged.
    pub fn open(folder: &Path) -> Result<Option<Self>, IdentityError> {
        let path = folder.join("members.json");
        if !path.exists() {
            return Ok(None);
        }
        let text = files::read(&path)?;
        let register = serde_json::from_str(&text)
            .map_err(|error| IdentityError::Damaged { path, cause: error.to_string() })?;
        files::check_private(&folder.join("fleet.key"))?;
        Ok(Some(Authority { folder: folder.to_path_buf(), register }))
    }

    /// Returns the fleet's own certificate.
    ///
    /// # Errors
    /// [`IdentityError::File`].
    pub fn certificate(&self) -> Result<String, IdentityError> {
        files::read(&self.folder.join("fleet.pem"))
    }

    /// Returns the first host of the fleet.
    #[must_use]
    pub fn host(&self) -> &str {
        self.register.hosts.first().map_or("127.0.0.1", String::as_str)
    }

    /// Returns the file with the router's configuration.
    #[must_use]
    pub fn router_file(&self) -> PathBuf {
        self.folder.join("router.json5")
    }

    /// Returns the router's identity.
    ///
    /// # Errors
    /// [`IdentityError`] if it is damaged.
    pub fn router(&self) -> Result<Option<Identity>, IdentityError> {
        Identity::read(&self.folder.join("router"))
    }

    /// Returns the access control for the members.
    #[must_use]
    pub fn access_control(&self) -> Value {
        let members = self.register.members.iter().filter(|member| !member.is_revoked);
        let members: Vec<(Name, Role)> = members.map(|member| (member.name.clone(), member.role)).collect();
        access::control(&self.register.fleet, &members)
    }

    /// Checks that a name is free for a new member.
    ///
    /// # Errors
    /// [`IdentityError::Refused`]: a revoked name stays revoked, because robots remember it.
    pub fn check_free(&self, name: &Name) -> Result<(), IdentityError> {
        match self.register.members.iter().find(|member| member.name == *name) {
            None => Ok(()),
            Some(member) if member.is_revoked => {
                Err(IdentityError::Refused(format!("{name} was revoked; enrol it under another name")))
            }
            Some(_) => {
                Err(IdentityError::Refused(format!("{name} is a member; revoke it, or choose another name")))
            }
        }
    }

    /// Issues the certificate for a member's request. The member keeps its private key; its name and role are those given here,
    /// whatever the request says.
    ///
    /// # Errors
    /// [`IdentityError::Certificate`] if the request is none.
    pub fn issue(&self, name: &Name, role: Role, request: &str) -> Result<String, IdentityError> {
        let mut request = CertificateSigningRequestParams::from_pem(request)?;
        request.params = params_of(name.as_str(), Some(role), &[])?;
        let (key, certificate) = self.signing()?;
        let issuer = Issuer::from_ca_cert_pem(&certificate, &key)?;
        Ok(request.signed_by(&issuer)?.pem())
    }

    /// Adds a member, and permits in the router's configuration what its role may do.
    ///
    /// # Errors
    /// [`IdentityError::File`].
    pub fn add(&mut self, name: &Name, role: Role) -> Result<(), IdentityError> {
        self.check_free(name)?;
        self.register.members.push(Member { name: name.clone(), role, is_revoked: false });
        self.store()
    }

    /// Takes all rights from a member.
    ///
    /// # Errors
    /// [`IdentityError::Refused`] if there is no such member, or it is the owner.
    pub fn revoke(&mut self, name: &Name) -> Result<(), IdentityError> {
        if *name == self.register.owner {
            return Err(IdentityError::Refused(format!("{name} is the owner of the fleet and stays so")));
        }
        let member = self.register.members.iter_mut().find(|member| member.name == *name);
        let member = member.ok_or_else(|| {
            IdentityError::Refused(format!("{name} is no member of {}", self.register.fleet))
        })?;
        member.is_revoked = true;
        self.store()
    }

    /// Returns the description of a member, for its own computer.
    #[must_use]
    pub fn description(&self, name: &Name, role: Role) -> Description {
        Description {
            fleet: self.register.fleet.clone(),
            name: name.clone(),
            role,
            owner: self.register.owner.clone(),
            router: format!("tls/{}:{}", self.host(), self.register.port),
        }
    }

    /// Returns where the router listens.
    #[must_use]
    pub fn listen(&self) -> String {
        let is_local = |host: &String| host == "localhost" || host.starts_with("127.");
        let host = if self.register.hosts.iter().all(is_local) { "127.0.0.1" } else { "0.0.0.0" };
        format!("tls/{host}:{}", self.register.port)
    }

    /// Writes the members and the router's configuration.
    fn store(&self) -> Result<(), IdentityError> {
        let text = serde_json::to_string_pretty(&self.register).unwrap_or_default();
        if let Some(router) = self.router()? {
            let link = Link { connect: Vec::new(), listen: vec![self.listen()], identity: Some(router) };
            files::write_private(&self.router_file(), &link.router_config(Some(self.access_control())))?;
        }
        files::write_private(&self.folder.join("members.json"), &text)
    }

    /// Makes the router's key and certificate, for the hosts of the fleet.
    fn make_router(&self) -> Result<(), IdentityError> {
        let key = KeyPair::generate()?;
        let mut hosts = self.register.hosts.clone();
        for local in ["127.0.0.1", "localhost"] {
            if !hosts.iter().any(|host| host == local) {
                hosts.push(local.to_owned());
            }
        }
        let certificate = self.certify(&params_of(ROUTER_NAME, None, &hosts)?, &key)?;
        // Its description is for this program alone; its name in the fleet is that of the certificate.
        let described = self.description(&self.register.owner, Role::Viewer);
        let place = self.folder.join("router");
        Identity::write(&place, &described, &key.serialize_pem(), &certificate, &self.certificate()?)
    }

    fn certify(&self, params: &CertificateParams, key: &KeyPair) -> Result<String, IdentityError> {
        let (signing, certificate) = self.signing()?;
        let issuer = Issuer::from_ca_cert_pem(&certificate, &signing)?;
        Ok(params.signed_by(key, &issuer)?.pem())
    }

    fn signing(&self) -> Result<(KeyPair, String), IdentityError> {
        let key = KeyPair::from_pem(&files::read(&self.folder.join("fleet.key"))?)?;
        Ok((key, self.certificate()?))
    }
}

fn common_name(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

fn set_validity(params: &mut CertificateParams, validity: Duration) {
    let now = net::system_time();
    params.not_before = (now - CLOCK_TOLERANCE).into();
    params.not_after = (now + validity).into();
}

/// Returns the parameters of a member's certificate. The role is its organizational unit.
fn params_of(name: &str, role: Option<Role>, hosts: &[String]) -> Result<CertificateParams, IdentityError> {
    let mut params = CertificateParams::default();
    params.distinguished_name = common_name(name);
    if let Some(role) = role {
        params.distinguished_name.push(DnType::OrganizationalUnitName, role.as_str());
    }
    for host in hosts {
        params.subject_alt_names.push(match host.parse::<IpAddr>() {
            Ok(address) => SanType::IpAddress(address),
            Err(_) => SanType::DnsName(host.clone().try_into()?),
        });
    }
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    // Routers alone have hosts. Others could pass themselves off as the router.
    if !hosts.is_empty() {
        params.extended_key_usages.push(ExtendedKeyUsagePurpose::ServerAuth);
    }
    params.use_authority_key_identifier_extension = true;
    set_validity(&mut params, MEMBER_VALIDITY);
    Ok(params)
}
