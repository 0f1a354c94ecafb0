//! Rules that settings share: each takes a value and returns it normalised, or an error that says what is wrong.
#![allow(clippy::needless_pass_by_value)] // one signature for every rule: a value in, a value out

use std::collections::BTreeMap;
use std::net::IpAddr;

use url::{Host, Url};

use super::sentences;
use super::setting::SettingError;
use super::types::{SocialHandle, StreamKey};
use crate::sentence::SentenceParam;

/// Limit (operators): entries of a list in the settings; a longer list is refused. More than anybody uses, few enough
/// to send with every page.
pub(super) const MAX_LIST_ENTRIES: usize = 100;
/// Limit (operators): blocked words and forbidden or suggested names; a longer list is refused. Moderators copy such
/// lists from each other.
pub(super) const MAX_WORDS: usize = 1000;
/// Limit (broadcasters): characters of a stream key; a shorter or longer one is refused.
const STREAM_KEY_CHARS: std::ops::RangeInclusive<usize> = 6..=128;

/// Trimmed, at most `N` characters, no control characters.
pub(super) fn line<const N: usize>(text: String) -> Result<String, SettingError> {
    let text = text.trim().to_owned();
    if text.chars().any(char::is_control) {
        return Err(sentences::MULTI_LINE.plain().into());
    }
    at_most(text, N)
}

/// As [`line`], and not empty.
pub(super) fn required_line<const N: usize>(text: String) -> Result<String, SettingError> {
    let text = line::<N>(text)?;
    if text.is_empty() {
        return Err(sentences::EMPTY.plain().into());
    }
    Ok(text)
}

/// At most `N` characters, any of them but NUL (PostgreSQL cannot store it).
pub(super) fn lines<const N: usize>(text: String) -> Result<String, SettingError> {
    if text.contains('\0') {
        return Err("must not contain NUL characters".into());
    }
    at_most(text.trim().to_owned(), N)
}

fn at_most(text: String, max: usize) -> Result<String, SettingError> {
    let count = text.chars().count();
    if count > max {
        let (count, most) = (count as u64, max as u64);
        let sentence = sentences::TOO_LONG.with([count.into(), most.into()]);
        return Err(sentence.into());
    }
    Ok(text)
}

/// Anything the type allows.
pub(super) fn any<T>(value: T) -> Result<T, SettingError> {
    Ok(value)
}

/// A whole number from `MIN` to `MAX`.
pub(super) fn between<const MIN: u32, const MAX: u32>(number: u32) -> Result<u32, SettingError> {
    if !(MIN..=MAX).contains(&number) {
        let params = [number, MIN, MAX].map(|one| SentenceParam::Number(one.into()));
        return Err(sentences::OUT_OF_RANGE.with(params).into());
    }
    Ok(number)
}

/// One of the words of a choice.
pub(super) fn one_of(choices: &[&str], text: String) -> Result<String, SettingError> {
    if !choices.contains(&text.as_str()) {
        let choices = choices.join(", ");
        return Err(format!("is {text:?}, but must be one of {choices}").into());
    }
    Ok(text)
}

/// Short single-line texts; empty ones and duplicates are dropped.
pub(super) fn words<const N: usize>(words: Vec<String>) -> Result<Vec<String>, SettingError> {
    let mut kept: Vec<String> = Vec::new();
    for word in words {
        let word = line::<N>(word)?;
        if !word.is_empty() && !kept.contains(&word) {
            kept.push(word);
        }
    }
    if kept.len() > MAX_WORDS {
        return Err(too_many(kept.len(), MAX_WORDS));
    }
    Ok(kept)
}

/// An http or https URL, or nothing.
pub(super) fn optional_url(text: String) -> Result<String, SettingError> {
    let text = line::<2000>(text)?;
    if !text.is_empty() {
        http_url(&text)?;
    }
    Ok(text)
}

/// Tags: a leading `#`, empty ones and duplicates are dropped.
pub(super) fn tags(tags: Vec<String>) -> Result<Vec<String>, SettingError> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        let tag = line::<60>(tag)?;
        let tag = tag.trim_start_matches('#').trim();
        if !tag.is_empty() && !kept.iter().any(|known| known.eq_ignore_ascii_case(tag)) {
            kept.push(tag.to_owned());
        }
    }
    few(kept)
}

pub(super) fn few<T>(list: Vec<T>) -> Result<Vec<T>, SettingError> {
    if list.len() > MAX_LIST_ENTRIES {
        return Err(too_many(list.len(), MAX_LIST_ENTRIES));
    }
    Ok(list)
}

pub(super) fn too_many(count: usize, most: usize) -> SettingError {
    let (count, most) = (count as u64, most as u64);
    sentences::TOO_MANY.with([count.into(), most.into()]).into()
}

