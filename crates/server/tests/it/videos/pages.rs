//! The pages of recordings.

use serde_json::{Value, json};
use testkit::picture::decode;

use super::{change, recorded, text};
use crate::http::{Answer, get};
use crate::stills::once_there;

/// What the page gives to its script.
fn boot(page: &Answer) -> Value {
    let (_, rest) = page.body.split_once("id=\"boot\"").unwrap();
    let (_, rest) = rest.split_once('>').unwrap();
    let (boot, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(boot).unwrap()
}

#[tokio::test]
async fn the_page_of_a_recording_says_what_it_is_and_brings_it_along() {
    let (server, video) = recorded(&["recording_visibility=public"]).await;
    let id = text(&video, "id");
    let words = json!({ "title": "Soup & \"bread\" <b>", "summary": "A recipe" });
    change(&server, id, &words).await;
    once_there(&server, &format!("/hls/videos/{id}/poster.jpg")).await;
    let page = get(&format!("/videos/{id}")).send(&server).await;
    assert_eq!(page.status, 200, "{page:?}");
    let base = format!("http://{}", server.address());
    for part in [
        "property=\"og:type\" content=\"video.other\"".to_owned(),
        "property=\"og:title\" content=\"Soup &amp; &quot;bread&quot; &lt;b&gt;\"".to_owned(),
        "property=\"og:description\" content=\"A recipe\"".to_owned(),
        format!("property=\"og:url\" content=\"{base}/videos/{id}\""),
        format!("property=\"og:video\" content=\"{base}/embed/video/{id}\""),
        format!("\"embedUrl\":\"{base}/embed/video/{id}\""),
        "type=\"application/json+oembed\"".to_owned(),
    ] {
        assert!(page.body.contains(&part), "{part}: {}", page.body);
    }
    let item = get(&format!("/api/videos/{id}")).send(&server).await.json();
    assert_eq!(boot(&page)["video"], item);
    let framed = get(&format!("/embed/video/{id}")).send(&server).await;
    assert_eq!(boot(&framed)["video"], item);
    let policy = framed.header("content-security-policy");
    assert!(policy.contains("frame-ancestors *"), "{policy}");
    let policy = page.header("content-security-policy");
    assert!(policy.contains("frame-ancestors 'self'"), "{policy}");

    let list = get("/videos").send(&server).await;
    let link = format!("<a href=\"/videos/{id}\" dir=\"auto\">Soup &amp;");
    assert!(list.body.contains(&link), "{}", list.body);
    assert!(boot(&list).get("video").is_none());
}

#[tokio::test]
async fn programs_get_what_they_can_use_at_the_address_of_a_recording() {
    let (server, video) = recorded(&[]).await;
    let id = text(&video, "id");
    let path = format!("/videos/{id}");
    let player = get(&path)
        .header("user-agent", "mpv 0.40")
        .send(&server)
        .await;
    assert_eq!(player.status, 307);
    let list = format!("/hls/videos/{id}/stream.m3u8");
    assert_eq!(player.header("location"), list);
    let reader = get(&path).header("user-agent", "examplebot/1.0");
    let reader = reader.send(&server).await;
    assert!(
        reader.body.contains(&format!("src=\"{list}\"")),
        "{}",
        reader.body
    );
    assert!(!reader.body.contains("id=\"boot\""));
    assert!(reader.body.contains("noindex"), "it is unlisted");
    let address = format!("http%3A%2F%2F{}%2Fvideos%2F{id}", server.address());
    let oembed = get(&format!("/oembed?url={address}"))
        .send(&server)
        .await
        .json();
    assert_eq!(oembed["type"], "video");
    let html = text(&oembed, "html");
    assert!(html.contains(&format!("/embed/video/{id}\"")), "{html}");
}

#[tokio::test]
async fn an_unknown_recording_is_a_page_for_people_and_a_line_for_players() {
    let (server, _) = recorded(&[]).await;
    let path = "/videos/0123456789abcdef";
    let player = get(path).header("user-agent", "mpv 0.40");
    let player = player.send(&server).await;
    assert_eq!(
        (player.status, player.body.as_str()),
        (404, "404 page not found\n")
    );
    let person = get(path).header("accept", "text/html").send(&server).await;
    assert_eq!(person.status, 404);
    assert!(person.header("content-type").starts_with("text/html"));
}

#[tokio::test]
async fn a_recording_gets_a_picture_of_itself() {
    let (server, video) = recorded(&["recording_visibility=public"]).await;
    let path = format!("/hls/videos/{}/poster.jpg", text(&video, "id"));
    let answer = once_there(&server, &path).await;
    assert_eq!(answer.header("content-type"), "image/jpeg");
    let picture = decode(&answer.bytes);
    assert_eq!((picture.width, picture.height), (320, 180));
    let item = get("/api/videos").send(&server).await.json();
    assert_eq!(item["results"][0]["thumbnail"], path);

    // What is hidden later must not stay in the picture.
    let marks = json!({ "trimStart": 4.0 });
    change(&server, text(&video, "id"), &marks).await;
    let again = once_there(&server, &path).await;
    assert!(again.bytes != answer.bytes);
}
