//! How a computer becomes a member ([`offer`], [`accept`]): it makes its own key, and with a code that works once, both sides
//! verify whom they talk to.
//!
//! The code holds 128 random bits. Request and answer carry a MAC that is made with them, so the connection needs no encryption:
//! a request for a certificate and certificates are public, and nobody who reads or changes them learns or gains anything.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use rcgen::{CertificateParams, KeyPair};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use tokio::sync::mpsc::channel;
use uuid::Uuid;
use zenoh::query::Query;

use super::access::Role;
use super::authority::Authority;
use super::error::IdentityError;
use super::{Description, Identity};
use crate::keys::Name;
use crate::session::{Link, Patience, in_words};

/// How long a code is valid.
pub const CODE_TIMEOUT: Duration = Duration::from_mins(10);

/// How many wrong requests end the enrolment.
const MAX_ATTEMPTS: u32 = 5;

/// The largest message, bytes.
const MAX_MESSAGE_BYTES: usize = 16 << 10;

/// How long the owner's computer may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// What a new member sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    certificate_request: String,
    mac: String,
}

/// What it gets.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// A [`Granted`] as text: the MAC is that of these bytes.
    granted: String,
    mac: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Granted {
    description: Description,
    certificate: String,
    fleet_certificate: String,
}

/// A code: where to, who, and the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Code {
    address: String,
    fleet: Name,
    member: Name,
    secret: String,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Code").field("member", &self.member).finish_non_exhaustive()
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}/{}/{}", self.address, self.fleet, self.member, self.secret)
    }
}

impl std::str::FromStr for Code {
    type Err = IdentityError;

    fn from_str(text: &str) -> Result<Self, IdentityError> {
        let wrong = || {
            IdentityError::Refused("this is no code; copy what `minismith fleet enrol NAME` prints".into())
        };
        let parts: Vec<&str> = text.trim().split('/').collect();
        let [address, fleet, member, secret] = parts.as_slice() else { return Err(wrong()) };
        let name = |text: &str| text.parse::<Name>().map_err(|_| wrong());
        let is_secret = URL_SAFE_NO_PAD.decode(secret).is_ok_and(|bytes| bytes.len() == 16);
        if !is_secret {
            return Err(wrong());
        }
        Ok(Code {
            address: (*address).to_owned(),
            fleet: name(fleet)?,
            member: name(member)?,
            secret: (*secret).to_owned(),
        })
    }
}

impl Code {
    /// Returns a new code for a member who reaches this computer at `host:port`.
    #[must_use]
    pub fn new(address: String, fleet: Name, member: Name) -> Self {
        let secret = URL_SAFE_NO_PAD.encode(Uuid::new_v4().into_bytes());
        Code { address, fleet, member, secret }
    }

    /// Returns the fleet.
    #[must_use]
    pub fn fleet(&self) -> &Name {
        &self.fleet
    }

    /// Returns the member.
    #[must_use]
    pub fn member(&self) -> &Name {
        &self.member
    }

    fn key(&self) -> String {
        format!("minismith-enrol/{}/{}", self.fleet, self.member)
    }

    fn mac(&self, direction: &str, text: &str) -> Option<Hmac<Sha256>> {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(self.secret.as_bytes()).ok()?;
        mac.update(format!("minismith-enrol/1 {direction} {}\n", self.key()).as_bytes());
        mac.update(text.as_bytes());
        Some(mac)
    }

    fn sign(&self, direction: &str, text: &str) -> String {
        let mac = self.mac(direction, text).map(|mac| mac.finalize().into_bytes());
        mac.map(|mac| URL_SAFE_NO_PAD.encode(mac)).unwrap_or_default()
    }

    fn verify(&self, direction: &str, text: &str, mac: &str) -> bool {
        let given = URL_SAFE_NO_PAD.decode(mac).unwrap_or_default();
        // Compares in constant time.
        self.mac(direction, text).is_some_and(|mac| mac.verify_slice(&given).is_ok())
    }
}

/// Waits for the new member, and issues its certificate. The code is used up then, or after some wrong requests.
///
/// # Errors
/// [`IdentityError::Refused`] if nobody came in time, or somebody tried codes.
pub async fn offer(
    authority: &mut Authority,
    code: &Code,
    role: Role,
    listen: &str,
    ready: impl FnOnce(),
) -> Result<(), IdentityError> {
    let refused = |reason: String| IdentityError::Refused(reason);
    authority.check_free(&code.member)?;
    let link = Link { connect: Vec::new(), listen: vec![listen.to_owned()], identity: None };
    let session = link.open(Patience::Once).await.map_err(|error| refused(error.to_string()))?;
    let (sender, mut receiver) = channel::<Query>(4);
    let queryable = session
        .declare_queryable(code.key())
        .callback(move |query| drop(sender.try_send(query)))
        .await
        .map_err(|error| refused(in_words(&error)))?;
    ready();
    let waiting = async {
        let mut attempts = 0;
        while let Some(query) = receiver.recv().await {
            match grant(authority, code, role, &query) {
                Ok(answer) => {
                    authority.add(&code.member, role)?;
                    let _sent = query.reply(code.key(), answer).await;
                    drop(query);
                    return Ok(());
                }
                Err(reason) => {
                    attempts += 1;
                    tracing::warn!(attempts, "a request to enrol {} was refused: {reason}", code.member);
                    let _sent = query.reply_err("refused").await;
                    if attempts >= MAX_ATTEMPTS {
                        return Err(refused(format!("{attempts} requests had a wrong code; enrol again")));
                    }
                }
            }
        }
        Err(refused("the session ended".into()))
    };
    let done = tokio::time::timeout(CODE_TIMEOUT, waiting).await;
    // The answer has to leave this computer.
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(queryable);
    let _closed = session.close().await;
    done.unwrap_or_else(|_| Err(refused("nobody used the code within ten minutes; enrol again".into())))
}

