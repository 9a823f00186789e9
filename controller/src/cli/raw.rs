//! `raw`: sends packets one after the other, and prints the replies in hexadecimal and as text.

use std::io::BufRead;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use firmware_bridge::bus::RawLine;
use firmware_bridge::bus::raw::{self, DecodedPacket};
use minismith_runtime::config::Config;
use serde_json::{Value, json};

use super::quantity::Time;
use super::{CommandStatus, print};

/// The packets and their destination.
#[derive(Debug, Args)]
pub struct RawArgs {
    /// Serial device.
    port: PathBuf,
    /// Packet in hexadecimal, as sent: ff ff fd 00 0b 03 00 01 19 4e. Default: one packet per line of standard input.
    #[arg(value_name = "HEX")]
    hex: Vec<String>,
    /// Ping a servo.
    #[arg(long, value_name = "ID", conflicts_with_all = ["hex", "read", "write"])]
    ping: Option<u8>,
    /// Read registers of a servo.
    #[arg(long, num_args = 3, value_names = ["ID", "ADDRESS", "LENGTH"], conflicts_with_all = ["hex", "write"])]
    read: Option<Vec<u16>>,
    /// Write registers of a servo: bytes in hexadecimal, least significant first.
    #[arg(long, num_args = 3.., value_names = ["ID", "ADDRESS", "BYTES"], conflicts_with = "hex")]
    write: Option<Vec<String>>,
    /// Silence that ends a reply.
    #[arg(long, value_name = "TIME", default_value = "50ms")]
    wait: Time,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// One packet to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Pings a servo.
    Ping {
        /// The servo's id.
        id: u8,
    },
    /// Reads registers.
    Read {
        /// The servo's id.
        id: u8,
        /// The first register.
        address: u16,
        /// The number of bytes.
        length: u16,
    },
    /// Writes registers.
    Write {
        /// The servo's id.
        id: u8,
        /// The first register.
        address: u16,
        /// The bytes to write.
        bytes: Vec<u8>,
    },
    /// Sends these bytes unchanged.
    Bytes(Vec<u8>),
}

impl Request {
    /// Returns the bytes on the line: an instruction of protocol 2.0 with its parameters (ROBOTIS e-Manual), or the
    /// given bytes.
    fn packet(&self) -> Vec<u8> {
        let with_address = |address: &u16, rest: &[u8]| [&address.to_le_bytes()[..], rest].concat();
        match self {
            Request::Ping { id } => raw::packet(*id, 0x01, &[]),
            Request::Read { id, address, length } => {
                raw::packet(*id, 0x02, &with_address(address, &length.to_le_bytes()))
            }
            Request::Write { id, address, bytes } => raw::packet(*id, 0x03, &with_address(address, bytes)),
            Request::Bytes(bytes) => bytes.clone(),
        }
    }
}

/// A servo's registers end before this; no reply is longer.
const MAX_BYTES: usize = 1024;

/// Sends the packets of the command line, or of each input line.
pub fn run(config: &Config, arguments: &RawArgs) -> anyhow::Result<CommandStatus> {
    let RawArgs { port, wait: Time(wait), json, .. } = arguments;
    if wait.is_zero() || *wait > Duration::from_secs(10) {
        bail!("--wait must be more than 0 s and at most 10 s");
    }
    let request = request(arguments)?;
    let mut line = RawLine::open(port, config.bus.baud)?;
    eprintln!("minismith: packets are sent unchanged and bypass the safety envelope");
    let mut exchanges = Vec::new();
    let mut answered = true;
    let mut exchange = |request: &Request| -> anyhow::Result<()> {
        let sent = request.packet();
        let heard = line.exchange(&sent, *wait)?;
        answered &= !heard.is_empty();
        if *json {
            exchanges.push(reported(&sent, &heard));
        } else {
            show(&sent, &heard);
        }
        Ok(())
    };
    match request {
        Some(request) => exchange(&request)?,
        None => {
            for (number, text) in (1..).zip(std::io::stdin().lock().lines()) {
                let text = text?;
                let text = text.split('#').next().unwrap_or_default().trim();
                if !text.is_empty() {
                    exchange(&Request::Bytes(bytes_of(text).with_context(|| format!("line {number}"))?))?;
                }
            }
        }
    }
    if *json {
        print::json(&json!({ "port": port, "exchanges": exchanges }))?;
    }
    Ok(CommandStatus::when(answered))
}

fn reported(sent: &[u8], heard: &[u8]) -> Value {
    json!({
        "sent": in_hex(sent), "sent_words": words(sent), "heard": in_hex(heard),
        "heard_words": words(heard),
    })
}

