//! The filter chain that a chat line passes before anybody sees it.

use std::time::Duration;

use jiff::Timestamp;
use model::Clock;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::listener::{CHAT_MESSAGE, EventListener, FilterError, RunningPlugins, envelope};
use crate::host::wire::ChatMessage;

/// Limit (plugins): time for all filters together on one message; then it goes on without those that have not answered.
/// It is less than the chat waits, so that what earlier filters said counts. What a filter itself may take is the
/// engine's business.
pub const CHAIN_BUDGET: Duration = Duration::from_millis(200);

/// What is left of that to each filter that comes later: one that is not busy needs a fraction of it.
const LEFT_TO_LATER: Duration = Duration::from_millis(10);

/// Bytes of a filter's answer. A longer one counts as a failure.
pub const MAX_FILTER_OUTPUT: usize = 1024 * 1024;

/// The outcome for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Passed {
        /// The message as the last filter left it, as JSON text.
        payload: String,
        /// Whether any filter changed it.
        is_changed: bool,
    },
    Dropped {
        /// The plugin that dropped it.
        by: String,
        /// The reason; may be empty.
        reason: String,
    },
}

impl Judgement {
    /// The text of a message that filters changed; `None` if there is none, so that the original text counts.
    #[must_use]
    pub fn changed_body(&self) -> Option<String> {
        let Judgement::Passed {
            payload,
            is_changed: true,
        } = self
        else {
            return None;
        };
        let changed: ChangedMessage = serde_json::from_str(payload).ok()?;
        Some(changed.body)
    }
}

/// The relevant part of a message that a filter changed.
#[derive(Deserialize)]
struct ChangedMessage {
    body: String,
}

#[derive(Deserialize)]
struct RawVerdict<'a> {
    #[serde(default)]
    action: String,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(default)]
    reason: Option<String>,
}

enum FilterVerdict {
    Pass,
    Modify(String),
    Drop(String),
}

/// The filters of all loaded plugins, in order.
#[derive(Debug)]
pub struct FilterChain<'a> {
    plugins: &'a dyn RunningPlugins,
    clock: &'a dyn Clock,
    slugs: Vec<&'a str>,
}

impl<'a> FilterChain<'a> {
    /// The filtering plugins: lower priorities first, then by slug.
    #[must_use]
    pub fn new(
        plugins: &'a dyn RunningPlugins,
        listeners: &'a [EventListener],
        clock: &'a dyn Clock,
    ) -> Self {
        let filters = listeners
            .iter()
            .filter_map(|one| Some((one.filter_priority()?, &*one.slug)));
        let mut filters: Vec<_> = filters.collect();
        filters.sort_unstable();
        Self {
            plugins,
            clock,
            slugs: filters.into_iter().map(|(_, slug)| slug).collect(),
        }
    }

