//! Serves each renamed field by both of its names, and reads requests by either; the names are in
//! [`minismith_protocol::old_names::http`].

use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use minismith_protocol::old_names::files;
use minismith_protocol::old_names::http::{
    DOCUMENTS, Document, EventNames, Field, REQUESTS, ROUTES, add_names, read_names,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::extract::{ApiError, JsonBody, unprocessable};

/// A response with both names of its renamed fields.
pub(super) fn both(document: &Document, response: &impl Serialize) -> Json<Value> {
    let mut response = serde_json::to_value(response).unwrap_or_default();
    add_names(document.fields, &mut response);
    Json(response)
}

/// A request body with renamed fields.
pub(super) trait Renamed {
    /// Which fields were renamed.
    const DOCUMENT: &'static Document;
}

/// A request's body, as [`JsonBody`], in which renamed fields may have either name.
pub(super) struct GivenEither<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Renamed> FromRequest<S> for GivenEither<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let JsonBody(mut body) = JsonBody::<Map<String, Value>>::from_request(request, state).await?;
        read_names(T::DOCUMENT.fields, &mut body)
            .map_err(|error| ApiError::new(StatusCode::BAD_REQUEST, &error.to_string()))?;
        let body = serde_path_to_error::deserialize(Value::Object(body));
        body.map(GivenEither).map_err(|error| {
            let path = error.path().to_string();
            let position = if path == "." { "body".to_owned() } else { format!("body.{path}") };
            unprocessable(&position, &error.inner().to_string())
        })
    }
}

/// Which names the events of a conversation have.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Events {
    /// Which names events have: 1 for those of the first version, 2 for today's. 1 unless it is given.
    #[serde(default = "first")]
    #[param(minimum = 1, maximum = 2, default = 1)]
    events: u8,
}

const fn first() -> u8 {
    1
}

impl Events {
    /// The names, unless there are none of this number.
    pub(super) fn names(self) -> Result<EventNames, ApiError> {
        event_names(self.events)
    }
}

/// The names of this number.
pub(super) fn event_names(number: u8) -> Result<EventNames, ApiError> {
    match number {
        1 => Ok(EventNames::Old),
        2 => Ok(EventNames::New),
        _ => Err(unprocessable("query.events", "`events` is out of range: use 1 or 2")),
    }
}

/// The schemas of manifests and reports, which responses contain by the names of their files, with the old names of their
/// fields.
const FILES: &[(&str, &files::Names)] = &[
    ("ToolManifest", files::MANIFEST_FIELDS),
    ("Budget", files::BUDGET_FIELDS),
    ("Verified", files::RANGE_FIELDS),
    ("PhysicalReport", files::REPORT_FIELDS),
    ("JointReport", files::JOINT_REPORT_FIELDS),
];

/// Adds the missing name of each renamed field to the schemas of an OpenAPI document, and marks the old one as deprecated.
pub(super) fn describe(api: &mut Value) {
    for document in DOCUMENTS {
        let Some(schema) = response_schema(api, document.route) else { continue };
        describe_fields(api, &schema, document.fields);
    }
    for (schema, names) in FILES {
        let Some(properties) = api.pointer_mut(&format!("/components/schemas/{schema}/properties")) else {
            continue;
        };
        for (old, new) in *names {
            let Some(mut property) = properties.get(new).cloned() else { continue };
            describe_old(&mut property, new);
            if let Some(properties) = properties.as_object_mut() {
                properties.insert((*old).into(), property);
            }
        }
    }
    for (_, old) in ROUTES {
        let path = api.pointer_mut(&format!("/paths/{}", escaped(old)));
        for operation in path.and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
            if let Some(operation) = operation.as_object_mut() {
                operation.insert("deprecated".into(), true.into());
            }
        }
    }
    for document in REQUESTS {
        let Some((method, path)) = split(document.route) else { continue };
        let pointer =
            format!("/paths/{}/{method}/requestBody/content/application~1json/schema", escaped(path));
        describe_fields(api, &pointer, document.fields);
    }
}

/// Describes a property as the old name of another one.
fn describe_old(property: &mut Value, new: &str) {
    let Some(map) = property.as_object_mut() else { return };
    // Next to a reference there may be other keys in OpenAPI 3.1.
    map.insert("description".into(), format!("The old name of `{new}`.").into());
    map.insert("deprecated".into(), true.into());
}

fn split(route: &str) -> Option<(String, &str)> {
    let (method, path) = route.split_once(' ')?;
    Some((method.to_lowercase(), path))
}

/// A key as it stands in a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Where the schema of a route's successful JSON response is; none of a route that is not described, such as a WebSocket.
fn response_schema(api: &Value, route: &str) -> Option<String> {
    let (method, path) = split(route)?;
    let responses = format!("/paths/{}/{method}/responses", escaped(path));
    ["200", "201"].iter().find_map(|status| {
        let pointer = format!("{responses}/{status}/content/application~1json/schema");
        api.pointer(&pointer).map(|_| pointer)
    })
}

/// The schemas of objects that a schema consists of: itself, what it refers to, its elements and its alternatives.
fn objects(api: &Value, pointer: &str) -> Vec<String> {
    let Some(schema) = api.pointer(pointer) else { return Vec::new() };
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return objects(api, target.trim_start_matches('#'));
    }
    let mut found = Vec::new();
    if schema.get("properties").is_some() {
        found.push(pointer.to_owned());
    }
    if schema.get("items").is_some() {
        found.extend(objects(api, &format!("{pointer}/items")));
    }
    for kind in ["allOf", "oneOf", "anyOf"] {
        let parts = schema.get(kind).and_then(Value::as_array).map_or(0, Vec::len);
        found.extend((0..parts).flat_map(|part| objects(api, &format!("{pointer}/{kind}/{part}"))));
    }
    found
}

fn describe_fields(api: &mut Value, pointer: &str, fields: &[Field]) {
    for object in objects(api, pointer) {
        for field in fields {
            describe_field(api, &object, field);
        }
    }
}

fn describe_field(api: &mut Value, object: &str, field: &Field) {
    let Some(properties) = api.pointer(&format!("{object}/properties")) else { return };
    let Some(present) = [field.new, field.old].into_iter().find(|name| properties.get(name).is_some()) else {
        return;
    };
    describe_fields(api, &format!("{object}/properties/{}", escaped(present)), field.fields);
    if field.new == field.old {
        return;
    }
    let Some(schema) = api.pointer_mut(object).and_then(Value::as_object_mut) else { return };
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    let Some(property) = properties.get(present).cloned() else { return };
    if properties.contains_key(field.new) && properties.contains_key(field.old) {
        return;
    }
    let text = property.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_closed_set = !field.values.is_empty();
    let mut new = property.clone();
    if is_closed_set {
        let values: Vec<&str> = field.values.iter().map(|(new, _)| *new).collect();
        new = json!({ "type": "string", "enum": values, "description": text });
    }
    let mut old = property;
    describe_old(&mut old, field.new);
    if is_closed_set && let Value::Object(map) = &mut old {
        map.retain(|key, _| matches!(key.as_str(), "description" | "deprecated"));
        let values: Vec<&str> = field.values.iter().map(|(_, old)| *old).collect();
        map.insert("type".into(), "string".into());
        map.insert("enum".into(), json!(values));
    }
    properties.insert(field.new.into(), new);
    properties.insert(field.old.into(), old);
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut)
        && required.iter().any(|name| name == present)
    {
        let missing = if present == field.new { field.old } else { field.new };
        required.push(missing.into());
    }
}
