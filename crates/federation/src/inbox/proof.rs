//! Who signed a request, and whether what it says is theirs to say: checks 11 to 15 of `docs/federation-cases.md`.

use outbound::FetchBudget;
use store::StoreError;
use store::federation::{FollowerState, InboxEntry};

use super::envelope;
use crate::blocks::blocks;
use crate::handle::FederationShared;
use crate::keys::KeyError;
use crate::names::Names;
use crate::signature::KeyId;
use crate::signature::{CheckedSignature, SignedRequest, verify};
use crate::wire::{ActivityKind, ReceivedActivity, authority_of, id_of};

/// Where servers that do not keep it in the actor's document keep an actor's key, below the actor.
const KEY_PATHS: [&str; 2] = ["/main-key", "/publickey"];

/// Why the author is not proven.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProofError {
    /// The request is dropped.
    #[error("{0}")]
    Never(&'static str),
    /// The key cannot be fetched for now.
    #[error("the key is not available right now: {0}")]
    NotNow(KeyError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Finds the actor whose activity this is.
pub(super) async fn find_author(
    shared: &FederationShared,
    entry: &InboxEntry,
    activity: &ReceivedActivity,
    budget: &FetchBudget,
) -> Result<String, ProofError> {
    let signer = match &entry.request.verified_owner {
        Some(owner) => KeyHolder::Present(owner.clone()),
        None => find_signer(shared, entry, activity, budget).await?,
    };
    let (KeyHolder::Present(author) | KeyHolder::Departed(author)) = signer.clone();
    let host = authority_of(&author);
    let Some(host) = host else {
        return Err(ProofError::Never("the signer has no host"));
    };
    if blocks(&shared.settings.now(), &host) {
        return Err(ProofError::Never("the signer's server is blocked"));
    }
    let known = shared.tables.follower(&author).await?;
    if known.is_some_and(|known| known.state == FollowerState::Blocked) {
        return Err(ProofError::Never("the signer is blocked"));
    }
    // Servers may forward activities of others; we believe only what an actor says about itself.
    if activity.actor.as_deref() != Some(&author) {
        return Err(ProofError::Never(
            "it was signed by somebody other than its actor",
        ));
    }
    match (&activity.id, activity.kind) {
        (Some(id), _) if authority_of(id).as_ref() != Some(&host) => {
            Err(ProofError::Never("its id is on another server"))
        }
        (None, kind) if !kind.is_some_and(ActivityKind::may_be_nameless) => {
            Err(ProofError::Never("it has no id"))
        }
        _ => {
            if let KeyHolder::Present(_) = signer {
                // A sender that speaks is reachable: deliveries waiting for its server may go out.
                shared
                    .tables
                    .note_success(&host, shared.clock.now())
                    .await?;
            }
            Ok(author)
        }
    }
}

/// The owner of the key.
#[derive(Clone, Debug)]
enum KeyHolder {
    /// An existing actor.
    Present(String),
    /// A deleted actor, who announces the deletion.
    Departed(String),
}

async fn find_signer(
    shared: &FederationShared,
    entry: &InboxEntry,
    activity: &ReceivedActivity,
    budget: &FetchBudget,
) -> Result<KeyHolder, ProofError> {
    let checked = check_again(shared, entry)?;
    let key_id = checked.key_id();
    if blocks(&shared.settings.now(), key_id.host()) {
        return Err(ProofError::Never("the key's server is blocked"));
    }
    let before = budget.left();
    let found = match shared.keys.cached(key_id).await? {
        Some(known) if checked.verify(&known.key).is_ok() => {
            count(shared, key_id);
            return Ok(KeyHolder::Present(known.owner));
        }
        // The key may be an old one: it is fetched again, once.
        Some(_) => shared.keys.refresh(key_id, budget).await,
        None => shared.keys.resolve(key_id, budget).await,
    };
    let is_good = matches!(&found, Ok(known) if checked.verify(&known.key).is_ok());
    if is_good || budget.left() < before {
        count(shared, key_id);
    }
    match found {
        Ok(known) if is_good => Ok(KeyHolder::Present(known.owner)),
        Ok(_) => Err(ProofError::Never("the signature does not match")),
        Err(KeyError::Store(error)) => Err(error.into()),
        Err(KeyError::Gone) => farewell(shared, activity, key_id, budget).await,
        Err(error) if error.is_passing() => Err(ProofError::NotNow(error)),
        Err(_) => Err(ProofError::Never(
            "there is no such key, or it is not believed",
        )),
    }
}

/// Repeats the checks of `intake.rs`: host and name may have changed since.
fn check_again(
    shared: &FederationShared,
    entry: &InboxEntry,
) -> Result<CheckedSignature, ProofError> {
    let names = Names::of(&shared.settings.now());
    let names = names.ok_or(ProofError::Never("the server has no address any more"))?;
    let headers = envelope::open(&entry.request.headers);
    let request = SignedRequest {
        method: "POST",
        target: &entry.request.target,
        headers: &headers,
        host: names.host(),
        base: names.base(),
    };
    let parsed = verify::parse(&request);
    let parsed = parsed.map_err(|_| ProofError::Never("the signature cannot be read any more"))?;
    parsed
        .check_without_key(entry.created_at, &entry.request.body)
        .map_err(|_| ProofError::Never("the signature is not of this body or time"))
}

/// Counts what a server has signed, or what was requested from it.
fn count(shared: &FederationShared, key_id: &KeyId) {
    let (settings, uptime) = (shared.settings.now(), shared.clock.uptime());
    shared.limits.count_host(key_id.host(), &settings, uptime);
}

/// A deleted actor (410) no longer has a key to sign its deletion with. The deletion is believed for the key's owner
/// only, and only if the owner is gone: a key can be gone alone.
async fn farewell(
    shared: &FederationShared,
    activity: &ReceivedActivity,
    key_id: &KeyId,
    budget: &FetchBudget,
) -> Result<KeyHolder, ProofError> {
    let gone = ProofError::Never("the key is gone");
    let is_delete = activity.kind == Some(ActivityKind::Delete);
    let Some(actor) = activity.actor.as_deref().filter(|_| is_delete) else {
        return Err(gone);
    };
    let key = key_id.document().as_str();
    let below = key.strip_prefix(actor);
    let is_own = below.is_some_and(|rest| rest.is_empty() || KEY_PATHS.contains(&rest));
    if !is_own || id_of(activity.object()) != Some(actor) {
        return Err(gone);
    }
    if key == actor {
        return Ok(KeyHolder::Departed(actor.to_owned()));
    }
    match shared
        .fetcher
        .named(actor, budget)
        .await
        .map_err(KeyError::from)
    {
        Err(KeyError::Gone) => Ok(KeyHolder::Departed(actor.to_owned())),
        Err(error) if error.is_passing() => Err(ProofError::NotNow(error)),
        _ => Err(gone),
    }
}
