//! What draft-cavage-http-signatures-12 signs, and the header that carries it.

use http::header::{AUTHORIZATION, CONTENT_LENGTH, DATE};
use http::{HeaderName, HeaderValue};
use jiff::Timestamp;

use super::date::parse_http_date;
use super::key_id::KeyId;
use super::multikey::LENIENT_BASE64;
use super::parsed::{
    Algorithm, ClaimedDigest, ParsedSignature, SignatureBase, SignatureScheme, SignedRequest,
};
use super::problem::SignatureProblem;
use base64::Engine as _;

/// Longest header that is looked at; a longer one is unreadable.
const MAX_HEADER_BYTES: usize = 8 * 1024;
/// Most parameters and most covered headers; with more, the header is unreadable.
const MAX_PARTS: usize = 32;

pub(super) const REQUEST_TARGET: &str = "(request-target)";
const CREATED: &str = "(created)";
const EXPIRES: &str = "(expires)";
const SIGNATURE: HeaderName = HeaderName::from_static("signature");
const DIGEST: HeaderName = HeaderName::from_static("digest");

/// Parses the signature of a request.
pub(super) fn parse(request: &SignedRequest<'_>) -> Result<ParsedSignature, SignatureProblem> {
    let text = credentials(request)?;
    let params = SignatureParams::read(text)?;
    let key_id = KeyId::parse(params.key_id)?;
    let covered = CoveredHeaders::read(params.headers, request, params.algorithm())?;
    let signature = LENIENT_BASE64
        .decode(params.signature)
        .map_err(|_| SignatureProblem::Malformed("the signature is not base64"))?;
    let digest = match covered.has("digest") {
        true => ClaimedDigest::Digest(
            request
                .text_field(&DIGEST)
                .ok_or(SignatureProblem::Digest("it is missing"))?,
        ),
        false => ClaimedDigest::None,
    };
    let date = request.text_field(&DATE);
    Ok(ParsedSignature {
        scheme: SignatureScheme::Cavage,
        algorithm: params.algorithm(),
        texts: covered.texts(request, &params)?,
        created: covered.time(CREATED, params.created)?,
        expires: covered.time(EXPIRES, params.expires)?,
        date: date.and_then(|text| parse_http_date(&text)),
        key_id,
        signature,
        digest,
    })
}

/// The parameters, from `Signature` or `Authorization`; some servers put the word `Signature` into both.
fn credentials<'a>(request: &SignedRequest<'a>) -> Result<&'a str, SignatureProblem> {
    let mut lines = request.headers.get_all(SIGNATURE).iter();
    let (line, is_scheme_needed) = match (lines.next(), lines.next()) {
        (Some(line), None) => (line, false),
        (Some(_), Some(_)) => return Err(SignatureProblem::Malformed("there are two of them")),
        (None, _) => match request.headers.get(AUTHORIZATION) {
            Some(line) => (line, true),
            None => return Err(SignatureProblem::Unsigned),
        },
    };
    let text = readable(line)?;
    match after_scheme(text) {
        Some(rest) => Ok(rest),
        None if is_scheme_needed => Err(SignatureProblem::Unsigned),
        None => Ok(text),
    }
}

fn readable(line: &HeaderValue) -> Result<&str, SignatureProblem> {
    if line.len() > MAX_HEADER_BYTES {
        return Err(SignatureProblem::Malformed("it is too long"));
    }
    line.to_str()
        .map(str::trim)
        .map_err(|_| SignatureProblem::Malformed("it is not ASCII"))
}

fn after_scheme(text: &str) -> Option<&str> {
    const WORD: &str = "Signature ";
    let start = text.get(..WORD.len())?;
    start
        .eq_ignore_ascii_case(WORD)
        .then(|| text[WORD.len()..].trim_start())
}

/// The parameters of the header.
#[derive(Default)]
struct SignatureParams<'a> {
    key_id: &'a str,
    signature: &'a str,
    algorithm: Option<&'a str>,
    headers: Option<&'a str>,
    created: Option<&'a str>,
    expires: Option<&'a str>,
}

impl<'a> SignatureParams<'a> {
    fn read(text: &'a str) -> Result<Self, SignatureProblem> {
        let parameters = parameters(text)?;
        let find = |name: &str| {
            let mut found = parameters.iter().filter(|(known, _)| *known == name);
            found.next().map(|(_, value)| *value)
        };
        Ok(Self {
            key_id: find("keyId").ok_or(SignatureProblem::Malformed("it has no keyId"))?,
            signature: find("signature")
                .ok_or(SignatureProblem::Malformed("it has no signature"))?,
            algorithm: find("algorithm"),
            headers: find("headers"),
            created: find("created"),
            expires: find("expires"),
        })
    }

    fn algorithm(&self) -> Algorithm {
        let name = self.algorithm.unwrap_or("hs2019").to_ascii_lowercase();
        match name.as_str() {
            "rsa-sha256" => Algorithm::RsaSha256,
            "rsa-sha512" => Algorithm::RsaSha512,
            "ed25519" => Algorithm::Ed25519,
            _ => Algorithm::ByKey,
        }
    }
}

