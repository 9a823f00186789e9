//! Converts type hints to JSON Schema for a tool's arguments.

use std::collections::BTreeMap;

use rustpython_parser::Parse;
use rustpython_parser::ast::{Constant, Expr, Operator};
use serde_json::{Value, json};

use super::tree::{literal, text};

/// Maximum length of a quoted annotation.
const MAX_QUOTED: usize = 200;

/// Maximum nesting of types.
const MAX_DEPTH: u32 = 12;

/// Converts type hints, including the aliases of a file (`Direction = Literal["left", "right"]`).
pub(super) struct Types<'a> {
    /// Module-level names and their assigned values.
    pub aliases: BTreeMap<&'a str, &'a Expr>,
}

/// The schema of a type hint, or the part of the hint that is not plain data.
type Schema = Result<Value, String>;

impl Types<'_> {
    /// Returns the schema of a parameter's annotation.
    pub(super) fn schema(&self, annotation: &Expr) -> Schema {
        self.nested(annotation, MAX_DEPTH)
    }

    fn nested(&self, annotation: &Expr, depth: u32) -> Schema {
        let Some(depth) = depth.checked_sub(1) else { return Err("a type nested too deeply".into()) };
        match annotation {
            Expr::Name(name) => match self.aliases.get(name.id.as_str()) {
                Some(alias) => self.nested(alias, depth),
                None => plain(&name.id),
            },
            Expr::Attribute(attribute) => plain(&attribute.attr),
            Expr::Constant(constant) => match &constant.value {
                Constant::None => plain("None"),
                Constant::Str(quoted) => self.quoted(quoted, depth),
                _ => Err("a value instead of a type".into()),
            },
            Expr::BinOp(union) if union.op == Operator::BitOr => {
                self.union([&*union.left, &*union.right].into_iter(), depth)
            }
            Expr::Subscript(subscript) => {
                let name = match &*subscript.value {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(attribute) => attribute.attr.as_str(),
                    _ => return Err("a computed type".into()),
                };
                let inside: &[Expr] = match &*subscript.slice {
                    Expr::Tuple(tuple) => &tuple.elts,
                    one => std::slice::from_ref(one),
                };
                self.generic(name, inside, depth)
            }
            _ => Err("a computed type".into()),
        }
    }

    fn quoted(&self, quoted: &str, depth: u32) -> Schema {
        let is_type = |c: char| c.is_ascii_alphanumeric() || "_.,[]| ".contains(c);
        if quoted.len() > MAX_QUOTED || !quoted.chars().all(is_type) {
            return Err("a quoted annotation that is not a plain type".into());
        }
        match Expr::parse(quoted, "") {
            Ok(annotation) => self.nested(&annotation, depth),
            Err(_) => Err(format!("`{quoted}`")),
        }
    }

    fn generic(&self, name: &str, inside: &[Expr], depth: u32) -> Schema {
        match (name, inside) {
            ("list" | "List" | "Sequence" | "Iterable" | "Collection" | "MutableSequence", [item]) => {
                Ok(json!({"type": "array", "items": self.nested(item, depth)?}))
            }
            ("tuple" | "Tuple", [item, Expr::Constant(rest)]) if rest.value == Constant::Ellipsis => {
                Ok(json!({"type": "array", "items": self.nested(item, depth)?}))
            }
            ("tuple" | "Tuple", items) => {
                let count = items.len();
                let items =
                    items.iter().map(|item| self.nested(item, depth)).collect::<Result<Vec<_>, _>>()?;
                Ok(
                    json!({"type": "array", "prefixItems": items, "items": false, "minItems": count, "maxItems": count}),
                )
            }
            ("dict" | "Dict" | "Mapping" | "MutableMapping", [key, value]) => {
                if self.nested(key, depth)? != json!({"type": "string"}) {
                    return Err("a dict whose keys are not str".into());
                }
                Ok(json!({"type": "object", "additionalProperties": self.nested(value, depth)?}))
            }
            ("Optional", [one]) => {
                let alternatives = vec![self.nested(one, depth)?, plain("None")?];
                Ok(any_of(alternatives))
            }
            ("Union", several) => self.union(several.iter(), depth),
            ("Annotated" | "Final", [one, ..]) => self.nested(one, depth),
            ("Literal", values) => {
                let values = values.iter().map(|value| literal(value).filter(is_scalar));
                let values = values
                    .collect::<Option<Vec<_>>>()
                    .ok_or("a Literal of something else than plain values")?;
                let mut schema = json!({"enum": values});
                if values.iter().all(Value::is_string) {
                    schema = json!({"type": "string", "enum": values});
                }
                Ok(schema)
            }
            _ => Err(format!("`{name}[...]`")),
        }
    }

    fn union<'e>(&self, several: impl Iterator<Item = &'e Expr>, depth: u32) -> Schema {
        several.map(|one| self.nested(one, depth)).collect::<Result<Vec<_>, _>>().map(any_of)
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// Joins alternatives and flattens nested ones.
fn any_of(alternatives: Vec<Value>) -> Value {
    let flat = alternatives.into_iter().flat_map(|one| match one.get("anyOf").and_then(Value::as_array) {
        Some(inner) => inner.clone(),
        None => vec![one],
    });
    json!({"anyOf": flat.collect::<Vec<_>>()})
}

/// Returns the schema of a type without brackets.
fn plain(name: &str) -> Schema {
    Ok(match name {
        "int" => json!({"type": "integer"}),
        "float" => json!({"type": "number"}),
        "str" => json!({"type": "string"}),
        "bool" => json!({"type": "boolean"}),
        "None" => json!({"type": "null"}),
        "list" | "List" | "Sequence" | "Iterable" | "tuple" | "Tuple" => json!({"type": "array"}),
        "dict" | "Dict" | "Mapping" => json!({"type": "object"}),
        "Any" | "object" => json!({}),
        _ => return Err(format!("`{name}`")),
    })
}

/// Adds bounds to a schema of a number, or to the numbers among its alternatives.
pub(super) fn bound(schema: &mut Value, keyword: &str, value: f64) {
    if let Some(alternatives) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        alternatives.iter_mut().for_each(|one| bound(one, keyword, value));
    } else if let Some(integer) = match schema.get("type").and_then(Value::as_str) {
        Some("integer") => Some(true),
        Some("number") => Some(false),
        _ => None,
    } && let (Some(object), Some(number)) =
        (schema.as_object_mut(), super::tree::json_number(value, integer))
    {
        object.insert(keyword.to_owned(), number);
    }
}

