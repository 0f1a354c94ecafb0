//! Expectations after all steps. Omitted keys are not checked; an empty list must be empty.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use plugins::host::mock::RecordedCalls;
use plugins::manifest::ChatCommand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::differ;
use super::matching::{fits, shown};

/// The key under which tests find the buttons a plugin put up.
const BUTTONS: &str = "service.actions";

/// A granted session: the user, and the lifetime in seconds.
pub(super) type SessionGrant = (String, u64);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Expect {
    chat_sends: Option<Vec<String>>,
    chat_actions: Option<Vec<String>>,
    chat_systems: Option<Vec<String>>,
    chat_to: Option<Vec<Value>>,
    deleted_messages: Option<Vec<String>>,
    #[serde(rename = "bannedIPs")]
    banned_ips: Option<Vec<String>>,
    discord_posts: Option<Vec<String>>,
    fediverse_outbox: Option<Vec<String>>,
    kicked_clients: Option<Vec<u64>>,
    browser_pushes: Option<Vec<Value>>,
    fediverse_posts: Option<Vec<Value>>,
    user_moderations: Option<Vec<Value>>,
    user_registrations: Option<Vec<Value>>,
    session_grants: Option<Vec<Value>>,
    session_clears: Option<u64>,
    uploads: Option<Vec<ExpectedUpload>>,
    video_config_writes: Option<Vec<Value>>,
    emits: Option<Vec<Value>>,
    sse_sends: Option<Vec<Value>>,
    http_requests: Option<Vec<Value>>,
    logs: Option<Vec<Value>>,
    commands: Option<Vec<Value>>,
    kv: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExpectedUpload {
    name: String,
    #[serde(default)]
    body: String,
    body_base64: Option<String>,
}

/// What happened: the mock server's records and everything else observed.
pub(super) struct ObservedEffects<'a> {
    pub(super) recorded: &'a RecordedCalls,
    pub(super) grants: &'a [SessionGrant],
    pub(super) clears: u64,
    pub(super) commands: &'a [ChatCommand],
}