/// `name="value"` or `name=123`, separated by commas.
fn parameters(text: &str) -> Result<Vec<(&str, &str)>, SignatureProblem> {
    const ODD: SignatureProblem = SignatureProblem::Malformed("it is not name=\"value\",...");
    let mut parameters: Vec<(&str, &str)> = Vec::new();
    let mut rest = text.trim();
    loop {
        let (name, after) = rest.split_once('=').ok_or(ODD)?;
        let name = name.trim();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err(ODD);
        }
        let after = after.trim_start();
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or(ODD)?,
            None => after.split_at(after.find(',').unwrap_or(after.len())),
        };
        // A backslash would be ambiguous, and nothing we need contains one.
        if value.contains('\\') {
            return Err(ODD);
        }
        if parameters.iter().any(|(known, _)| *known == name) {
            return Err(SignatureProblem::Malformed("a parameter comes twice"));
        }
        if parameters.len() == MAX_PARTS {
            return Err(SignatureProblem::Malformed("it has too many parameters"));
        }
        parameters.push((name, value.trim()));
        let after = after.trim_start();
        if after.is_empty() {
            return Ok(parameters);
        }
        rest = after.strip_prefix(',').ok_or(ODD)?;
    }
}

/// The headers a signature covers, in order and in lower case.
struct CoveredHeaders {
    names: Vec<String>,
}

impl CoveredHeaders {
    fn read(
        headers: Option<&str>,
        request: &SignedRequest<'_>,
        algorithm: Algorithm,
    ) -> Result<Self, SignatureProblem> {
        // The draft has defaults for a missing list; none of them covers enough.
        let list = headers.ok_or(SignatureProblem::NotCovered(REQUEST_TARGET))?;
        let mut names: Vec<String> = Vec::new();
        for name in list.split_ascii_whitespace() {
            let name = name.to_ascii_lowercase();
            if names.len() == MAX_PARTS || names.contains(&name) {
                return Err(SignatureProblem::Malformed("its list of headers is odd"));
            }
            names.push(name);
        }
        let covered = Self { names };
        covered.check(request, algorithm)?;
        Ok(covered)
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn check(
        &self,
        request: &SignedRequest<'_>,
        algorithm: Algorithm,
    ) -> Result<(), SignatureProblem> {
        for name in [REQUEST_TARGET, "host"] {
            if !self.has(name) {
                return Err(SignatureProblem::NotCovered(name));
            }
        }
        if request.has_body() && !self.has("digest") {
            return Err(SignatureProblem::NotCovered("digest"));
        }
        let has_time = self.has("date") || self.has(CREATED);
        if request.headers.contains_key(DATE) && !has_time {
            return Err(SignatureProblem::NotCovered("date"));
        }
        // The draft forbids them with the algorithms that predate them.
        let is_timed = self.has(CREATED) || self.has(EXPIRES);
        if is_timed && algorithm != Algorithm::ByKey {
            return Err(SignatureProblem::Malformed(
                "(created) and (expires) need algorithm hs2019",
            ));
        }
        Ok(())
    }

    /// The time in a parameter, if the signature covers it.
    fn time(&self, name: &str, value: Option<&str>) -> Result<Option<Timestamp>, SignatureProblem> {
        if !self.has(name) {
            return Ok(None);
        }
        let seconds = value.and_then(|text| text.parse().ok());
        let at = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        at.map(Some)
            .ok_or(SignatureProblem::Malformed("a time is not a number"))
    }

    /// The texts that may have been signed: with the query, and without it for servers that sign the bare path.
    fn texts(
        &self,
        request: &SignedRequest<'_>,
        params: &SignatureParams<'_>,
    ) -> Result<Vec<SignatureBase>, SignatureProblem> {
        let mut texts = vec![self.text(request, params, request.target)?];
        if let (path, Some(_)) = request.path_and_query() {
            texts.push(self.text(request, params, path)?);
        }
        Ok(texts)
    }

    fn text(
        &self,
        request: &SignedRequest<'_>,
        params: &SignatureParams<'_>,
        target: &str,
    ) -> Result<SignatureBase, SignatureProblem> {
        let mut text = SignatureBase::default();
        for name in &self.names {
            if !text.bytes.is_empty() {
                text.bytes.push(b'\n');
            }
            text.bytes.extend_from_slice(name.as_bytes());
            text.bytes.extend_from_slice(b": ");
            match name.as_str() {
                REQUEST_TARGET => {
                    let line = request_target(request.method, target);
                    text.bytes.extend_from_slice(line.as_bytes());
                }
                CREATED => push(&mut text, params.created, name)?,
                EXPIRES => push(&mut text, params.expires, name)?,
                "host" => text.bytes.extend_from_slice(request.host.as_bytes()),
                _ => push_field(&mut text, request, name)?,
            }
        }
        Ok(text)
    }
}

fn push(text: &mut SignatureBase, value: Option<&str>, name: &str) -> Result<(), SignatureProblem> {
    let value = value.ok_or_else(|| SignatureProblem::Missing(name.to_owned()))?;
    text.bytes.extend_from_slice(value.as_bytes());
    Ok(())
}

fn push_field(
    text: &mut SignatureBase,
    request: &SignedRequest<'_>,
    name: &str,
) -> Result<(), SignatureProblem> {
    let missing = || SignatureProblem::Missing(name.chars().take(40).collect());
    let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| missing())?;
    match request.field(&header) {
        Some(value) => text.bytes.extend_from_slice(&value),
        // Proxies and HTTP/2 drop it; the body tells its length as well.
        None if header == CONTENT_LENGTH => text.body_length_at = Some(text.bytes.len()),
        None => return Err(missing()),
    }
    Ok(())
}

/// The value of `(request-target)`.
pub(super) fn request_target(method: &str, target: &str) -> String {
    format!("{} {target}", method.to_ascii_lowercase())
}
