//! The language model: where it is asked, with which key, and within which bounds.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::choice::NotAllowed;
use crate::net::{Address, Reach};

/// Where and how a language model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageModel {
    /// In order of preference.
    pub endpoints: Vec<Endpoint>,
    /// How long one endpoint may take for one answer, its retries included.
    pub answer: Duration,
    /// How long it may be silent.
    pub silence: Duration,
    /// How often a question is asked again where the endpoint was busy or not there.
    pub retries: u32,
    /// The longest question, tokens.
    pub prompt_tokens: u32,
    /// The longest answer, tokens.
    pub answer_tokens: u32,
    /// How freely the model chooses its words.
    pub temperature: f64,
    /// Seeds the model's chance.
    pub seed: u32,
}

/// One server that answers for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Where it is.
    pub url: Address,
    /// The model's name there.
    pub model: String,
    /// The environment variable of its key; none where it wants none.
    pub key: Option<KeyName>,
}

/// The first endpoint that would be asked in the clear where that tells others too much: a key beyond this machine, or
/// anything at all beyond the private network.
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

/// The address of an endpoint, as a value of the file.
#[derive(Clone, Debug)]
pub(super) struct ServerAddress(pub(super) Address);

impl FromStr for ServerAddress {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        // What stands before an `@` may be a secret; it is not repeated.
        let shown = text.rsplit_once('@').map_or(text, |(_, host)| host);
        Address::parse(text).map(ServerAddress).ok_or_else(|| {
            let meant = Address::parse(&format!("http://{text}")).filter(|_| !text.contains("://"));
            NotAllowed::new(shown, Address::ALLOWED).meaning(meant.map(|address| address.to_string()))
        })
    }
}

/// A model's name at its endpoint.
#[derive(Clone, Debug)]
pub(super) struct ModelName(pub(super) String);

impl FromStr for ModelName {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let is_name = (1..=200).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
        is_name
            .then(|| ModelName(text.to_owned()))
            .ok_or_else(|| NotAllowed::new(text, "a model's name as its endpoint lists it, without spaces"))
    }
}

/// The name of an environment variable that holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyName(String);

impl KeyName {
    /// The key itself, from the environment.
    ///
    /// # Errors
    /// When the variable is not set, or can't be a key.
    pub fn read(&self) -> Result<Key, NoKey> {
        let name = || self.0.clone();
        let text = std::env::var(&self.0).map_err(|_| NoKey::NotSet { name: name() })?;
        let text = text.trim();
        match text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            true => Err(NoKey::Unfit { name: name() }),
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
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let mut characters = text.chars();
        let is_name = characters.next().is_some_and(|c| c.is_ascii_uppercase() || c == '_')
            && characters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && text.len() <= 100;
        // What is no name is perhaps the key itself; it is not repeated.
        is_name.then(|| KeyName(text.to_owned())).ok_or_else(|| {
            NotAllowed::new(
                "what stands here",
                "the name of an environment variable in capitals, such as OPENAI_API_KEY, never the key itself",
            )
        })
    }
}

/// A key. It can be used, but not printed, compared or written elsewhere.
pub struct Key(String);

impl Key {
    /// The token that the environment names for our own server, if it does.
    #[must_use]
    pub fn of_our_server() -> Option<Key> {
        std::env::var("MINISMITH_TOKEN")
            .ok()
            .map(|token| Key(token.trim().into()))
            .filter(|key| !key.0.is_empty())
    }

    /// The key itself, for the one place that sends it.
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

/// A key that can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoKey {
    /// Nobody set it.
    #[error(
        "the environment variable {name}, which language_model.endpoints names as `key_env`, is not set; set it (`export {name}=...`), or leave `key_env` out where no key is wanted"
    )]
    NotSet {
        /// The variable.
        name: String,
    },
    /// It holds something else.
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
