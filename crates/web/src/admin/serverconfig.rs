//! `GET /api/admin/serverconfig`: the settings in the shape existing admin tools read.

use axum::Json;
use axum::extract::State;
use model::product;
use model::settings::TABLE;
use model::settings::table::STREAM_KEYS;
use serde_json::{Map, Value, json};

use crate::app::App;

/// Shown instead of the password's hash, which is nobody's business.
const MASK: &str = "••••••••";

pub(crate) async fn get(State(app): State<App>) -> Json<Value> {
    let layers = app.settings.now();
    let mut document = json!({
        "adminPassword": MASK,
        "webServerIP": app.facts.http.ip().to_string(),
        "webServerPort": app.facts.http.port(),
        "rtmpServerAddress": app.facts.rtmp.ip().to_string(),
        "rtmpServerPort": app.facts.rtmp.port(),
        "streamKeyOverridden": layers.current(&STREAM_KEYS).source.is_outside(),
        "chatDisabled": true,
        "videoSettings": { "videoQualityVariants": [super::stream::pass_through()] },
        "instanceDetails": { "logo": "logo", "version": product::VERSION },
    });
    for setting in TABLE {
        put(
            &mut document,
            setting.meta().pointer,
            layers.current(*setting).value.json.clone(),
        );
    }
    Json(document)
}

/// Sets `/a/b/c`, making the objects on the way.
fn put(document: &mut Value, pointer: &str, value: Value) {
    let mut place = document;
    for part in pointer.trim_start_matches('/').split('/') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[part];
    }
    *place = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_make_the_objects_they_need() {
        let mut document = json!({ "a": { "x": 1 } });
        put(&mut document, "/a/b/c", json!(2));
        put(&mut document, "/d", json!(true));
        assert_eq!(
            document,
            json!({ "a": { "x": 1, "b": { "c": 2 } }, "d": true })
        );
    }
}
