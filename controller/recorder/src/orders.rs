//! What the recorder was started with: where the recording goes.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use re_sdk::external::re_uri::ProxyUri;

use crate::outlet::Outlet;
use crate::viewer::Link;
use crate::{NoRecording, serve};

/// How to call this program.
pub const USAGE: &str = "\
usage: minismith-recorder [--to FILE.rrd] [--connect ADDRESS]... [--serve [HOST:]PORT]
reads what it is told on standard input, one JSON document on each line, and makes a recording for the Rerun viewer

  --to FILE.rrd       write it to a file: whole or not at all; what is live, while it happens
  --connect ADDRESS   show it to a viewer that listens, such as rerun+http://127.0.0.1:9876/proxy
  --serve [HOST:]PORT let viewers come: `rerun --connect rerun+http://127.0.0.1:PORT/proxy`; without HOST only
                      those of this machine; port 0 is any that is free

At least one of them is needed; a viewer has to be of Rerun 0.36. At the end it writes one line of JSON on standard
output. It ends with 0 when all is well, with 1 when a file could not be written to its end, with 2 when there is no
recording, or what came last was not understood.";

/// Where the recording goes.
#[derive(Debug, Default, PartialEq)]
pub struct Orders {
    /// A file.
    pub file: Option<PathBuf>,
    /// Viewers that listen.
    pub connect: Vec<ProxyUri>,
    /// Where viewers may come.
    pub serve: Option<SocketAddr>,
}

/// What is wrong with the arguments.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Misordered {
    /// It is not said where the recording goes, or something else than that.
    #[error("{USAGE}")]
    Usage,
    /// No viewer's address.
    #[error("{0:?} is no address of a viewer; one is rerun+http://127.0.0.1:9876/proxy")]
    Connect(OsString),
    /// No address to listen on.
    #[error("{0:?} is no place to serve at; one is 127.0.0.1:9876, or 9876 for this machine alone")]
    Serve(OsString),
}

impl Orders {
    /// Reads the arguments.
    pub fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Misordered> {
        let mut orders = Orders::default();
        let mut arguments = arguments.into_iter();
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or(Misordered::Usage)?;
            match flag.to_str() {
                Some("--to") if orders.file.is_none() => orders.file = Some(value.into()),
                Some("--connect") => {
                    let uri = value.to_str().and_then(|text| text.parse().ok());
                    orders.connect.push(uri.ok_or(Misordered::Connect(value))?);
                }
                Some("--serve") if orders.serve.is_none() => {
                    let address = value.to_str().and_then(serve::address);
                    orders.serve = Some(address.ok_or(Misordered::Serve(value))?);
                }
                _ => return Err(Misordered::Usage),
            }
        }
        if orders == Orders::default() { Err(Misordered::Usage) } else { Ok(orders) }
    }

    /// Where the recording goes, with all that is open before anything is told.
    pub fn carry_out(self) -> Result<Vec<Outlet>, NoRecording> {
        let mut links: Vec<Link> = self.connect.into_iter().map(Link::Connected).collect();
        if let Some(address) = self.serve {
            links.push(Link::Served(serve::listen(address)?));
        }
        // The file comes first: nobody waits for a viewer before it is whole.
        let mut outlets: Vec<Outlet> = self.file.into_iter().map(Outlet::File).collect();
        if !links.is_empty() {
            outlets.push(Outlet::Viewers(links));
        }
        Ok(outlets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Orders, Misordered> {
        Orders::from_arguments(arguments.iter().map(OsString::from))
    }

    #[test]
    fn a_recording_goes_to_a_file_to_viewers_or_to_all_of_them() {
        assert_eq!(read(&["--to", "a.rrd"]).unwrap().file, Some("a.rrd".into()));
        let all = ["--serve", "9876", "--connect", "rerun+http://127.0.0.1:9877/proxy", "--to", "a.rrd"];
        let orders = read(&all).unwrap();
        assert_eq!(orders.serve, Some(([127, 0, 0, 1], 9876).into()));
        assert_eq!(orders.connect[0].to_string(), "rerun+http://127.0.0.1:9877/proxy");
        assert_eq!(read(&["--serve", "0.0.0.0:1"]).unwrap().serve, Some(([0, 0, 0, 0], 1).into()));
        assert_eq!(read(&["--serve", "[::1]:1"]).unwrap().serve.unwrap().to_string(), "[::1]:1");
    }

    #[test]
    fn what_is_no_order_is_refused_with_what_one_is() {
        for wrong in [&[][..], &["--to"], &["a.rrd"], &["--to", "a", "--to", "b"], &["--too", "a"]] {
            assert_eq!(read(wrong), Err(Misordered::Usage), "{wrong:?}");
        }
        for (flag, value) in
            [("--connect", "nowhere"), ("--connect", "http://127.0.0.1:1"), ("--serve", "here")]
        {
            let error = read(&[flag, value]).unwrap_err().to_string();
            assert!(error.contains(value) && error.contains("9876"), "{error}");
        }
    }
}
