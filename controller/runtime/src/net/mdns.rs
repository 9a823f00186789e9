//! Announces the robot on the local network, as the official daemon does (version 1.13.0): multicast DNS, service
//! `_reachy-mini._tcp`. Clients find the robot by its name.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mdns_sd::{ServiceDaemon, ServiceInfo};

/// The official service type.
const SERVICE: &str = "_reachy-mini._tcp.local.";

/// The timeout to withdraw the announcement.
const GOODBYE_TIMEOUT: Duration = Duration::from_millis(500);

/// An announced robot; dropping it withdraws the announcement.
pub struct Announcement {
    daemon: ServiceDaemon,
    address: SocketAddr,
    host: String,
    version: &'static str,
    model: &'static str,
    announced: Mutex<Option<String>>,
}

/// The robot cannot be announced.
#[derive(Debug, thiserror::Error)]
#[error("cannot announce the robot on the local network: {0}; clients can still use its address")]
pub struct MdnsError(#[from] mdns_sd::Error);

impl Announcement {
    /// Announces a robot of this name and model, which is served at this address in the official version.
    ///
    /// # Errors
    /// When multicast is not available.
    pub fn begin(
        name: &str,
        model: &'static str,
        address: SocketAddr,
        version: &'static str,
    ) -> Result<Self, MdnsError> {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let daemon = ServiceDaemon::new()?;
        let announcement =
            Announcement { daemon, address, host, version, model, announced: Mutex::default() };
        announcement.rename(name)?;
        Ok(announcement)
    }

    /// Announces it under another name.
    ///
    /// # Errors
    /// When the network cannot be informed.
    pub fn rename(&self, name: &str) -> Result<(), MdnsError> {
        let mut announced = self.announced.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = announced.take() {
            self.daemon.unregister(&before)?;
        }
        let ip = if self.address.ip().is_unspecified() { outward() } else { Some(self.address.ip()) };
        let reported = ip.map(|ip| ip.to_string()).unwrap_or_default();
        let properties = [
            ("version", self.version),
            ("robot_name", name),
            ("ws_path", "/ws/sdk"),
            ("address", &reported),
            ("model", self.model),
            ("manufacturer", "Pollen Robotics"),
            ("caps", "motion"),
            ("api", "rest+ws"),
        ];
        let host = format!("{}.local.", self.host);
        let info = match ip {
            Some(ip) if !self.address.ip().is_unspecified() => {
                ServiceInfo::new(SERVICE, name, &host, ip, self.address.port(), &properties[..])?
            }
            _ => ServiceInfo::new(SERVICE, name, &host, "", self.address.port(), &properties[..])?
                .enable_addr_auto(),
        };
        *announced = Some(info.get_fullname().to_owned());
        self.daemon.register(info)?;
        Ok(())
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // A failed withdrawal is harmless: a client then finds no server here.
        if let Ok(done) = self.daemon.shutdown() {
            let _heard = done.recv_timeout(GOODBYE_TIMEOUT);
        }
    }
}

/// Returns this machine's address on the outgoing route. Nothing is sent.
fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    // An address for documentation: only the route to it matters.
    socket.connect(("192.0.2.1", 9)).ok()?;
    socket.local_addr().ok().map(|own| own.ip()).filter(|ip| !ip.is_unspecified())
}
