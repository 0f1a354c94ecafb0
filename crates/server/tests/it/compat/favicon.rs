//! The icon of the pages.

use server::testing::TestServer;

use crate::http::{Answer, Request, get, request, set_up_server};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR rest of a picture";
const ICO: &[u8] =
    b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\x68\x04\0\0\x16\0\0\0 rest of an icon";

fn upload(field: &str, content: &[u8]) -> Request {
    let head = format!(
        "--xyz\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n"
    );
    let body = [head.as_bytes(), content, b"\r\n--xyz--\r\n"].concat();
    request("POST", "/api/admin/config/favicon")
        .header("content-type", "multipart/form-data; boundary=xyz")
        .bytes(&body)
}

async fn says(server: &TestServer, request: Request) -> (u16, String) {
    let answer: Answer = request.by_admin().send(server).await;
    let message = answer.json()["message"].as_str().unwrap().to_owned();
    (answer.status, message)
}

async fn kind(server: &TestServer) -> String {
    let answer = get("/favicon.ico").send(server).await;
    assert_eq!(answer.status, 200);
    answer.header("content-type").to_owned()
}

#[tokio::test]
async fn an_icon_is_uploaded_served_and_reset() {
    let server = set_up_server().await;
    let built_in = get("/favicon.ico").send(&server).await;
    let updated = (200, "favicon updated".to_owned());
    assert_eq!(says(&server, upload("favicon", PNG)).await, updated);
    assert_eq!(kind(&server).await, "image/png");
    assert_eq!(says(&server, upload("favicon", ICO)).await, updated);
    assert_eq!(kind(&server).await, "image/x-icon");
    let delete = request("DELETE", "/api/admin/config/favicon");
    assert_eq!(says(&server, delete).await.0, 200);
    let again = get("/favicon.ico").send(&server).await;
    assert_eq!(again.header("etag"), built_in.header("etag"));
}

#[tokio::test]
async fn what_is_no_small_icon_is_refused_in_known_words() {
    let server = set_up_server().await;
    let jpeg = [b"\xff\xd8\xff\xe0".as_slice(), &[0; 100]].concat();
    let large = [PNG, &vec![0; 250 * 1024]].concat();
    for (request, words) in [
        (
            upload("favicon", &jpeg),
            "favicon must be PNG or ICO format",
        ),
        (upload("favicon", &large), "file too large, max 200KB"),
        (upload("favicon", b""), "no file provided"),
        (upload("another", PNG), "no file provided"),
        (
            request("POST", "/api/admin/config/favicon"),
            "no file provided",
        ),
        (
            request("POST", "/api/admin/config/favicon")
                .header("content-type", "multipart/form-data; boundary=xyz")
                .raw_body("--xyz\r\nbroken"),
            "no file provided",
        ),
    ] {
        assert_eq!(says(&server, request).await, (400, words.to_owned()));
    }
    let largest = [PNG, &vec![0; 200 * 1024 - PNG.len()]].concat();
    assert_eq!(says(&server, upload("favicon", &largest)).await.0, 200);
}

#[tokio::test]
async fn an_icon_by_a_stranger_is_a_401() {
    let server = set_up_server().await;
    assert_eq!(upload("favicon", PNG).send(&server).await.status, 401);
}
