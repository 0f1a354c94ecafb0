//! Runs one scenario, from an empty server to the final state.

mod time;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::Clock;
use plugins::dispatch::{Commands, EventDelivery, EventListener};
use plugins::engine::{
    CallError, CallKind, Engine, Instance, InstanceLimits, InstanceSpec, LogSink, OutputKind,
    Registration,
};
use plugins::host::mock::{InitialState, Mock};
use plugins::host::wire::{ChatMessage, time as wire_time};
use plugins::host::{Host, HostCalls, HostParts, Occasion, Plugin, SessionChange};
use plugins::manifest::ChatCommand;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::clock::ScenarioClock;
use super::expect::{ObservedEffects, SessionGrant};
use super::file::{CHAT_MESSAGE, ContentStep, ExpectedVerdict, Scenario, ScenarioStep};
use super::matching::{fits, shown};
use super::{Project, differ, http, names, traceback};

/// Lines of what a plugin prints that are shown when a scenario fails; further ones are dropped.
const MOST_PRINTED: usize = 100;

/// Notes about the steps of a scenario; further ones are dropped.
const MOST_NOTES: usize = 100;

/// The first and the last moment a scenario may begin at, in seconds since 1970: far from where time ends.
const MOMENTS: std::ops::RangeInclusive<i64> = 0..=200_000_000_000;

/// What a scenario needs to run.
#[derive(Clone, Debug)]
pub(super) struct PlaySetup {
    pub(super) engine: Engine,
    pub(super) project: Arc<Project>,
    /// A folder of its own for what the plugin writes.
    pub(super) scratch: PathBuf,
    /// The time that timers and ticks may use in one step.
    pub(super) step_time: Duration,
    pub(super) now: Timestamp,
}

/// The result.
#[derive(Debug, Default)]
pub(super) struct PlayResult {
    pub(super) failures: Vec<String>,
    /// Remarks for its author.
    pub(super) notes: Vec<String>,
}

/// A plugin in one scenario.
pub(super) struct ScenarioPlayer {
    setup: PlaySetup,
    spec: InstanceSpec,
    host: Arc<Host>,
    mock: Arc<Mock>,
    clock: Arc<ScenarioClock>,
    next_tick: Timestamp,
    /// Whether lines without a time are dated now.
    is_timed: bool,
    printed: Arc<PrintedLines>,
    instance: Instance,
    listener: EventListener,
    commands: Commands,
    grants: Vec<SessionGrant>,
    clears: u64,
    /// Problems that are not failures: a server would only log them.
    notes: Vec<String>,
}

/// The plugin's output.
#[derive(Debug, Default)]
struct PrintedLines(Mutex<Vec<String>>);

impl LogSink for PrintedLines {
    fn line(&self, _kind: OutputKind, text: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() < MOST_PRINTED {
            lines.push(format!("printed: {text}"));
        }
    }
}

#[derive(Default, Deserialize)]
struct PluginVerdict {
    #[serde(default)]
    action: String,
    payload: Option<Value>,
    #[serde(default)]
    reason: Option<String>,
    /// The SDK's remark about a result that is not a verdict.
    #[serde(default)]
    warning: Option<String>,
}

/// Runs a scenario.
pub(super) async fn play(setup: PlaySetup, mut scenario: Scenario) -> PlayResult {
    let is_timed = scenario.is_timed();
    let steps = scenario.take_steps();
    let given = std::mem::take(&mut scenario.given);
    let scratch = setup.scratch.clone();
    let mut player = match ScenarioPlayer::load(setup, given).await {
        Ok(player) => player,
        Err(why) => {
            return PlayResult {
                failures: vec![why],
                notes: vec![],
            };
        }
    };
    player.is_timed = is_timed;
    let mut failures = Vec::new();
    for (place, step) in steps.into_iter().enumerate() {
        let place = format!("events[{place}]");
        match step {
            Ok(step) => failures.extend(player.step(&place, step).await),
            Err(why) => failures.push(format!("{place}: {why}")),
        }
    }
    let recorded = player.mock.recorded();
    failures.extend(scenario.expect.check(&ObservedEffects {
        recorded: &recorded,
        grants: &player.grants,
        clears: player.clears,
        commands: player.listener.commands(),
    }));
    player.host.close();
    // Most plugins write nothing, and then the folder does not exist.
    tokio::fs::remove_dir_all(&scratch).await.ok();
    let mut notes = player.notes;
    let denials = recorded.denials.iter().map(|(_, function, missing)| {
        let missing = missing.as_str();
        format!("note: {function} needs the permission {missing:?}: add it to the manifest")
    });
    // Each of them once, however often it occurred.
    notes.extend(denials.collect::<BTreeSet<String>>());
    if !failures.is_empty() {
        let mut printed = player
            .printed
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        notes.append(&mut printed);
    }
    PlayResult { failures, notes }
}