impl Expect {
    /// Everything that differs from the expectations.
    pub(super) fn check(&self, observed: &ObservedEffects<'_>) -> Vec<String> {
        let mut failures = Failures::default();
        let all = observed.recorded;
        failures.equal("chatSends", self.chat_sends.as_ref(), &all.chat_sends);
        failures.equal("chatActions", self.chat_actions.as_ref(), &all.chat_actions);
        failures.equal("chatSystems", self.chat_systems.as_ref(), &all.chat_systems);
        let deleted = self.deleted_messages.as_ref();
        failures.equal("deletedMessages", deleted, &all.deleted_messages);
        failures.equal("bannedIPs", self.banned_ips.as_ref(), &all.banned_ips);
        failures.equal(
            "discordPosts",
            self.discord_posts.as_ref(),
            &all.discord_posts,
        );
        let outbox = self.fediverse_outbox.as_ref();
        failures.equal("fediverseOutbox", outbox, &all.fediverse_outbox);
        failures.equal(
            "kickedClients",
            self.kicked_clients.as_ref(),
            &all.kicked_clients,
        );
        let writes = self.video_config_writes.as_ref();
        failures.equal("videoConfigWrites", writes, &all.video_config_writes);

        let whispers = complete(self.chat_to.as_ref(), &json!({"clientId": 0, "text": ""}));
        failures.list(
            "chatTo",
            whispers.as_ref(),
            &all.chat_to,
            |(client, text)| json!({"clientId": client, "text": text}),
        );
        let pushes = complete(
            self.browser_pushes.as_ref(),
            &json!({"title": "", "body": "", "url": ""}),
        );
        failures.list(
            "browserPushes",
            pushes.as_ref(),
            &all.browser_pushes,
            |push| json!({"title": push.title, "body": push.body, "url": push.url}),
        );
        let posts = complete(
            self.fediverse_posts.as_ref(),
            &json!({"type": "", "body": "", "image": "", "link": ""}),
        );
        failures.list("fediversePosts", posts.as_ref(), &all.fediverse_posts, |post| {
            json!({"type": post.kind, "body": post.body, "image": post.image, "link": post.link})
        });
        let moderations = complete(
            self.user_moderations.as_ref(),
            &json!({"userId": "", "enabled": false, "reason": ""}),
        );
        failures.list(
            "userModerations",
            moderations.as_ref(),
            &all.user_moderations,
            |one| json!({"userId": one.0, "enabled": one.1, "reason": one.2}),
        );
        let people = complete(self.user_registrations.as_ref(), &json!({"authId": ""}));
        failures.list(
            "userRegistrations",
            people.as_ref(),
            &all.user_registrations,
            |who| {
                json!({
                    "authId": who.auth_id,
                    "displayName": who.display_name.as_deref().unwrap_or_default(),
                    "scopes": who.scopes.as_deref().unwrap_or_default(),
                    "profileUrl": who.profile_url.as_deref().unwrap_or_default(),
                    "handle": who.handle.as_deref().unwrap_or_default(),
                    "public": who.public.unwrap_or_default(),
                })
            },
        );
        let grants = complete(self.session_grants.as_ref(), &json!({"userId": ""}));
        let grants = grants.map(|grants| without_zero(&grants, "ttl"));
        failures.list(
            "sessionGrants",
            grants.as_ref(),
            observed.grants,
            |(user, ttl)| json!({"userId": user, "ttl": ttl}),
        );
        if let Some(clears) = self.session_clears.filter(|clears| *clears != 0) {
            failures.equal("sessionClears", Some(&clears), &observed.clears);
        }
        let emits = complete(self.emits.as_ref(), &json!({"eventType": ""}));
        failures.list("emits", emits.as_ref(), &all.emits, |event| {
            let payload: Value = serde_json::from_str(&event.payload).unwrap_or_default();
            json!({"eventType": event.event_type, "payload": payload})
        });
        let frames = complete(self.sse_sends.as_ref(), &json!({"channel": ""}));
        let frames = frames.map(|frames| without_empty(&frames));
        failures.list(
            "sseSends",
            frames.as_ref(),
            &all.sse_sends,
            |(channel, event, data)| json!({"channel": channel, "event": event, "data": data}),
        );
        let requests = complete(self.http_requests.as_ref(), &json!({"url": ""}));
        failures.list(
            "httpRequests",
            requests.as_ref(),
            &all.http_requests,
            |asked| {
                let body = String::from_utf8_lossy(&asked.body);
                json!({"url": asked.written, "method": asked.method.as_str(), "body": body})
            },
        );
        let lines = complete(
            self.logs.as_ref(),
            &json!({"plugin": "", "level": "", "message": ""}),
        );
        failures.list("logs", lines.as_ref(), &all.logs, |(plugin, level, message)| {
            json!({"plugin": plugin, "level": level.as_str(), "message": message})
        });
        self.check_uploads(all, &mut failures);
        self.check_commands(observed.commands, &mut failures);
        self.check_kv(all, &mut failures);
        for url in &all.unanswered {
            failures.0.push(format!(
                "nobody answered the request to {url}: add it to given.httpResponses"
            ));
        }
        failures.0
    }

    fn check_uploads(&self, all: &RecordedCalls, failures: &mut Failures) {
        let Some(wanted) = &self.uploads else { return };
        let fits = wanted.len() == all.uploads.len()
            && wanted
                .iter()
                .zip(&all.uploads)
                .all(|(wanted, (name, bytes))| {
                    let body = wanted.body.is_empty() || wanted.body.as_bytes() == bytes;
                    let base64 = wanted.body_base64.as_ref().is_none_or(|text| {
                        let text = text.trim_end_matches('=');
                        BASE64_STANDARD_NO_PAD.decode(text).as_ref() == Ok(bytes)
                    });
                    wanted.name == *name && body && base64
                });
        if !fits {
            let got = all.uploads.iter().map(
                |(name, bytes)| json!({"name": name, "bodyBase64": BASE64_STANDARD.encode(bytes)}),
            );
            failures.differ("uploads", wanted, &got.collect::<Vec<_>>());
        }
    }

