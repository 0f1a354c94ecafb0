//! What a test file looks like.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::expect::Expect;
use crate::host::mock::Given;
use crate::host::wire::User;

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
    pub(super) given: Given,
    #[serde(default)]
    events: Vec<Fields>,
    #[serde(default)]
    pub(super) expect: Expect,
}

/// Something that happens.
#[derive(Debug)]
pub(super) enum Step {
    Event {
        name: String,
        payload: Box<RawValue>,
    },
    Filter {
        payload: Box<RawValue>,
        expect: Verdict,
    },
    Http(Request),
    AuthCheck {
        user: Value,
        expect: Verdict,
    },
    Tab(Asked),
    Page(Asked),
    Styles(Wanted),
    Scripts(Wanted),
    /// Time passes.
    Advance(Duration),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fields {
    event: Option<String>,
    filter: Option<String>,
    payload: Option<Box<RawValue>>,
    expect: Option<Verdict>,
    http: Option<Request>,
    auth_check: Option<AuthCheck>,
    tab_content: Option<Asked>,
    page_content: Option<Asked>,
    page_styles: Option<Bare>,
    page_scripts: Option<Bare>,
    advance_ms: Option<u64>,
}

/// What a filter or a check of a viewer is to say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Verdict {
    pub(super) action: Option<String>,
    pub(super) payload: Option<Value>,
    pub(super) reason: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AuthCheck {
    user: Value,
    #[serde(default)]
    expect: Verdict,
}

/// A request of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    #[serde(default = "get")]
    pub(super) method: String,
    pub(super) path: String,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) body: String,
    /// Whether the operator asks; when it is left out, whoever is signed in counts as one.
    pub(super) authenticated: Option<bool>,
    pub(super) user: Option<User>,
    #[serde(default)]
    pub(super) expect: Wanted,
}

/// Content of a tab or the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    pub(super) slug: String,
    pub(super) user: Option<User>,
    #[serde(default)]
    pub(super) expect: Wanted,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bare {
    #[serde(default)]
    expect: Wanted,
}

/// What an answer is to be; what is left out is not looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Wanted {
    pub(super) status: Option<u16>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Option<String>,
    pub(super) body_contains: Option<String>,
}

fn get() -> String {
    "GET".into()
}

/// A scenario that cannot be played.
#[derive(Debug)]
pub(super) struct UnreadableScenario {
    /// As far as it can be known.
    pub(super) name: Option<String>,
    /// The first is 1.
    pub(super) number: usize,
    pub(super) why: String,
}

/// What is known of a scenario that has something else wrong with it.
#[derive(Deserialize)]
struct Named {
    name: String,
}

/// All scenarios of a file, each with the line it begins in. One that cannot be read does not keep the others from being
/// played.
#[expect(
    clippy::type_complexity,
    reason = "a list of places and what is there; a name for it would say no more"
)]
pub(super) fn read(
    text: &str,
) -> Result<Vec<(usize, Result<Scenario, UnreadableScenario>)>, String> {
    let all: Vec<&RawValue> = serde_json::from_str(text)
        .map_err(|error| format!("this is no test file, which is a list of scenarios: {error}"))?;
    let read = all.into_iter().zip(1..).map(|(raw, number)| {
        // It is a part of the text.
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
                name: named.map(|named: Named| named.name),
                number,
                why: format!("line {line}: scenario {number} of this file cannot be read: {why}"),
            }
        });
        (line, scenario)
    });
    Ok(read.collect())
}

impl Scenario {
    /// Whether it says what time it is, or lets time pass.
    pub(super) fn is_timed(&self) -> bool {
        self.given.now.is_some() || self.events.iter().any(|step| step.advance_ms.is_some())
    }

    /// What happens, each step or why it cannot be played.
    pub(super) fn take_steps(&mut self) -> Vec<Result<Step, String>> {
        std::mem::take(&mut self.events)
            .into_iter()
            .map(step)
            .collect()
    }
}

fn step(fields: Fields) -> Result<Step, String> {
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
        Fields {
            event: Some(ref name),
            ..
        } => Step::Event {
            name: name.clone(),
            payload: payload()?,
        },
        Fields {
            filter: Some(_), ..
        } => Step::Filter {
            payload: payload()?,
            expect: fields.expect.unwrap_or_default(),
        },
        Fields {
            http: Some(request),
            ..
        } => Step::Http(request),
        Fields {
            auth_check: Some(check),
            ..
        } => Step::AuthCheck {
            user: check.user,
            expect: check.expect,
        },
        Fields {
            tab_content: Some(asked),
            ..
        } => Step::Tab(asked),
        Fields {
            page_content: Some(asked),
            ..
        } => Step::Page(asked),
        Fields {
            page_styles: Some(bare),
            ..
        } => Step::Styles(bare.expect),
        Fields {
            page_scripts: Some(bare),
            ..
        } => Step::Scripts(bare.expect),
        Fields {
            advance_ms: Some(wait),
            ..
        } => {
            let wait = Duration::from_millis(wait);
            if wait > LONGEST_ADVANCE {
                let most = LONGEST_ADVANCE.as_millis();
                return Err(format!("advanceMs is at most {most}, which is a day"));
            }
            Step::Advance(wait)
        }
        _ => return Err("an empty step".into()),
    })
}

/// Whether there is such a filter, and whether it can say that.
fn check_filter(event: &str, expect: Option<&Verdict>) -> Result<(), String> {
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
