//! Checks who may access the server.

use std::path::Path;

use super::Check;
use minismith_runtime::config::Server;
use minismith_runtime::role::Role;
use minismith_runtime::tokens;

/// Returns the number of tokens, or why none can be used.
pub(super) fn look(path: &Path) -> Result<usize, String> {
    tokens::list(path).map(|tokens| tokens.len()).map_err(|error| error.to_string())
}

pub(super) fn judge(server: &Server, tokens: &Result<usize, String>) -> Check {
    const NAME: &str = "server";
    let count = match tokens {
        Ok(count) => *count,
        Err(why) => return Check::error(NAME, why, "fix this, or the server does not start"),
    };
    let here = server.anonymous_role.map_or("no access without a token", Role::name);
    let seen = format!("{}: {count} tokens; from this computer: {here}", server.host);
    if !server.host.is_loopback() && count == 0 {
        let remedy = "create one with `minismith token add NAME --role operator`, or listen on 127.0.0.1";
        return Check::error(
            NAME,
            format!("{seen}; the server does not listen there without a token"),
            remedy,
        );
    }
    if !server.trusted_peers.is_empty() {
        let peers: Vec<String> = server.trusted_peers.iter().map(|peers| peers.0.to_string()).collect();
        return Check::warning(
            NAME,
            format!("{seen}; may move the robot without a token: {}", peers.join(", ")),
            "any device with such an address may, too; empty compat.trusted_peers when it is not needed",
        );
    }
    if !server.host.is_loopback() && server.tls.is_none() {
        return Check::warning(
            NAME,
            format!("{seen}; without TLS, tokens can be read on the network"),
            "set `tls_certificate` and `tls_key` under `server` in config.yaml, or use only a trusted network",
        );
    }
    Check::ok(NAME, seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckStatus;
    use minismith_runtime::config::Config;

    #[test]
    fn access_to_the_robot_without_protection_is_reported() {
        let mut server = Config::built_in().unwrap().server;
        assert_eq!(judge(&server, &Ok(0)).status, CheckStatus::Ok);
        assert_eq!(judge(&server, &Err("damaged".into())).status, CheckStatus::Error);
        server.host = "0.0.0.0".parse().unwrap();
        assert_eq!(judge(&server, &Ok(0)).status, CheckStatus::Error);
        let plain = judge(&server, &Ok(1));
        assert!(plain.status == CheckStatus::Warning && plain.detail.contains("TLS"), "{plain}");
        server.tls = Some(("a.pem".into(), "b.pem".into()));
        assert_eq!(judge(&server, &Ok(1)).status, CheckStatus::Ok);
        server.trusted_peers = vec!["192.168.1.20".parse().unwrap()];
        let trusting = judge(&server, &Ok(1));
        assert!(
            trusting.status == CheckStatus::Warning && trusting.detail.contains("192.168.1.20"),
            "{trusting}"
        );
    }
}
