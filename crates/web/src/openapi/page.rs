//! The description as a page: no script, one inline style sheet, an anchor for everything.

mod example;
mod shape;

use serde_json::Value;

use self::example::curl;
use self::shape::{fields, kind, resolved, shape};
use crate::html::escaped;

/// The style sheet; the page's policy allows it by its hash.
pub(super) const STYLE: &str = include_str!("page/style.css");

/// The page for a document.
pub(super) fn render(document: &Value) -> String {
    let title = escaped(text(&document["info"]["title"]));
    let about = prose(text(&document["info"]["description"]));
    let version = escaped(text(&document["info"]["version"]));
    let groups = groups(document);
    let navigation: String = groups.iter().map(contents).collect();
    let operations: String = groups
        .iter()
        .map(|group| section(group, document))
        .collect();
    let shapes = shapes(document);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} API</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<a class=\"skip\" href=\"#operations\">Skip to the operations</a>\n\
         <h1>{title} API</h1>\n<p>{about}</p>\n\
         <p>Version {version}. For programs: <a href=\"/api/openapi.json\">openapi.json</a> (OpenAPI 3.1).</p>\n</header>\n\
         <nav aria-label=\"Operations\">\n{navigation}</nav>\n\
         <main id=\"operations\">\n{operations}{shapes}</main>\n</body>\n</html>\n"
    )
}

/// A group and its operations.
struct Group<'a> {
    name: &'a str,
    about: &'a str,
    operations: Vec<Operation<'a>>,
}

/// An operation and its position.
struct Operation<'a> {
    method: String,
    path: &'a str,
    says: &'a Value,
}

impl Operation<'_> {
    fn id(&self) -> &str {
        text(&self.says["operationId"])
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Escapes prose and renders text in backticks as `code`.
fn prose(text: &str) -> String {
    let mut html = String::new();
    for (index, piece) in text.split('`').enumerate() {
        let piece = escaped(piece);
        match index % 2 {
            0 => html.push_str(&piece),
            _ => html.push_str(&format!("<code>{piece}</code>")),
        }
    }
    html
}

fn groups(document: &Value) -> Vec<Group<'_>> {
    let tags = document["tags"].as_array().into_iter().flatten();
    let groups = tags.map(|tag| Group {
        name: text(&tag["name"]),
        about: text(&tag["description"]),
        operations: operations(document, &tag["name"]),
    });
    groups.collect()
}

fn operations<'a>(document: &'a Value, tag: &Value) -> Vec<Operation<'a>> {
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, says) in methods.as_object().into_iter().flatten() {
            if says["tags"][0] == *tag {
                let method = method.to_ascii_uppercase();
                found.push(Operation { method, path, says });
            }
        }
    }
    found
}

fn contents(group: &Group<'_>) -> String {
    let entries: String = group
        .operations
        .iter()
        .map(|operation| {
            let (id, method, path) = (operation.id(), &operation.method, escaped(operation.path));
            format!("<li><a href=\"#{id}\"><span class=\"method\">{method}</span> <code>{path}</code></a></li>\n")
        })
        .collect();
    format!(
        "<details><summary>{}</summary>\n<ul>\n{entries}</ul>\n</details>\n",
        escaped(group.name)
    )
}

fn section(group: &Group<'_>, document: &Value) -> String {
    let articles: String = group
        .operations
        .iter()
        .map(|operation| article(operation, document))
        .collect();
    format!(
        "<section>\n<h2>{}</h2>\n<p>{}</p>\n{articles}</section>\n",
        escaped(group.name),
        escaped(group.about)
    )
}

fn article(operation: &Operation<'_>, document: &Value) -> String {
    let (id, method, path, says) = (
        operation.id(),
        &operation.method,
        operation.path,
        operation.says,
    );
    let mut page = format!(
        "<article id=\"{id}\">\n<h3><span class=\"method\">{method}</span> <code>{}</code>\
         <a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to {method} {}\">#</a></h3>\n\
         <p>{}</p>\n<p class=\"who\">{}</p>\n",
        escaped(path),
        escaped(path),
        prose(text(&says["summary"])),
        prose(text(&says["description"])),
    );
    if let Some(parameters) = says["parameters"].as_array() {
        let entries: String = parameters.iter().map(parameter).collect();
        page.push_str(&format!("<h4>Parameters</h4>\n<dl>\n{entries}</dl>\n"));
    }
    let bodies = says["requestBody"]["content"].as_object();
    if let Some(body) = bodies.and_then(|bodies| bodies.values().next()) {
        let body = &body["schema"];
        page.push_str(&format!("<h4>Request</h4>\n{}\n", shape(body, document)));
    }
    let answers = says["responses"].as_object().into_iter().flatten();
    let answers: String = answers
        .map(|(status, answer)| answered(status, answer, document))
        .collect();
    page.push_str(&format!("<h4>Answers</h4>\n<dl>\n{answers}</dl>\n"));
    let line = escaped(&curl(method, path, says, document));
    page.push_str(&format!(
        "<h4>Example</h4>\n<pre tabindex=\"0\"><code>{line}</code></pre>\n</article>\n"
    ));
    page
}

fn parameter(parameter: &Value) -> String {
    let place = text(&parameter["in"]);
    format!(
        "<dt><code>{}</code> <span class=\"type\">{}, in the {place}</span></dt><dd><p>{}</p></dd>\n",
        escaped(text(&parameter["name"])),
        kind(&parameter["schema"]),
        prose(text(&parameter["description"])),
    )
}

fn answered(status: &str, answer: &Value, document: &Value) -> String {
    let answer = resolved(answer, document);
    let why = prose(text(&answer["description"]));
    let contents = answer["content"].as_object().into_iter().flatten();
    let bodies: String = contents
        .map(|(media_type, content)| match media_type.as_str() {
            "application/json" => format!("<p class=\"type\">{}</p>", kind(&content["schema"])),
            other => format!("<p class=\"type\">{}</p>", escaped(other)),
        })
        .collect();
    format!("<dt><code>{status}</code> {why}</dt><dd>{bodies}</dd>\n")
}

/// Every named shape.
fn shapes(document: &Value) -> String {
    let schemas = document["components"]["schemas"]
        .as_object()
        .into_iter()
        .flatten();
    let entries: String = schemas
        .map(|(name, schema)| {
            let name = escaped(name);
            format!(
                "<article id=\"shape-{name}\">\n<h3>{name}</h3>\n<p>{}</p>\n{}</article>\n",
                prose(text(&schema["description"])),
                fields(schema),
            )
        })
        .collect();
    format!(
        "<section>\n<h2>Shapes</h2>\n<p>What the documents above are made of.</p>\n{entries}</section>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use crate::routes::described;

    #[test]
    fn every_operation_and_every_shape_can_be_reached_by_its_anchor() {
        let document = document::make(&described());
        let page = render(&document);
        let mut links = 0;
        for link in page.split("href=\"#").skip(1) {
            let anchor = link.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
            links += 1;
        }
        assert!(links > 200, "{links}");
        assert!(!page.contains("<script") && !page.contains(" style="));
    }

    #[test]
    fn an_operation_shows_how_it_is_called() {
        let page = render(&document::make(&described()));
        for line in [
            "curl https://live.example.org/api/status",
            "curl -u admin https://live.example.org/api/admin/chat/held",
            "curl &#39;https://live.example.org/api/chat?accessToken=TOKEN&#39;",
        ] {
            assert!(page.contains(line), "{line}");
        }
    }
}
