//! draft-cavage as servers use it.

use super::*;

fn signed(extra: &str, lines: Lines<'_>) -> Incoming {
    Incoming::post().with("signature", &cavage_header(extra, lines, sha256))
}

fn digest() -> String {
    digest_header(BODY.as_bytes())
}

/// The usual request with a changed header.
fn rewritten(change: impl Fn(String) -> String) -> Incoming {
    let request = usual();
    let header = change(request.value("signature"));
    request.with("signature", &header)
}

#[test]
fn the_usual_request_is_accepted() {
    assert_eq!(usual().checked(), Ok(()));
}

// Case 26 of docs/federation-cases.md.
#[test]
fn a_body_that_is_not_the_one_that_was_signed_is_refused() {
    let mut changed = usual();
    changed.body[10] ^= 1;
    assert!(matches!(
        changed.checked(),
        Err(SignatureProblem::Digest(_))
    ));
    let missing = usual().without("digest");
    assert!(missing.checked().is_err());
    let both = format!("{},{}", digest(), digest_header(b"other"));
    let two = Incoming::post().with("digest", &both);
    let header = cavage_header("", &usual_lines(&both), sha256);
    let two = two.with("signature", &header);
    assert!(matches!(two.checked(), Err(SignatureProblem::Digest(_))));
}

// Case 26 of docs/federation-cases.md.
#[test]
fn everything_that_protects_against_replay_has_to_be_covered() {
    let digest = digest();
    let usual = usual_lines(&digest);
    for (left_out, what) in [
        (0, "(request-target)"),
        (1, "host"),
        (2, "date"),
        (3, "digest"),
    ] {
        let mut lines = usual.clone();
        lines.remove(left_out);
        assert_eq!(
            signed("", &lines).checked(),
            Err(SignatureProblem::NotCovered(what))
        );
    }
    let none =
        rewritten(|header| header.replace("headers=\"(request-target) host date digest\",", ""));
    assert!(matches!(
        none.checked(),
        Err(SignatureProblem::NotCovered(_))
    ));
}

// Case 27 of docs/federation-cases.md.
#[test]
fn the_digest_may_be_written_in_lower_case() {
    let digest = digest().replace("SHA-256", "sha-256");
    let header = cavage_header("", &usual_lines(&digest), sha256);
    let request = Incoming::post()
        .with("digest", &digest)
        .with("signature", &header);
    assert_eq!(request.checked(), Ok(()));
}

// Case 27 of docs/federation-cases.md.
#[test]
fn parameters_may_come_in_any_order_with_spaces_between() {
    let reordered = rewritten(|header| {
        let mut parts: Vec<&str> = header.split(',').collect();
        parts.reverse();
        format!(" {} ", parts.join(" ,  "))
    });
    assert_eq!(reordered.checked(), Ok(()));
    let spaced = rewritten(|header| {
        let header = header.replace("keyId=\"", "keyId = \"");
        header.replace("headers=\"", "headers =  \"")
    });
    assert_eq!(spaced.checked(), Ok(()));
    let more = rewritten(|header| format!("{header},opaque=\"a,b=c\",extra=1"));
    assert_eq!(more.checked(), Ok(()));
}

// Case 27 of docs/federation-cases.md.
#[test]
fn the_word_signature_may_stand_in_front() {
    for word in ["Signature ", "signature ", "Signature   "] {
        let prefixed = rewritten(|header| format!("{word}{header}"));
        assert_eq!(prefixed.checked(), Ok(()), "{word}");
    }
}

#[test]
fn the_signature_may_be_in_the_authorization_header() {
    let header = usual().value("signature");
    let moved = usual().without("signature");
    let authorized = moved
        .clone()
        .with("authorization", &format!("Signature {header}"));
    assert_eq!(authorized.checked(), Ok(()));
    for other in ["Bearer abc", "Basic YTpi", &header] {
        let request = moved.clone().with("authorization", other);
        assert_eq!(
            request.checked(),
            Err(SignatureProblem::Unsigned),
            "{other}"
        );
    }
    assert_eq!(moved.checked(), Err(SignatureProblem::Unsigned));
}

