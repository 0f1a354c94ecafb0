//! Commands in chat lines.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::value::RawValue;

use super::listener::{EventDelivery, EventListener};
use crate::host::wire::{ChatMessage, MODERATOR};
use crate::manifest::ChatCommand;

/// Cooldowns remembered at once, of all plugins. When there is no room for one more, the one that ends first is forgotten,
/// and its user may use that command again too early.
pub const MAX_COOLDOWNS: usize = 20_000;

/// Cooldowns that are over are thrown out this often, counted in the time of messages.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// Finds commands in lines, and remembers their last uses.
#[derive(Debug, Default)]
pub struct Commands {
    until: HashMap<CommandUse, Timestamp>,
    swept: Option<Timestamp>,
}

/// A plugin's command and the user who used it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CommandUse {
    slug: Arc<str>,
    command: String,
    who: String,
}

/// A command as typed.
#[derive(Debug, PartialEq, Eq)]
struct TypedCommand<'a> {
    command: &'a ChatCommand,
    invoked_as: &'a str,
    rest: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommandPayload<'a> {
    message: &'a RawValue,
    command: &'a str,
    invoked_as: &'a str,
    args: Vec<&'a str>,
    arg_string: &'a str,
}

impl Commands {
    /// The plugin command in a line, if there is one, its sender may use it, and its cooldown is over.
    pub fn find(
        &mut self,
        listener: &EventListener,
        message: &ChatMessage,
    ) -> Option<EventDelivery> {
        let typed = typed(listener.commands(), &message.body)?;
        if typed.command.mod_only && !is_moderator(message) {
            return None;
        }
        if typed.command.cooldown_ms > 0 {
            let usage = CommandUse {
                slug: Arc::clone(&listener.slug),
                command: typed.command.name.clone(),
                who: who(message),
            };
            // An unreadable timestamp is no reason to refuse.
            if let Ok(at) = message.timestamp.parse()
                && !self.begin(usage, at, typed.command.cooldown_ms)
            {
                return None;
            }
        }
        payload(&typed, message).and_then(|payload| EventDelivery::new("chat.command", &payload))
    }

    /// Starts a cooldown; `false` if the last one is not over.
    fn begin(&mut self, usage: CommandUse, at: Timestamp, cooldown_ms: u64) -> bool {
        self.sweep(at);
        if self.until.get(&usage).is_some_and(|until| at < *until) {
            return false;
        }
        if self.until.len() >= MAX_COOLDOWNS && !self.until.contains_key(&usage) {
            let first = self.until.iter().min_by_key(|(_, until)| **until);
            if let Some(first) = first.map(|(usage, _)| usage.clone()) {
                self.until.remove(&first);
            }
        }
        let wait = SignedDuration::from_millis(i64::try_from(cooldown_ms).unwrap_or(i64::MAX));
        let until = at.checked_add(wait).unwrap_or(Timestamp::MAX);
        self.until.insert(usage, until);
        true
    }

    fn sweep(&mut self, at: Timestamp) {
        let is_due = |swept: Timestamp| at.duration_since(swept).unsigned_abs() >= SWEEP_EVERY;
        if self.swept.is_none_or(is_due) {
            self.swept = Some(at);
            self.until.retain(|_, until| at < *until);
        }
    }
}

/// The first command that the line matches; names take precedence over aliases.
fn typed<'a>(commands: &'a [ChatCommand], body: &'a str) -> Option<TypedCommand<'a>> {
    let uses = |by: fn(&ChatCommand, &str) -> bool| {
        commands.iter().find_map(|command| {
            let line = body.strip_prefix(command.prefix.as_str())?.trim();
            let invoked_as = line.split_whitespace().next()?;
            let rest = line.strip_prefix(invoked_as)?.trim();
            by(command, invoked_as).then_some(TypedCommand {
                command,
                invoked_as,
                rest,
            })
        })
    };
    let by_name = |command: &ChatCommand, word: &str| is_same(command, &command.name, word);
    let by_alias = |command: &ChatCommand, word: &str| {
        let mut aliases = command.aliases.iter();
        aliases.any(|alias| is_same(command, alias, word))
    };
    uses(by_name).or_else(|| uses(by_alias))
}

fn is_same(command: &ChatCommand, name: &str, word: &str) -> bool {
    match command.case_sensitive {
        true => name == word,
        false => name.to_lowercase() == word.to_lowercase(),
    }
}

pub fn is_moderator(message: &ChatMessage) -> bool {
    let user = message.user.as_ref();
    user.is_some_and(|user| user.scopes.iter().any(|scope| scope == MODERATOR))
}

fn who(message: &ChatMessage) -> String {
    match (&message.user, message.client_id) {
        (Some(user), _) if !user.id.is_empty() => user.id.clone(),
        (_, Some(client)) if client != 0 => format!("client:{client}"),
        _ => "anonymous".into(),
    }
}

fn payload(typed: &TypedCommand<'_>, message: &ChatMessage) -> Option<String> {
    let message = serde_json::value::to_raw_value(message).ok()?;
    serde_json::to_string(&CommandPayload {
        message: &message,
        command: &typed.command.name,
        invoked_as: typed.invoked_as,
        args: typed.rest.split_whitespace().collect(),
        arg_string: typed.rest,
    })
    .ok()
}

#[cfg(test)]
mod tests;