impl ScenarioPlayer {
    /// Loads a fresh plugin on a fresh server.
    pub(super) async fn load(setup: PlaySetup, given: InitialState) -> Result<Self, String> {
        let project = &setup.project;
        let manifest = &project.manifest;
        let began = given.now.unwrap_or(setup.now);
        if !MOMENTS.contains(&began.as_second()) {
            return Err(format!("given.now: {began} is too far away"));
        }
        let clock = Arc::new(ScenarioClock::new(began));
        let printed = Arc::new(PrintedLines::default());
        let mock = Mock::new(given);
        let plugin = Plugin {
            manifest: Arc::clone(manifest),
            permissions: manifest.permissions,
            assets: project.assets.clone(),
        };
        let parts = HostParts {
            clock: Arc::<ScenarioClock>::clone(&clock),
            ..mock.parts(setup.scratch.clone(), began)
        };
        let host = Host::new(plugin, parts);
        let spec = InstanceSpec {
            slug: manifest.slug.to_arc(),
            manifest: manifest.text().to_owned(),
            source: project.source.clone(),
            host: Arc::<Host>::clone(&host),
            // Calls are sequential, so a separate filter instance makes no difference.
            filter_host: None,
            log: Arc::<PrintedLines>::clone(&printed),
            limits: InstanceLimits::default(),
            code: None,
            clock: Some(Arc::<ScenarioClock>::clone(&clock)),
        };
        let started = setup.engine.start(spec.clone()).await;
        let (instance, mut registration) =
            started.map_err(|error| traceback::told(&error.to_string(), &project.file))?;
        registration.commands = declared(&registration, &manifest.commands);
        let slug = manifest.slug.to_arc();
        Ok(Self {
            setup,
            spec,
            host,
            mock,
            next_tick: began + time::TICK,
            clock,
            is_timed: false,
            printed,
            instance,
            listener: EventListener {
                slug,
                registration: Arc::new(registration),
            },
            commands: Commands::default(),
            grants: vec![],
            clears: 0,
            notes: vec![],
        })
    }

    async fn step(&mut self, place: &str, step: ScenarioStep) -> Vec<String> {
        match step {
            ScenarioStep::Event { name, payload } => match names::check(&name, &self.listener) {
                Err(why) => vec![format!("{place}: {why}")],
                Ok(odd) => {
                    if let Some(odd) = odd {
                        self.note(place, &odd);
                    }
                    self.event(place, &name, payload.get()).await
                }
            },
            ScenarioStep::Filter { payload, expect } => self.filter(place, &payload, &expect).await,
            ScenarioStep::Http(request) => {
                let got = match http::prepare(&self.setup.project, &request) {
                    Err(response) => response,
                    Ok(handed) => match self.call(place, CallKind::Http, &handed).await {
                        Some(answer) => http::read(&answer),
                        None => http::broken("plugin error"),
                    },
                };
                http::check(place, &request.expect, &got)
            }
            ScenarioStep::AuthCheck { user, expect } => {
                let input = shown(&serde_json::json!({ "user": user }));
                let answer = self.call(place, CallKind::Auth, &input).await;
                let said = answer.map_or_else(denial, |answer| said(&answer));
                verdict(place, &expect, &said, "ok")
            }
            ScenarioStep::Tab(asked) => self.content(place, CallKind::Tab, &asked).await,
            ScenarioStep::Page(asked) => self.content(place, CallKind::Page, &asked).await,
            ScenarioStep::Styles(wanted) => {
                let text = self.call(place, CallKind::Styles, "").await;
                http::check_text(place, &wanted, &text.unwrap_or_default())
            }
            ScenarioStep::Scripts(wanted) => {
                let text = self.call(place, CallKind::Scripts, "").await;
                http::check_text(place, &wanted, &text.unwrap_or_default())
            }
            ScenarioStep::Advance(wait) => self.advance(place, wait).await,
        }
    }

    /// Delivers an event and, for a chat line, runs its commands, as on a server.
    async fn event(&mut self, place: &str, name: &str, payload: &str) -> Vec<String> {
        let mut payload = payload.to_owned();
        let mut message = None;
        match name {
            CHAT_MESSAGE => match self.message(&payload) {
                Ok(read) => {
                    payload = shown(&read);
                    message = Some(read);
                }
                Err(why) => return vec![format!("{place}: {why}")],
            },
            time::TIMER => self.fire_by_hand(&payload),
            _ => {}
        }
        let Some(delivery) = EventDelivery::new(name, &payload) else {
            return vec![format!("{place}: the payload is not JSON")];
        };
        self.call(place, CallKind::Event, &delivery.envelope).await;
        if let Some(message) = message
            && let Some(command) = self.commands.find(&self.listener, &message)
        {
            self.call(place, CallKind::Event, &command.envelope).await;
        }
        vec![]
    }

