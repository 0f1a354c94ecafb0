//! An admin password that is given outside the database, and overrides the stored one: what happens when another one is
//! given.

use model::Clock;
use store::{Store, StoreError};

/// The vault's name for the digest of the password given outside at the last start; empty when there was none.
const OUTSIDE_PASSWORD: &str = "outside_password";

/// Ends sessions that were opened under a different password, stored or set outside the database.
pub(crate) async fn end_sessions_of_another(
    store: &Store,
    outside: Option<&[u8; 32]>,
    clock: &dyn Clock,
) -> Result<(), StoreError> {
    let now = digest(outside);
    let before = store.secret(OUTSIDE_PASSWORD).await?.unwrap_or_default();
    if before != now {
        store.end_all_sessions().await?;
        store.put_secret(OUTSIDE_PASSWORD, now, clock.now()).await?;
    }
    Ok(())
}

/// Whether no other password was given to the server that started last, of all on this database. Otherwise that one has
/// ended the sessions of the password here, and further ones would outlast the restart that brings the new one. A server
/// that is given none, because it takes in streams only, says nothing about the others.
pub(crate) async fn is_of_all(
    store: &Store,
    outside: Option<&[u8; 32]>,
) -> Result<bool, StoreError> {
    let own = digest(outside);
    if !store.is_shared() || own.is_empty() {
        return Ok(true);
    }
    let newest = store.secret(OUTSIDE_PASSWORD).await?.unwrap_or_default();
    let is_of_all = newest.is_empty() || newest == own;
    if !is_of_all {
        model::stranger_line!(
            warn,
            "admin_password_apart",
            "another machine was started later with another admin password, so nobody can sign in with that of this one: \
             give all machines the same and restart those that have another one"
        );
    }
    Ok(is_of_all)
}

/// As it is stored.
fn digest(outside: Option<&[u8; 32]>) -> &[u8] {
    outside.map_or(&[], |digest| digest.as_slice())
}
