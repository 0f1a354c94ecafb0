//! Why a value of a setting is refused. The name of the setting goes before the sentence, and with it as `setting`; where
//! a value has fields, the field goes with it as `field`.

crate::sentences! {
    EMPTY = "setting-empty", "must not be empty";
    MULTI_LINE = "setting-single-line", "must be a single line without control characters";
    TOO_LONG = "setting-too-long", "is {count} characters long, at most {most} are allowed";
    OUT_OF_RANGE = "setting-out-of-range", "is {number}, but must be from {least} to {most}";
    TOO_MANY = "setting-too-many", "has {count} entries, at most {most} are allowed";
    NO_URL = "setting-not-a-url",
        "\"{address}\" is not a full URL such as https://live.example.org";
    PRIVATE_ADDRESS = "setting-private-address",
        "{address} is a private address that nobody outside can reach; leave it empty or give the public name";
    URL_QUERY = "setting-url-query", "must not have a query or fragment";
    URL_PATH = "setting-url-path",
        "must not have a path: the server answers at the root of its host only, and \"{path}\" is below it";
    URL_CREDENTIALS = "setting-url-credentials", "must not contain a user name or password";
    LINK_SCHEME = "setting-link-scheme",
        "\"{address}\" is not a full URL such as https://live.example.org: only http, https, mailto, matrix and xmpp links are allowed";
    CSS_NAME = "setting-css-name",
        "\"{name}\" is not a CSS variable name such as --theme-color-action";
    CSS_VALUE = "setting-css-value", "{name}: \"{value}\" is not a plain CSS value";
    NO_STREAM_KEY = "setting-needs-stream-key", "needs at least one stream key";
    STREAM_KEY_FORM = "setting-stream-key-form",
        "each stream key is {least} to {most} letters, digits or simple signs (no / ? \" and no spaces)";
    STREAM_KEY_TWICE = "setting-stream-key-twice", "the same stream key is listed twice";
    NO_HOST = "setting-not-a-host", "\"{host}\" is not a host name such as example.org";
    NAME_RESERVED = "setting-name-reserved",
        "is \"{name}\", which means something else there";
    NAME_FORM = "setting-name-form", "is \"{name}\", but may have letters, digits and _ only";
    NO_COLOUR = "setting-not-a-colour",
        "color \"{colour}\" is neither a colour's name nor one such as #5a67d8";
    ACTION_EMPTY = "setting-action-empty", "needs a url or html";
}
