//! Finds a page's endpoint: in its `Link` headers, in its HTML, or in a metadata document either points to.
//!
//! Section 4.1 of the specification; the metadata document comes first, the older `authorization_endpoint` second.

use outbound::http::{HeaderMap, HeaderValue, header};
use outbound::{Client, FetchBudget, FetchError, Policy, Response, Url, guard};
use serde::Deserialize;

use super::html::{self, WebLink};
use super::{MAX_ADDRESS_BYTES, SignInProblem, link_header};

const METADATA: &str = "indieauth-metadata";
const ENDPOINT: &str = "authorization_endpoint";

#[derive(Debug, Deserialize)]
struct Metadata {
    authorization_endpoint: String,
}

/// Fetches the page and finds its endpoint.
pub(super) async fn endpoint(
    client: &Client,
    page: &Url,
    budget: &FetchBudget,
) -> Result<Url, SignInProblem> {
    let answer = get(client, page, "text/html", budget).await?;
    let links = links(&answer).await;
    let endpoint = match named(&links, METADATA) {
        Some(document) => {
            let answer = get(client, document, "application/json", budget).await?;
            let metadata: Metadata =
                serde_json::from_slice(&answer.body).map_err(|_| SignInProblem::NoEndpoint)?;
            answer.final_url.join(&metadata.authorization_endpoint).ok()
        }
        None => named(&links, ENDPOINT).cloned(),
    };
    endpoint.filter(is_usable).ok_or(SignInProblem::NoEndpoint)
}

async fn get(
    client: &Client,
    url: &Url,
    accepted: &'static str,
    budget: &FetchBudget,
) -> Result<Response, SignInProblem> {
    let accept = (header::ACCEPT, HeaderValue::from_static(accepted));
    let headers = HeaderMap::from_iter([accept]);
    client
        .get(url, &Policy::federation(), headers, budget)
        .await
        .and_then(Response::require_success)
        .inspect_err(|error| {
            model::stranger_line!(info, "sign_in_page", %error, "cannot fetch a page for a sign-in");
        })
        .map_err(|error| match error {
            FetchError::Refused { .. } => SignInProblem::Address,
            other => SignInProblem::Unreachable(other),
        })
}

/// The links of a response, those in its headers first.
async fn links(answer: &Response) -> Vec<WebLink> {
    let mut links = Vec::new();
    for value in answer.headers.get_all(header::LINK) {
        links.extend(link_header::read(
            &String::from_utf8_lossy(value.as_bytes()),
            &answer.final_url,
        ));
    }
    let (page, address) = (answer.body.clone(), answer.final_url.clone());
    // The page may be made to take long to parse.
    let read =
        tokio::task::spawn_blocking(move || html::links(&String::from_utf8_lossy(&page), &address));
    links.extend(read.await.unwrap_or_default());
    links
}

fn named<'a>(links: &'a [WebLink], relation: &str) -> Option<&'a Url> {
    let found = links.iter().find(|link| link.has(relation));
    found.map(|link| &link.target)
}

/// The browser is sent there and we post to it, so it has to be as public as the page.
fn is_usable(endpoint: &Url) -> bool {
    endpoint.as_str().len() <= MAX_ADDRESS_BYTES
        && guard::check_url(endpoint, &Policy::federation()).is_ok()
}