fn show(sent: &[u8], heard: &[u8]) {
    print::line(&format!("> {}\n  {}", in_hex(sent), words(sent).join("\n  ")));
    if heard.is_empty() {
        print::line("< no answer; check the id, the power and the baud rate");
    } else {
        print::line(&format!("< {}\n  {}", in_hex(heard), words(heard).join("\n  ")));
    }
}

fn request(arguments: &RawArgs) -> anyhow::Result<Option<Request>> {
    let id = |number: u16| u8::try_from(number).with_context(|| format!("an id is 0 to 254, not {number}"));
    Ok(match arguments {
        RawArgs { ping: Some(id), .. } => Some(Request::Ping { id: *id }),
        RawArgs { read: Some(three), .. } => match three.as_slice() {
            [who, address, length] => {
                Some(Request::Read { id: id(*who)?, address: *address, length: *length })
            }
            _ => bail!("--read needs an id, an address and a length"),
        },
        RawArgs { write: Some(words), .. } => match words.as_slice() {
            [who, address, bytes @ ..] => Some(Request::Write {
                id: id(who.parse().with_context(|| format!("an id is 0 to 254, not {who}"))?)?,
                address: address
                    .parse()
                    .with_context(|| format!("an address is 0 to 65535, not {address}"))?,
                bytes: bytes_of(&bytes.join(" "))?,
            }),
            _ => bail!("--write needs an id, an address and bytes"),
        },
        RawArgs { hex, .. } if !hex.is_empty() => Some(Request::Bytes(bytes_of(&hex.join(" "))?)),
        RawArgs { .. } => None,
    })
}

/// Parses hexadecimal bytes: pairs of digits, with or without blanks, commas or 0x between them.
fn bytes_of(text: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        // A single digit is a byte too; longer groups must consist of pairs.
        let pairs = if digits.len() == 1 { vec![digits] } else { in_pairs(digits) };
        for pair in pairs {
            let byte = Some(pair).filter(|pair| pair.chars().all(|c| c.is_ascii_hexdigit()));
            let byte = byte.and_then(|pair| u8::from_str_radix(pair, 16).ok());
            match byte {
                Some(byte) => bytes.push(byte),
                None => bail!("`{word}` is no hex; bytes are pairs of digits such as ff 00 1a"),
            }
        }
    }
    match bytes.len() {
        0 => bail!("there are no bytes to send; write pairs of hex digits such as ff 00 1a"),
        length if length > MAX_BYTES => {
            bail!("{length} bytes are too many; at most {MAX_BYTES} go out at once")
        }
        _ => Ok(bytes),
    }
}

/// Splits a text into pieces of two characters. An incomplete pair stays as it is and is rejected later.
fn in_pairs(digits: &str) -> Vec<&str> {
    if digits.len() % 2 == 1 || !digits.is_ascii() {
        return vec!["odd"];
    }
    (0..digits.len()).step_by(2).filter_map(|at| digits.get(at..at + 2)).collect()
}

/// Returns the meaning of bytes, one line per packet.
fn words(bytes: &[u8]) -> Vec<String> {
    raw::describe(bytes).iter().map(DecodedPacket::to_string).collect()
}

fn in_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_packets_as_the_manual_has_them() {
        // ROBOTIS e-Manual, protocol 2.0: the examples of ping, read and write.
        let check = |request: Request, packet: &str| assert_eq!(in_hex(&request.packet()), packet);
        check(Request::Ping { id: 1 }, "ff ff fd 00 01 03 00 01 19 4e");
        check(Request::Read { id: 1, address: 132, length: 4 }, "ff ff fd 00 01 07 00 02 84 00 04 00 1d 15");
        check(
            Request::Write { id: 1, address: 116, bytes: vec![0, 2, 0, 0] },
            "ff ff fd 00 01 09 00 03 74 00 00 02 00 00 ca 89",
        );
        check(Request::Bytes(vec![1, 2]), "01 02");
    }

    #[test]
    fn hex_is_read_in_the_forms_that_people_write() {
        let packet = [0xff, 0xff, 0xfd, 0x00, 0x0b];
        for text in ["ff ff fd 00 0b", "FFFFFD000B", "0xff,0xff,0xfd,0x00,0xb", "ff ff fd000b"] {
            assert_eq!(bytes_of(text).unwrap(), packet, "{text}");
        }
        for text in ["", "  ", "ff f g", "fff", "+f", "0x", "é", "ffé", "0b é0", &"00".repeat(1_025)] {
            assert!(bytes_of(text).is_err(), "{text}");
        }
        assert_eq!(in_hex(&packet), "ff ff fd 00 0b");
    }
}
