//! Rules that hold for every row of the route table.

use serde_json::json;
use web::{Access, Cors, RouteRow};

use crate::http::{Answer, request, set_up_server};

/// A concrete path for a row's pattern.
fn path_of(row: &RouteRow) -> String {
    row.path
        .replace("{*page}", "x")
        .replace("{*name}", "x")
        .replace("{*path}", "name")
}

fn rows(access: Access) -> Vec<RouteRow> {
    let rows: Vec<_> = web::routes::table()
        .into_iter()
        .filter(|row| row.access == access)
        .collect();
    assert!(!rows.is_empty());
    rows
}

#[tokio::test]
async fn an_admin_route_without_credentials_is_401_in_plain_text() {
    let server = set_up_server().await;
    for row in rows(Access::Admin) {
        for authorization in [
            "",
            "Basic YWRtaW46d3Jvbmc=x",
            "Basic !!!",
            "Bearer abc",
            "Basic YWRtaW4=",
        ] {
            let mut request = request(row.method.as_str(), &path_of(&row)).raw_body("{}");
            if !authorization.is_empty() {
                request = request.header("authorization", authorization);
            }
            let answer = request.send(&server).await;
            assert_eq!(
                (answer.status, answer.body.as_str()),
                (401, "Unauthorized\n"),
                "{row:?} {authorization}"
            );
            assert!(
                answer
                    .header("www-authenticate")
                    .starts_with("Basic realm="),
                "{row:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_browser_is_never_asked_to_open_its_own_password_dialog() {
    let server = set_up_server().await;
    for path in ["/admin/", "/api/admin/status"] {
        let answer = request("GET", path)
            .header("sec-fetch-mode", "cors")
            .send(&server)
            .await;
        assert_eq!(
            (answer.status, answer.header("www-authenticate")),
            (401, ""),
            "{path}"
        );
    }
}

#[tokio::test]
async fn an_admin_route_refuses_foreign_origins_before_it_looks_at_credentials() {
    let server = set_up_server().await;
    for access in [Access::Admin, Access::AdminAuth, Access::AdminPage] {
        for row in rows(access) {
            for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
                let request = request(row.method.as_str(), &path_of(&row))
                    .header("origin", origin)
                    .by_admin();
                let answer = request.send(&server).await;
                assert_eq!(answer.status, 403, "{row:?} {origin}");
                assert!(answer.body.starts_with("Forbidden"), "{}", answer.body);
            }
        }
    }
    let own = format!("http://{}", server.address());
    let answer = request("GET", "/api/admin/status")
        .header("origin", &own)
        .by_admin()
        .send(&server)
        .await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn admin_answers_carry_no_cors_header_and_public_ones_a_star_without_credentials() {
    let server = set_up_server().await;
    for row in web::routes::table() {
        let answer = request(row.method.as_str(), &path_of(&row))
            .send(&server)
            .await;
        let expected = match row.cors {
            Cors::Everybody => "*",
            Cors::SameOrigin => "",
        };
        assert_eq!(
            answer.header("access-control-allow-origin"),
            expected,
            "{row:?}"
        );
        assert_eq!(
            answer.header("access-control-allow-credentials"),
            "",
            "{row:?}"
        );
        assert_eq!(
            row.cors == Cors::Everybody,
            matches!(
                row.access,
                Access::Public
                    | Access::ChatUser
                    | Access::Moderator
                    | Access::Token(_)
                    | Access::AnyToken
            ),
            "{row:?}"
        );
    }
}

#[tokio::test]
async fn a_preflight_is_answered_for_public_routes_only() {
    let server = set_up_server().await;
    let preflight = async |path: &str| -> Answer {
        let request = request("OPTIONS", path).header("origin", "https://overlay.example");
        request
            .header("access-control-request-method", "GET")
            .send(&server)
            .await
    };
    let public = preflight("/api/status").await;
    assert_eq!(
        (public.status, public.header("access-control-allow-headers")),
        (204, "Authorization, Content-Type")
    );
    let admin = preflight("/api/admin/status").await;
    assert!(
        admin.status >= 400 && admin.header("access-control-allow-origin").is_empty(),
        "{admin:?}"
    );
}

#[tokio::test]
async fn a_body_over_its_limit_is_refused_with_413() {
    let server = set_up_server().await;
    let body = json!({ "value": "x".repeat(600 * 1024) }).to_string();
    let request = request("POST", "/api/admin/config/name")
        .by_admin()
        .raw_body(&body);
    let answer = request.send(&server).await;
    assert_eq!(answer.status, 413);
    assert_eq!(answer.json()["success"], json!(false));
}
