//! RFC 9421 as servers use it.

use super::*;
use crate::signature::content_digest_header;

/// The parameters of a signature; `components` are quoted already.
fn parameters(components: &str, rest: &str) -> String {
    format!("({components}){rest}")
}

const USUAL: &str = r#""@method" "@target-uri" "content-digest""#;

fn usual_rest() -> String {
    format!(";created=1787054400;keyid=\"{KEY_ID}\"")
}

fn digest() -> String {
    content_digest_header(BODY.as_bytes())
}

fn unsigned() -> Incoming {
    Incoming::post()
        .without("digest")
        .with("content-digest", &digest())
}

/// `lines` as a signature base, which ends with the parameters.
fn base(lines: Lines<'_>, parameters: &str) -> String {
    let lines: String = lines
        .iter()
        .map(|(name, value)| format!("\"{name}\": {value}\n"))
        .collect();
    format!("{lines}\"@signature-params\": {parameters}")
}

fn signed(request: Incoming, lines: Lines<'_>, rest: &str) -> Incoming {
    let names: Vec<String> = lines.iter().map(|(n, _)| format!("\"{n}\"")).collect();
    let parameters = parameters(&names.join(" "), rest);
    let signature = sha256(&base(lines, &parameters));
    request
        .with("signature-input", &format!("sig1={parameters}"))
        .with("signature", &format!("sig1=:{signature}:"))
}

fn usual_lines(digest: &str) -> Vec<(&str, &str)> {
    vec![
        ("@method", "POST"),
        (
            "@target-uri",
            "https://live.example/federation/user/live/inbox",
        ),
        ("content-digest", digest),
    ]
}

fn usual() -> Incoming {
    signed(unsigned(), &usual_lines(&digest()), &usual_rest())
}

#[test]
fn the_usual_message_is_accepted() {
    assert_eq!(usual().checked(), Ok(()));
    assert_eq!(
        parse(&usual().request()).unwrap().scheme(),
        crate::signature::SignatureScheme::Rfc9421
    );
}

// Case 37 of docs/federation-cases.md.
#[test]
fn everything_that_protects_against_replay_has_to_be_covered() {
    let digest = digest();
    for (left_out, what) in [(0, "@method"), (1, "@target-uri"), (2, "content-digest")] {
        let mut lines = usual_lines(&digest);
        lines.remove(left_out);
        assert_eq!(
            signed(unsigned(), &lines, &usual_rest()).checked(),
            Err(SignatureProblem::NotCovered(what))
        );
    }
    let timeless = signed(
        unsigned(),
        &usual_lines(&digest),
        &format!(";keyid=\"{KEY_ID}\""),
    );
    assert!(matches!(
        timeless.checked(),
        Err(SignatureProblem::NotCovered(_))
    ));
}

// Case 37 of docs/federation-cases.md.
#[test]
fn a_component_with_a_parameter_or_one_that_comes_twice_is_refused() {
    for components in [
        r#""@method";req "@target-uri" "content-digest""#,
        r#""@method" "@target-uri" "content-digest";sf"#,
        r#""@method" "@target-uri" "content-digest";bs"#,
        r#""@method" "@target-uri" "content-digest" "content-digest""#,
        r#""@method" @target-uri "content-digest""#,
        r#"method "@target-uri" "content-digest""#,
    ] {
        let input = format!("sig1={}", parameters(components, &usual_rest()));
        let request = usual().with("signature-input", &input);
        assert!(
            matches!(request.checked(), Err(SignatureProblem::Malformed(_))),
            "{components}"
        );
    }
}