/// Returns the annotation of a result as written in the source, without quotes.
pub(super) fn shown(annotation: &Expr, source: &str) -> String {
    use rustpython_parser::ast::Ranged;
    let range = annotation.range();
    let slice = source.get(usize::from(range.start())..usize::from(range.end()));
    text(annotation).or(slice).unwrap_or("object").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_schema(hint: &str, schema: Value) {
        let types = Types { aliases: BTreeMap::new() };
        assert_eq!(types.schema(&Expr::parse(hint, "").unwrap()), Ok(schema), "{hint}");
    }

    #[test]
    fn hints_become_schemas() {
        assert_schema("int", json!({"type": "integer"}));
        assert_schema("list[float]", json!({"type": "array", "items": {"type": "number"}}));
        assert_schema("typing.List['str']", json!({"type": "array", "items": {"type": "string"}}));
        assert_schema("int | None", json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}));
        assert_schema(
            "Optional[int | str]",
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
        );
        assert_schema(
            "dict[str, bool]",
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
        );
        assert_schema("Literal['left', 'right']", json!({"type": "string", "enum": ["left", "right"]}));
        assert_schema("Literal[1, None]", json!({"enum": [1, null]}));
        assert_schema("tuple[int, ...]", json!({"type": "array", "items": {"type": "integer"}}));
        assert_schema(
            "tuple[int, str]",
            json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false,
                   "minItems": 2, "maxItems": 2}),
        );
        assert_schema("Any", json!({}));
    }

    #[test]
    fn hints_that_are_not_plain_data_are_named() {
        let types = Types { aliases: BTreeMap::new() };
        for hint in [
            "set[int]",
            "np.ndarray",
            "dict[int, str]",
            "f()",
            "Literal[[1]]",
            "'1+1'",
            "Callable[[int], str]",
        ] {
            assert!(types.schema(&Expr::parse(hint, "").unwrap()).is_err(), "{hint}");
        }
    }

    #[test]
    fn recursive_aliases_terminate() {
        let circle = Expr::parse("Circle", "").unwrap();
        let types = Types { aliases: BTreeMap::from([("Circle", &circle)]) };
        assert!(types.schema(&circle).is_err());
    }
}
