//! Finds tools by their descriptions: by words (SQLite's full-text index), and by meaning if a model is installed.
//!
//! The index is derived data. Before each search it is compared with the registry, and changed tools are indexed again.
//! A crash therefore cannot leave it wrong. Reciprocal rank fusion merges both rankings, since their scores are not
//! comparable.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::registry::database;
use super::registry::{Entry, Registry, RegistryError};
use super::semantics::{EmbeddingError, Semantics, cosine_similarity};
use minismith_analysis::digest::hex_sha256;

/// Maximum length of a request, characters.
const MAX_REQUEST_LENGTH: usize = 1_000;

/// Maximum number of words in a query.
const MAX_WORDS: usize = 32;

/// Minimum length of a word that also matches as a prefix. Shorter words match only as a whole.
const MIN_PREFIX_LENGTH: usize = 3;

/// Minimum similarity of meaning for a result.
const MIN_SIMILARITY: f32 = 0.15;

/// The constant of reciprocal rank fusion, from its first description (Cormack, Clarke and Büttcher, 2009).
const FUSION_CONSTANT: f64 = 60.0;

/// Weights of the columns: name, description, parameters, code, document.
const RANK_EXPRESSION: &str = "bm25(words, 8.0, 4.0, 2.0, 1.0, 1.0)";

/// The result of a search.
#[derive(Debug, Serialize)]
pub struct Found {
    /// Whether the search used meaning too.
    #[serde(rename = "semantic")]
    pub is_semantic_available: bool,
    /// The reason, if it did not.
    #[serde(rename = "why_not")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable_reason: Option<String>,
    /// The tools, the best first.
    pub results: Vec<Hit>,
}

/// A tool in the results.
#[derive(Debug, Serialize, ToSchema)]
pub struct Hit {
    /// Name.
    pub name: String,
    /// Current version.
    pub version: u32,
    /// Description.
    pub description: String,
    /// Whether a call runs the tool.
    pub callable: bool,
    /// Score of both rankings together. Greater is better.
    pub score: f64,
    /// Rank by words, from 1.
    #[serde(rename = "by_words")]
    pub keyword_rank: Option<usize>,
    /// Rank by meaning, from 1.
    #[serde(rename = "by_meaning")]
    pub semantic_rank: Option<usize>,
    /// Similarity of its meaning to the request's.
    #[serde(rename = "likeness")]
    #[serde(serialize_with = "minismith_runtime::report::shortest")]
    pub similarity: Option<f32>,
}

/// The indexed texts of one tool.
struct Document {
    entry: Entry,
    parameters: String,
    code: String,
    document: String,
    hash: String,
}

impl Registry {
    /// Finds at most `limit` tools for a request in plain words.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be read.
    pub fn search(&self, request: &str, limit: usize, models: &Path) -> Result<Found, RegistryError> {
        let request: String = request.chars().take(MAX_REQUEST_LENGTH).collect();
        let documents = self.documents()?;
        let (model, why_not) = match Semantics::open(models) {
            Ok(model) => (Some(model), None),
            Err(error) => {
                if matches!(error, EmbeddingError::Broken { .. }) {
                    tracing::warn!(%error, "the search uses words alone");
                }
                (None, Some(error.to_string()))
            }
        };
        let (words, meanings) = self.rank(&request, &documents, model)?;
        let why_not = why_not.or(meanings.as_ref().err().map(ToString::to_string));
        let semantic = why_not.is_none();
        let meanings = meanings.unwrap_or_default();
        Ok(Found {
            is_semantic_available: semantic,
            unavailable_reason: why_not,
            results: merge(documents, &words, &meanings, limit),
        })
    }

    /// Returns both rankings, from the stored database or else from a temporary one.
    #[allow(clippy::type_complexity, reason = "a pair of rankings, the second of which may fail")]
    fn rank(
        &self,
        request: &str,
        documents: &[Document],
        mut model: Option<Semantics>,
    ) -> Result<(Vec<String>, Result<Vec<(String, f32)>, EmbeddingError>), RegistryError> {
        let mut rank = |mut connection: Connection| {
            synchronise(&mut connection, documents)?;
            let words = by_words(&connection, request)?;
            let meanings = match &mut model {
                Some(model) => by_meaning(&connection, request, documents, model)?,
                None => Ok(Vec::new()),
            };
            Ok::<_, rusqlite::Error>((words, meanings))
        };
        let stored = database::open(self.root()).and_then(&mut rank);
        stored
            .or_else(|error| {
                tracing::debug!(%error, "the search uses a temporary index");
                rank(database::in_memory()?)
            })
            .map_err(|error| RegistryError::Io {
                doing: "search",
                path: self.root().to_owned(),
                source: std::io::Error::other(error),
            })
    }

