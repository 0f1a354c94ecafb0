//! Collections: the head with the total, and pages of fifty.

use serde_json::{Map, Value, json};

use super::context;

/// Members on a page.
pub const PAGE_SIZE: u32 = 50;

/// The part of a collection that is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionPart {
    Head,
    /// A page, counted from 1.
    Page(u32),
}

impl CollectionPart {
    /// Reads the query parameter `page`; `None` if it cannot be a page.
    pub fn parse(page: Option<&str>) -> Option<Self> {
        match page {
            None | Some("") => Some(CollectionPart::Head),
            Some("true") => Some(CollectionPart::Page(1)),
            Some(number) => match number.parse() {
                Ok(0) | Err(_) => None,
                Ok(number) => Some(CollectionPart::Page(number)),
            },
        }
    }
}

/// What a stranger may learn about the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// All of them, page by page.
    Listed,
    /// Only how many there are.
    Hidden,
}

/// The collection itself.
pub fn head(id: &str, total: u64, members: Members) -> Value {
    let mut document = json!({
        "@context": context::plain(),
        "id": id,
        "type": "OrderedCollection",
        "totalItems": total,
    });
    if members == Members::Listed {
        document["first"] = json!(page_id(id, 1));
    }
    document
}

/// A page of IRIs.
pub fn names_page(id: &str, page: u32, total: u64, names: &[String]) -> Value {
    let items = names.iter().map(|name| json!(name)).collect();
    Value::Object(page_body(id, page, total, items, context::plain()))
}

/// A page of posts as they were sent. Their contexts are all the same and move up to the page.
pub fn posts_page(id: &str, page: u32, total: u64, posts: Vec<Value>) -> Value {
    let posts = posts.into_iter().map(|mut post| {
        if let Some(post) = post.as_object_mut() {
            post.remove("@context");
        }
        post
    });
    Value::Object(page_body(id, page, total, posts.collect(), context::note()))
}

fn page_body(
    id: &str,
    page: u32,
    total: u64,
    items: Vec<Value>,
    context: Value,
) -> Map<String, Value> {
    let has_next = u64::from(page) * u64::from(PAGE_SIZE) < total;
    super::object([
        ("@context", Some(context)),
        ("id", Some(json!(page_id(id, page)))),
        ("type", Some(json!("OrderedCollectionPage"))),
        ("partOf", Some(json!(id))),
        ("totalItems", Some(json!(total))),
        ("prev", (page > 1).then(|| json!(page_id(id, page - 1)))),
        ("next", has_next.then(|| json!(page_id(id, page + 1)))),
        ("orderedItems", Some(Value::Array(items))),
    ])
}

fn page_id(id: &str, page: u32) -> String {
    format!("{id}?page={page}")
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case 14 of docs/federation-cases.md.
    #[test]
    fn pages_know_their_neighbours() {
        let page = |total, page| {
            let page = names_page("https://x.example/f", page, total, &[]);
            let to = |name: &str| {
                page[name]
                    .as_str()
                    .unwrap_or("")
                    .replace("https://x.example/f?page=", "")
            };
            (to("prev"), to("next"))
        };
        let pair = |prev: &str, next: &str| (prev.to_owned(), next.to_owned());
        assert_eq!(page(0, 1), pair("", ""));
        assert_eq!(page(1, 1), pair("", ""));
        assert_eq!(page(50, 1), pair("", ""));
        assert_eq!(page(51, 1), pair("", "2"));
        assert_eq!(page(51, 2), pair("1", ""));
        assert_eq!(page(101, 2), pair("1", "3"));
        assert_eq!(page(101, 3), pair("2", ""));
        assert_eq!(page(101, u32::MAX), pair(&(u32::MAX - 1).to_string(), ""));
    }

    // Case 15 of docs/federation-cases.md.
    #[test]
    fn only_whole_numbers_from_one_on_are_pages() {
        assert_eq!(CollectionPart::parse(None), Some(CollectionPart::Head));
        assert_eq!(CollectionPart::parse(Some("")), Some(CollectionPart::Head));
        assert_eq!(
            CollectionPart::parse(Some("true")),
            Some(CollectionPart::Page(1))
        );
        assert_eq!(
            CollectionPart::parse(Some("99")),
            Some(CollectionPart::Page(99))
        );
        for bad in ["0", "-1", "abc", "1.5", "99999999999", " 1"] {
            assert_eq!(CollectionPart::parse(Some(bad)), None, "{bad}");
        }
    }

    #[test]
    fn members_can_be_counted_without_being_listed() {
        assert_eq!(head("i", 3, Members::Hidden)["first"], Value::Null);
        let listed = head("i", 3, Members::Listed);
        assert_eq!(
            (&listed["totalItems"], &listed["first"]),
            (&json!(3), &json!("i?page=1"))
        );
    }
}