// Case 37 of docs/federation-cases.md.
#[test]
fn of_several_labels_the_first_one_that_names_a_key_counts() {
    let request = usual();
    let (input, signature) = (request.value("signature-input"), request.value("signature"));
    let second = "sig2=(\"@method\");created=1;keyid=\"https://other.example/key\"";
    let both = request
        .clone()
        .with("signature-input", &format!("{input}, {second}"))
        .with("signature", &format!("{signature}, sig2=:AAAA:"));
    assert_eq!(both.checked(), Ok(()));
    let on_lines = request
        .clone()
        .and("signature-input", second)
        .and("signature", "sig2=:AAAA:");
    assert_eq!(on_lines.checked(), Ok(()));
    let nameless = request
        .clone()
        .with(
            "signature-input",
            &format!("proxy=(\"@method\");created=1, {input}"),
        )
        .with("signature", &format!("proxy=:AAAA:, {signature}"));
    assert_eq!(nameless.checked(), Ok(()), "a label without a key");
    let orphan = request
        .clone()
        .with("signature-input", &format!("{second}, {input}"));
    assert_eq!(orphan.checked(), Ok(()), "a label without a signature");
    let first = request
        .with("signature-input", &format!("{second}, {input}"))
        .with("signature", &format!("sig2=:AAAA:, {signature}"));
    assert!(first.checked().is_err(), "the first one is not good");
}

#[test]
fn both_headers_have_to_be_there_and_readable() {
    for name in ["signature", "signature-input"] {
        for value in [
            "",
            "sig1",
            "sig1=1",
            "Sig1=:AAAA:",
            "sig1=(",
            "other=:AAAA:",
        ] {
            let request = usual().with(name, value);
            assert!(request.checked().is_err(), "{name}: {value}");
        }
    }
    assert!(usual().without("signature").checked().is_err());
    // Without its companion the header is read as draft-cavage.
    assert!(usual().without("signature-input").checked().is_err());
}

#[test]
fn the_target_may_be_covered_in_parts() {
    let digest = digest();
    let lines = [
        ("@method", "POST"),
        ("@authority", "live.example"),
        ("@path", INBOX),
        ("content-digest", &digest),
    ];
    let request = signed(unsigned(), &lines, &usual_rest());
    assert_eq!(request.checked(), Ok(()));
    let mut with_query = request;
    with_query.target.push_str("?x");
    assert_eq!(
        with_query.checked(),
        Err(SignatureProblem::NotCovered("@target-uri")),
        "a query that is not covered could be anybody's"
    );
    let lines = [
        ("@method", "GET"),
        ("@authority", "live.example"),
        ("@scheme", "https"),
        ("@path", "/a%2Fb"),
        ("@query", "?page=%31&x"),
        ("@request-target", "/a%2Fb?page=%31&x"),
    ];
    let request = signed(Incoming::get("/a%2Fb?page=%31&x"), &lines, &usual_rest());
    assert_eq!(request.checked(), Ok(()));
    let lines = [
        ("@method", "GET"),
        ("@authority", "live.example"),
        ("@path", "/a"),
        ("@query", "?"),
    ];
    for target in ["/a", "/a?"] {
        let request = signed(Incoming::get(target), &lines, &usual_rest());
        assert_eq!(request.checked(), Ok(()), "{target}");
    }
}

// Case 30 of docs/federation-cases.md.
#[test]
fn what_a_proxy_made_of_host_and_scheme_does_not_matter() {
    let digest = digest();
    let mut lines = usual_lines(&digest);
    lines.push(("host", "live.example"));
    lines.push(("@authority", "live.example"));
    let request = signed(unsigned(), &lines, &usual_rest())
        .with("host", "127.0.0.1:8080")
        .with("x-forwarded-proto", "http");
    assert_eq!(request.checked(), Ok(()));
}

// Case 30 of docs/federation-cases.md.
#[test]
fn a_message_for_another_host_path_or_method_does_not_match() {
    let digest = digest();
    for (place, value) in [
        (0, "GET"),
        (0, "post"),
        (1, "https://other.example/federation/user/live/inbox"),
        (1, "http://live.example/federation/user/live/inbox"),
        (1, "https://live.example/federation/user/other/inbox"),
    ] {
        let mut lines = usual_lines(&digest);
        lines[place].1 = value;
        assert_eq!(
            signed(unsigned(), &lines, &usual_rest()).checked(),
            Err(SignatureProblem::Mismatch),
            "{value}"
        );
    }
}

#[test]
fn the_body_has_to_be_the_one_of_the_digest() {
    let mut changed = usual();
    changed.body.push(b' ');
    assert!(matches!(
        changed.checked(),
        Err(SignatureProblem::Digest(_))
    ));
    let missing = usual().without("content-digest");
    assert!(missing.checked().is_err());
    let other = content_digest_header(b"other");
    let wrong = signed(
        unsigned().with("content-digest", &other),
        &usual_lines(&other),
        &usual_rest(),
    );
    assert!(matches!(wrong.checked(), Err(SignatureProblem::Digest(_))));
}

