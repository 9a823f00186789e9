//! Signed bundles of tools: one file of code, declarations and manifests for another registry.
//!
//! ```text
//! {"format": 2, "signer": "64 digits", "signature": "128 digits", "payload": "{\"tools\": [ ... ]}"}
//! ```
//!
//! The signature (ed25519) covers the exact bytes of the payload. The outer document has only one valid spelling, so no
//! byte of the file can change. A signature shows the origin, not the quality. An imported tool passes policy,
//! rehearsal and review here, and its own evidence is ignored.

use std::collections::{BTreeMap, BTreeSet};

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use minismith_protocol::old_names::files;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::registry::{Registry, RegistryError};
use minismith_analysis::digest::hex_sha256;
use minismith_analysis::manifest::{Provenance, Signature as Signed, ToolManifest};
use minismith_analysis::submission::{Declared, Submission};
use minismith_runtime::config::{PublicKey, SigningSecret, bytes_of};

/// The form of bundles.
const FORMAT: u32 = 2;

/// The form before, whose manifests have old names; it is read as well.
const OLD_FORMAT: u32 = 1;

/// Maximum size of a bundle, bytes.
pub const MAX_BUNDLE_BYTES: u64 = 16 << 20;

/// Maximum number of tools in one bundle.
const MAX_TOOLS: usize = 100;

/// What is signed: the payload behind a purpose, so that this signature is good for nothing else.
fn signed_bytes(format: u32, payload: &str) -> Vec<u8> {
    format!("minismith bundle {format}\n{payload}").into_bytes()
}

/// The file, as written.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ToolBundle)]
pub struct Envelope {
    /// The form of the file.
    format: u32,
    /// The public key of the signer, 64 hexadecimal digits.
    signer: String,
    /// The signature of the payload, 128 hexadecimal digits.
    signature: String,
    /// The tools with code, declarations and manifests, as JSON text.
    payload: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    tools: Vec<Packed>,
}

/// One version of one tool in a bundle.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Packed {
    name: String,
    main: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    others: BTreeMap<String, String>,
    /// The hash of each module, by stem.
    sha256: BTreeMap<String, String>,
    declared: Declared,
    manifest: ToolManifest,
}

/// The reason why a bundle is rejected as a whole.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BundleError {
    /// It is not a bundle.
    #[error("this is not a bundle of `minismith tool export` ({0})")]
    Form(String),
    /// It is of another time.
    #[error(
        "this bundle has format {0}, and this program reads formats {OLD_FORMAT} and {FORMAT}; export it again with this version"
    )]
    Format(u32),
    /// It was changed after it was signed.
    #[error("this bundle was changed after it was signed; ask its sender for it again")]
    Changed,
    /// The signature is valid, but the content is not.
    #[error("this bundle is signed, but wrong: {0}")]
    Wrong(String),
}

/// A bundle with a valid signature and valid hashes.
#[derive(Debug)]
pub struct Bundle {
    /// The signer.
    pub signer: PublicKey,
    /// The tools, ready for submission. The origin of each names the signer.
    pub tools: Vec<Submission>,
}

/// A bundle's bytes, its signer, and the names and versions of its tools.
pub type Exported = (Vec<u8>, PublicKey, Vec<(String, u32)>);

/// Packs the current versions of these tools and of the tools that they call, and signs them.
///
/// Returns the file's bytes, the signer, and the names and versions.
///
/// # Errors
/// Returns an error if one of them is not in the registry as it was accepted.
pub fn pack(
    registry: &Registry,
    names: &[String],
    secret: &SigningSecret,
) -> Result<Exported, RegistryError> {
    let mut tools: Vec<Packed> = Vec::new();
    for name in names {
        add(registry, name, &mut tools, &mut BTreeSet::new())?;
    }
    let packed = tools.iter().map(|tool| (tool.name.clone(), tool.manifest.version)).collect();
    let text = |value: serde_json::Result<String>| {
        value.map_err(|error| RegistryError::Io {
            doing: "pack",
            path: registry.root().to_owned(),
            source: error.into(),
        })
    };
    let payload = text(serde_json::to_string(&Payload { tools }))?;
    let key = SigningKey::from_bytes(secret.expose());
    let signer = PublicKey(key.verifying_key().to_bytes());
    let signature = hex(&key.sign(&signed_bytes(FORMAT, &payload)).to_bytes());
    let envelope = Envelope { format: FORMAT, signer: signer.to_string(), signature, payload };
    Ok((text(spell(&envelope))?.into_bytes(), signer, packed))
}