#[test]
fn names_of_headers_may_be_listed_in_upper_case() {
    let header = usual().value("signature");
    let header = header.replace("host date digest", "Host Date Digest");
    assert_eq!(
        Incoming::post().with("signature", &header).checked(),
        Ok(())
    );
}

// Case 28 of docs/federation-cases.md.
#[test]
fn hs2019_may_state_when_it_was_made_and_when_it_ends() {
    let digest = digest();
    let made = now().as_second().to_string();
    let lines = |created: &'static str, expires: &'static str| {
        vec![
            ("(request-target)", "post /federation/user/live/inbox"),
            ("(created)", created),
            ("(expires)", expires),
            ("host", "live.example"),
        ]
    };
    let request = |extra: &str, created: &'static str, expires: &'static str| {
        let mut lines = lines(created, expires);
        lines.push(("digest", &digest));
        let extra = format!("{extra}created={created},expires={expires},");
        signed(&extra, &lines).without("date")
    };
    assert_eq!(made, "1787054400");
    for algorithm in ["algorithm=\"hs2019\",", "", "algorithm=\"HS2019\","] {
        let good = request(algorithm, "1787054400", "1787054700");
        assert_eq!(good.checked(), Ok(()), "{algorithm}");
    }
    // An hour of grace, for clocks that are wrong.
    let over = request("algorithm=\"hs2019\",", "1787054400", "1787050799");
    assert_eq!(
        over.checked(),
        Err(SignatureProblem::Time("it has expired"))
    );
    let graceful = request("algorithm=\"hs2019\",", "1787054400", "1787050800");
    assert_eq!(graceful.checked(), Ok(()));
    let old = request("algorithm=\"hs2019\",", "1787050799", "1787054700");
    assert!(matches!(old.checked(), Err(SignatureProblem::Time(_))));
    for algorithm in ["algorithm=\"rsa-sha256\",", "algorithm=\"rsa-sha512\","] {
        let mixed = request(algorithm, "1787054400", "1787054700");
        assert!(
            matches!(mixed.checked(), Err(SignatureProblem::Malformed(_))),
            "{algorithm}"
        );
    }
}

#[test]
fn a_stated_time_has_to_be_there_and_a_number() {
    let digest = digest();
    for (extra, value) in [
        ("", "1"),
        ("created=soon,", "soon"),
        ("created=1.5,", "1.5"),
    ] {
        let mut lines = usual_lines(&digest);
        lines.push(("(created)", value));
        assert!(
            matches!(
                signed(extra, &lines).checked(),
                Err(SignatureProblem::Malformed(_) | SignatureProblem::Missing(_))
            ),
            "{extra}"
        );
    }
}

#[test]
fn times_that_are_not_covered_say_nothing() {
    let request = rewritten(|header| format!("{header},created=1,expires=2"));
    assert_eq!(request.checked(), Ok(()));
}

// Case 29 of docs/federation-cases.md.
#[test]
fn a_date_may_be_an_hour_away_and_no_more() {
    for (distance, is_near) in [
        (0, true),
        (59, true),
        (-59, true),
        (60, true),
        (61, false),
        (-61, false),
    ] {
        let verdict = usual().checked_at(&public(), now() + minutes(distance));
        match is_near {
            true => assert_eq!(verdict, Ok(()), "{distance}"),
            false => assert!(
                matches!(verdict, Err(SignatureProblem::Time(_))),
                "{distance}"
            ),
        }
    }
}