    /// Whether there are no filters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slugs.is_empty()
    }

    /// Runs a line through the filters one after the other. A failing filter is skipped.
    pub async fn judge(&self, message: &ChatMessage) -> Judgement {
        let payload = serde_json::to_string(message).unwrap_or_default();
        self.judge_text(payload).await
    }

    /// Like [`FilterChain::judge`], with the message as JSON text.
    pub async fn judge_text(&self, mut payload: String) -> Judgement {
        let end = self.clock.now() + CHAIN_BUDGET;
        let mut is_changed = false;
        let share = CHAIN_BUDGET / u32::try_from(self.slugs.len()).unwrap_or(u32::MAX).max(1);
        let share = share.min(LEFT_TO_LATER);
        for (place, slug) in self.slugs.iter().enumerate() {
            let later = u32::try_from(self.slugs.len() - place - 1).unwrap_or(u32::MAX);
            let until = end - share.saturating_mul(later);
            if self.clock.now() >= until {
                metrics::counter!("rillcast_plugin_filters_left_out_total").increment(1);
                self.plugins.left_out(slug);
                continue;
            }
            match self.ask(slug, &payload, until).await {
                FilterVerdict::Pass => {}
                FilterVerdict::Modify(changed) => {
                    payload = changed;
                    is_changed = true;
                }
                FilterVerdict::Drop(reason) => {
                    let by = (*slug).to_owned();
                    return Judgement::Dropped { by, reason };
                }
            }
        }
        Judgement::Passed {
            payload,
            is_changed,
        }
    }

    /// A filter that is late, or whose plugin is busy for too long, is left out: the line goes on without it.
    async fn ask(&self, slug: &str, payload: &str, until: Timestamp) -> FilterVerdict {
        let Some(envelope) = envelope(CHAT_MESSAGE, payload) else {
            return FilterVerdict::Pass;
        };
        let budget = until.duration_since(self.clock.now()).unsigned_abs();
        let asked = tokio::select! {
            biased;
            answer = self.plugins.filter(slug, &envelope, budget) => answer,
            () = self.clock.sleep_until(until) => Err(FilterError::Late),
        };
        let answer = match asked {
            Ok(answer) => said(&answer),
            Err(FilterError::Gone) => return FilterVerdict::Pass,
            Err(FilterError::Busy | FilterError::Late) => {
                self.plugins.left_out(slug);
                return FilterVerdict::Pass;
            }
            Err(FilterError::Failed(why)) => Err(why),
        };
        match answer {
            Ok(said) => said,
            Err(why) => {
                model::stranger_line!(
                    warn, "plugin_filter", about slug, plugin = slug, why,
                    "a filter failed, the message goes on without it"
                );
                FilterVerdict::Pass
            }
        }
    }
}

/// Validates a filter's answer and returns a remark about it, if any; an error counts against the filter.
pub(crate) fn check_verdict(answer: &str) -> Result<Option<String>, String> {
    said(answer)?;
    let remarked: VerdictRemarks = serde_json::from_str(answer).unwrap_or_default();
    let unknown = !matches!(&*remarked.action, "" | "pass" | "modify" | "drop");
    let unknown = unknown.then(|| {
        let action: String = remarked.action.chars().take(100).collect();
        format!("its filter returned the unknown verdict {action:?}, treated as pass")
    });
    Ok(remarked.warning.or(unknown))
}

/// The SDK's remark about a result that is not a verdict and counts as a pass.
#[derive(Default, Deserialize)]
#[serde(default)]
struct VerdictRemarks {
    action: String,
    warning: Option<String>,
}

fn said(answer: &str) -> Result<FilterVerdict, String> {
    if answer.len() > MAX_FILTER_OUTPUT {
        return Err(format!(
            "the answer has {} bytes, {MAX_FILTER_OUTPUT} are allowed",
            answer.len()
        ));
    }
    let verdict: RawVerdict<'_> = serde_json::from_str(answer)
        .map_err(|error| format!("the answer cannot be read: {error}"))?;
    match verdict.action.as_str() {
        "drop" => Ok(FilterVerdict::Drop(verdict.reason.unwrap_or_default())),
        "modify" => modified(verdict.payload).map(FilterVerdict::Modify),
        _ => Ok(FilterVerdict::Pass),
    }
}

/// A message without a text is rejected: it would undo the changes of earlier filters and publish the original text.
fn modified(payload: Option<&RawValue>) -> Result<String, String> {
    let payload = payload.map(RawValue::get).unwrap_or_default();
    if !payload.starts_with('{') {
        return Err("a changed message must be an object".into());
    }
    match serde_json::from_str::<ChangedMessage>(payload) {
        Ok(changed) if model::chat::is_too_long(&changed.body) => Err(format!(
            "a changed message may have {} characters",
            model::chat::MAX_LINE_CHARS
        )),
        Ok(_) => Ok(payload.to_owned()),
        Err(_) => Err("a changed message must have a text as its body".into()),
    }
}

#[cfg(test)]
mod tests;
