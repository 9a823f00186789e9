//! The address of an HTTP server, without secrets.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

/// The base URL of a server, such as `http://127.0.0.1:8080/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Url);

/// The network scope of a server, judged by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// On this machine.
    Here,
    /// In a private network, by its numeric address.
    Private,
    /// Anywhere.
    Anywhere,
}

impl Address {
    /// The permitted form of an address, for messages.
    pub const ALLOWED: &str = "an address that begins with http:// or https://, without user, `?` or `#`, such as http://127.0.0.1:8080/v1";

    /// Parses an address; none if it is not [allowed](Self::ALLOWED).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // The URL parser tolerates white space and control characters.
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return None;
        }
        let url = Url::parse(text).ok()?;
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        (matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain).then_some(Address(url))
    }

    /// Whether the connection is encrypted.
    #[must_use]
    pub fn is_enciphered(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns the network scope. A name other than `localhost` may be anywhere.
    #[must_use]
    pub fn reach(&self) -> Reach {
        let host = self.0.host_str().unwrap_or_default();
        match host.trim_matches(['[', ']']).parse::<IpAddr>().map(|address| address.to_canonical()) {
            Ok(address) if address.is_loopback() => Reach::Here,
            Ok(IpAddr::V4(address)) if address.is_private() || address.is_link_local() => Reach::Private,
            Ok(IpAddr::V6(address)) if address.is_unique_local() || address.is_unicast_link_local() => {
                Reach::Private
            }
            Err(_) if host == "localhost" => Reach::Here,
            _ => Reach::Anywhere,
        }
    }

    /// Returns the URL of a path below it, with its query, if any.
    pub(super) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        url.set_query(query);
        url.set_path(&format!("{}/{path}", self.0.path().trim_end_matches('/')));
        url
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_addresses_are_read() {
        for bad in [
            "",
            "127.0.0.1:8080",
            "ftp://here/v1",
            "file:///v1",
            "http://",
            "http://ada:secret@here/v1",
            "http://here/v1?key=1",
            "http://here/v1#x",
            "http://he re/v1",
            " http://here/v1",
            "http://here/\nv1",
        ] {
            assert_eq!(Address::parse(bad), None, "{bad}");
        }
        let address = Address::parse("http://127.0.0.1:8080/v1/").unwrap();
        assert_eq!(address.to_string(), "http://127.0.0.1:8080/v1");
        assert_eq!(address.join("chat/completions").as_str(), "http://127.0.0.1:8080/v1/chat/completions");
        assert_eq!(
            address.join("slots/0?action=save").as_str(),
            "http://127.0.0.1:8080/v1/slots/0?action=save"
        );
        let bare = Address::parse("https://here").unwrap();
        assert_eq!(bare.join("chat/completions").as_str(), "https://here/chat/completions");
        assert!(bare.is_enciphered() && !address.is_enciphered());
    }

    #[test]
    fn the_reach_of_an_address_is_reported_by_its_numbers() {
        for (text, reach) in [
            ("http://127.0.0.1/v1", Reach::Here),
            ("http://127.8.8.8/v1", Reach::Here),
            ("http://2130706433/v1", Reach::Here),
            ("http://[::1]:1/v1", Reach::Here),
            ("http://[::ffff:127.0.0.1]/v1", Reach::Here),
            ("http://LOCALHOST/v1", Reach::Here),
            ("http://192.168.1.7:11434/v1", Reach::Private),
            ("http://10.0.0.1/v1", Reach::Private),
            ("http://[fd00::1]/v1", Reach::Private),
            ("http://[::ffff:10.0.0.1]/v1", Reach::Private),
            ("http://8.8.8.8/v1", Reach::Anywhere),
            ("http://0.0.0.0/v1", Reach::Anywhere),
            ("http://localhost.evil/v1", Reach::Anywhere),
            ("http://127.0.0.1.evil/v1", Reach::Anywhere),
            ("http://robot.local/v1", Reach::Anywhere),
        ] {
            assert_eq!(Address::parse(text).unwrap().reach(), reach, "{text}");
        }
    }
}
