//! Recordings: their pages, and what viewers and the operator read and change. Their media is below `/hls/`.

use crate::route::Access::{Admin, Public};
use crate::route::{Route, delete, get, patch, post};
use crate::videos;

const NO_RECORDING: &str = "There is no such recording, or not for this caller";

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/videos",                                 Public,    videos::list_page),
        get(   "/videos/{id}",                            Public,    videos::watch_page),
        get(   "/embed/video/{id}",                       Public,    videos::embed_page),
        get(   "/api/videos",                             Public,    videos::list)
            .says("Recordings that are there for everybody, newest first").query::<videos::VideosQuery>().answers::<videos::VideoPage>(),
        get(   "/api/videos/{id}",                        Public,    videos::item)
            .says("A recording with its chapters; a private one for the operator only").answers::<videos::VideoDetail>().also(404, NO_RECORDING),
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
    ]
}