/// Adds a tool after the tools that it calls, so that they can be registered in this order.
fn add(
    registry: &Registry,
    name: &str,
    tools: &mut Vec<Packed>,
    callers: &mut BTreeSet<String>,
) -> Result<(), RegistryError> {
    if tools.iter().any(|tool| tool.name == name) || !callers.insert(name.to_owned()) {
        return Ok(());
    }
    // Loading compares the code with its hash.
    let manifest = registry.load(name, None)?.manifest().clone();
    for called in &manifest.tools {
        add(registry, called, tools, callers)?;
    }
    let (main, others) = registry.texts(name, manifest.version)?;
    let sha256 = hashes(name, &main, &others);
    let declared = manifest.declared();
    tools.push(Packed { name: name.into(), main, others, sha256, declared, manifest });
    Ok(())
}

/// Opens a bundle: form, signature and every hash.
///
/// # Errors
/// When anything in it is not as it should be.
pub fn open(bytes: &[u8], trusted: &[PublicKey]) -> Result<Bundle, BundleError> {
    let text = std::str::from_utf8(bytes).map_err(|_| BundleError::Form("it is not UTF-8 text".into()))?;
    // The format number is read first, since another format may have other keys.
    let format = serde_json::from_str::<BTreeMap<String, Value>>(text).map_err(no_form)?;
    match format.get("format").and_then(Value::as_u64) {
        Some(format) if [OLD_FORMAT, FORMAT].map(u64::from).contains(&format) => {}
        Some(other) => return Err(BundleError::Format(u32::try_from(other).unwrap_or(u32::MAX))),
        None => return Err(BundleError::Form("it has no `format`".into())),
    }
    let envelope: Envelope = serde_json::from_str(text).map_err(no_form)?;
    if spell(&envelope).map_err(no_form)? != text {
        return Err(BundleError::Changed);
    }
    let signer = PublicKey(bytes_of(&envelope.signer).ok_or(BundleError::Changed)?);
    let signature: [u8; 64] = bytes_of(&envelope.signature).ok_or(BundleError::Changed)?;
    // Upper-case digits would mean the same.
    if signer.to_string() != envelope.signer || hex(&signature) != envelope.signature {
        return Err(BundleError::Changed);
    }
    let signature = Signature::from_bytes(&signature);
    let key = VerifyingKey::from_bytes(&signer.0).map_err(|_| BundleError::Changed)?;
    // Weak keys sign anything.
    key.verify_strict(&signed_bytes(envelope.format, &envelope.payload), &signature)
        .map_err(|_| BundleError::Changed)?;
    let Payload { tools } = unpack(&envelope).map_err(|error| BundleError::Wrong(error.to_string()))?;
    if tools.is_empty() || tools.len() > MAX_TOOLS {
        let complaint = format!("it holds {} tools; 1 to {MAX_TOOLS} are read", tools.len());
        return Err(BundleError::Wrong(complaint));
    }
    let mut names = BTreeSet::new();
    for tool in &tools {
        if !names.insert(tool.name.as_str()) {
            return Err(BundleError::Wrong(format!("it holds {:?} twice", clip(&tool.name))));
        }
        tool.judge().map_err(BundleError::Wrong)?;
    }
    let origin = Signed { key: signer.to_string(), trusted: trusted.contains(&signer) };
    let tools = tools.into_iter().map(|tool| tool.hand_in(&origin)).collect();
    Ok(Bundle { signer, tools })
}

/// What a bundle holds, its signature being right.
fn unpack(envelope: &Envelope) -> serde_json::Result<Payload> {
    if envelope.format != OLD_FORMAT {
        return serde_json::from_str(&envelope.payload);
    }
    let mut payload: Value = serde_json::from_str(&envelope.payload)?;
    let tools = payload.get_mut("tools").and_then(Value::as_array_mut);
    tools.into_iter().flatten().filter_map(|tool| tool.get_mut("manifest")).for_each(files::manifest);
    serde_json::from_value(payload)
}

