//! JSON and YAML: checks the syntax and reports the top level of a document. The values are not stored.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

use super::excerpt::{MAX_NAMES, short};

/// Maximum length of a YAML document, in bytes: even some short ones are slow to parse.
const MAX_YAML_BYTES: usize = 1 << 20;

/// The top level of a document.
enum Top {
    Object { keys: Vec<String>, count: u64 },
    Array { length: u64 },
    Scalar,
}

/// Returns the properties of a JSON document.
pub(super) fn json(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str::<Top>(text).map(Top::fields).map_err(|error| error.to_string())
}

/// Returns the properties of a YAML document.
pub(super) fn yaml(text: &str) -> Result<Map<String, Value>, String> {
    if text.len() > MAX_YAML_BYTES {
        return Err(format!("YAML is read up to {MAX_YAML_BYTES} bytes; give a longer document as JSON"));
    }
    if text.trim().is_empty() {
        return Ok(Top::Scalar.fields());
    }
    serde_yaml::from_str::<Top>(text).map(Top::fields).map_err(|error| error.to_string())
}

impl Top {
    fn fields(self) -> Map<String, Value> {
        let fields = match self {
            Top::Object { keys, count } => json!({"holds": "object", "keys": keys, "key_count": count}),
            Top::Array { length } => json!({"holds": "array", "length": length}),
            Top::Scalar => json!({"holds": "value"}),
        };
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

impl<'de> Deserialize<'de> for Top {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Looking)
    }
}

struct Looking;

impl<'de> Visitor<'de> for Looking {
    type Value = Top;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Top, A::Error> {
        let (mut keys, mut count) = (Vec::new(), 0);
        while let Some(Key(key)) = map.next_key()? {
            map.next_value::<IgnoredAny>()?;
            count += 1;
            if keys.len() < MAX_NAMES {
                keys.push(short(&key));
            }
        }
        Ok(Top::Object { keys, count })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Top, A::Error> {
        let mut length = 0;
        while values.next_element::<IgnoredAny>()?.is_some() {
            length += 1;
        }
        Ok(Top::Array { length })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Top, E> {
        Ok(Top::Scalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Top, E> {
        Ok(Top::Scalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Top, E> {
        Ok(Top::Scalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Top, E> {
        Ok(Top::Scalar)
    }

    fn visit_str<E>(self, _: &str) -> Result<Top, E> {
        Ok(Top::Scalar)
    }

    fn visit_unit<E>(self) -> Result<Top, E> {
        Ok(Top::Scalar)
    }
}

/// A key; in YAML it may be any scalar.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl Visitor<'_> for Word {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key of text, number or truth")
            }

            fn visit_str<E>(self, key: &str) -> Result<Key, E> {
                Ok(Key(key.to_owned()))
            }

            fn visit_bool<E>(self, key: bool) -> Result<Key, E> {
                Ok(Key(key.to_string()))
            }

            fn visit_i64<E>(self, key: i64) -> Result<Key, E> {
                Ok(Key(key.to_string()))
            }

            fn visit_u64<E>(self, key: u64) -> Result<Key, E> {
                Ok(Key(key.to_string()))
            }

            fn visit_f64<E>(self, key: f64) -> Result<Key, E> {
                Ok(Key(key.to_string()))
            }
        }
        deserializer.deserialize_any(Word)
    }
}
