//! Picks the handler for an activity.

use store::federation::EngagementKind;

use super::context::{HandlerResult, InboxContext, ignored};
use super::{answer, create, delete, engagement, follow, others, quote, stream, undo, update};
use crate::wire::ActivityKind;

pub(super) async fn handle(context: &InboxContext<'_>) -> HandlerResult {
    let Some(kind) = context.activity.kind else {
        return ignored("an activity of a kind we do not know");
    };
    match kind {
        ActivityKind::Follow => follow::handle(context).await,
        ActivityKind::Undo => undo::handle(context).await,
        ActivityKind::Like | ActivityKind::EmojiReact => {
            engagement::handle(context, EngagementKind::Like).await
        }
        ActivityKind::Announce => engagement::handle(context, EngagementKind::Repost).await,
        ActivityKind::Create => create::handle(context).await,
        ActivityKind::Update => update::handle(context).await,
        ActivityKind::Delete => delete::handle(context).await,
        ActivityKind::Accept => answer::accept(context).await,
        ActivityKind::Reject => answer::reject(context).await,
        ActivityKind::QuoteRequest => quote::handle(context).await,
        ActivityKind::Offer => stream::offer(context).await,
        ActivityKind::Leave => stream::leave(context).await,
        ActivityKind::Block => others::block(context).await,
        ActivityKind::Move => others::moved(context).await,
        ActivityKind::Flag => others::flag(context).await,
    }
}
