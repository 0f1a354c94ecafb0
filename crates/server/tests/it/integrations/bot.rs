//! A program with an access token.

use serde_json::{Value, json};
use server::testing::TestServer;

use crate::http::{Answer, Request, get, post, request};

pub(crate) const ALL_SCOPES: [&str; 3] = [
    "CAN_SEND_MESSAGES",
    "CAN_SEND_SYSTEM_MESSAGES",
    "HAS_ADMIN_ACCESS",
];

#[derive(Clone, Debug)]
pub(crate) struct Bot {
    pub(crate) id: String,
    pub(crate) secret: String,
}

impl Bot {
    pub(crate) async fn with(server: &TestServer, scopes: &[&str]) -> Self {
        let made = make(server, "Poll bot", scopes).await.json();
        Self {
            id: made["id"].as_str().unwrap().to_owned(),
            secret: made["accessToken"].as_str().unwrap().to_owned(),
        }
    }

    /// With all scopes.
    pub(crate) async fn mighty(server: &TestServer) -> Self {
        Self::with(server, &ALL_SCOPES).await
    }

    pub(crate) fn sign(&self, request: Request) -> Request {
        request.header("authorization", &format!("Bearer {}", self.secret))
    }

    pub(crate) async fn get(&self, server: &TestServer, path: &str) -> Answer {
        let path = format!("/api/integrations/{path}");
        self.sign(get(&path)).send(server).await
    }

    pub(crate) async fn post(&self, server: &TestServer, path: &str, body: &Value) -> Answer {
        let path = format!("/api/integrations/{path}");
        self.sign(post(&path, body)).send(server).await
    }

    pub(crate) async fn post_text(&self, server: &TestServer, path: &str, body: &str) -> Answer {
        let path = format!("/api/integrations/{path}");
        let request = request("POST", &path).raw_body(body);
        self.sign(request).send(server).await
    }

    pub(crate) async fn revoke(&self, server: &TestServer) -> Answer {
        admin(server, "accesstokens/delete", &json!({ "id": self.id })).await
    }
}

pub(crate) async fn make(server: &TestServer, name: &str, scopes: &[&str]) -> Answer {
    let body = json!({ "name": name, "scopes": scopes });
    admin(server, "accesstokens/create", &body).await
}

pub(crate) async fn admin(server: &TestServer, path: &str, body: &Value) -> Answer {
    let path = format!("/api/admin/{path}");
    post(&path, body).by_admin().send(server).await
}

pub(crate) async fn admin_list(server: &TestServer, path: &str) -> Value {
    let path = format!("/api/admin/{path}");
    get(&path).by_admin().send(server).await.json()
}
