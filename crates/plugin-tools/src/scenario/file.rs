//! The format of a test file.

use std::collections::BTreeMap;
use std::time::Duration;

use plugins::host::mock::InitialState;
use plugins::host::wire::User;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::expect::Expect;

/// The event that carries a line of chat, and the only one that is filtered.
pub(super) const CHAT_MESSAGE: &str = "chat.message.received";

/// Time that one step may let pass: as long as the longest timer.
const LONGEST_ADVANCE: Duration = Duration::from_secs(24 * 60 * 60);

/// What a filter can say.
const VERDICTS: [&str; 3] = ["pass", "modify", "drop"];

/// One test.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) name: String,
    #[serde(default)]
    pub(super) given: InitialState,
    #[serde(default)]
    events: Vec<StepFields>,
    #[serde(default)]
    pub(super) expect: Expect,
}

/// One step.
#[derive(Debug)]
pub(super) enum ScenarioStep {
    Event {
        name: String,
        payload: Box<RawValue>,
    },
    Filter {
        payload: Box<RawValue>,
        expect: ExpectedVerdict,
    },
    Http(HttpStep),
    AuthCheck {
        user: Value,
        expect: ExpectedVerdict,
    },
    Tab(ContentStep),
    Page(ContentStep),
    Styles(ExpectedResponse),
    Scripts(ExpectedResponse),
    Advance(Duration),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StepFields {
    event: Option<String>,
    filter: Option<String>,
    payload: Option<Box<RawValue>>,
    expect: Option<ExpectedVerdict>,
    http: Option<HttpStep>,
    auth_check: Option<AuthCheck>,
    tab_content: Option<ContentStep>,
    page_content: Option<ContentStep>,
    page_styles: Option<ExpectOnly>,
    page_scripts: Option<ExpectOnly>,
    advance_ms: Option<u64>,
}

/// The expected verdict of a filter or a gate.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedVerdict {
    pub(super) action: Option<String>,
    pub(super) payload: Option<Value>,
    pub(super) reason: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AuthCheck {
    user: Value,
    #[serde(default)]
    expect: ExpectedVerdict,
}

/// An HTTP request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpStep {
    #[serde(default = "get")]
    pub(super) method: String,
    pub(super) path: String,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) body: String,
    /// Whether the request is the operator's; if omitted, a signed-in user counts as the operator.
    pub(super) authenticated: Option<bool>,
    pub(super) user: Option<User>,
    #[serde(default)]
    pub(super) expect: ExpectedResponse,
}

/// A request for the content of a tab or the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContentStep {
    pub(super) slug: String,
    pub(super) user: Option<User>,
    #[serde(default)]
    pub(super) expect: ExpectedResponse,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectOnly {
    #[serde(default)]
    expect: ExpectedResponse,
}

/// The expected answer; omitted members are not checked.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ExpectedResponse {
    pub(super) status: Option<u16>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Option<String>,
    pub(super) body_contains: Option<String>,
}

fn get() -> String {
    "GET".into()
}

/// A scenario that cannot be run.
#[derive(Debug)]
pub(super) struct UnreadableScenario {
    /// If it can be determined.
    pub(super) name: Option<String>,
    /// Counted from 1.
    pub(super) number: usize,
    pub(super) why: String,
}

/// The readable part of an invalid scenario.
#[derive(Deserialize)]
struct ScenarioName {
    name: String,
}

/// All scenarios of a file, each with its starting line. An invalid one does not prevent the others from running.
#[expect(
    clippy::type_complexity,
    reason = "a list of places and what is there; a name for it would say no more"
)]
pub(super) fn read(
    text: &str,
) -> Result<Vec<(usize, Result<Scenario, UnreadableScenario>)>, String> {
    let all: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| {
        format!("this is not a test file, which is a list of scenarios: {error}")
    })?;
    let read = all.into_iter().zip(1..).map(|(raw, number)| {
        // `raw` is a slice of the text.
        let offset = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        let line = 1 + text.as_bytes()[..offset]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        let scenario = serde_json::from_str(raw.get()).map_err(|error: serde_json::Error| {
            let line = line + error.line().saturating_sub(1);
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default();
            let named = serde_json::from_str(raw.get()).ok();
            UnreadableScenario {
                name: named.map(|named: ScenarioName| named.name),
                number,
                why: format!("line {line}: scenario {number} of this file cannot be read: {why}"),
            }
        });
        (line, scenario)
    });
    Ok(read.collect())
}

