vcl 4.1;

# Varnish 6 or newer as a cache in front of /hls/ of one server or of the machines of a cluster. It speaks no TLS: let
# HAProxy or hitch decrypt, and send only /hls/ here.
#
# A thousand players that wait for the same part ask here a thousand times and there once: Varnish collapses equal
# requests, and wakes all who wait as soon as the answer begins.

import directors;

probe ready {
    .url = "/readyz";
    .interval = 1s;
    .timeout = 2s;
    .window = 3;
    .threshold = 2;
    .initial = 2;
}

backend left {
    .host = "10.0.0.11";
    .port = "8080";
    .probe = ready;
    .first_byte_timeout = 30s;  # longer than the longest wait for a part
}

backend right {
    .host = "10.0.0.12";
    .port = "8080";
    .probe = ready;
    .first_byte_timeout = 30s;
}

sub vcl_init {
    new machines = directors.round_robin();
    machines.add_backend(left);
    machines.add_backend(right);
}

sub vcl_recv {
    set req.backend_hint = machines.backend();
    if (req.url !~ "^/hls/" || (req.method != "GET" && req.method != "HEAD")) {
        return (pass);
    }
    # Cookies choose nothing here unless a plugin's gate is up, and then no answer may be stored.
    return (hash);
}

sub vcl_hash {
    # The address as it was sent. All names of the server have the same stream.
    hash_data(req.url);
    return (lookup);
}

sub vcl_backend_response {
    # Nothing is given out a moment longer than its header says: an old playlist is worse than a request.
    set beresp.grace = 0s;
    set beresp.keep = 0s;
    # What follows is Varnish's own rule: `no-store`, `private` and `max-age=0` are not stored, and nobody waits for them.
}
