//! The sections `language_model` and `local_model`: endpoints, API keys and limits.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::choice::InvalidValue;
use crate::net::{Address, Reach};

/// Endpoints and settings of the language model.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageModel {
    /// Endpoints in order of preference.
    pub endpoints: Vec<Endpoint>,
    /// Time limit for one reply of one endpoint, including retries.
    pub request_timeout: Duration,
    /// Time limit for the next data from an endpoint.
    pub read_timeout: Duration,
    /// Number of retries if an endpoint is busy or unreachable.
    pub max_retries: u32,
    /// Maximum estimated length of a prompt, tokens.
    pub max_prompt_tokens: u32,
    /// Maximum length of a completion, tokens.
    pub max_completion_tokens: u32,
    /// Sampling temperature.
    pub temperature: f64,
    /// Seed for sampling.
    pub seed: u32,
}

/// The language model on this computer, for [`Nlu::Local`](super::Nlu::Local).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalModel {
    /// The folder of the installed models and their runtime.
    pub directory: PathBuf,
    /// Threads for the computation; 0 takes all processors but one, and at least one.
    pub threads: u32,
    /// Maximum length of a prompt and its completion together, tokens.
    pub context_tokens: u32,
    /// Address space that the model's process may use beyond the model's file, bytes.
    pub memory_headroom_bytes: u64,
    /// Time without a request after which the process ends.
    pub idle_timeout: Duration,
}

/// A server with the OpenAI chat completions API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The base URL.
    pub url: Address,
    /// The name of the model on that server.
    pub model: String,
    /// The environment variable that holds the API key, if the server needs one.
    pub key: Option<KeyName>,
}

/// Returns the first endpoint whose plain HTTP traffic others could read: with a key beyond this computer, or without one
/// beyond a private network.
pub(super) fn overheard(asked: &[Endpoint]) -> Option<(usize, &Endpoint)> {
    asked.iter().enumerate().find(|(_, endpoint)| {
        !endpoint.url.is_enciphered()
            && match endpoint.url.reach() {
                Reach::Here => false,
                Reach::Private => endpoint.key.is_some(),
                Reach::Anywhere => true,
            }
    })
}

/// The base URL of an endpoint.
#[derive(Clone, Debug)]
pub(super) struct ServerAddress(pub(super) Address);

impl FromStr for ServerAddress {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        // The part before an `@` may be a secret and is left out.
        let shown = text.rsplit_once('@').map_or(text, |(_, host)| host);
        Address::parse(text).map(ServerAddress).ok_or_else(|| {
            let meant = Address::parse(&format!("http://{text}")).filter(|_| !text.contains("://"));
            InvalidValue::new(shown, Address::ALLOWED).meaning(meant.map(|address| address.to_string()))
        })
    }
}

/// The name of a model on its server.
#[derive(Clone, Debug)]
pub(super) struct ModelName(pub(super) String);

impl FromStr for ModelName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let is_name = (1..=200).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
        is_name
            .then(|| ModelName(text.to_owned()))
            .ok_or_else(|| InvalidValue::new(text, "a model's name as its endpoint lists it, without spaces"))
    }
}

/// The name of an environment variable that holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyName(String);

impl KeyName {
    /// Reads the key from the environment.
    ///
    /// # Errors
    /// If the variable is not set or does not contain a key.
    pub fn read(&self) -> Result<Key, KeyError> {
        let name = || self.0.clone();
        let text = std::env::var(&self.0).map_err(|_| KeyError::NotSet { name: name() })?;
        let text = text.trim();
        match text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            true => Err(KeyError::Unfit { name: name() }),
            false => Ok(Key(text.to_owned())),
        }
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for KeyName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let mut characters = text.chars();
        let is_name = characters.next().is_some_and(|c| c.is_ascii_uppercase() || c == '_')
            && characters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && text.len() <= 100;
        // An invalid name may be the key itself and is left out.
        is_name.then(|| KeyName(text.to_owned())).ok_or_else(|| {
            InvalidValue::new(
                "what stands here",
                "the name of an environment variable in capitals, such as OPENAI_API_KEY, never the key itself",
            )
        })
    }
}

/// An API key. It cannot be printed or compared.
pub struct Key(String);

impl Key {
    /// Returns the token of this program's own server from `MINISMITH_TOKEN`, if it is set.
    #[must_use]
    pub fn of_our_server() -> Option<Key> {
        std::env::var("MINISMITH_TOKEN")
            .ok()
            .map(|token| Key(token.trim().into()))
            .filter(|key| !key.0.is_empty())
    }

    /// Returns a new key for a server that this program starts.
    #[must_use]
    pub fn random() -> Key {
        Key(format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple()))
    }

    /// Returns the key, for the one place that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// A key that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The variable is not set.
    #[error(
        "the environment variable {name}, which language_model.endpoints names as `key_env`, is not set; set it (`export {name}=...`), or leave `key_env` out where no key is wanted"
    )]
    NotSet {
        /// The variable.
        name: String,
    },
    /// The variable does not contain a key.
    #[error(
        "the environment variable {name} holds no key: it is empty, or has spaces or other characters that no key has; set it again"
    )]
    Unfit {
        /// The variable.
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_but_never_shown() {
        // A variable that every process of a test has.
        let key = "PATH".parse::<KeyName>().unwrap().read().unwrap();
        assert_eq!(key.expose(), std::env::var("PATH").unwrap());
        assert_eq!(format!("{key:?}"), "Key(hidden)");
        let missing = "MINISMITH_TEST_NOT_SET".parse::<KeyName>().unwrap().read().unwrap_err();
        assert!(missing.to_string().contains("export MINISMITH_TEST_NOT_SET="), "{missing}");
    }

    #[test]
    fn what_is_perhaps_a_secret_is_not_repeated() {
        for secret in ["sk-Ab12", "hunter2", "", "9X", "SK-AB12"] {
            let said = secret.parse::<KeyName>().unwrap_err().to_string();
            assert!(secret.is_empty() || !said.contains(secret), "{said}");
        }
        let said = "http://ada:hunter2@here/v1".parse::<ServerAddress>().unwrap_err().to_string();
        assert!(!said.contains("hunter2") && said.contains("without user"), "{said}");
    }
}
