//! What RFC 9421 (HTTP Message Signatures) signs, and the headers that carry it.

use http::HeaderName;
use http::header::{CONTENT_LENGTH, DATE};
use jiff::Timestamp;

use super::date::parse_http_date;
use super::key_id::KeyId;
use super::parsed::{
    Algorithm, ClaimedDigest, ParsedSignature, SignatureBase, SignatureScheme, SignedRequest,
};
use super::problem::SignatureProblem;
use super::structured::{self, BareItem, ListItem, Member, MemberValue};

const SIGNATURE: HeaderName = HeaderName::from_static("signature");
const SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");
const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");

/// Parses the signature of a request.
pub(super) fn parse(request: &SignedRequest<'_>) -> Result<ParsedSignature, SignatureProblem> {
    let inputs = dictionary_text(request, &SIGNATURE_INPUT)?;
    let signatures = dictionary_text(request, &SIGNATURE)?;
    let inputs = structured::dictionary(&inputs)
        .ok_or(SignatureProblem::Malformed("Signature-Input is odd"))?;
    let signatures = structured::dictionary(&signatures)
        .ok_or(SignatureProblem::Malformed("Signature is odd"))?;
    let (input, key_id, signature) = first_usable(&inputs, signatures)?;

    let covered = CoveredComponents::read(input, request)?;
    let created =
        time(input, "created")?.ok_or(SignatureProblem::NotCovered("the time of its creation"))?;
    let digest = match covered.has("content-digest") {
        true => ClaimedDigest::ContentDigest(
            request
                .text_field(&CONTENT_DIGEST)
                .ok_or(SignatureProblem::Digest("it is missing"))?,
        ),
        false => ClaimedDigest::None,
    };
    let date = request.text_field(&DATE);
    Ok(ParsedSignature {
        scheme: SignatureScheme::Rfc9421,
        key_id: KeyId::parse(key_id)?,
        algorithm: algorithm(input)?,
        texts: vec![covered.text(request, input.raw)?],
        date: date.and_then(|text| parse_http_date(&text)),
        created: Some(created),
        expires: time(input, "expires")?,
        signature,
        digest,
    })
}

fn dictionary_text(
    request: &SignedRequest<'_>,
    name: &HeaderName,
) -> Result<String, SignatureProblem> {
    request
        .text_field(name)
        .ok_or(SignatureProblem::Malformed("a header is missing"))
}

/// The first label that is in both headers and names a key; others may come from proxies.
fn first_usable<'a>(
    inputs: &'a [Member<'a>],
    signatures: Vec<Member<'_>>,
) -> Result<(&'a Member<'a>, &'a str, Vec<u8>), SignatureProblem> {
    let mut signatures: Vec<(String, Vec<u8>)> = signatures
        .into_iter()
        .filter_map(|member| match member.value {
            MemberValue::Item(BareItem::Bytes(bytes)) => Some((member.name.to_owned(), bytes)),
            _ => None,
        })
        .collect();
    for input in inputs {
        let Some(BareItem::Text(key_id)) = input.parameter("keyid") else {
            continue;
        };
        let place = signatures.iter().position(|(name, _)| name == input.name);
        if let Some(place) = place {
            return Ok((input, key_id, signatures.swap_remove(place).1));
        }
    }
    Err(SignatureProblem::Malformed("no label names a key"))
}

fn time(input: &Member<'_>, name: &str) -> Result<Option<Timestamp>, SignatureProblem> {
    let at = match input.parameter(name) {
        None => return Ok(None),
        Some(BareItem::Integer(seconds)) => Timestamp::from_second(*seconds).ok(),
        Some(_) => None,
    };
    at.map(Some)
        .ok_or(SignatureProblem::Malformed("a time is not a number"))
}

fn algorithm(input: &Member<'_>) -> Result<Algorithm, SignatureProblem> {
    match input.parameter("alg") {
        None => Ok(Algorithm::Strict),
        Some(BareItem::Text(name)) if name == "rsa-v1_5-sha256" => Ok(Algorithm::StrictRsaSha256),
        Some(BareItem::Text(name)) if name == "ed25519" => Ok(Algorithm::Ed25519),
        Some(_) => Err(SignatureProblem::Algorithm),
    }
}

