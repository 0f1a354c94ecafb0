//! The operator signs in elsewhere with this server's address.

use crate::admin;
use crate::route::Access::{AdminAuth, AdminPage, Public};
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/auth/provider/indieauth",            AdminPage, admin::ask_for_identity)
            .says("Where another site sends the operator to say who they are").asks("client_id", "The site that asks").asks("redirect_uri", "Where to go back to")
            .asks("response_type", "`code`").asks("state", "Comes back as it was sent").asks("code_challenge", "A hash of the site's secret").asks("code_challenge_method", "`S256`")
            .answers_text("text/html").also_text(400, "The question makes no sense", "text/html")
            .also_text(401, "The sign-in page", "text/html").also(307, "Back to the site, for scripts with a password"),
        post(  "/api/auth/provider/indieauth",            Public,    admin::tell_identity)
            .says("Where another site exchanges its code for the operator's address")
            .takes_form(&["grant_type", "code", "client_id", "redirect_uri", "code_verifier"]).answers::<admin::IdentityAnswer>(),
        post(  "/api/auth/provider/indieauth/approve",    AdminAuth, admin::answer_for_identity)
            .says("What the operator answers").takes_form(&["question", "answer"])
            .also(303, "Back to the site").also_text(400, "The question is not open any more", "text/html").also_text(401, "The operator is not signed in", "text/plain"),
    ]
}
