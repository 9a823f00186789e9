//! Command-line arguments: the destinations of the recording ([`Args`]).

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use re_sdk::external::re_uri::ProxyUri;

use crate::sink::Sink;
use crate::viewer::Link;
use crate::{RerunExportError, serve};

/// Usage message.
pub const USAGE: &str = "\
usage: minismith-recorder [--to FILE.rrd] [--connect ADDRESS]... [--serve [HOST:]PORT]
Read a trace from standard input, one JSON document per line, and convert it to a recording for the Rerun viewer.

  --to FILE.rrd       Write to a file: atomically, or continuously if the trace is live
  --connect ADDRESS   Send to a listening viewer, such as rerun+http://127.0.0.1:9876/proxy
  --serve [HOST:]PORT Accept viewers: `rerun --connect rerun+http://127.0.0.1:PORT/proxy`. Without HOST only
                      from this machine. Port 0 is any free port

At least one is required. Viewers must be Rerun 0.36. At the end the program writes one line of JSON to standard
output. Exit codes: 0 for success, 1 if a file is incomplete, 2 if there is no recording or the input ends with an
error.";

/// Destinations of the recording.
#[derive(Debug, Default, PartialEq)]
pub struct Args {
    /// A file.
    pub file: Option<PathBuf>,
    /// Listening viewers.
    pub connect: Vec<ProxyUri>,
    /// Address at which to accept viewers.
    pub serve: Option<SocketAddr>,
}

/// Reports invalid arguments.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ArgsError {
    /// No destination, or unknown arguments.
    #[error("{USAGE}")]
    Usage,
    /// Not the address of a viewer.
    #[error("invalid viewer address {0:?}; an example is rerun+http://127.0.0.1:9876/proxy")]
    Connect(OsString),
    /// Not an address to listen on.
    #[error(
        "invalid address to serve at {0:?}; an example is 127.0.0.1:9876, or 9876 for this machine alone"
    )]
    Serve(OsString),
}

impl Args {
    /// Parses the arguments.
    pub fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, ArgsError> {
        let mut orders = Args::default();
        let mut arguments = arguments.into_iter();
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or(ArgsError::Usage)?;
            match flag.to_str() {
                Some("--to") if orders.file.is_none() => orders.file = Some(value.into()),
                Some("--connect") => {
                    let uri = value.to_str().and_then(|text| text.parse().ok());
                    orders.connect.push(uri.ok_or(ArgsError::Connect(value))?);
                }
                Some("--serve") if orders.serve.is_none() => {
                    let address = value.to_str().and_then(serve::address);
                    orders.serve = Some(address.ok_or(ArgsError::Serve(value))?);
                }
                _ => return Err(ArgsError::Usage),
            }
        }
        if orders == Args::default() { Err(ArgsError::Usage) } else { Ok(orders) }
    }

    /// Opens the destinations, with everything that must be ready before the input is read.
    pub fn run(self) -> Result<Vec<Sink>, RerunExportError> {
        let mut links: Vec<Link> = self.connect.into_iter().map(Link::Connected).collect();
        if let Some(address) = self.serve {
            links.push(Link::Served(serve::listen(address)?));
        }
        // The file comes first, so that it is complete before any wait for a viewer.
        let mut outlets: Vec<Sink> = self.file.into_iter().map(Sink::File).collect();
        if !links.is_empty() {
            outlets.push(Sink::Viewers(links));
        }
        Ok(outlets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Args, ArgsError> {
        Args::from_arguments(arguments.iter().map(OsString::from))
    }

    #[test]
    fn from_arguments_accepts_all_combinations_of_destinations() {
        assert_eq!(read(&["--to", "a.rrd"]).unwrap().file, Some("a.rrd".into()));
        let all = ["--serve", "9876", "--connect", "rerun+http://127.0.0.1:9877/proxy", "--to", "a.rrd"];
        let orders = read(&all).unwrap();
        assert_eq!(orders.serve, Some(([127, 0, 0, 1], 9876).into()));
        assert_eq!(orders.connect[0].to_string(), "rerun+http://127.0.0.1:9877/proxy");
        assert_eq!(read(&["--serve", "0.0.0.0:1"]).unwrap().serve, Some(([0, 0, 0, 0], 1).into()));
        assert_eq!(read(&["--serve", "[::1]:1"]).unwrap().serve.unwrap().to_string(), "[::1]:1");
    }

    #[test]
    fn from_arguments_rejects_others_with_an_example() {
        for wrong in [&[][..], &["--to"], &["a.rrd"], &["--to", "a", "--to", "b"], &["--too", "a"]] {
            assert_eq!(read(wrong), Err(ArgsError::Usage), "{wrong:?}");
        }
        for (flag, value) in
            [("--connect", "nowhere"), ("--connect", "http://127.0.0.1:1"), ("--serve", "here")]
        {
            let error = read(&[flag, value]).unwrap_err().to_string();
            assert!(error.contains(value) && error.contains("9876"), "{error}");
        }
    }
}