    fn documents(&self) -> Result<Vec<Document>, RegistryError> {
        let document = |entry: Entry| {
            let file = |suffix| self.attachment(&entry.name, entry.version, suffix);
            let text = |suffix| file(suffix).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let mut parameters = String::new();
            describe(&entry.parameters, &mut parameters);
            let code = self.texts(&entry.name, entry.version).map(|(main, others)| {
                std::iter::once(main)
                    .chain(others.into_values())
                    .map(|source| words_in_code(&source))
                    .collect()
            });
            let code: String = code.unwrap_or_default();
            // The evidence names every motor of every tool. The purpose comes before it.
            let document = text("md").unwrap_or_default();
            let document = document.split("\n## Evidence").next().unwrap_or_default().to_owned();
            let texts = [&entry.name, &entry.description, &parameters, &code, &document];
            let hash = hex_sha256(texts.map(String::as_str).join("\0").as_bytes());
            Document { parameters, code, document, hash, entry }
        };
        Ok(self.list()?.into_iter().map(document).collect())
    }
}

impl Document {
    /// Returns the text for the model, which is made for one or two sentences.
    fn sentence(&self) -> String {
        format!("{}: {}", self.entry.name.replace('_', " "), self.entry.description)
    }
}

/// Appends the names and descriptions of parameters.
fn describe(schema: &Value, text: &mut String) {
    for (name, parameter) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let description = parameter.get("description").and_then(Value::as_str).unwrap_or_default();
        text.push_str(&format!("{name} {description}\n"));
    }
}

/// Returns the words in code: docstrings, comments, and the names of functions.
fn words_in_code(source: &str) -> String {
    let strings = source.split("\"\"\"").skip(1).step_by(2);
    let comments = source.lines().filter_map(|line| line.split_once('#')).map(|(_, comment)| comment);
    let functions =
        source.lines().filter_map(|line| line.trim_start().strip_prefix("def ")?.split('(').next());
    strings.chain(comments).chain(functions).flat_map(|text| [text, "\n"]).collect()
}

/// Brings the index up to date with the registry.
fn synchronise(connection: &mut Connection, documents: &[Document]) -> rusqlite::Result<()> {
    let known: BTreeMap<String, (i64, String)> = connection
        .prepare("SELECT tool, id, hash FROM indexed")?
        .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?
        .collect::<Result<_, _>>()?;
    let there: BTreeSet<&str> = documents.iter().map(|document| &*document.entry.name).collect();
    let is_new =
        |document: &&Document| known.get(&document.entry.name).is_none_or(|(_, hash)| *hash != document.hash);
    let (gone, new) = (
        known.iter().filter(|(tool, _)| !there.contains(tool.as_str())).collect::<Vec<_>>(),
        documents.iter().filter(is_new).collect::<Vec<_>>(),
    );
    if gone.is_empty() && new.is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let forget = |tool: &str| {
        let id = transaction
            .query_row("SELECT id FROM indexed WHERE tool = ?1", [tool], |row| row.get::<_, i64>(0));
        if let Some(id) = id.optional()? {
            transaction.execute("DELETE FROM words WHERE rowid = ?1", [id])?;
            transaction.execute("DELETE FROM indexed WHERE id = ?1", [id])?;
        }
        Ok::<(), rusqlite::Error>(())
    };
    for (tool, _) in gone {
        forget(tool)?;
    }
    for document in new {
        let Entry { name, description, .. } = &document.entry;
        forget(name)?;
        transaction.execute("INSERT INTO indexed (tool, hash) VALUES (?1, ?2)", (name, &document.hash))?;
        transaction.execute(
            "INSERT INTO words (rowid, name, description, parameters, code, document) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                transaction.last_insert_rowid(),
                name,
                description,
                &document.parameters,
                &document.code,
                &document.document,
            ),
        )?;
    }
    transaction.commit()
}

