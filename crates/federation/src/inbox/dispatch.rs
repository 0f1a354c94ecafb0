//! Which handler an activity goes to.

use store::federation::EngagementKind;

use super::case::{Case, Handled, ignored};
use super::{answer, create, delete, engagement, follow, others, quote, stream, undo, update};
use crate::wire::Kind;

pub(super) async fn handle(case: &Case<'_>) -> Handled {
    let Some(kind) = case.activity.kind else {
        return ignored("an activity of a kind we do not know");
    };
    match kind {
        Kind::Follow => follow::handle(case).await,
        Kind::Undo => undo::handle(case).await,
        Kind::Like | Kind::EmojiReact => engagement::handle(case, EngagementKind::Like).await,
        Kind::Announce => engagement::handle(case, EngagementKind::Repost).await,
        Kind::Create => create::handle(case).await,
        Kind::Update => update::handle(case).await,
        Kind::Delete => delete::handle(case).await,
        Kind::Accept => answer::accept(case).await,
        Kind::Reject => answer::reject(case).await,
        Kind::QuoteRequest => quote::handle(case).await,
        Kind::Offer => stream::offer(case).await,
        Kind::Leave => stream::leave(case).await,
        Kind::Block => others::block(case).await,
        Kind::Move => others::moved(case).await,
        Kind::Flag => others::flag(case).await,
    }
}
