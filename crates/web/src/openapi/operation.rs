//! One row as an operation: its inputs, who may call it, and every answer that follows from that.

use std::collections::BTreeMap;

use http_server::envelope::Envelope;
use serde_json::{Map, Value, json};

use super::components::Components;
use crate::route::{
    Access, Doc, QueryParameter, RequestBody, ResponseBody, RouteRow, Shape, plain,
};

/// The security schemes by the names operations refer to.
pub(super) fn security_schemes() -> Value {
    json!({
        "adminPassword": {
            "type": "http", "scheme": "basic",
            "description": "The name `admin` and the operator's password.",
        },
        "adminSession": {
            "type": "apiKey", "in": "cookie", "name": "rillcast_admin",
            "description": "The session of the admin pages (`__Host-rillcast_admin` over TLS). \
                            Requests that change something also need the header `X-Rillcast-CSRF: 1`.",
        },
        "accessToken": {
            "type": "http", "scheme": "bearer",
            "description": "An access token, which the operator makes for a bot or an overlay.",
        },
        "chatToken": {
            "type": "apiKey", "in": "query", "name": "accessToken",
            "description": "The token from `POST /api/chat/register`.",
        },
    })
}

/// Who may call a row, in prose.
fn who(access: Access) -> String {
    let words = match access {
        Access::Public => "Anybody may call this.",
        Access::AdminAuth => "Anybody may call this, except pages of other sites.",
        Access::ChatUser => "Chat users may call this, with their token.",
        Access::Moderator => "Chat moderators may call this, with their token.",
        Access::Token(scope) => {
            return format!(
                "Bots may call this, with an access token that has the scope `{scope}`."
            );
        }
        Access::AnyToken => {
            "Bots may call this, with any access token. Where a browser cannot send a header, the token may stand in \
             the query as `accessToken`."
        }
        Access::Admin | Access::AdminPage => "Only the operator may call this.",
    };
    words.into()
}

fn security(access: Access) -> Value {
    match access {
        Access::Public | Access::AdminAuth => json!([]),
        Access::ChatUser | Access::Moderator => json!([{ "chatToken": [] }]),
        Access::Token(scope) => json!([{ "accessToken": [scope.as_str()] }]),
        Access::AnyToken => json!([{ "accessToken": [] }]),
        Access::Admin | Access::AdminPage => {
            json!([{ "adminPassword": [] }, { "adminSession": [] }])
        }
    }
}

/// `GET /api/admin/chat/held` → `getAdminChatHeld`
pub(super) fn id_of(method: &str, path: &str) -> String {
    let mut id = method.to_ascii_lowercase();
    let path = path.strip_prefix("/api").unwrap_or(path);
    let words = path.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let (first, rest) = word.split_at(1);
        id.push_str(&first.to_ascii_uppercase());
        id.push_str(rest);
    }
    id
}

/// The operation of a row.
pub(super) fn of_row(row: &RouteRow, doc: &Doc, tag: &str, components: &mut Components) -> Value {
    let mut operation = Map::new();
    operation.insert(
        "operationId".into(),
        json!(id_of(row.method.as_str(), row.path)),
    );
    operation.insert("tags".into(), json!([tag]));
    operation.insert("summary".into(), json!(doc.summary));
    operation.insert("description".into(), json!(who(row.access)));
    operation.insert("security".into(), security(row.access));
    let parameters = parameters(row, doc);
    if !parameters.is_empty() {
        operation.insert("parameters".into(), json!(parameters));
    }
    if let Some(takes) = doc.takes {
        let content = match takes {
            RequestBody::Json(shape) => as_json(&components.refer(shape)),
            RequestBody::Form(fields) => as_form(fields),
            RequestBody::File(field) => as_file(field),
        };
        let body = json!({ "required": !doc.is_body_optional, "content": content });
        operation.insert("requestBody".into(), body);
    }
    let traits = OperationTraits {
        access: row.access,
        has_body: doc.takes.is_some(),
        has_parameters: !parameters.is_empty(),
        is_limited: doc.is_limited,
    };
    let mut answers = implied(&traits);
    for answer in &doc.answers {
        let content = content(answer.body, components);
        add(&mut answers, answer.status, answer.why, content);
    }
    operation.insert("responses".into(), Value::Object(answers));
    Value::Object(operation)
}

fn parameters(row: &RouteRow, doc: &Doc) -> Vec<Value> {
    let in_path = names_in(row.path).map(|name| {
        let schema = match name {
            "clientId" => json!({ "type": "integer", "minimum": 0 }),
            _ => json!({ "type": "string" }),
        };
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    });
    let typed = doc.query.map(|query| query()).unwrap_or_default();
    let asked = doc.asked.iter().map(|QueryParameter { name, why }| {
        json!({ "name": name, "in": "query", "description": why, "schema": { "type": "string" } })
    });
    in_path
        .chain(typed.iter().map(plain))
        .chain(asked)
        .collect()
}