impl Packed {
    /// Checks that the parts of a tool agree.
    fn judge(&self) -> Result<(), String> {
        let name = clip(&self.name);
        if let Some(odd) = self.others.keys().chain([&self.name]).find(|stem| !is_stem(stem)) {
            return Err(format!("{:?} is not a module's name", clip(odd)));
        }
        if self.others.contains_key(&self.name) {
            return Err(format!("{name} has its main module twice"));
        }
        if self.sha256 != hashes(&self.name, &self.main, &self.others) {
            return Err(format!("{name}: the code does not have the hash that stands beside it"));
        }
        if self.manifest.name != self.name {
            return Err(format!("{name}: its manifest is of {:?}", clip(&self.manifest.name)));
        }
        let is_file = self.others.is_empty() && self.manifest.functions.is_empty();
        if is_file && self.manifest.code_sha256 != hex_sha256(self.main.as_bytes()) {
            return Err(format!("{name}: its manifest is of other code"));
        }
        Ok(())
    }

    /// Returns the tool as a submission. Of the manifest it contains only the text that people wrote.
    fn hand_in(self, signed: &Signed) -> Submission {
        let others = self.others.into_iter().map(|(stem, source)| (stem, source.into_bytes()));
        let others: BTreeMap<String, Vec<u8>> = others.collect();
        Submission {
            name: self.name,
            main: self.main.into_bytes(),
            // A toolkit may have no further module.
            others: (!others.is_empty() || !self.manifest.functions.is_empty()).then_some(others),
            declared: self.declared,
            origin: Provenance { signer: Some(signed.clone()), ..self.manifest.provenance },
        }
    }
}

/// Returns the only valid spelling of a bundle.
fn spell(envelope: &Envelope) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(envelope)?;
    text.push('\n');
    Ok(text)
}