impl Scenario {
    /// Whether it sets the time or advances it.
    pub(super) fn is_timed(&self) -> bool {
        self.given.now.is_some() || self.events.iter().any(|step| step.advance_ms.is_some())
    }

    /// The steps, each parsed or with the reason why it cannot run.
    pub(super) fn take_steps(&mut self) -> Vec<Result<ScenarioStep, String>> {
        std::mem::take(&mut self.events)
            .into_iter()
            .map(step)
            .collect()
    }
}

fn step(fields: StepFields) -> Result<ScenarioStep, String> {
    let kinds = [
        fields.event.is_some(),
        fields.filter.is_some(),
        fields.http.is_some(),
        fields.auth_check.is_some(),
        fields.tab_content.is_some(),
        fields.page_content.is_some(),
        fields.page_styles.is_some(),
        fields.page_scripts.is_some(),
        fields.advance_ms.is_some(),
    ];
    if kinds.iter().filter(|is_there| **is_there).count() != 1 {
        return Err("a step has exactly one of event, filter, http, authCheck, tabContent, pageContent, pageStyles, pageScripts and advanceMs".into());
    }
    if fields.expect.is_some() && fields.filter.is_none() {
        return Err("\"expect\" beside the step is for filters; others have it inside".into());
    }
    if let Some(event) = &fields.filter {
        check_filter(event, fields.expect.as_ref())?;
    }
    let payload = || {
        let text = fields.payload.as_ref().map_or("null", |raw| raw.get());
        RawValue::from_string(text.to_owned()).map_err(|error| error.to_string())
    };
    Ok(match fields {
        StepFields {
            event: Some(ref name),
            ..
        } => ScenarioStep::Event {
            name: name.clone(),
            payload: payload()?,
        },
        StepFields {
            filter: Some(_), ..
        } => ScenarioStep::Filter {
            payload: payload()?,
            expect: fields.expect.unwrap_or_default(),
        },
        StepFields {
            http: Some(request),
            ..
        } => ScenarioStep::Http(request),
        StepFields {
            auth_check: Some(check),
            ..
        } => ScenarioStep::AuthCheck {
            user: check.user,
            expect: check.expect,
        },
        StepFields {
            tab_content: Some(asked),
            ..
        } => ScenarioStep::Tab(asked),
        StepFields {
            page_content: Some(asked),
            ..
        } => ScenarioStep::Page(asked),
        StepFields {
            page_styles: Some(bare),
            ..
        } => ScenarioStep::Styles(bare.expect),
        StepFields {
            page_scripts: Some(bare),
            ..
        } => ScenarioStep::Scripts(bare.expect),
        StepFields {
            advance_ms: Some(wait),
            ..
        } => {
            let wait = Duration::from_millis(wait);
            if wait > LONGEST_ADVANCE {
                let most = LONGEST_ADVANCE.as_millis();
                return Err(format!("advanceMs is at most {most}, which is a day"));
            }
            ScenarioStep::Advance(wait)
        }
        _ => return Err("an empty step".into()),
    })
}

/// Checks that such a filter exists and can give this verdict.
fn check_filter(event: &str, expect: Option<&ExpectedVerdict>) -> Result<(), String> {
    if event != CHAT_MESSAGE {
        return Err(format!(
            "there is no filter for {event:?}: only {CHAT_MESSAGE:?} is filtered"
        ));
    }
    let Some(expect) = expect else { return Ok(()) };
    let action = expect.action.as_deref().unwrap_or_default();
    match VERDICTS.contains(&action) {
        true => Ok(()),
        false => Err(format!(
            "\"action\" of a filter is pass, modify or drop, not {action:?}"
        )),
    }
}