/// The names in the braces of a path.
fn names_in(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next())
}

/// The properties of an operation that decide its possible answers.
#[derive(Debug)]
pub(super) struct OperationTraits {
    pub(super) access: Access,
    pub(super) has_body: bool,
    pub(super) has_parameters: bool,
    pub(super) is_limited: bool,
}

/// Answers that follow from who may call an operation and what it takes, under the names they are registered with.
pub(super) fn implied(traits: &OperationTraits) -> Map<String, Value> {
    let access = traits.access;
    let is_guarded = !matches!(access, Access::Public | Access::AdminAuth);
    let is_admins = matches!(
        access,
        Access::Admin | Access::AdminAuth | Access::AdminPage
    );
    let is_bots = matches!(access, Access::Token(_) | Access::AnyToken);
    let rows = [
        (400, "BadRequest", traits.has_body || traits.has_parameters),
        (401, "Unauthorized", is_guarded),
        (403, "Forbidden", is_admins),
        (413, "TooLarge", traits.has_body),
        (429, "TooMany", traits.is_limited || is_admins || is_bots),
        (503, "Unavailable", true),
    ];
    let possible = rows.into_iter().filter(|(_, _, is_possible)| *is_possible);
    let answers = possible.map(|(status, name, _)| {
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        (status.to_string(), reference)
    });
    answers.collect()
}

/// The answers that [`implied`] names.
pub(super) fn shared_answers(components: &mut Components) -> Value {
    let problem = as_json(&components.refer(Shape::of::<Envelope>()));
    let text = as_text("text/plain");
    let answer =
        |why: &str, content: &Option<Value>| json!({ "description": why, "content": content });
    let mut answers = json!({
        "BadRequest": answer("The request is invalid; the message says why", &problem),
        "Unauthorized": answer("The caller may not do this", &text),
        "Forbidden": answer("The request may have been made by a page of another site", &text),
        "TooLarge": answer("The body is too large", &problem),
        "TooMany": answer("Too many attempts, try again later", &problem),
        "Unavailable": answer("The server is busy, try again later", &problem),
    });
    let seconds =
        json!({ "description": "Seconds to wait.", "schema": { "type": "integer", "minimum": 1 } });
    for name in ["TooMany", "Unavailable"] {
        answers[name]["headers"] = json!({ "Retry-After": seconds });
    }
    answers
}

/// Adds an answer. It replaces one that was only implied; a second explicit one adds another media type.
pub(super) fn add(
    answers: &mut Map<String, Value>,
    status: u16,
    why: &str,
    content: Option<Value>,
) {
    let entry = answers.entry(status.to_string()).or_insert(Value::Null);
    if entry["$ref"].is_string() || entry.is_null() {
        *entry = json!({ "description": why });
    }
    let Some(Value::Object(content)) = content else {
        return;
    };
    for (media_type, body) in content {
        entry["content"][media_type] = body;
    }
}

fn content(body: ResponseBody, components: &mut Components) -> Option<Value> {
    match body {
        ResponseBody::Json(shape) => as_json(&components.refer(shape)),
        ResponseBody::List(shape) => {
            let items = components.refer(shape);
            as_json(&json!({ "type": "array", "items": items }))
        }
        ResponseBody::Text(media_type) => as_text(media_type),
        ResponseBody::Nothing => None,
    }
}

/// A JSON body.
pub(super) fn as_json(schema: &Value) -> Option<Value> {
    Some(json!({ "application/json": { "schema": schema } }))
}

fn as_file(field: &str) -> Option<Value> {
    let file = json!({ "type": "string", "format": "binary" });
    let properties = Map::from_iter([(field.to_owned(), file)]);
    let schema = json!({ "type": "object", "required": [field], "properties": properties });
    Some(json!({ "multipart/form-data": { "schema": schema } }))
}

fn as_form(fields: &[&str]) -> Option<Value> {
    let text = json!({ "type": "string" });
    let properties: Map<String, Value> = fields
        .iter()
        .map(|name| ((*name).to_owned(), text.clone()))
        .collect();
    let schema = json!({ "type": "object", "properties": properties });
    Some(json!({ "application/x-www-form-urlencoded": { "schema": schema } }))
}

fn as_text(media_type: &str) -> Option<Value> {
    let content = BTreeMap::from([(media_type, json!({ "schema": { "type": "string" } }))]);
    Some(json!(content))
}
