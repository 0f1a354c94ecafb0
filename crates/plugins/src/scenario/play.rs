//! One scenario, from an empty server to what it looks like in the end.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::expect::{Grant, Seen};
use super::file::{Asked, Scenario, Step, Verdict};
use super::matching::{fits, shown};
use super::{Project, Runner, http};
use crate::dispatch::{Commands, Delivery, Listener, agree};
use crate::engine::{CallError, CallKind, Engine, Instance, Limits, Registration, SilentLog, Spec};
use crate::host::mock::{Given, Mock};
use crate::host::wire::ChatMessage;
use crate::host::{Host, HostCalls, Occasion, Plugin, SessionChange};
use crate::manifest::Command;

/// The event that carries a line of chat.
const CHAT_MESSAGE: &str = "chat.message.received";

/// A plugin in one scenario.
pub(super) struct Player<'a> {
    engine: &'a Engine,
    project: &'a Project,
    spec: Spec,
    host: Arc<Host>,
    mock: Arc<Mock>,
    instance: Instance,
    listener: Listener,
    commands: Commands,
    grants: Vec<Grant>,
    clears: u64,
    /// What went wrong without being wrong: the server only logs it.
    notes: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Said {
    #[serde(default)]
    action: String,
    payload: Option<Value>,
    #[serde(default)]
    reason: Option<String>,
}

/// Plays a scenario; the failures, and what its author may want to know.
pub(super) async fn play(
    runner: &Runner,
    project: &Project,
    mut scenario: Scenario,
) -> (Vec<String>, Vec<String>) {
    let steps = scenario.take_steps();
    let given = std::mem::take(&mut scenario.given);
    let mut player = match Player::load(runner, project, given).await {
        Ok(player) => player,
        Err(why) => return (vec![why], vec![]),
    };
    let mut failures = Vec::new();
    for (place, step) in steps.into_iter().enumerate() {
        let place = format!("events[{place}]");
        match step {
            Ok(step) => failures.extend(player.step(&place, step).await),
            Err(why) => failures.push(format!("{place}: {why}")),
        }
    }
    failures.extend(scenario.expect.check(&Seen {
        recorded: &player.mock.recorded(),
        grants: &player.grants,
        clears: player.clears,
        commands: player.listener.commands(),
    }));
    player.host.close();
    // Most plugins write nothing, and then there is no such folder.
    tokio::fs::remove_dir_all(&runner.scratch).await.ok();
    (failures, player.notes)
}

impl<'a> Player<'a> {
    /// A fresh plugin on a fresh server.
    pub(super) async fn load(
        runner: &'a Runner,
        project: &'a Project,
        given: Given,
    ) -> Result<Self, String> {
        let manifest = &project.manifest;
        let mock = Mock::new(given);
        let plugin = Plugin {
            manifest: Arc::clone(manifest),
            permissions: manifest.permissions,
            assets: Arc::clone(&project.assets),
        };
        let parts = mock.parts(runner.scratch.clone(), Timestamp::UNIX_EPOCH);
        let host = Host::new(plugin, parts);
        let spec = Spec {
            slug: manifest.slug.to_arc(),
            manifest: manifest.text().to_owned(),
            source: project.source.clone(),
            host: Arc::<Host>::clone(&host),
            log: Arc::new(SilentLog),
            limits: Limits::default(),
        };
        let started = runner.engine.start(spec.clone()).await;
        let (instance, registration) = started.map_err(|error| error.to_string())?;
        agree(&registration, manifest.permissions).map_err(|error| error.to_string())?;
        let commands = declared(&registration, &manifest.commands);
        let registration = Registration {
            commands,
            ..registration
        };
        Ok(Self {
            engine: &runner.engine,
            project,
            spec,
            host,
            mock,
            instance,
            listener: Listener {
                slug: manifest.slug.to_arc(),
                registration: Arc::new(registration),
            },
            commands: Commands::default(),
            grants: vec![],
            clears: 0,
            notes: vec![],
        })
    }

    async fn step(&mut self, place: &str, step: Step) -> Vec<String> {
        match step {
            Step::Event { name, payload } => self.event(place, &name, payload.get()).await,
            Step::Filter { payload, expect } => self.filter(place, &payload, &expect).await,
            Step::Http(request) => {
                let got = match http::prepare(self.project, &request) {
                    Err(response) => response,
                    Ok(handed) => match self.call(place, CallKind::Http, &handed).await {
                        Some(answer) => http::read(&answer),
                        None => http::broken("plugin error"),
                    },
                };
                http::check(place, &request.expect, &got)
            }
            Step::AuthCheck { user, expect } => {
                let input = shown(&serde_json::json!({ "user": user }));
                let answer = self.call(place, CallKind::Auth, &input).await;
                let said = answer.map_or_else(denial, |answer| said(&answer));
                verdict(place, &expect, &said, "ok")
            }
            Step::Tab(asked) => self.content(place, CallKind::Tab, &asked).await,
            Step::Page(asked) => self.content(place, CallKind::Page, &asked).await,
            Step::Styles(wanted) => {
                let text = self.call(place, CallKind::Styles, "").await;
                http::check_text(place, &wanted, &text.unwrap_or_default())
            }
            Step::Scripts(wanted) => {
                let text = self.call(place, CallKind::Scripts, "").await;
                http::check_text(place, &wanted, &text.unwrap_or_default())
            }
        }
    }

