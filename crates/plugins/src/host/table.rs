//! Every function a plugin can call, with the permission it needs.

use futures_util::future::BoxFuture;

use super::{
    actions, assets, auth, chat, config, events, fetch, files, kv, log, notices, server, sql, sse,
    timers, uploads, users, video,
};
use crate::host::plugin_host::Host;
use crate::permission::Permission;

/// The implementation of a function, after the permission check.
type Run = for<'a> fn(&'a Host, &'a str) -> BoxFuture<'a, Result<String, String>>;

/// A function a plugin can call.
pub struct Function {
    /// Its name in the engine.
    pub name: &'static str,
    /// The permission it needs; `None` for what every plugin may do.
    pub needs: Option<Permission>,
    pub(super) run: Run,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("needs", &self.needs)
            .finish_non_exhaustive()
    }
}

/// One row of the table: the name, the permission or `-`, and the implementation.
macro_rules! functions {
    ($($name:literal $needs:tt $group:ident :: $run:ident,)*) => {
        &[$(Function {
            name: $name,
            needs: functions!(@needs $needs),
            run: |host, args| Box::pin($group::$run(host, args)),
        },)*]
    };
    (@needs -) => { None };
    (@needs $permission:ident) => { Some(Permission::$permission) };
}

/// All of them.
pub const FUNCTIONS: &[Function] = functions! {
    "send_chat" ChatSend chat::send,
    "send_chat_action" ChatSend chat::send_action,
    "send_chat_system" ChatSend chat::send_system,
    "send_chat_to" ChatSend chat::send_to,
    "chat_history" ChatHistory chat::history,
    "chat_clients" ChatHistory chat::clients,
    "delete_message" ChatModerate chat::delete_message,
    "kick_client" ChatModerate chat::kick_client,
    "kv_get" StorageKv kv::get,
    "kv_set" StorageKv kv::set,
    "storage_upload" StorageUpload uploads::upload,
    "fs_read" StorageFs files::read,
    "fs_write" StorageFs files::write,
    "fs_list" StorageFs files::list,
    "fs_delete" StorageFs files::delete,
    "fs_exists" StorageFs files::exists,
    "sql_exec" StorageSql sql::exec,
    "sql_query" StorageSql sql::query,
    "emit_event" EventsEmit events::emit,
    "stream_current" ServerRead server::stream,
    "stream_broadcaster" ServerRead server::broadcaster,
    "server_info" ServerRead server::info,
    "server_socials" ServerRead server::socials,
    "server_emotes" ServerRead server::emotes,
    "server_federation" ServerRead server::federation,
    "server_tags" ServerRead server::tags,
    "video_config_read" VideoconfigRead video::read,
    "video_config_write" VideoconfigWrite video::write,
    "notify_discord" NotificationsSend notices::discord,
    "notify_browser_push" NotificationsSend notices::browser_push,
    "notify_fediverse" NotificationsSend notices::fediverse,
    "users_list" UsersRead users::list,
    "user_get" UsersRead users::get,
    "user_set_enabled" UsersModerate users::set_enabled,
    "ban_ip" UsersModerate users::ban_ip,
    "users_register" UsersRegister users::register,
    "auth_grant_session" AuthGate auth::grant_session,
    "auth_end_session" AuthGate auth::end_session,
    "fediverse_post" FediversePost notices::fediverse_post,
    "sse_send" HttpSse sse::send,
    "add_actions" UiModify actions::add,
    "clear_actions" UiModify actions::clear,
    "timer_set" - timers::set,
    "timer_clear" - timers::clear,
    "config_get" - config::get,
    "asset_read" - assets::read,
    "log_info" - log::info,
    "log_warning" - log::warning,
    "log_error" - log::error,
    "fetch" NetworkFetch fetch::fetch,
};

pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}