/// Words without significance for a search. They are used only if a request has no others.
const FILLERS: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "d", "did", "do",
    "does", "for", "from", "get", "give", "had", "has", "have", "here", "how", "i", "if", "in", "into", "is",
    "it", "its", "just", "ll", "m", "make", "me", "my", "of", "on", "or", "our", "please", "re", "reachy",
    "robot", "s", "so", "some", "t", "that", "the", "them", "then", "there", "they", "this", "to", "too",
    "tool", "us", "ve", "want", "was", "we", "were", "what", "when", "which", "who", "why", "will", "with",
    "would", "you", "your",
];

/// Returns whether a lower-case word is a filler.
pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

/// Turns a request into a query. Each word is quoted, so that none is query syntax.
fn query(request: &str) -> Option<String> {
    let mut words: Vec<&str> =
        request.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_filler = |word: &&str| is_filler(&word.to_lowercase());
    if !words.iter().all(&is_filler) {
        words.retain(|word| !is_filler(word));
    }
    let quoted = words.into_iter().take(MAX_WORDS).map(|word| {
        let beginning = if word.chars().count() >= MIN_PREFIX_LENGTH { "*" } else { "" };
        format!("\"{word}\"{beginning}")
    });
    let quoted: Vec<String> = quoted.collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}

fn by_words(connection: &Connection, request: &str) -> rusqlite::Result<Vec<String>> {
    let Some(query) = query(request) else { return Ok(Vec::new()) };
    let statement = format!(
        "SELECT indexed.tool FROM words JOIN indexed ON indexed.id = words.rowid WHERE words MATCH ?1 \
         ORDER BY {RANK_EXPRESSION}, indexed.tool"
    );
    connection.prepare(&statement)?.query_map([query], |row| row.get(0))?.collect()
}

/// Ranks by meaning. The outer error comes from the database, the inner one from the model.
fn by_meaning(
    connection: &Connection,
    request: &str,
    documents: &[Document],
    model: &mut Semantics,
) -> rusqlite::Result<Result<Vec<(String, f32)>, EmbeddingError>> {
    let wanted = match model.direction(request) {
        Ok(wanted) => wanted,
        Err(error) => return Ok(Err(error)),
    };
    let mut ranked = Vec::new();
    for document in documents {
        let name = &document.entry.name;
        let known: Option<Vec<u8>> = connection
            .query_row(
                "SELECT meaning FROM indexed WHERE tool = ?1 AND hash = ?2 AND model = ?3",
                (name, &document.hash, model.identity()),
                |row| row.get(0),
            )
            .optional()?
            .flatten();
        let direction: Vec<f32> = match known {
            Some(bytes) => bytes.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect(),
            None => match model.direction(&document.sentence()) {
                Ok(direction) => {
                    let bytes: Vec<u8> = direction.iter().flat_map(|one| one.to_le_bytes()).collect();
                    connection.execute(
                        "UPDATE indexed SET model = ?3, meaning = ?4 WHERE tool = ?1 AND hash = ?2",
                        (name, &document.hash, model.identity(), bytes),
                    )?;
                    direction
                }
                Err(error) => return Ok(Err(error)),
            },
        };
        ranked.push((name.clone(), cosine_similarity(&wanted, &direction)));
    }
    ranked.retain(|(_, similarity)| *similarity >= MIN_SIMILARITY);
    ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    Ok(Ok(ranked))
}