// Case 29 of docs/federation-cases.md.
#[test]
fn a_missing_or_unreadable_date_is_not_compared() {
    let digest = digest();
    let mut lines = usual_lines(&digest);
    lines[2].1 = "once upon a time";
    let unreadable = signed("", &lines).with("date", "once upon a time");
    assert_eq!(unreadable.checked(), Ok(()));
    lines.remove(2);
    let missing = signed("", &lines).without("date");
    assert_eq!(missing.checked(), Ok(()));
    let listed = usual().without("date");
    assert_eq!(
        listed.checked(),
        Err(SignatureProblem::Missing("date".to_owned()))
    );
}

#[test]
fn a_date_is_compared_also_when_something_else_is_covered() {
    let digest = digest();
    let mut lines = usual_lines(&digest);
    lines[2] = ("(created)", "1787054400");
    let request = signed("created=1787054400,", &lines);
    assert_eq!(request.checked(), Ok(()));
    let old = request.with("date", "Tue, 18 Aug 2026 10:00:00 GMT");
    assert!(matches!(old.checked(), Err(SignatureProblem::Time(_))));
}

// Case 30 of docs/federation-cases.md, as far as it is about signatures.
#[test]
fn a_request_for_another_host_or_path_does_not_match() {
    let digest = digest();
    for (place, value) in [
        (0, "post /federation/user/other/inbox"),
        (0, "get /federation/user/live/inbox"),
        (1, "other.example"),
        (1, "live.example:8443"),
    ] {
        let mut lines = usual_lines(&digest);
        lines[place].1 = value;
        assert_eq!(
            signed("", &lines).checked(),
            Err(SignatureProblem::Mismatch),
            "{value}"
        );
    }
}

// Case 30 of docs/federation-cases.md.
#[test]
fn what_a_proxy_made_of_the_host_does_not_matter() {
    for host in ["127.0.0.1:8080", "internal", "LIVE.example"] {
        assert_eq!(usual().with("host", host).checked(), Ok(()), "{host}");
    }
    assert_eq!(usual().without("host").checked(), Ok(()));
}

// Case 31 of docs/federation-cases.md.
#[test]
fn the_name_of_the_key_is_an_https_url_elsewhere() {
    for key_id in [
        "http://remote.example/users/alice#main-key",
        "acct:alice@remote.example",
        "https://live.example/federation/user/live#main-key",
        "https://LIVE.example:443/key",
        "",
    ] {
        let request = rewritten(|header| header.replace(KEY_ID, key_id));
        assert!(
            matches!(request.checked(), Err(SignatureProblem::KeyId(_))),
            "{key_id}"
        );
    }
    let named = rewritten(|header| header.replace("#main-key", "?key=1,2"));
    let parsed = parse(&named.request()).unwrap();
    assert_eq!(
        parsed.key_id().as_str(),
        "https://remote.example/users/alice?key=1,2"
    );
}

#[test]
fn the_stated_algorithm_is_tried_first_and_then_the_other() {
    let digest = digest();
    for algorithm in [
        "",
        "algorithm=\"rsa-sha256\",",
        "algorithm=\"RSA-SHA256\",",
        "algorithm=\"rsa-sha512\",",
        "algorithm=\"hs2019\",",
        "algorithm=\"something new\",",
    ] {
        for sign in [sha256, sha512] {
            let header = cavage_header(algorithm, &usual_lines(&digest), sign);
            let request = Incoming::post().with("signature", &header);
            assert_eq!(request.checked(), Ok(()), "{algorithm}");
        }
    }
}

#[test]
fn the_query_may_be_left_out_of_the_signature() {
    for target in [
        "get /federation/user/live/followers?page=2",
        "get /federation/user/live/followers",
    ] {
        let lines = [
            ("(request-target)", target),
            ("host", "live.example"),
            ("date", DATE),
        ];
        let request = Incoming::get("/federation/user/live/followers?page=2");
        let request = request.with("signature", &cavage_header("", &lines, sha256));
        assert_eq!(request.checked(), Ok(()), "{target}");
    }
    let mut other = usual();
    other.target.push_str("?added");
    assert_eq!(other.checked(), Ok(()), "a bare path was signed");
    let mut usual = usual();
    usual.target = usual.target.replace("/inbox", "/%69nbox");
    assert_eq!(usual.checked(), Err(SignatureProblem::Mismatch));
}