    fn check_commands(&self, commands: &[ChatCommand], failures: &mut Failures) {
        if self.commands.as_ref().is_some_and(Vec::is_empty) && !commands.is_empty() {
            let names: Vec<&String> = commands.iter().map(|command| &command.name).collect();
            failures.differ("commands", &json!([]), &names);
        }
        for wanted in self.commands.iter().flatten() {
            let name = wanted
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let Some(got) = commands.iter().find(|command| command.name == name) else {
                failures
                    .0
                    .push(format!("commands: there is no command {name:?}"));
                continue;
            };
            let mut whole = json!({"modOnly": false, "caseSensitive": false, "cooldownMs": 0});
            if let (Some(whole), Some(wanted)) = (whole.as_object_mut(), wanted.as_object()) {
                whole.extend(wanted.clone());
            }
            let got = json!({
                "name": got.name, "prefix": got.prefix, "description": got.description,
                "usage": got.usage, "aliases": got.aliases, "modOnly": got.mod_only,
                "caseSensitive": got.case_sensitive, "cooldownMs": got.cooldown_ms,
            });
            if !fits(&whole, &got) {
                failures.differ("commands", &whole, &got);
            }
        }
    }

    fn check_kv(&self, all: &RecordedCalls, failures: &mut Failures) {
        for (key, wanted) in self.kv.iter().flatten() {
            let buttons = (key == BUTTONS && !all.actions.is_empty()).then(|| shown(&all.actions));
            let got = buttons.as_ref().or(all.kv.get(key));
            let got = got.map_or("", String::as_str);
            if got != wanted {
                failures.differ(&format!("kv.{key}"), wanted, &got);
            }
        }
    }
}

/// Fills omitted members with their defaults.
fn complete(list: Option<&Vec<Value>>, usual: &Value) -> Option<Vec<Value>> {
    let whole = list?.iter().map(|one| {
        let mut whole = usual.clone();
        match (whole.as_object_mut(), one.as_object()) {
            (Some(members), Some(given)) => members.extend(given.clone()),
            // Not an object, so it matches nothing.
            _ => whole = one.clone(),
        }
        whole
    });
    Some(whole.collect())
}

/// Removes members that are zero.
fn without_zero(list: &[Value], key: &str) -> Vec<Value> {
    let mut list = list.to_vec();
    for one in &mut list {
        if let Some(object) = one.as_object_mut()
            && object.get(key).is_some_and(|value| *value == 0)
        {
            object.remove(key);
        }
    }
    list
}

fn without_empty(list: &[Value]) -> Vec<Value> {
    let mut list = list.to_vec();
    for one in &mut list {
        if let Some(object) = one.as_object_mut() {
            object.retain(|key, value| key == "channel" || *value != "");
        }
    }
    list
}

#[derive(Default)]
struct Failures(Vec<String>);

impl Failures {
    fn equal<T: PartialEq + Serialize>(&mut self, name: &str, wanted: Option<&T>, got: &T) {
        if let Some(wanted) = wanted
            && wanted != got
        {
            self.differ(name, wanted, got);
        }
    }

    /// Same length, same order, and each item as expected.
    fn list<T>(
        &mut self,
        name: &str,
        wanted: Option<&Vec<Value>>,
        got: &[T],
        show: impl Fn(&T) -> Value,
    ) {
        let Some(wanted) = wanted else { return };
        let got: Vec<Value> = got.iter().map(show).collect();
        let all_fit = wanted.len() == got.len()
            && wanted.iter().zip(&got).all(|(one, other)| fits(one, other));
        if !all_fit {
            self.differ(name, wanted, &got);
        }
    }

    fn differ<W: Serialize, G: Serialize>(&mut self, name: &str, wanted: &W, got: &G) {
        let (wanted, got) = (json!(wanted), json!(got));
        self.0.push(differ::values(name, &wanted, &got, fits));
    }
}
