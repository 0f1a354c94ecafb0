//! What machines tell each other about people, sealed with the key that all of them have: addresses and what people write
//! are in it, and whoever may speak in NATS must not speak for anybody.

use serde::Serialize;
use serde::de::DeserializeOwned;
use store::Store;

/// Something as only machines with the same key can read it, and as nobody else can make it.
pub(super) fn seal(
    store: &Store,
    kind: &'static str,
    what: &impl Serialize,
) -> anyhow::Result<Vec<u8>> {
    let json = serde_json::to_vec(what)?;
    Ok(store.seal_message(kind, &json)?)
}

/// What another machine has sealed as this kind; `None` if none has, or if it is of another version.
pub(super) fn open<T: DeserializeOwned>(
    store: &Store,
    kind: &'static str,
    sealed: &[u8],
) -> Option<T> {
    let json = store.open_message(kind, sealed).ok()?;
    serde_json::from_slice(&json).ok()
}

#[cfg(test)]
mod tests {
    use store::DatabaseUrl;

    use super::*;

    async fn machine(folder: &std::path::Path, name: &str) -> Store {
        let database = DatabaseUrl::Sqlite(folder.join(name));
        let key = folder.join("secret.key");
        Store::open(&database, &key).await.unwrap()
    }

    #[tokio::test]
    async fn only_machines_with_the_same_key_can_speak_to_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let (one, two) = (
            machine(folder.path(), "one").await,
            machine(folder.path(), "two").await,
        );
        let stranger = machine(elsewhere.path(), "one").await;
        let said = seal(&one, "greeting", &"hello").unwrap();
        assert!(!said.windows(5).any(|part| part == b"hello"));
        assert_eq!(open(&two, "greeting", &said), Some("hello".to_owned()));
        assert_eq!(open::<String>(&two, "farewell", &said), None);
        assert_eq!(open::<String>(&stranger, "greeting", &said), None);
        assert_eq!(open::<String>(&two, "greeting", b"\"hello\""), None);
        assert_eq!(open::<u32>(&two, "greeting", &said), None);
    }
}
