//! The sections `logs` and `telemetry`: the log file, and the collector of spans.

use std::str::FromStr;

use tracing_subscriber::filter::{LevelFilter, Targets};

use super::choice::{InvalidValue, nearest};
use crate::journal::RotatingFile;
use crate::net::Address;

/// The log file.
#[derive(Clone, Debug, PartialEq)]
pub struct Logs {
    /// The file; without one, no log is written.
    pub file: Option<RotatingFile>,
    /// The levels to write.
    pub levels: Levels,
}

/// Log levels of the program and of single modules.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels(pub Targets);

impl FromStr for Levels {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        const WORDS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
        let not = |meant: Option<String>| {
            InvalidValue::new(
                text,
                "off, error, warn, info, debug or trace, also for parts such as info,minismith::net=debug",
            )
            .meaning(meant)
        };
        let mut levels = Targets::new();
        for part in text.split(',').map(str::trim) {
            let (target, word) = match part.split_once('=') {
                Some((target, word)) => (Some(target.trim()), word.trim()),
                None => (None, part),
            };
            let level = WORDS.contains(&word).then(|| word.parse::<LevelFilter>().ok()).flatten();
            let Some(level) = level else {
                return Err(not(nearest(word, WORDS).map(|meant| text.replace(word, meant))));
            };
            levels = match target {
                None => levels.with_default(level),
                Some(target) if is_part(target) => levels.with_target(target, level),
                Some(_) => return Err(not(None)),
            };
        }
        Ok(Levels(levels))
    }
}

/// Whether this may be the name of a module.
fn is_part(target: &str) -> bool {
    !target.is_empty() && target.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'))
}

/// The address of the OpenTelemetry collector, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OtlpEndpoint(pub(super) Option<Address>);

impl FromStr for OtlpEndpoint {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        if text == "none" {
            return Ok(OtlpEndpoint(None));
        }
        // The part before an `@` may be a secret and is left out.
        let shown = text.rsplit_once('@').map_or(text, |(_, host)| host);
        // The exporter adds the path.
        let address = Address::parse(text.trim_end_matches("/v1/traces"));
        address.map(|address| OtlpEndpoint(Some(address))).ok_or_else(|| {
            let meant = Address::parse(&format!("http://{text}")).filter(|_| !text.contains("://"));
            let allowed = "none, or an address that begins with http:// or https://, without user, `?` or `#`, such as \
                           http://127.0.0.1:4318";
            InvalidValue::new(shown, allowed).meaning(meant.map(|address| address.to_string()))
        })
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::filter::LevelFilter;

    use super::*;
    use crate::config::Config;

    fn read(keys: &str) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("robot.yaml");
        std::fs::write(&file, keys).unwrap();
        Config::load(Some(&file)).map_err(|error| error.to_string())
    }

    #[test]
    fn unasked_there_is_a_file_and_nobody_is_reported_of_spans() {
        let config = Config::built_in().unwrap();
        let file = config.logs.file.unwrap();
        assert!(file.path.ends_with("minismith/log.jsonl"), "{}", file.path.display());
        assert_eq!((file.max_bytes, file.retained), (16 << 20, 2));
        assert_eq!(config.logs.levels.0.default_level(), Some(LevelFilter::INFO));
        assert_eq!(config.otlp_endpoint, None);
        assert_eq!(read("logs: {file: none}").unwrap().logs.file, None);
    }

    #[test]
    fn levels_are_words_and_a_mistake_is_noticed() {
        let levels = read("logs: {level: 'warn, minismith::net=debug'}").unwrap().logs.levels.0;
        assert!(levels.would_enable("minismith::net::http", &tracing::Level::DEBUG));
        assert!(!levels.would_enable("minismith::api", &tracing::Level::INFO));
        for (given, meant) in [("wran", "warn"), ("info,minismith=deubg", "info,minismith=debug")] {
            let no = read(&format!("logs: {{level: '{given}'}}")).unwrap_err();
            assert!(no.contains(&format!("did you mean `{meant}`?")), "{no}");
        }
        for bad in ["", "info,", "=info", "info,two words=debug", "minismith", "INFO[x]"] {
            assert!(bad.parse::<Levels>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_collectors_address_holds_no_secret() {
        let collector =
            |text: &str| read(&format!("telemetry: {{otlp_endpoint: '{text}'}}")).map(|it| it.otlp_endpoint);
        for url in ["http://127.0.0.1:4318", "http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"] {
            assert_eq!(collector(url).unwrap().unwrap().to_string(), "http://127.0.0.1:4318");
        }
        // Plain HTTP beyond this computer is allowed.
        assert!(collector("http://192.0.2.7:4318").is_ok());
        let no = collector("https://ada:secret@example.com").unwrap_err();
        assert!(no.contains("without user") && !no.contains("secret"), "{no}");
        let no = collector("127.0.0.1:4318").unwrap_err();
        assert!(no.contains("did you mean `http://127.0.0.1:4318`?"), "{no}");
    }
}