/// Merges both rankings by reciprocal rank fusion.
fn merge(documents: Vec<Document>, words: &[String], meanings: &[(String, f32)], limit: usize) -> Vec<Hit> {
    // Looked up, because in a large registry most tools may match.
    let words: HashMap<&str, usize> = words.iter().map(String::as_str).zip(1..).collect();
    let meanings: HashMap<&str, (usize, f32)> =
        meanings.iter().zip(1..).map(|((name, similarity), rank)| (&**name, (rank, *similarity))).collect();
    let hit = |Document { entry, .. }: Document| {
        let by_words = words.get(&*entry.name).copied();
        let (by_meaning, similarity) = meanings.get(&*entry.name).copied().unzip();
        let score = [by_words, by_meaning]
            .into_iter()
            .flatten()
            .map(|position| 1.0 / (FUSION_CONSTANT + position as f64))
            .sum();
        let callable = entry.is_callable();
        let Entry { name, version, description, .. } = entry;
        let found = by_words.is_some() || by_meaning.is_some();
        found.then_some(Hit {
            name,
            version,
            description,
            callable,
            score,
            keyword_rank: by_words,
            semantic_rank: by_meaning,
            similarity,
        })
    };
    let mut hits: Vec<Hit> = documents.into_iter().filter_map(hit).collect();
    hits.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.name.cmp(&other.name)));
    hits.truncate(limit);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(name: &str, description: &str, hash: &str) -> Document {
        let entry = Entry {
            name: name.into(),
            version: 1,
            versions: vec![1],
            predefined: false,
            approved: false,
            active: true,
            quarantine: None,
            description: description.into(),
            is_own: false,
            capabilities: Default::default(),
            parameters: json!({}),
            functions: Vec::new(),
        };
        Document {
            entry,
            parameters: String::new(),
            code: String::new(),
            document: String::new(),
            hash: hash.into(),
        }
    }

    #[test]
    fn query_accepts_any_request() {
        let mut connection = database::in_memory().unwrap();
        synchronise(&mut connection, &[document("nod_yes", "Nod the head.", "1")]).unwrap();
        for request in [
            "",
            " ",
            "\"",
            "nod\"",
            "nod AND",
            "NOT nod",
            "NEAR(nod head, 2)",
            "name:nod",
            "{name}: nod",
            "*",
            "nod*",
            "^nod",
            "nod + head",
            "a-b",
            "'; DROP TABLE words; --",
            "\0nod",
            "(((((",
            "\u{1f916}",
            "\u{e9}t\u{e9}",
        ] {
            let found = by_words(&connection, request).unwrap();
            assert_eq!(!found.is_empty(), request.contains("nod"), "{request:?}");
        }
        assert!(by_words(&connection, &"nod ".repeat(10_000)).is_ok());
    }

    #[test]
    fn search_matches_stems_and_prefixes_and_prefers_names() {
        let mut connection = database::in_memory().unwrap();
        let documents = [
            document("wave", "Greet with both antennas, then nod.", "1"),
            document("nod_yes", "Move the head up and down.", "2"),
            document("sleep", "Lay the head down.", "3"),
        ];
        synchronise(&mut connection, &documents).unwrap();
        let found = |request: &str| by_words(&connection, request).unwrap();
        assert_eq!(found("nodding"), ["nod_yes", "wave"]);
        assert_eq!(found("anten"), ["wave"]);
        assert_eq!(found("heads").len(), 2);
        assert!(found("dance").is_empty());
    }

    #[test]
    fn query_uses_fillers_only_without_other_words() {
        assert_eq!(query("What is the time?").as_deref(), Some("\"time\"*"));
        assert_eq!(query("to the").as_deref(), Some("\"to\" OR \"the\"*"));
    }

    #[test]
    fn synchronise_follows_the_registry() {
        let mut connection = database::in_memory().unwrap();
        let mut at = |documents: &[Document], request: &str| {
            synchronise(&mut connection, documents).unwrap();
            by_words(&connection, request).unwrap()
        };
        let first = [document("one", "Nod.", "1"), document("two", "Shake.", "2")];
        assert_eq!(at(&first, "nod"), ["one"]);
        let second = [document("one", "Wink.", "3"), document("two", "Shake.", "2")];
        assert!(at(&second, "nod").is_empty());
        assert_eq!(at(&second, "wink shake"), ["one", "two"]);
        assert_eq!(at(&second[..1], "wink shake"), ["one"]);
    }

    #[test]
    fn merge_prefers_results_of_both_rankings() {
        let documents = ["a", "b", "c"].map(|name| document(name, "", name)).into();
        let words = ["a".to_owned(), "b".to_owned()];
        let meanings = [("b".to_owned(), 0.8), ("c".to_owned(), 0.7)];
        let hits = merge(documents, &words, &meanings, 2);
        let names: Vec<&str> = hits.iter().map(|hit| &*hit.name).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!(
            (hits[0].keyword_rank, hits[0].semantic_rank, hits[1].semantic_rank),
            (Some(2), Some(1), None)
        );
    }

    #[test]
    fn words_in_code_includes_docstrings_and_comments() {
        let source = "# Slow.\ndef bow(robot):\n    \"\"\"Bow deeply.\"\"\"\n    x = 1\n";
        assert_eq!(words_in_code(source), "Bow deeply.\n Slow.\nbow\n");
    }
}
