//! Endpoints for the operator only.

mod audience;
mod export;
pub(crate) mod federation;
mod gauges;
mod identity;
mod login;
mod markdown;
mod measures;
mod nodes;
mod own_address;
mod past_stream;
mod process;
mod reads;
mod serverconfig;
mod settings;
mod stream;
mod tokens;
mod upkeep;
mod video;
mod viewers;
pub(crate) mod webhooks;

pub(crate) use audience::{AudienceHistory, AudienceQuery, WireAudiencePoint, audience_history};
pub(crate) use export::{
    ChatLogLine, ChatLogQuery, chat_csv, chat_json, streams_csv, streams_json, viewers_csv,
    viewers_json,
};
pub(crate) use gauges::prometheus;
pub(crate) use identity::{
    ENDPOINT as IDENTITY_ENDPOINT, IdentityAnswer, answer as answer_for_identity,
    ask as ask_for_identity, tell as tell_identity,
};
pub(crate) use login::{
    AdminSession, Setup, SetupToken, SignIn, SignInLink, check_setup, session, setup, sign_in,
    sign_in_by_link, sign_out,
};
pub(crate) use markdown::{MarkdownDraft, RenderedDraft, render as render_markdown};
pub(crate) use measures::{HardwareSeries, VideoSeries, WirePoint, hardware, video_metrics};
pub(crate) use nodes::{WireNode, nodes};
pub(crate) use own_address::{AddressCheck, check_address};
pub(crate) use past_stream::{StreamDetail, StreamSummary, past_stream};
pub(crate) use process::{
    UpdateOptions, quit, quit_by_script, reset_directory, start_update, update_options,
};
pub(crate) use reads::{LogEntry, document as log_document, logs, warnings};
pub(crate) use serverconfig::get as serverconfig;
pub(crate) use settings::{NewPassword, SettingsList, change, change_password, list as settings};
pub(crate) use stream::{
    AdminStatus, PastStream, StreamReport, StreamsQuery, disconnect, disconnect_by_script, status,
    stream, streams,
};
pub(crate) use tokens::{
    AccessToken, CreateTokenRequest, Revocation, create as create_token, delete as delete_token,
    list as tokens,
};
pub(crate) use upkeep::{Upkeep, upkeep};
pub(crate) use video::{
    Cost, EncoderList, EncodersQuery, LadderReport, MeasureRequest, encoders, ladder, measure,
};
pub(crate) use viewers::{
    WatchingViewer, Window, WireViewer, viewers, viewers_over_time, viewers_with_playback,
};
