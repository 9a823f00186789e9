//! The commands of the owner's computer, `init`, `router` and `enrol`, and how another computer becomes a member.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::args::Enrol;
use crate::error::FleetError;
use crate::identity::Identity;
use crate::identity::authority::Authority;
use crate::identity::enrolment::{self, Code};
use crate::identity::error::IdentityError;
use crate::keys::Name;
use crate::operator::print;
use crate::session::{LOCAL_ROUTER, Link};

/// How often the router looks for new and revoked members.
const MEMBERS_INTERVAL: Duration = Duration::from_secs(1);

/// Opens the authority of a fleet.
///
/// # Errors
/// [`FleetError::Usage`] if this computer has none.
pub fn open(place: &Path, fleet: &Name) -> Result<Authority, FleetError> {
    Authority::open(place)?.ok_or_else(|| {
        FleetError::Usage(format!(
            "this computer is not the owner's of the fleet {fleet}; `minismith fleet init` starts one"
        ))
    })
}

/// Starts a fleet of several computers.
///
/// # Errors
/// [`FleetError::Identity`] if there is one.
pub fn init(
    place: &Path,
    identity: &Path,
    fleet: &Name,
    owner: &Name,
    hosts: Vec<String>,
    port: u16,
    as_json: bool,
) -> Result<bool, FleetError> {
    if Identity::read(identity)?.is_some() {
        return Err(FleetError::Usage(format!(
            "{} has an identity; choose another fleet with --fleet",
            identity.display()
        )));
    }
    let authority = Authority::make(place, identity, fleet, owner, hosts, port)?;
    let router = authority.router_file();
    if as_json {
        print::document(&json!({
            "fleet": fleet, "owner": owner, "identity": identity, "router_config": router, "listen": authority.listen(),
        }));
    } else {
        print::line(&format!(
            "the fleet {fleet} belongs to {owner}; `minismith fleet router` starts its router, or `zenohd --config {}`",
            router.display()
        ));
    }
    Ok(true)
}

/// Routes until interrupted, and takes on new and revoked members while it runs.
///
/// # Errors
/// [`FleetError::Session`] if it cannot listen.
pub async fn route(place: &Path, listen: &[String], fleet: Name) -> Result<bool, FleetError> {
    let mut interrupt = signal(SignalKind::interrupt()).map_err(FleetError::System)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(FleetError::System)?;
    loop {
        let authority = Authority::open(place)?;
        let (identity, usual, access) = match &authority {
            Some(authority) => (authority.router()?, authority.listen(), Some(authority.access_control())),
            None => (None, LOCAL_ROUTER.to_owned(), None),
        };
        let listen = if listen.is_empty() { vec![usual] } else { listen.to_vec() };
        let link = Link::new(None, &listen, identity)?;
        let before = changed(place);
        let session = link.open_router(access).await?;
        print::line(&format!("routing for the fleet {fleet} at {}; Ctrl-C ends it", listen.join(", ")));
        let is_over = loop {
            tokio::select! {
                () = tokio::time::sleep(MEMBERS_INTERVAL) => if changed(place) != before { break false },
                _ = interrupt.recv() => break true,
                _ = terminate.recv() => break true,
            }
        };
        // Members connect again within a second, with the rights that they have now.
        let _closed = session.close().await;
        if is_over {
            return Ok(true);
        }
    }
}

fn changed(place: &Path) -> Option<SystemTime> {
    std::fs::metadata(place.join("members.json")).and_then(|file| file.modified()).ok()
}

/// Prints a code for a new member and waits for it.
///
/// # Errors
/// [`FleetError::Identity`] if nobody came.
pub async fn offer(place: &Path, fleet: Name, enrol: Enrol) -> Result<bool, FleetError> {
    let Enrol { member: Some(member), role, listen, host, json: as_json, .. } = enrol else {
        return Err(FleetError::Usage("name the new member".into()));
    };
    let mut authority = open(place, &fleet)?;
    let port = listen.strip_prefix("tcp/").and_then(|address| address.rsplit_once(':')).map(|(_, port)| port);
    let port = port.filter(|port| port.parse::<u16>().is_ok_and(|port| port != 0));
    let port = port.ok_or_else(|| FleetError::Usage("use --listen tcp/HOST:PORT".into()))?;
    let host = host.unwrap_or_else(|| authority.host().to_owned());
    let code = Code::new(format!("{host}:{port}"), fleet, member.clone());
    let ready = || {
        if as_json {
            print::document(&json!({ "member": member, "code": code.to_string() }));
        } else {
            print::line(&format!("run on the computer of {member}, within ten minutes:"));
            print::line(&format!("  minismith fleet enrol --code {code}"));
        }
    };
    match enrolment::offer(&mut authority, &code, role, &listen, ready).await {
        Ok(()) => {
            print::line(&if as_json {
                json!({ "enrolled": member }).to_string()
            } else {
                format!(
                    "{member} is a member now; `minismith fleet router` knows it, and zenohd after a restart"
                )
            });
            Ok(true)
        }
        Err(IdentityError::Refused(reason)) => {
            print::line(&if as_json { json!({ "refusal": reason }).to_string() } else { reason });
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Becomes the member of a code.
///
/// # Errors
/// [`FleetError::Identity`] if its files cannot be written.
pub async fn accept(
    folder: &Path,
    place: Option<&Path>,
    code: &str,
    as_json: bool,
) -> Result<bool, FleetError> {
    let code: Code = code.parse()?;
    let usual = folder.join(code.fleet().as_str()).join("identity");
    let place = place.unwrap_or(&usual);
    if let Some(known) = Identity::read(place)?
        && known.name != *code.member()
    {
        return Err(FleetError::Usage(format!(
            "this computer is {} in the fleet {}; give --identity FOLDER for a second member",
            known.name, known.fleet
        )));
    }
    match enrolment::accept(&code, place).await {
        Ok(described) => {
            if as_json {
                print::document(
                    &json!({ "enrolled": described.name, "role": described.role, "router": described.router }),
                );
            } else {
                let fleet = described.fleet;
                print::line(&format!(
                    "this computer is {} in the fleet {fleet}, through {}",
                    described.name, described.router
                ));
            }
            Ok(true)
        }
        Err(IdentityError::Refused(reason)) => {
            if as_json {
                print::document(&json!({ "refusal": reason }));
            } else {
                print::line(&reason);
            }
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}
