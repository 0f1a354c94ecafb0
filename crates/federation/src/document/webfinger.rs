//! WebFinger: from `live@live.example` to the actor (RFC 7033).

use serde_json::{Value, json};

use crate::names::{Names, authority_of};
use crate::profile::ActorProfile;

/// Its media type.
pub const MEDIA_TYPE: &str = "application/jrd+json";

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebFingerError {
    /// Not `acct:user@host`.
    Malformed,
    /// A host that is not ours.
    OtherHost,
    /// No account of that name here.
    UnknownUser,
}

/// Finds which name of the account `resource` means, in any spelling. A former name is answered as itself: name,
/// subject and actor have to lead to each other, and the actor says where the account is now.
pub fn check(profile: &ActorProfile, resource: Option<&str>) -> Result<Names, WebFingerError> {
    let account = resource
        .and_then(|resource| resource.strip_prefix("acct:"))
        .ok_or(WebFingerError::Malformed)?;
    // People write the account as they see it, with a leading `@`.
    let account = account.strip_prefix('@').unwrap_or(account);
    let (user, host) = account.split_once('@').ok_or(WebFingerError::Malformed)?;
    if host.contains('@') {
        return Err(WebFingerError::Malformed);
    }
    // Check the host first: accounts of other hosts are none of our business.
    if authority_of(host).as_deref() != Some(profile.names.host()) {
        return Err(WebFingerError::OtherHost);
    }
    let user = user.to_ascii_lowercase();
    match profile.answers_to(&user) {
        true => Ok(profile.names.under(&user)),
        false => Err(WebFingerError::UnknownUser),
    }
}

/// The answer for one of the account's names, with links of the requested kinds, or all of them if none was requested.
pub fn document(profile: &ActorProfile, names: &Names, kinds: &[String]) -> Value {
    let link =
        |rel: &str, kind: &str, href: String| json!({ "rel": rel, "type": kind, "href": href });
    let links = [
        link("self", "application/activity+json", names.actor()),
        link(
            "http://webfinger.net/rel/profile-page",
            "text/html",
            names.actor(),
        ),
        link(
            "http://webfinger.net/rel/avatar",
            &profile.logo.media_type,
            names.logo(""),
        ),
        link(
            "alternate",
            "application/x-mpegURL",
            format!("{}/hls/stream.m3u8", names.base()),
        ),
    ];
    let is_wanted =
        |link: &Value| kinds.is_empty() || kinds.iter().any(|kind| link["rel"] == **kind);
    let links: Vec<Value> = links.into_iter().filter(is_wanted).collect();
    json!({ "subject": names.subject(), "aliases": [names.actor()], "links": links })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::example::profile;
    use super::*;

    // Cases 2, 3 and 6 of docs/federation-cases.md.
    #[test]
    fn only_our_own_accounts_are_found() {
        let profile = profile();
        let check = |resource: &str| check(&profile, Some(resource));
        for bad in [
            "",
            "live@live.example",
            "notacct:live@live.example",
            "acct:live",
            "acct:a@b@c",
            "https://live.example/federation/user/live",
            "https://live.example",
        ] {
            assert_eq!(check(bad), Err(WebFingerError::Malformed), "{bad}");
        }
        assert_eq!(
            check("acct:nobody@live.example"),
            Err(WebFingerError::UnknownUser)
        );
        for elsewhere in [
            "acct:live@other.example",
            "acct:x@other.example",
            "acct:live@",
            "acct:live@live.example:8443",
        ] {
            assert_eq!(
                check(elsewhere),
                Err(WebFingerError::OtherHost),
                "{elsewhere}"
            );
        }
        for ours in [
            "acct:live@live.example",
            "acct:LIVE@Live.Example",
            "acct:@live@live.example",
            "acct:live@live.example:443",
        ] {
            let found = check(ours).unwrap();
            assert_eq!(found.subject(), "acct:live@live.example", "{ours}");
        }
        assert_eq!(super::check(&profile, None), Err(WebFingerError::Malformed));
    }

    // Case 5 of docs/federation-cases.md.
    #[test]
    fn foreign_letters_are_found_in_both_spellings_and_answered_in_one() {
        let mut profile = profile();
        profile.names = Names::new("https://bücher.example:8443", "live").unwrap();
        for spelling in [
            "acct:live@bücher.example:8443",
            "acct:live@xn--bcher-kva.example:8443",
        ] {
            assert!(check(&profile, Some(spelling)).is_ok(), "{spelling}");
        }
        let document = document(&profile, &profile.names, &[]);
        assert_eq!(document["subject"], "acct:live@xn--bcher-kva.example:8443");
        let base = "https://xn--bcher-kva.example:8443";
        assert_eq!(
            document["aliases"],
            json!([format!("{base}/federation/user/live")])
        );
        for link in document["links"].as_array().unwrap() {
            assert!(link["href"].as_str().unwrap().starts_with(base), "{link}");
        }
    }

    #[test]
    fn a_former_name_keeps_its_own_subject_and_actor() {
        let mut profile = profile();
        let old = profile.names.clone();
        profile.names = profile.names.under("stage");
        profile.former_usernames = vec!["live".into()];
        let found = check(&profile, Some("acct:live@live.example")).unwrap();
        let document = document(&profile, &found, &["self".into()]);
        assert_eq!(document["subject"], "acct:live@live.example");
        assert_eq!(document["aliases"], json!([old.actor()]));
        assert_eq!(document["links"][0]["href"], old.actor());
    }

    #[test]
    fn links_can_be_chosen() {
        let document = document(&profile(), &profile().names, &["self".into()]);
        assert_eq!(document["links"].as_array().unwrap().len(), 1);
        assert_eq!(document["links"][0]["href"], profile().names.actor());
    }

    proptest::proptest! {
        #[test]
        fn no_resource_does_more_than_be_refused(resource in "(acct:)?\\PC{0,60}") {
            let _checked = check(&profile(), Some(&resource));
        }
    }
}
