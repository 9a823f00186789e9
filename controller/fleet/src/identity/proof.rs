//! Who withdrew a tool, for robots that learn of it from another robot ([`sign`], [`verify`]).
//!
//! An operator signs each withdrawal with the key of its certificate, which names its role. So a robot passes withdrawals on, and
//! cannot invent one. A proof is valid as long as its certificate.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{KeyPair, SigningKey as _};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, UnixTime};
use serde::{Deserialize, Serialize};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

use super::access::Role;
use super::error::IdentityError;
use super::{CERTIFICATE, FLEET_CERTIFICATE, Identity, KEY, files};
use crate::keys::Name;
use crate::net;

/// The longest certificate and signature that are read, bytes.
const MAX_CERTIFICATE_BYTES: usize = 4 << 10;
const MAX_SIGNATURE_BYTES: usize = 256;

/// Who withdrew a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The operator's certificate, PEM.
    pub certificate: String,
    /// Its signature of the withdrawal: ECDSA with P-256 and SHA-256, as ASN.1, Base64.
    pub signature: String,
}

/// Returns the signed bytes. No part can contain a line break.
fn message(fleet: &Name, tool: &str, code_sha256: &str) -> Vec<u8> {
    format!("minismith withdrawal\n{fleet}\n{tool}\n{code_sha256}\n").into_bytes()
}

/// Signs the withdrawal of a version of a tool.
///
/// # Errors
/// [`IdentityError`] if the files of the identity cannot be used.
pub fn sign(identity: &Identity, tool: &str, code_sha256: &str) -> Result<Proof, IdentityError> {
    let key = KeyPair::from_pem(&files::read(&identity.folder.join(KEY))?)?;
    let signature = key.sign(&message(&identity.fleet, tool, code_sha256))?;
    let certificate = files::read(&identity.folder.join(CERTIFICATE))?;
    Ok(Proof { certificate, signature: STANDARD.encode(signature) })
}

/// Verifies that an operator or the owner of this member's fleet has withdrawn a version of a tool, and returns its name.
///
/// # Errors
/// What is wrong, for the log.
pub fn verify(identity: &Identity, tool: &str, code_sha256: &str, proof: &Proof) -> Result<Name, String> {
    if proof.certificate.len() > MAX_CERTIFICATE_BYTES || proof.signature.len() > MAX_SIGNATURE_BYTES {
        return Err("its proof is too long".into());
    }
    let fleet = files::read(&identity.folder.join(FLEET_CERTIFICATE)).map_err(|error| error.to_string())?;
    let fleet = CertificateDer::from_pem_slice(fleet.as_bytes()).map_err(|error| error.to_string())?;
    let anchor = anchor_from_trusted_cert(&fleet).map_err(|error| error.to_string())?;
    let certificate = CertificateDer::from_pem_slice(proof.certificate.as_bytes())
        .map_err(|_| "its certificate is damaged".to_owned())?;
    let failed = |error: webpki::Error| format!("its certificate is none of the fleet: {error}");
    let verified = EndEntityCert::try_from(&certificate).map_err(failed)?;
    let now = net::system_time().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let algorithm = webpki::ring::ECDSA_P256_SHA256;
    let (anchors, now) = ([anchor], UnixTime::since_unix_epoch(now));
    let usage = KeyUsage::client_auth();
    let _path =
        verified.verify_for_usage(&[algorithm], &anchors, &[], now, usage, None, None).map_err(failed)?;
    let signature = STANDARD.decode(&proof.signature).map_err(|_| "its signature is damaged".to_owned())?;
    verified
        .verify_signature(algorithm, &message(&identity.fleet, tool, code_sha256), &signature)
        .map_err(|_| "its signature is wrong".to_owned())?;
    let (name, role) = subject(&certificate).ok_or("its certificate names no member with a role")?;
    match role {
        Role::Owner | Role::Operator => Ok(name),
        Role::Viewer | Role::Robot => Err(format!("{name} is a {}, not an operator", role.as_str())),
    }
}

/// Returns the member and its role in a certificate.
fn subject(certificate: &CertificateDer<'_>) -> Option<(Name, Role)> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let subject = certificate.subject();
    let name = subject.iter_common_name().next()?.as_str().ok()?.parse().ok()?;
    let role = subject.iter_organizational_unit().next()?.as_str().ok()?;
    Some((name, Role::named(role)?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::authority::Authority;
    use super::*;

    fn owner(folder: &Path) -> Identity {
        let fleet: Name = "lab".parse().unwrap();
        let anna: Name = "anna".parse().unwrap();
        let (place, own) = (folder.join("authority"), folder.join("anna"));
        let _made = Authority::make(&place, &own, &fleet, &anna, Vec::new(), 7447).unwrap();
        Identity::read(&own).unwrap().unwrap()
    }

    /// Enrols a member without the network.
    fn member(folder: &Path, name: &str, role: Role) -> Identity {
        let authority = Authority::open(&folder.join("authority")).unwrap().unwrap();
        let name: Name = name.parse().unwrap();
        let key = KeyPair::generate().unwrap();
        let request = rcgen::CertificateParams::default().serialize_request(&key).unwrap().pem().unwrap();
        let certificate = authority.issue(&name, role, &request).unwrap();
        let own = folder.join(name.as_str());
        let described = authority.description(&name, role);
        let fleet = authority.certificate().unwrap();
        Identity::write(&own, &described, &key.serialize_pem(), &certificate, &fleet).unwrap();
        Identity::read(&own).unwrap().unwrap()
    }

    #[test]
    fn operators_withdraw_and_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let anna = owner(folder.path());
        let hall = member(folder.path(), "hall", Role::Robot);
        let hash = "a".repeat(64);
        let by = |identity: &Identity| verify(&hall, "wave", &hash, &sign(identity, "wave", &hash).unwrap());
        assert_eq!(by(&anna).unwrap().as_str(), "anna");
        assert_eq!(by(&member(folder.path(), "desk", Role::Operator)).unwrap().as_str(), "desk");
        assert!(by(&member(folder.path(), "ben", Role::Viewer)).unwrap_err().contains("ben is a viewer"));
        assert!(by(&hall).unwrap_err().contains("hall is a robot"));
        // An owner of another fleet of the same name.
        let other = tempfile::tempdir().unwrap();
        assert!(by(&owner(other.path())).unwrap_err().contains("none of the fleet"));
    }

    #[test]
    fn a_proof_fits_one_version_of_one_tool_in_one_fleet() {
        let folder = tempfile::tempdir().unwrap();
        let anna = owner(folder.path());
        let hash = "a".repeat(64);
        let proof = sign(&anna, "wave", &hash).unwrap();
        assert!(verify(&anna, "wave", &hash, &proof).is_ok());
        assert!(verify(&anna, "nod", &hash, &proof).is_err());
        assert!(verify(&anna, "wave", &"b".repeat(64), &proof).is_err());
        let elsewhere = Identity { fleet: "shop".parse().unwrap(), ..anna.clone() };
        assert!(verify(&elsewhere, "wave", &hash, &proof).is_err());
        for (certificate, signature) in [
            ("", proof.signature.as_str()),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", &proof.signature),
            (&proof.certificate, ""),
            (&proof.certificate, "AAAA"),
            (&proof.certificate, "no Base64"),
            (&"x".repeat(MAX_CERTIFICATE_BYTES + 1), &proof.signature),
        ] {
            let bad = Proof { certificate: certificate.into(), signature: signature.into() };
            assert!(verify(&anna, "wave", &hash, &bad).is_err(), "{bad:?}");
        }
    }
}
