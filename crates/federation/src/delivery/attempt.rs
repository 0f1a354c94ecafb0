//! One attempt at a delivery: whether it may be sent, with which keys, and what its answer says about them.

use store::federation::{ClaimedDelivery, DeliveryKind};

use super::DeliveryShared;
use super::request::{self, DeliveryReport};
use crate::blocks;
use crate::names::Names;
use crate::signature::SignatureScheme;

/// Signs and sends, unless nothing may be sent to this host, or another server may be sending.
pub(super) async fn attempt(shared: &DeliveryShared, claimed: &ClaimedDelivery) -> DeliveryReport {
    if is_shunned(shared, &claimed.host) {
        return DeliveryReport::shunned();
    }
    let signers = shared
        .account
        .signers(&claimed.host, claimed.signer.as_deref());
    match signers.await {
        Ok(Some(signers)) => {
            // The wait for the key may have been long, and a request cannot be taken back.
            if !shared.lease.is_valid(shared.clock.uptime()) {
                return DeliveryReport::of_ours("another server may be sending it");
            }
            let body = claimed.json.to_string().into();
            let known = claimed.scheme.map(SignatureScheme::from);
            let mut report = request::deliver(shared, &signers, &claimed.inbox, body, known).await;
            // Servers store a key per name: what they know of a former name's key says nothing about the present one.
            report.knows_new_key &= claimed.signer.is_none();
            // At once: the next delivery to this host is signed with the new key.
            if report.knows_new_key
                || (report.answer.is_taken() && tells_of_new_key(shared, claimed))
            {
                shared.account.handed_over(&claimed.host);
            }
            report
        }
        Ok(None) => DeliveryReport::of_ours("there is no public address to send it from"),
        Err(error) => {
            tracing::warn!(%error, "deliveries: there is no key to sign with");
            DeliveryReport::of_ours("there is no key to sign with")
        }
    }
}

/// Whether this delivery tells its host about the new key.
fn tells_of_new_key(shared: &DeliveryShared, claimed: &ClaimedDelivery) -> bool {
    let since = shared.account.handing_over_since(&claimed.host);
    claimed.kind == DeliveryKind::Update && since.is_some_and(|since| claimed.created_at >= since)
}

/// Servers blocked after something was queued for them, and ourselves under any name.
fn is_shunned(shared: &DeliveryShared, host: &str) -> bool {
    let settings = shared.settings.now();
    let is_own = Names::of(&settings).is_some_and(|names| names.host() == host);
    is_own || blocks::blocks(&settings, host)
}