#[test]
fn the_times_are_compared_as_in_the_other_scheme() {
    for (distance, is_near) in [(60, true), (61, false), (-60, true), (-61, false)] {
        let request = usual().without("date");
        let verdict = request.checked_at(&public(), now() + minutes(distance));
        assert_eq!(verdict.is_ok(), is_near, "{distance}");
    }
    let old = usual().with("date", "Tue, 18 Aug 2026 10:00:00 GMT");
    assert!(matches!(old.checked(), Err(SignatureProblem::Time(_))));
    let digest = digest();
    for (expires, is_accepted) in [
        ("1787054700", true),
        ("1787050800", true),
        ("1787050799", false),
        ("-1", false),
        ("999999999999999", false),
    ] {
        let rest = format!("{};expires={expires}", usual_rest());
        let request = signed(unsigned(), &usual_lines(&digest), &rest);
        assert_eq!(request.is_accepted(), is_accepted, "{expires}");
    }
}

#[test]
fn only_algorithms_we_can_verify_are_taken() {
    let digest = digest();
    for (algorithm, is_accepted) in [
        ("", true),
        (";alg=\"rsa-v1_5-sha256\"", true),
        (";alg=\"ed25519\"", false),
        (";alg=\"rsa-pss-sha512\"", false),
        (";alg=\"hmac-sha256\"", false),
        (";alg=rsa-v1_5-sha256", false),
        (";nonce=\"x\";tag=\"y\";other=?1", true),
    ] {
        let rest = format!("{}{algorithm}", usual_rest());
        let request = signed(unsigned(), &usual_lines(&digest), &rest);
        assert_eq!(request.is_accepted(), is_accepted, "{algorithm}");
    }
    let rest = format!("{};alg=\"rsa-pss-sha512\"", usual_rest());
    let unknown = signed(unsigned(), &usual_lines(&digest), &rest);
    assert_eq!(
        parse(&unknown.request()).unwrap_err(),
        SignatureProblem::Algorithm
    );
}

#[test]
fn the_parameters_are_signed_as_they_were_written() {
    let digest = digest();
    let lines = usual_lines(&digest);
    // A different order, and a space that other writers omit.
    let written = format!("({USUAL}); keyid=\"{KEY_ID}\"; created=1787054400");
    let signature = sha256(&base(&lines, &written));
    let request = unsigned()
        .with("signature-input", &format!("sig1={written}"))
        .with("signature", &format!("sig1=:{signature}:"));
    assert_eq!(request.checked(), Ok(()));
}

#[test]
fn fields_are_trimmed_and_joined_and_have_to_be_there() {
    let digest = digest();
    let mut lines = usual_lines(&digest);
    lines.push(("x-custom", "one, two"));
    let length = BODY.len().to_string();
    lines.push(("content-length", &length));
    let request = signed(unsigned(), &lines, &usual_rest())
        .with("x-custom", "  one ")
        .and("x-custom", "two");
    assert_eq!(request.checked(), Ok(()));
    assert!(matches!(
        request.without("x-custom").checked(),
        Err(SignatureProblem::Missing(_))
    ));
    for odd in ["@unknown", "@query-param", "X-Custom", "no such name"] {
        let mut lines = usual_lines(&digest);
        lines.push((odd, "one"));
        let request = signed(unsigned(), &lines, &usual_rest()).with("x-custom", "one");
        assert!(
            matches!(request.checked(), Err(SignatureProblem::Missing(_))),
            "{odd}"
        );
    }
}

// Case 31 of docs/federation-cases.md.
#[test]
fn the_name_of_the_key_is_an_https_url_elsewhere() {
    let digest = digest();
    for key_id in [
        "http://remote.example/key",
        "acct:alice@remote.example",
        "https://live.example/federation/user/live#main-key",
    ] {
        let rest = format!(";created=1787054400;keyid=\"{key_id}\"");
        let request = signed(unsigned(), &usual_lines(&digest), &rest);
        assert!(
            matches!(request.checked(), Err(SignatureProblem::KeyId(_))),
            "{key_id}"
        );
    }
}
