//! Why requests fail, as far as a page shows it to people. What only programs get wrong (a missing field, a number out
//! of range that no page sends) has no code; its English text is enough.

model::sentences! {
    // Of any request.
    NOT_FOUND = "not-found", "There is nothing at this address.";
    TOO_LARGE = "too-large", "That is too large.";
    INTERNAL = "internal", "Something went wrong on the server; its log says what.";
    TOO_MANY_REQUESTS = "too-many-requests",
        "Too many requests from your address. Please try again in a minute.";
    DATABASE_UNAVAILABLE = "database-unavailable",
        "The server cannot use its database right now. Please try again.";

    // Signing in as the operator, and the first run.
    WRONG_PASSWORD = "wrong-password", "That is not the admin password.";
    TOO_MANY_ATTEMPTS = "too-many-attempts",
        "Too many failed attempts. Try again in {seconds} seconds.";
    SIGN_IN_LINK_VOID = "sign-in-link-void",
        "This link has expired or was already used. Make a new one with “rillcast admin session”.";
    NOT_SET_UP = "not-set-up",
        "This server is not set up yet. Open the setup link printed on its console.";
    SETUP_LINK_VOID = "setup-link-void",
        "This setup link is no longer valid. Use the one printed at the last start, or sign in.";
    PASSWORD_TOO_SHORT = "password-too-short", "The password needs at least {least} characters.";
    PASSWORD_TOO_LONG = "password-too-long", "The password is too long.";
    PASSWORD_FAILED = "password-failed", "The password could not be stored. Please try again.";
    PASSWORD_LOCKED = "password-locked",
        "The admin password is set outside these pages: by a flag, the environment or the configuration file.";

    // Settings, beside what the rules of each say.
    SETTING_LOCKED = "setting-locked", "This is set by {source} and cannot be changed here.";
    SETTING_AT_START = "setting-at-start",
        "This cannot be changed here: start the server with another {flag}.";
    NO_FILE = "program-not-found", "There is no file at {path}.";
    NOT_A_FILE = "program-not-a-file", "{path} is not a file.";
    NOT_EXECUTABLE = "program-not-executable", "{path} is not an executable program.";
    NOT_CHECKED = "program-not-checked", "{path} could not be checked.";

    // The Fediverse.
    FEDERATION_OFF = "federation-off", "The Fediverse is turned off on this server.";
    FEDERATION_NO_ADDRESS = "federation-needs-address",
        "The Fediverse needs the public address of this server, which is not set.";
    FEDERATION_INSECURE = "federation-needs-https",
        "The Fediverse needs a public address that begins with https://.";
    FEDERATION_SILENT = "federation-cannot-post",
        "The Fediverse is turned off, or the server has no public address that begins with https://.";
    ACCOUNT_INVALID = "account-invalid", "Enter an account such as @name@server.example.";
    SERVER_INVALID = "server-address-invalid",
        "Enter the https address of a server, such as https://server.example.";
    SERVER_UNREACHABLE = "server-unreachable",
        "That server could not be reached, or did not answer as expected.";
    ACCOUNT_REFUSED = "account-refused", "Accounts of that server cannot be used here.";
    ACCOUNT_UNKNOWN = "account-unknown", "That server does not know this account.";
    SERVER_ANSWER = "server-answer-unusable", "That server sent an answer that cannot be used.";
    NO_FOLLOW_PAGE = "no-follow-page",
        "Your server does not say where you can follow others. Search for {address} there instead.";
    POST_EMPTY = "post-empty", "Write something or choose a picture.";
    POST_TOO_LONG = "post-too-long", "Use at most {most} characters.";
    POST_DESCRIPTION = "post-description", "Describe the picture in at most {most} characters.";
    KEY_UNDER_WAY = "key-under-way",
        "The last new key is still being handed over: {count} servers have not answered yet.";
    FOLLOWER_UNKNOWN = "follower-unknown", "This follower no longer exists.";
    FORMER_NAME = "account-name-former",
        "Your account was called {name} before. Some servers ignore it for good when it takes that name again.";
    NOT_SENT_AGAIN = "deliveries-not-again",
        "None of these can be sent again: they were delivered, are being sent, or are no longer stored.";
    NO_OLD_KEY = "no-old-key", "There is no old key to go back to.";
    // The codes of `FeatureError`, which clients know in capitals.
    FEATURE_UNREACHABLE = "UNREACHABLE",
        "That server could not be reached, or did not answer as expected.";
    FEATURE_OWN = "OWN_SERVER", "This is your own server.";
    FEATURE_BLOCKED = "BLOCKED_DOMAIN", "You have blocked that server.";
    FEATURE_KNOWN = "ALREADY_FEATURED", "You already feature that server.";
    FEATURE_TOO_MANY = "TOO_MANY", "You feature as many servers as possible.";
    FEATURE_NOT_FEDERATED = "NOT_FEDERATED",
        "That server does not take part in the Fediverse, or has it turned off.";
    FEATURE_SOFTWARE = "UNSUPPORTED_SOFTWARE",
        "That server runs software that does not tell others when it is live.";
    FEATURE_TOO_OLD = "UNSUPPORTED_FEATURED_STREAMS",
        "That server is too old to tell others when it is live.";
    FEATURE_ACCOUNT = "UNUSABLE_ACCOUNT", "The account of that server cannot be used.";
    FEATURE_UNKNOWN = "UNKNOWN", "You do not feature that server.";
    FEATURE_OFF = "FEDERATION_OFF", "The Fediverse is turned off on this server.";

    // Signing in to the chat.
    SIGN_INS_BUSY = "sign-in-busy",
        "Too many people are signing in right now. Please try again in a few minutes.";
    SIGN_IN_HASTY = "sign-in-hasty",
        "You have started several sign-ins at once. Please wait a moment.";
    SITE_INVALID = "site-invalid", "Enter the https address of your site, such as https://me.example.";
    SITE_UNREACHABLE = "site-unreachable", "Your site could not be reached.";
    SITE_NO_ENDPOINT = "site-no-indieauth", "Your site does not support IndieAuth.";
    SIGN_IN_UNKNOWN = "sign-in-expired",
        "This sign-in has expired or was already used. Please start again.";
    PROVIDER_UNREACHABLE = "provider-unreachable", "Your sign-in provider could not be reached.";
    PROVIDER_REFUSED = "provider-refused", "Your sign-in provider did not confirm the sign-in.";
    OTHER_IDENTITY = "other-identity",
        "Your sign-in provider confirmed another address than the one you entered.";
    NO_SIGN_IN = "sign-in-not-possible",
        "Nobody can sign in here until the operator has set the public address of this server.";
    CODE_NOBODY = "code-not-deliverable", "This account cannot receive messages.";
    CODE_UNREACHED = "code-server-unreachable",
        "The server of this account cannot be reached right now. Please try again later.";
    CODE_HASTY = "code-on-its-way", "A code is already on its way. Please wait a moment.";
    CODE_ENOUGH = "codes-enough",
        "Several codes were already sent to this account. Please try again in an hour.";
    CODE_UNKNOWN = "code-expired", "You have no code, or it has expired. Request a new one.";
    CODE_WRONG = "code-wrong", "This is not the code that was sent.";
    CODE_VOID = "code-void", "Too many wrong codes. Request a new one.";

    // Moderating.
    MODERATOR_PROTECTED = "moderator-protected", "Only the operator can do this to a moderator.";
    RESTRICTION_OF_OPERATOR = "restriction-of-operator",
        "The operator has set this. Only the operator can loosen it.";
    NO_SUCH_CHATTER = "chatter-unknown", "This chatter no longer exists.";
    REASON_TOO_LONG = "reason-too-long", "Use at most {most} characters for the reason.";
    AUTHOR_DELETED = "deleted-by-author",
        "What its author has deleted cannot be shown again.";
    TOO_MANY_MESSAGES = "messages-at-once",
        "At most {most} messages can be shown or hidden at once.";
    DELETING_HASTY = "deleting-hasty",
        "You are deleting too many messages. Please wait a little.";
    NOT_WAITING = "message-not-waiting", "This message is no longer waiting.";
    NOT_READABLE = "message-not-readable", "This message is not there for everyone to read.";
    TOO_OLD_TO_DELETE = "too-old-to-delete", "This message is too old for you to delete it.";
    NOT_AN_ADDRESS = "ip-address-invalid", "{address} is not an IP address such as 203.0.113.7.";
    ADDRESS_BANNED = "ip-already-banned", "{address} is already banned, or the list is full.";
    INVITATIONS_FULL = "invitations-full",
        "There are {count} open invitations. Take one back first.";
    INVITATION_GONE = "invitation-gone",
        "This invitation was accepted, has expired or never existed.";
    INVITATION_VOID = "invitation-void", "This invitation is no longer valid.";
    INVITATION_SIGN_IN = "invitation-sign-in",
        "Sign in with your own site or your Fediverse account first.";

    // Tokens and webhooks.
    TOKEN_NO_NAME = "token-needs-name", "Give the token a name.";
    TOKEN_NO_SCOPES = "token-needs-permission", "Choose at least one permission.";
    TOKENS_FULL = "tokens-full",
        "There are already {most} access tokens. Revoke one that is no longer used.";
    TOKEN_UNKNOWN = "token-unknown", "This access token no longer exists.";
    WEBHOOK_NO_URL = "webhook-url-invalid",
        "Enter a full address that begins with https:// or http://.";
    WEBHOOK_ADDRESS = "webhook-address-refused", "This address cannot be used: {reason}";
    WEBHOOK_NO_EVENTS = "webhook-needs-event", "Choose at least one event.";
    WEBHOOK_SECRET = "webhook-secret-too-long", "The secret is too long.";
    WEBHOOKS_FULL = "webhooks-full", "There are already as many webhooks as possible.";
    WEBHOOK_UNKNOWN = "webhook-unknown", "This webhook no longer exists.";
    DELIVERY_UNKNOWN = "delivery-unknown", "This delivery no longer exists.";
    DELIVERED = "delivery-arrived", "This was already delivered.";
    DELIVERY_DROPPED = "delivery-dropped",
        "This was given up because too many were waiting, and its text was not kept.";
    WEBHOOK_OFF = "webhook-off", "The webhook is turned off. Turn it on first.";

    // Plugins.
    PLUGIN_UNKNOWN = "plugin-unknown", "There is no plugin “{plugin}”.";
    PLUGIN_INSTALLED = "plugin-installed",
        "The plugin “{plugin}” is already installed. Remove it first.";
    PLUGIN_INCLUDED = "plugin-included",
        "The plugin “{plugin}” comes with the server and cannot be removed. Disable it instead.";
    PLUGIN_SECOND_GATE = "plugin-second-gate",
        "Only one plugin can be the sign-in of this server. Disable “{plugin}” first.";
    PLUGIN_NOT_ENABLED = "plugin-not-enabled", "The plugin “{plugin}” is not enabled.";
    PLUGIN_UNAPPROVED = "plugin-unapproved",
        "The plugin “{plugin}” asks for more than you approved ({permissions}). Approve that first.";
    PLUGINS_ELSEWHERE = "plugins-elsewhere",
        "Plugins run on another machine, which does not answer right now. Try again in a few seconds.";
    PLUGIN_NOTHING_NEW = "plugin-nothing-new", "The plugin “{plugin}” asks for nothing new.";
    PLUGIN_FILE_MISSING = "plugin-file-missing",
        "The file of “{plugin}” is missing from the plugins folder. Put it back, or remove the plugin.";
    PLUGIN_NOT_LOADED = "plugin-not-loaded", "The plugin could not be loaded: {reason}";
    PLUGIN_NO_SETTINGS = "plugin-no-settings", "The plugin “{plugin}” has no settings.";
    PLUGIN_NO_GATE = "plugin-no-gate", "The plugin “{plugin}” is not a sign-in.";
    PLUGIN_FILE_OCCUPIED = "plugin-file-occupied",
        "The file {file} holds another plugin. Rename it first.";
    PLUGINS_FOLDER = "plugins-folder-unusable", "The plugins folder cannot be used: {reason}";

    // Packages of plugins. What is wrong inside one is for its author, in English.
    PACKAGE_EMPTY = "package-empty", "The file is empty.";
    PACKAGE_NOT_ZIP = "package-not-zip",
        "The file is not a ZIP archive that can be read ({reason}).";
    PACKAGE_ENTRIES = "package-entries",
        "The package has {files} files and folders; at most {most} are allowed.";
    PACKAGE_UNPACKED = "package-unpacked",
        "The package unpacks to more than {megabytes} MB.";
    PACKAGE_ENTRY = "package-entry",
        "The package has an entry that is not allowed: “{name}” {reason}.";
    PACKAGE_NO_MANIFEST = "package-no-manifest", "The package has no plugin.manifest.json.";
    PACKAGE_MANIFEST = "package-manifest", "The manifest of the plugin is wrong. {path}: {reason}";
    PACKAGE_NO_CODE = "package-no-code",
        "The package has no plugin.py: the code of the plugin is missing.";
    PACKAGE_FOREIGN_CODE = "package-foreign-code",
        "The package contains {file}, which this server does not run. Plugins are written in Python, in plugin.py.";
    PACKAGE_TWO_CODES = "package-two-codes",
        "The package contains {file} beside plugin.py. Only one file with code is allowed.";
    PACKAGE_UNREADABLE = "package-unreadable", "The package cannot be read: {reason}";

    // Pictures of the page and of posts.
    PICTURE_TOO_LARGE = "picture-too-large", "The picture is larger than {megabytes} MB.";
    PICTURE_FORMAT = "picture-format", "This is not a PNG, JPEG, GIF, WebP or SVG picture.";
    PICTURE_UNREADABLE = "picture-unreadable", "The file is not a picture that can be read.";
    POST_PICTURE_FORMAT = "post-picture-format", "This is not a PNG, JPEG, GIF or WebP picture.";
    POST_PICTURE_DAMAGED = "post-picture-damaged",
        "The picture is damaged. Save it again with another program.";
    FAVICON_FORMAT = "favicon-format", "The favicon must be a PNG or ICO picture.";
    FAVICON_TOO_LARGE = "favicon-too-large", "The file is larger than {kilobytes} KB.";
    NO_FILE_SENT = "no-file-sent", "No file has arrived. Please choose it again.";

    // Streams and the server.
    NOT_LIVE = "not-live", "No stream is live.";
    NO_SUCH_STREAM = "stream-unknown", "There is no such stream.";
    NO_CHAT_EXPORT = "chat-export-off",
        "The chat log cannot be downloaded until the chat settings allow it.";
    RECORDING_UNKNOWN = "recording-unknown", "There is no such recording.";
    RECORDING_RUNNING = "recording-running",
        "This stream is still being recorded. End the recording first.";
    RECORDING_MARKS = "recording-marks", "The end must come after the beginning.";
    RECORDING_TEXT = "recording-text", "Use at most {most} characters.";
    RECORDING_TAGS = "recording-tags",
        "Use at most {most} tags of at most {characters} characters each.";
    LIVE_NOW = "measure-while-live",
        "A stream is live and would stutter. Measure when it is over.";
    MEASURING = "measure-busy", "A measurement is already running.";
    STOPPING = "server-stopping", "The server is stopping.";
}
