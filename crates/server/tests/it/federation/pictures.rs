//! The go-live post contains a picture of the stream.

/// The picture is drawn by a program that gives way to all others, and beside other tests has next to no processor.
mod alone {
    use serde_json::json;
    use testkit::picture::decode;

    use super::super::stage::{adjustable, announced, change, path_of};
    use crate::http::get;
    use crate::stills::once_it_is;
    use crate::stream::broadcast;

    #[tokio::test]
    async fn followers_are_shown_the_stream_that_has_begun() {
        let server = adjustable().await;
        change(&server, "federation/livedelay", &json!(600)).await;
        let mut client = broadcast(&server).await;
        once_it_is(&server, "/preview.gif", "image/gif").await;
        change(&server, "federation/livedelay", &json!(0)).await;
        let note = announced(&server).await;
        let image = &note["attachment"][0];
        assert_eq!(image["type"], "Image");
        assert_eq!(image["name"], "Live stream preview");

        let path = path_of(image["url"].as_str().unwrap());
        let kept = get(path).send(&server).await;
        assert_eq!(kept.status, 200, "{path}");
        assert_eq!(kept.header("content-type"), image["mediaType"]);
        let picture = decode(&kept.bytes);
        let kind = image["mediaType"].as_str().unwrap();
        assert!(
            matches!(
                (kind, picture.codec.as_str()),
                ("image/gif", "gif") | ("image/jpeg", "mjpeg")
            ),
            "{kind}: {picture:?}"
        );

        // On a busy machine it may have been silent for so long that the server closed the connection.
        drop(client.unpublish().await);
        once_it_is(&server, "/thumbnail.jpg", "image/png").await;
        let later = get(path).send(&server).await;
        assert!(later.bytes == kept.bytes, "the picture of a post stays");
    }
}