fn grant(authority: &Authority, code: &Code, role: Role, query: &Query) -> Result<Vec<u8>, String> {
    let payload = query.payload().filter(|payload| payload.len() <= MAX_MESSAGE_BYTES);
    let bytes = payload.ok_or("it is empty or too long")?.to_bytes().into_owned();
    let request: Request = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if !code.verify("request", &request.certificate_request, &request.mac) {
        return Err("the code is wrong".into());
    }
    let certificate = authority
        .issue(&code.member, role, &request.certificate_request)
        .map_err(|error| error.to_string())?;
    let granted = Granted {
        description: authority.description(&code.member, role),
        certificate,
        fleet_certificate: authority.certificate().map_err(|error| error.to_string())?,
    };
    let granted = serde_json::to_string(&granted).map_err(|error| error.to_string())?;
    let mac = code.sign("answer", &granted);
    serde_json::to_vec(&Answer { granted, mac }).map_err(|error| error.to_string())
}

/// Becomes the member of a code: makes a key, and writes the identity to a folder.
///
/// # Errors
/// [`IdentityError::Refused`] if the code does not work.
pub async fn accept(code: &Code, folder: &std::path::Path) -> Result<Description, IdentityError> {
    let refused = |reason: String| IdentityError::Refused(reason);
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::default();
    params.distinguished_name.push(rcgen::DnType::CommonName, code.member.as_str());
    let certificate_request = params.serialize_request(&key)?.pem()?;
    let mac = code.sign("request", &certificate_request);
    let request = serde_json::to_vec(&Request { certificate_request, mac }).unwrap_or_default();
    let link = Link { connect: vec![format!("tcp/{}", code.address)], listen: Vec::new(), identity: None };
    let session = link.open(Patience::Once).await.map_err(|_| {
        refused(format!(
            "nobody waits at {}; `minismith fleet enrol {}` must still run there",
            code.address, code.member
        ))
    })?;
    let asked = session.get(code.key()).payload(request).timeout(ANSWER_TIMEOUT).await;
    let replies = asked.map_err(|error| refused(in_words(&error)))?;
    let reply = replies.recv_async().await;
    let _closed = session.close().await;
    let not_taken =
        || refused("the code was not accepted: it works once, for ten minutes; enrol again".into());
    let reply = reply.map_err(|_| not_taken())?;
    let sample = reply.result().map_err(|_| not_taken())?;
    if sample.payload().len() > MAX_MESSAGE_BYTES {
        return Err(not_taken());
    }
    let answer: Answer = serde_json::from_slice(&sample.payload().to_bytes()).map_err(|_| not_taken())?;
    if !code.verify("answer", &answer.granted, &answer.mac) {
        return Err(refused("the answer is not from the computer that made the code".into()));
    }
    let granted: Granted =
        serde_json::from_str(&answer.granted).map_err(|error| refused(error.to_string()))?;
    Identity::write(
        folder,
        &granted.description,
        &key.serialize_pem(),
        &granted.certificate,
        &granted.fleet_certificate,
    )?;
    Ok(granted.description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_back_and_bind_their_member() {
        let (lab, kitchen): (Name, Name) = ("lab".parse().unwrap(), "kitchen".parse().unwrap());
        let code = Code::new("192.0.2.1:7448".into(), lab.clone(), kitchen);
        assert_eq!(code.to_string().parse::<Code>().unwrap(), code);
        assert!(!format!("{code:?}").contains(&code.secret));
        let mac = code.sign("request", "text");
        assert!(code.verify("request", "text", &mac));
        assert!(!code.verify("answer", "text", &mac) && !code.verify("request", "other", &mac));
        let other = Code { member: "hall".parse().unwrap(), ..code.clone() };
        assert!(!other.verify("request", "text", &mac));
        let guessed = Code::new("192.0.2.1:7448".into(), lab, "kitchen".parse().unwrap());
        assert!(!guessed.verify("request", "text", &mac));
        for bad in ["", "x", "a:1/lab/kitchen/short", "a:1/lab/kit*chen/AAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(bad.parse::<Code>().is_err(), "{bad}");
        }
    }
}