    /// Told, and for a line of chat its commands found, as on a server.
    async fn event(&mut self, place: &str, name: &str, payload: &str) -> Vec<String> {
        let mut payload = payload.to_owned();
        let mut message = None;
        if name == CHAT_MESSAGE {
            match serde_json::from_str::<ChatMessage>(&payload) {
                Ok(read) => {
                    payload = shown(&read);
                    message = Some(read);
                }
                Err(error) => return vec![format!("{place}: this is no chat message: {error}")],
            }
        }
        let Some(delivery) = Delivery::new(name, &payload) else {
            return vec![format!("{place}: the payload is no JSON")];
        };
        self.call(place, CallKind::Event, &delivery.envelope).await;
        if let Some(message) = message
            && let Some(command) = self.commands.find(&self.listener, &message)
        {
            self.call(place, CallKind::Event, &command.envelope).await;
        }
        vec![]
    }

    async fn filter(&mut self, place: &str, payload: &RawValue, expect: &Verdict) -> Vec<String> {
        let message: ChatMessage = match serde_json::from_str(payload.get()) {
            Ok(message) => message,
            Err(error) => return vec![format!("{place}: this is no chat message: {error}")],
        };
        let before = serde_json::to_value(&message).unwrap_or_default();
        let Some(delivery) = Delivery::new(CHAT_MESSAGE, &shown(&message)) else {
            return vec![format!("{place}: the payload is no JSON")];
        };
        let is_filter = self.listener.filter_priority().is_some();
        let mut said = match is_filter {
            true => self.call(place, CallKind::Filter, &delivery.envelope).await,
            false => None,
        }
        .map_or_else(Said::default, |answer| said(&answer));
        // A change that changes nothing lets the line pass.
        if said.action == "modify" && said.payload.as_ref() == Some(&before) {
            said.action = "pass".into();
        }
        verdict(place, expect, &said, "pass")
    }

    async fn content(&mut self, place: &str, kind: CallKind, asked: &Asked) -> Vec<String> {
        let mut input = serde_json::json!({ "slug": asked.slug });
        if let (Some(object), Some(user)) = (input.as_object_mut(), &asked.user) {
            object.insert("user".into(), serde_json::json!(user));
        }
        let text = self.call(place, kind, &shown(&input)).await;
        http::check_text(place, &asked.expect, &text.unwrap_or_default())
    }

    /// Calls the plugin within the time it has on a server; one that ended is started anew first.
    async fn call(&mut self, place: &str, kind: CallKind, input: &str) -> Option<String> {
        if self.instance.is_dead() {
            self.host.instance_ended();
            match self.engine.start(self.spec.clone()).await {
                Ok((instance, _)) => self.instance = instance,
                Err(error) => {
                    self.notes.push(format!("note: {place}: {error}"));
                    return None;
                }
            }
        }
        self.host.enter(match kind {
            CallKind::Event => Occasion::Event { depth: 0 },
            CallKind::Http => Occasion::Http,
            _ => Occasion::Other,
        });
        let outcome: Result<String, CallError> =
            self.instance.call(kind, input, kind.budget()).await;
        for change in self.host.leave() {
            match change {
                // The server in memory hands out tokens that are the users' ids.
                SessionChange::Grant { token, ttl } => {
                    self.grants.push((token.expose().to_owned(), ttl.as_secs()));
                }
                SessionChange::End => self.clears += 1,
            }
        }
        match outcome {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.notes.push(format!("note: {place}: {error}"));
                None
            }
        }
    }
}

fn declared(registration: &Registration, others: &[Command]) -> Vec<Command> {
    let mut all = registration.commands.clone();
    for other in others {
        if !all.iter().any(|one| one.name == other.name) {
            all.push(other.clone());
        }
    }
    all
}

fn said(answer: &str) -> Said {
    serde_json::from_str(answer).unwrap_or_default()
}

/// A check that fails lets nobody in.
fn denial() -> Said {
    Said {
        action: "deny".into(),
        ..Said::default()
    }
}

fn verdict(place: &str, wanted: &Verdict, said: &Said, usual: &str) -> Vec<String> {
    let mut failures = Vec::new();
    let action = match said.action.as_str() {
        "" => usual,
        action => action,
    };
    if let Some(expected) = wanted.action.as_deref().filter(|wanted| *wanted != action) {
        failures.push(format!("{place}: expected {expected}, got {action}"));
    }
    let got = said.payload.clone().unwrap_or_default();
    if let Some(payload) = wanted.payload.as_ref().filter(|wanted| !fits(wanted, &got)) {
        let (payload, got) = (shown(payload), shown(&got));
        failures.push(format!(
            "{place}: expected the payload {payload}, got {got}"
        ));
    }
    let reason = said.reason.as_deref().unwrap_or_default();
    if let Some(wanted) = wanted.reason.as_deref().filter(|wanted| *wanted != reason) {
        failures.push(format!(
            "{place}: expected the reason {wanted:?}, got {reason:?}"
        ));
    }
    failures
}
