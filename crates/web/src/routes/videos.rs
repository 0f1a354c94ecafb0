//! Recordings: their pages, and what viewers and the operator read and change. Their media is below `/hls/`.

use crate::route::Access::{Admin, Public};
use crate::route::{Route, delete, get, patch, post};
use crate::videos;

const NO_RECORDING: &str = "There is no such recording, or not for this caller";

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/videos",                                 Public,    videos::list_page),
        get(   "/videos/",                                Public,    videos::list_page),
        get(   "/videos/{id}",                            Public,    videos::watch_page),
        get(   "/embed/video/{id}",                       Public,    videos::embed_page),
        get(   "/api/videos",                             Public,    videos::list)
            .says("Recordings that are there for everybody, newest first").query::<videos::VideosQuery>().answers::<videos::VideoPage>(),
        get(   "/api/videos/{id}",                        Public,    videos::item)
            .says("A recording with its chapters; a private one for the operator only").answers::<videos::VideoDetail>().also(404, NO_RECORDING),
        get(   "/api/videos/{id}/chat",                   Public,    videos::chat)
            .says("The chat beside a recording, at most 500 messages at once; a private one for the operator only").query::<videos::VideoChatQuery>()
            .answers::<videos::VideoChatPage<'_>>().also(404, NO_RECORDING),
        get(   "/api/admin/videos",                       Admin,     videos::admin_list)
            .says("All recordings, newest first, and the room they take").query::<videos::VideosQuery>().answers::<videos::AdminVideoPage>(),
        post(  "/api/admin/videos/record",                Admin,     videos::record)
            .says("Record the stream that is live, from the beginning of what is kept of it").done().also(400, "No stream is live"),
        delete("/api/admin/videos/record",                Admin,     videos::stop_recording)
            .says("End the recording of the stream that is live; what was recorded stays").done().also(400, "No stream is live"),
        get(   "/api/admin/videos/{id}",                  Admin,     videos::admin_item)
            .says("A recording with its chapters, whoever may see it").answers::<videos::AdminVideoDetail>().also(404, NO_RECORDING),
        patch( "/api/admin/videos/{id}",                  Admin,     videos::change)
            .says("Change what a recording is called, who may see it, and where it begins and ends").takes::<videos::VideoChange>()
            .answers::<videos::AdminVideoDetail>().also(404, NO_RECORDING).also(409, "It is still being recorded, and has no marks yet"),
        delete("/api/admin/videos/{id}",                  Admin,     videos::delete)
            .says("Delete a recording; its files go a minute later").done().also(404, NO_RECORDING).also(409, "It is still being recorded"),
        post(  "/api/admin/videos/{id}/marks",            Admin,     videos::add_mark)
            .says("Set a mark in a recording, which makes a chapter").takes::<videos::MarkRequest>().answers::<videos::VideoChapter>()
            .also(404, NO_RECORDING).also(409, "It has as many chapters as it can have"),
        delete("/api/admin/videos/{id}/marks",            Admin,     videos::remove_mark)
            .says("Remove a mark of a recording, or another chapter").query::<videos::MarkQuery>().done()
            .also(404, "There is no such recording, or no such chapter"),
        post(  "/api/admin/record/mark",                  Admin,     videos::mark_live)
            .says("Set a mark where the stream is now, in what is kept of it").takes::<videos::LiveMarkRequest>().answers::<videos::VideoChapter>()
            .also(409, "There are as many chapters as there can be"),
    ]
}