#[test]
fn further_headers_may_be_covered() {
    let digest = digest();
    let mut lines = usual_lines(&digest);
    lines.push(("content-type", "application/activity+json"));
    lines.push(("user-agent", "http.rb/5 (Mastodon)"));
    let request = signed("", &lines).with("user-agent", "http.rb/5 (Mastodon)");
    assert_eq!(request.checked(), Ok(()));
    let lost = request.without("user-agent");
    assert_eq!(
        lost.checked(),
        Err(SignatureProblem::Missing("user-agent".to_owned()))
    );
}

#[test]
fn a_covered_length_survives_the_loss_of_its_header() {
    let digest = digest();
    let length = BODY.len().to_string();
    let mut lines = usual_lines(&digest);
    lines.insert(2, ("content-length", &length));
    let request = signed("", &lines);
    assert_eq!(request.checked(), Ok(()));
    assert_eq!(
        request.clone().with("content-length", &length).checked(),
        Ok(())
    );
    let other = request.with("content-length", "7");
    assert_eq!(other.checked(), Err(SignatureProblem::Mismatch));
}

#[test]
fn lines_of_a_header_are_trimmed_and_joined() {
    let digest = digest();
    let mut lines = usual_lines(&digest);
    lines.push(("x-custom", "one, two"));
    let request = signed("", &lines)
        .with("x-custom", "  one ")
        .and("x-custom", "two");
    assert_eq!(request.checked(), Ok(()));
}

#[test]
fn what_cannot_be_read_in_one_way_only_is_refused() {
    let many: String = (0..40).map(|n| format!("p{n}=1,")).collect();
    let long = format!("x=\"{}\",", "y".repeat(9000));
    let broken: Vec<Box<dyn Fn(String) -> String>> = vec![
        Box::new(|header| format!("{header},keyId=\"https://other.example/\"")),
        Box::new(|header| header.replace("keyId", "key")),
        Box::new(|header| header.replace(",signature=", ",sig=")),
        Box::new(|header| header.replace("signature=\"", "signature=\"*")),
        Box::new(|header| header.trim_end_matches('"').to_owned()),
        Box::new(|header| header.replace("\",", "\"")),
        Box::new(|header| format!("{header},")),
        Box::new(|header| format!(",{header}")),
        Box::new(|header| format!("{header},x=\"\\\"\"")),
        Box::new(|header| header.replace("host date", "host host date")),
        Box::new(move |header| format!("{many}{header}")),
        Box::new(move |header| format!("{long}{header}")),
        Box::new(|_| "nonsense".to_owned()),
        Box::new(|_| String::new()),
    ];
    for (number, change) in broken.iter().enumerate() {
        let request = rewritten(change);
        assert!(
            matches!(request.checked(), Err(SignatureProblem::Malformed(_))),
            "{number}: {:?}",
            request.checked()
        );
    }
    let header = usual().value("signature");
    let two = usual().and("signature", &header);
    assert!(matches!(two.checked(), Err(SignatureProblem::Malformed(_))));
}

#[test]
fn a_signature_of_another_key_or_of_nothing_does_not_match() {
    let other = SigningKey::generate().unwrap();
    let other = PublicKey::from_pem(other.public_pem()).unwrap();
    assert_eq!(
        usual().checked_with(&other),
        Err(SignatureProblem::Mismatch)
    );
    let empty = rewritten(|header| {
        let (start, _) = header.split_once("signature=\"").unwrap();
        format!("{start}signature=\"\"")
    });
    assert_eq!(empty.checked(), Err(SignatureProblem::Mismatch));
}
