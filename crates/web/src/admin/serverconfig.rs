//! `GET /api/admin/serverconfig`: the settings in the shape existing admin tools read.

use axum::Json;
use axum::extract::State;
use media::transcoder::Encoder;
use model::product;
use model::settings::Layers;
use model::settings::TABLE;
use model::settings::table::video::{FFMPEG_PATH, OUTPUT_VARIANTS};
use model::settings::table::{STREAM_KEYS, page};
use serde_json::{Map, Value, json};

use crate::state::App;

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
        "supportedCodecs": supported_codecs(&app),
        "instanceDetails": { "logo": "logo", "version": product::VERSION },
    });
    for setting in TABLE {
        put(
            &mut document,
            setting.meta().pointer,
            layers.current(*setting).value.json.clone(),
        );
    }
    name_variants(&mut document, &layers);
    if layers.text(&page::SOCKET_HOST_OVERRIDE).is_empty()
        && let Some(document) = document.as_object_mut()
    {
        document.remove("socketHostOverride");
    }
    Json(document)
}

/// Encoders known to work here.
fn supported_codecs(app: &App) -> Vec<&'static str> {
    let settings = app.settings.now();
    let usable = app.live.measurements.usable(settings.text(&FFMPEG_PATH));
    usable.into_iter().map(Encoder::name).collect()
}

/// Fills in the names operators see where they gave none, derived from the rest.
fn name_variants(document: &mut Value, layers: &Layers) {
    let variants = layers.get(&OUTPUT_VARIANTS).iter();
    let named: Vec<Value> = variants
        .map(|variant| {
            let mut entry = json!(variant);
            entry["name"] = Value::from(variant.display_name());
            entry
        })
        .collect();
    put(document, OUTPUT_VARIANTS.meta.pointer, Value::from(named));
}

/// Sets `/a/b/c`, creating objects as needed.
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