/// The public address of the server: absolute, a real host, no private address, no path.
///
/// It is stored in canonical spelling (lower case, punycode, no default port, no trailing slash), because every
/// name the server has elsewhere is built from it and compared byte for byte.
pub(super) fn server_url(text: String) -> Result<String, SettingError> {
    let text = line::<2000>(text)?;
    if text.is_empty() {
        return Ok(text);
    }
    let url = http_url(&text)?;
    match url.host() {
        Some(Host::Ipv4(ip)) if is_private(IpAddr::V4(ip)) => Err(private_literal(&text)),
        Some(Host::Ipv6(ip)) if is_private(IpAddr::V6(ip)) => Err(private_literal(&text)),
        Some(_) if url.query().is_some() || url.fragment().is_some() => {
            Err(sentences::URL_QUERY.plain().into())
        }
        Some(_) if !url.path().trim_matches('/').is_empty() => {
            Err(sentences::URL_PATH.with([url.path().into()]).into())
        }
        Some(_) => Ok(url.origin().ascii_serialization()),
        None => Err(not_a_url(&text)),
    }
}

fn private_literal(text: &str) -> SettingError {
    sentences::PRIVATE_ADDRESS.with([text.into()]).into()
}

fn not_a_url(text: &str) -> SettingError {
    sentences::NO_URL.with([text.into()]).into()
}

fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_unspecified()
        }
        IpAddr::V6(ip) => {
            ip.is_loopback()
                || ip.is_unspecified()
                || ip.is_unique_local()
                || ip.is_unicast_link_local()
        }
    }
}

/// An absolute http or https URL without credentials.
pub(super) fn http_url(text: &str) -> Result<Url, SettingError> {
    let url = Url::parse(text).map_err(|_| not_a_url(text))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(not_a_url(text));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(sentences::URL_CREDENTIALS.plain().into());
    }
    Ok(url)
}

/// Social links lead to the web, to mail or to a chat account, never to a script.
pub(super) fn social(handles: Vec<SocialHandle>) -> Result<Vec<SocialHandle>, SettingError> {
    let mut kept = Vec::new();
    for handle in handles {
        let platform = required_line::<60>(handle.platform).map_err(|why| why.of("platform"))?;
        let url = required_line::<2000>(handle.url).map_err(|why| why.of("url"))?;
        let scheme_is_safe = Url::parse(&url).is_ok_and(|url| {
            matches!(
                url.scheme(),
                "http" | "https" | "mailto" | "matrix" | "xmpp"
            )
        });
        if !scheme_is_safe {
            return Err(sentences::LINK_SCHEME.with([url.into()]).into());
        }
        kept.push(SocialHandle { platform, url });
    }
    few(kept)
}

/// CSS variables: names with or without their two dashes, kept as written; values that cannot escape their
/// declaration.
pub(super) fn css_variables(
    variables: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, SettingError> {
    if variables.len() > MAX_LIST_ENTRIES {
        return Err(too_many(variables.len(), MAX_LIST_ENTRIES));
    }
    let mut kept = BTreeMap::new();
    for (name, value) in variables {
        let plain_name = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        let is_empty = name.trim_start_matches('-').is_empty();
        if !plain_name || is_empty || name.len() > 100 {
            return Err(sentences::CSS_NAME.with([name.into()]).into());
        }
        let value = line::<200>(value).map_err(|why| why.of(&name))?;
        if value.contains(['{', '}', ';', '<', '>', '\\', '@']) || value.contains("/*") {
            let params = [name.into(), value.into()];
            return Err(sentences::CSS_VALUE.with(params).into());
        }
        kept.insert(name, value);
    }
    Ok(kept)
}

/// At least one key, none empty, no duplicates.
pub(super) fn stream_keys(keys: Vec<StreamKey>) -> Result<Vec<StreamKey>, SettingError> {
    if keys.is_empty() {
        return Err(sentences::NO_STREAM_KEY.plain().into());
    }
    let mut kept: Vec<StreamKey> = Vec::new();
    for entry in few(keys)? {
        let key = entry.key.trim().to_owned();
        let plain = key
            .chars()
            .all(|c| c.is_ascii_graphic() && !matches!(c, '/' | '?' | '"'));
        if !STREAM_KEY_CHARS.contains(&key.chars().count()) || !plain {
            let ends = [*STREAM_KEY_CHARS.start(), *STREAM_KEY_CHARS.end()];
            let params = ends.map(|end| SentenceParam::Number(end as u64));
            return Err(sentences::STREAM_KEY_FORM.with(params).into());
        }
        if kept.iter().any(|known| known.key == key) {
            return Err(sentences::STREAM_KEY_TWICE.plain().into());
        }
        kept.push(StreamKey {
            key,
            comment: line::<200>(entry.comment)?,
            take_over: entry.take_over,
            record: entry.record,
        });
    }
    Ok(kept)
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