/// The components a signature covers, in order.
struct CoveredComponents<'a> {
    names: Vec<&'a str>,
}

impl<'a> CoveredComponents<'a> {
    fn read(input: &'a Member<'a>, request: &SignedRequest<'_>) -> Result<Self, SignatureProblem> {
        let MemberValue::List(items) = &input.value else {
            return Err(SignatureProblem::Malformed("it is no list of components"));
        };
        let mut names: Vec<&str> = Vec::new();
        for item in items {
            let name = plain(item)?;
            if names.contains(&name) {
                return Err(SignatureProblem::Malformed("a component comes twice"));
            }
            names.push(name);
        }
        let covered = Self { names };
        covered.check(request)?;
        Ok(covered)
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn check(&self, request: &SignedRequest<'_>) -> Result<(), SignatureProblem> {
        if !self.has("@method") {
            return Err(SignatureProblem::NotCovered("@method"));
        }
        let (_, query) = request.path_and_query();
        let covers_parts =
            self.has("@authority") && self.has("@path") && (query.is_none() || self.has("@query"));
        if !self.has("@target-uri") && !covers_parts {
            return Err(SignatureProblem::NotCovered("@target-uri"));
        }
        if request.has_body() && !self.has("content-digest") {
            return Err(SignatureProblem::NotCovered("content-digest"));
        }
        Ok(())
    }

    /// The signature base; `parameters` is the exact text after the label.
    fn text(
        &self,
        request: &SignedRequest<'_>,
        parameters: &str,
    ) -> Result<SignatureBase, SignatureProblem> {
        let mut text = SignatureBase::default();
        for name in &self.names {
            start_line(&mut text.bytes, name);
            match derived(name, request) {
                Some(value) => text.bytes.extend_from_slice(value.as_bytes()),
                None => push_field(&mut text, request, name)?,
            }
            text.bytes.push(b'\n');
        }
        start_line(&mut text.bytes, "@signature-params");
        text.bytes.extend_from_slice(parameters.as_bytes());
        Ok(text)
    }
}

/// The name of a component without parameters: a parameter would change its meaning.
fn plain<'a>(item: &'a ListItem<'_>) -> Result<&'a str, SignatureProblem> {
    match &item.value {
        BareItem::Text(name) if item.parameters.is_empty() => Ok(name),
        _ => Err(SignatureProblem::Malformed(
            "a component is no plain string",
        )),
    }
}

fn derived(name: &str, request: &SignedRequest<'_>) -> Option<String> {
    let (path, query) = request.path_and_query();
    Some(match name {
        "@method" => request.method.to_owned(),
        "@target-uri" => format!("{}{}", request.base, request.target),
        // Our canonical host counts, whatever a proxy made of it.
        "@authority" | "host" => request.host.to_owned(),
        "@scheme" => "https".to_owned(),
        "@path" if path.is_empty() => "/".to_owned(),
        "@path" => path.to_owned(),
        "@query" => format!("?{}", query.unwrap_or_default()),
        "@request-target" => request.target.to_owned(),
        _ => return None,
    })
}

fn push_field(
    text: &mut SignatureBase,
    request: &SignedRequest<'_>,
    name: &str,
) -> Result<(), SignatureProblem> {
    let missing = || SignatureProblem::Missing(name.chars().take(40).collect());
    let is_plain = !name.starts_with('@') && !name.bytes().any(|byte| byte.is_ascii_uppercase());
    let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| missing())?;
    match request.field(&header) {
        Some(value) if is_plain => text.bytes.extend_from_slice(&value),
        None if header == CONTENT_LENGTH && is_plain => {
            text.body_length_at = Some(text.bytes.len());
        }
        _ => return Err(missing()),
    }
    Ok(())
}

/// Starts a line of a signature base: `"name": `.
pub(super) fn start_line(base: &mut Vec<u8>, name: &str) {
    base.push(b'"');
    base.extend_from_slice(name.as_bytes());
    base.extend_from_slice(b"\": ");
}
