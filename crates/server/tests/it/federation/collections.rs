//! Collections in pages of fifty.

use serde_json::{Value, json};

use super::stage::{ACTOR, ask, federated, follow, read};

// Case 14 of docs/federation-cases.md.
#[tokio::test]
async fn followers_are_listed_in_pages_of_fifty_newest_first() {
    let server = federated(&[]).await;
    let path = "/federation/user/live/followers";
    let id = format!("{ACTOR}/followers");
    let mut added = 0;
    for total in [0, 1, 50, 51, 101] {
        while added < total {
            added += 1;
            follow(&server, added).await;
        }
        let head = read(&server, path).await;
        assert_eq!(
            head,
            json!({ "@context": "https://www.w3.org/ns/activitystreams", "id": id, "type": "OrderedCollection",
                "totalItems": total, "first": format!("{id}?page=1") })
        );
        let pages = (total + 49) / 50;
        for number in 1..=pages.max(1) {
            let page = read(&server, &format!("{path}?page={number}")).await;
            let neighbour = |number: i64, exists: bool| match exists {
                true => json!(format!("{id}?page={number}")),
                false => Value::Null,
            };
            assert_eq!(page["id"], format!("{id}?page={number}"));
            assert_eq!(
                (&page["partOf"], &page["totalItems"]),
                (&json!(id), &json!(total))
            );
            assert_eq!(page["prev"], neighbour(number - 1, number > 1), "{total}");
            assert_eq!(
                page["next"],
                neighbour(number + 1, number < pages),
                "{total}"
            );
            let first = total - (number - 1) * 50;
            let last = (total - number * 50).max(0);
            let expected: Vec<String> = (last + 1..=first)
                .rev()
                .map(|number| format!("https://remote.example/users/u{number}"))
                .collect();
            assert_eq!(page["orderedItems"], json!(expected), "{total} {number}");
        }
    }
}

// Case 15 of docs/federation-cases.md.
#[tokio::test]
async fn only_pages_that_can_be_are_answered() {
    let server = federated(&[]).await;
    follow(&server, 1).await;
    for collection in ["outbox", "followers"] {
        let path = |page: &str| format!("/federation/user/live/{collection}?page={page}");
        for bad in ["0", "-1", "abc", "99999999999"] {
            assert_eq!(
                ask(&path(bad)).send(&server).await.status,
                400,
                "{collection} {bad}"
            );
        }
        let first = read(&server, &path("true")).await;
        assert_eq!(first, read(&server, &path("1")).await);
        assert_eq!(first["type"], "OrderedCollectionPage");
        let far = read(&server, &path("99")).await;
        assert_eq!(far["orderedItems"], json!([]));
        let head = read(&server, &format!("{}&other=1", path(""))).await;
        assert_eq!(head["type"], "OrderedCollection");
        let answer = ask(&path("1")).send(&server).await;
        assert_eq!(answer.header("cache-control"), "public, max-age=60");
    }
}