fn hashes(name: &str, main: &str, others: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let others = others.iter().map(|(stem, source)| (stem.clone(), hex_sha256(source.as_bytes())));
    others.chain([(name.to_owned(), hex_sha256(main.as_bytes()))]).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_stem(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && text.chars().all(plain)
}

/// Shortens hostile text for a message.
fn clip(text: &str) -> String {
    text.chars().take(60).collect()
}

fn no_form(error: serde_json::Error) -> BundleError {
    BundleError::Form(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(seed: u8) -> SigningKey {
        SigningKey::from_bytes(&[seed; 32])
    }

    fn manifest(name: &str, code: &str) -> Value {
        json!({
            "name": name, "version": 3, "description": "x", "parameters": {}, "returns": {"type": "int", "description": ""},
            "examples": [], "test_cases": [], "dependencies": [], "capabilities": [],
            "budget": {"robot_time_s": 1.0, "limits": minismith_protocol::Limits::default()},
            "provenance": {"author": "ada", "request": "", "plan": []}, "code_sha256": hex_sha256(code.as_bytes()),
            "evidence": {"rules": 1, "limits_sha256": "", "mock": ""}, "findings": [], "report": null,
            "review": {"by": "rules", "risks": []}, "needs_approval": false,
        })
    }

    fn tool(name: &str) -> Value {
        json!({
            "name": name, "main": "x = 1\n", "sha256": {name: hex_sha256(b"x = 1\n")},
            "declared": {"examples": [], "test_cases": []}, "manifest": manifest(name, "x = 1\n"),
        })
    }

    /// Returns a correctly signed bundle with any payload.
    fn signed(payload: &str) -> Vec<u8> {
        let key = key(7);
        let signature = hex(&key.sign(&signed_bytes(FORMAT, payload)).to_bytes());
        let signer = hex(&key.verifying_key().to_bytes());
        let envelope = Envelope { format: FORMAT, signer, signature, payload: payload.into() };
        spell(&envelope).unwrap().into_bytes()
    }

    #[test]
    fn a_bundle_opens_and_says_who_signed_it() {
        let bytes = signed(&json!({"tools": [tool("nod"), tool("wave")]}).to_string());
        let bundle = open(&bytes, &[]).unwrap();
        let names: Vec<&str> = bundle.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["nod", "wave"]);
        assert!(bundle.tools[0].origin.is_foreign());
        assert_eq!(bundle.tools[0].origin.author, "ada");
        let trusted = open(&bytes, &[bundle.signer]).unwrap();
        assert!(!trusted.tools[0].origin.is_foreign() && trusted.tools[0].origin.signer.is_some());
    }

    #[test]
    fn no_byte_can_be_changed() {
        let bytes = signed(&json!({"tools": [tool("nod")]}).to_string());
        assert!(open(&bytes, &[]).is_ok());
        for at in 0..bytes.len() {
            for change in [1, 0x20] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                assert!(open(&changed, &[]).is_err(), "byte {at} of {}", bytes.len());
            }
            let mut shorter = bytes.clone();
            shorter.remove(at);
            assert!(open(&shorter, &[]).is_err(), "without byte {at}");
        }
        let longer = [&bytes[..], b" "].concat();
        assert_eq!(open(&longer, &[]).unwrap_err(), BundleError::Changed);
        // Another signer's name under the same signature.
        let text = String::from_utf8(bytes).unwrap();
        let (own, other) = (hex(&key(7).verifying_key().to_bytes()), hex(&key(8).verifying_key().to_bytes()));
        assert_eq!(open(text.replace(&own, &other).as_bytes(), &[]).unwrap_err(), BundleError::Changed);
        // A key for which any signature is valid.
        let weak = text.replace(&own, &format!("01{}", "0".repeat(62)));
        assert_eq!(open(weak.as_bytes(), &[]).unwrap_err(), BundleError::Changed);
        let newer = text.replacen("\"format\": 2", "\"format\": 3", 1);
        assert_eq!(open(newer.as_bytes(), &[]).unwrap_err(), BundleError::Format(3));
    }

    #[test]
    fn a_good_signature_does_not_excuse_a_wrong_content() {
        let with = |pointer: &str, value: Value| {
            let mut tool = tool("nod");
            *tool.pointer_mut(pointer).unwrap() = value;
            json!({ "tools": [tool] }).to_string()
        };
        let deep = format!("\"parameters\":{}", "[".repeat(1 << 20));
        let deep = json!({"tools": [tool("nod")]}).to_string().replace("\"parameters\":{}", &deep);
        for (payload, says) in [
            (json!({"tools": []}).to_string(), "0 tools"),
            (json!({"tools": vec![tool("nod"); 200]}).to_string(), "200 tools"),
            (json!({"tools": [tool("nod"), tool("nod")]}).to_string(), "twice"),
            (json!({"tools": [tool("../nod")]}).to_string(), "not a module's name"),
            (json!({"tools": [tool("/etc/passwd")]}).to_string(), "not a module's name"),
            (json!({"tools": [tool("")]}).to_string(), "not a module's name"),
            (json!({"tools": [tool("Nod")]}).to_string(), "not a module's name"),
            (json!({"tools": {"nod": tool("nod")}}).to_string(), "invalid type"),
            (json!({"tools": [tool("nod")], "more": 1}).to_string(), "unknown field"),
            (with("/main", json!("x = 2\n")), "hash"),
            (with("/main", json!(1)), "invalid type"),
            (with("/sha256", json!({})), "hash"),
            (with("/manifest/name", json!("wave")), "manifest is of"),
            (with("/manifest/code_sha256", json!("00")), "other code"),
            (with("/declared", json!({"tests": []})), "unknown field"),
            ("[".repeat(1 << 20), "invalid type"),
            (deep, "recursion limit"),
            ("null".into(), "invalid type"),
        ] {
            let error = open(&signed(&payload), &[]).unwrap_err();
            assert!(matches!(error, BundleError::Wrong(_)) && error.to_string().contains(says), "{error}");
        }
        for bytes in [
            &b""[..],
            b"{}",
            b"[]",
            b"null",
            b"\xff",
            b"{\"format\": \"1\"}",
            b"{\"format\": -1}",
            &vec![b'['; 1 << 20],
        ] {
            assert!(matches!(open(bytes, &[]), Err(BundleError::Form(_))));
        }
    }
}