    /// Remarks on the plugin's code.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.listener.registration.warnings()
    }

    async fn filter(
        &mut self,
        place: &str,
        payload: &RawValue,
        expect: &ExpectedVerdict,
    ) -> Vec<String> {
        let message = match self.message(payload.get()) {
            Ok(message) => message,
            Err(why) => return vec![format!("{place}: {why}")],
        };
        let before = serde_json::to_value(&message).unwrap_or_default();
        let Some(delivery) = EventDelivery::new(CHAT_MESSAGE, &shown(&message)) else {
            return vec![format!("{place}: the payload is not JSON")];
        };
        let is_filter = self.listener.filter_priority().is_some();
        let mut said = match is_filter {
            true => self.call(place, CallKind::Filter, &delivery.envelope).await,
            false => None,
        }
        .map_or_else(PluginVerdict::default, |answer| said(&answer));
        if let Some(warning) = said.warning.take() {
            return vec![format!("{place}: {warning}")];
        }
        // A change without effect passes the line, and a passed line equals the original.
        if said.action == "modify" && said.payload.as_ref() == Some(&before) {
            said.action = "pass".into();
        }
        let has_passed = matches!(said.action.as_str(), "" | "pass");
        if has_passed && expect.action.as_deref() == Some("modify") && expect.payload.is_some() {
            said.action = "modify".into();
            said.payload = Some(before);
        }
        verdict(place, expect, &said, "pass")
    }

    /// A chat line as a server has it. In a timed scenario, a line without a time is dated now.
    fn message(&self, payload: &str) -> Result<ChatMessage, String> {
        let mut message: ChatMessage = serde_json::from_str(payload)
            .map_err(|error| format!("this is not a chat message: {error}"))?;
        if self.is_timed && message.timestamp.is_empty() {
            message.timestamp = wire_time(self.clock.now());
        }
        Ok(message)
    }

    async fn content(&mut self, place: &str, kind: CallKind, asked: &ContentStep) -> Vec<String> {
        let mut input = serde_json::json!({ "slug": asked.slug });
        if let (Some(object), Some(user)) = (input.as_object_mut(), &asked.user) {
            object.insert("user".into(), serde_json::json!(user));
        }
        let text = self.call(place, kind, &shown(&input)).await;
        http::check_text(place, &asked.expect, &text.unwrap_or_default())
    }

    /// Calls the plugin within a server's time limits; an ended plugin is restarted first.
    async fn call(&mut self, place: &str, kind: CallKind, input: &str) -> Option<String> {
        if self.instance.is_dead() {
            self.host.instance_ended();
            match self.setup.engine.start(self.spec.clone()).await {
                Ok((instance, _)) => self.instance = instance,
                Err(error) => {
                    self.note(place, &error.to_string());
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
                // The mock server's tokens are user ids.
                SessionChange::Grant { token, ttl } => {
                    self.grants.push((token.expose().to_owned(), ttl.as_secs()));
                }
                SessionChange::End => self.clears += 1,
            }
        }
        match outcome {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.note(place, &error.to_string());
                None
            }
        }
    }

    fn note(&mut self, place: &str, text: &str) {
        if self.notes.len() >= MOST_NOTES {
            return;
        }
        let text = traceback::told(text, &self.setup.project.file);
        self.notes.push(format!("note: {place}: {text}"));
    }
}

fn declared(registration: &Registration, others: &[ChatCommand]) -> Vec<ChatCommand> {
    let mut all = registration.commands.clone();
    for other in others {
        if !all.iter().any(|one| one.name == other.name) {
            all.push(other.clone());
        }
    }
    all
}

fn said(answer: &str) -> PluginVerdict {
    serde_json::from_str(answer).unwrap_or_default()
}

/// A failing check lets nobody in.
fn denial() -> PluginVerdict {
    PluginVerdict {
        action: "deny".into(),
        ..PluginVerdict::default()
    }
}

fn verdict(
    place: &str,
    wanted: &ExpectedVerdict,
    said: &PluginVerdict,
    usual: &str,
) -> Vec<String> {
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
        let what = format!("{place}: payload");
        failures.push(differ::values(&what, payload, &got, fits));
    }
    let reason = said.reason.as_deref().unwrap_or_default();
    if let Some(wanted) = wanted.reason.as_deref().filter(|wanted| *wanted != reason) {
        failures.push(format!(
            "{place}: expected the reason {wanted:?}, got {reason:?}"
        ));
    }
    failures
}
