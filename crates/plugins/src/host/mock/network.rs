//! Other servers, as defined by a test.

use std::sync::PoisonError;

use bytes::Bytes;
use outbound::http::StatusCode;
use outbound::http::header::{HeaderMap, HeaderName, HeaderValue};

use super::{HttpFixture, Mock};
use crate::host::fetch::{FetchRequest, FetchResponse, Network};
use crate::host::services::ServiceFuture;

impl Network for Mock {
    fn send(&self, request: FetchRequest) -> ServiceFuture<'_, FetchResponse> {
        let outcome = self.respond(&request);
        let mut record = self.record();
        if outcome.is_none() {
            record.unanswered.push(request.written.clone());
        }
        let missing = format!(
            "the test has no answer for {} {}: add one to given.httpResponses",
            request.method, request.written
        );
        record.http_requests.push(request);
        Box::pin(async move { outcome.ok_or(missing)? })
    }
}

impl Mock {
    fn respond(&self, request: &FetchRequest) -> Option<Result<FetchResponse, String>> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let fixtures = self.given.http_responses.iter().zip(left.iter_mut());
        for (fixture, left) in fixtures {
            if *left == Some(0) || !answers(fixture, request) {
                continue;
            }
            if let Some(left) = left {
                *left -= 1;
            }
            return Some(answer(fixture));
        }
        None
    }
}

fn answers(fixture: &HttpFixture, request: &FetchRequest) -> bool {
    let method = fixture.method.as_deref();
    let fits = method.is_none_or(|method| method.eq_ignore_ascii_case(request.method.as_str()));
    fits && glob(fixture.url.as_bytes(), request.written.as_bytes())
}

fn answer(fixture: &HttpFixture) -> Result<FetchResponse, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &fixture.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_str(value);
        let (Ok(name), Ok(value)) = (name, value) else {
            return Err("the test's answer has a header that cannot be sent".into());
        };
        headers.append(name, value);
    }
    let status = StatusCode::from_u16(fixture.status)
        .map_err(|_| format!("{} is not an HTTP status", fixture.status))?;
    Ok(FetchResponse {
        status,
        headers,
        body: Bytes::from(fixture.body.clone()),
    })
}

/// `*` matches anything, including nothing; `?` matches one character. Backtracking only returns to the last star.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while place < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at, place));
                at += 1;
            }
            Some(sign) if *sign == b'?' || *sign == text[place] => {
                (at, place) = (at + 1, place + 1);
            }
            _ => {
                let Some((star, from)) = retry else {
                    return false;
                };
                retry = Some((star, from + 1));
                (at, place) = (star + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|sign| *sign == b'*')
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn stars_cross_slashes_and_question_marks_stand_for_one_letter() {
        for (pattern, text, fits) in [
            ("https://a.example/*", "https://a.example/x/y?z=1", true),
            ("https://a.example/x?z=1", "https://a.example/x?z=1", true),
            ("*", "", true),
            ("*a*b", "xaxbxb", true),
            ("*a*b", "xaxbxc", false),
            ("a?", "a", false),
            ("a", "ab", false),
        ] {
            assert_eq!(
                glob(pattern.as_bytes(), text.as_bytes()),
                fits,
                "{pattern} {text}"
            );
        }
    }
}
