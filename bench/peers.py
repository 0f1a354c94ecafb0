"""The servers to compare with: nginx (files, and RTMP to HLS by its Debian module), ffmpeg and MediaMTX (RTMP to HLS)."""

import contextlib
import os
import pathlib
import shutil
import tempfile

import mediamtx_build
import servers

RTMP_MODULE = pathlib.Path("/usr/lib/nginx/modules/ngx_rtmp_module.so")
FRAGMENT_SECONDS = 2
WINDOW_SECONDS = 12


def program(name):
    """The path of a tool, or None; servers are where a user's PATH does not look."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


@contextlib.contextmanager
def nginx(files, http2=False, fixed=None):
    """nginx with one worker per core; None when it is not installed.

    It serves `files` (path to bytes), and answers whatever is posted to a path in `fixed` with a short text.
    """
    if program("nginx") is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, body in files.items():
            place = root / "www" / path.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(body)
        port = servers.free_port()
        # Small files by sendfile over HTTP/2 wait 40 ms for an acknowledgement; nobody would run it like that.
        listen = f"{port} http2; location ~ m3u8$ {{ sendfile off; }}" if http2 else f"{port};"
        # Files cannot be posted to.
        listen += "".join(f" location = {path} {{ return 200 '{text}'; }}" for path, text in (fixed or {}).items())
        with nginx_process(root, port, listen, "worker_processes auto;") as server:
            yield server


@contextlib.contextmanager
def nginx_folder(folder):
    """nginx serving a folder in which somebody else writes; None when it is not installed."""
    if program("nginx") is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as own:
        root, port = pathlib.Path(own), servers.free_port()
        (root / "www").symlink_to(folder)
        with nginx_process(root, port, f"{port};", "worker_processes auto;") as server:
            yield server


@contextlib.contextmanager
def nginx_rtmp():
    """nginx that takes in a stream and writes HLS of 2 s segments; None when the module is not installed."""
    if program("nginx") is None or not RTMP_MODULE.is_file():
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "www" / "hls").mkdir(parents=True)
        port, rtmp_port = servers.free_port(), servers.free_port()
        head = f"load_module {RTMP_MODULE}; worker_processes 1;"
        rtmp = f"""rtmp {{ access_log off; server {{ listen 127.0.0.1:{rtmp_port}; chunk_size 4096;
              application live {{ live on; hls on; hls_path {root}/www/hls; hls_fragment {FRAGMENT_SECONDS}s;
              hls_playlist_length {WINDOW_SECONDS}s; }} }} }}"""
        with nginx_process(root, port, f"{port};", head, rtmp) as server:
            servers.wait_for_listener(rtmp_port)
            server.rtmp = f"rtmp://127.0.0.1:{rtmp_port}/live/stream"
            server.playlist = "/hls/stream.m3u8"
            yield server


@contextlib.contextmanager
def nginx_process(root, port, listen, head, tail=""):
    root.chmod(0o755)
    (root / "www").mkdir(exist_ok=True)
    (root / "nginx.conf").write_text(
        f"""{head} daemon off; master_process on; pid {root}/pid; error_log {root}/error.log;
        {'user root;' if os.geteuid() == 0 else ''}
        events {{ worker_connections 4096; }}
        http {{ access_log off; sendfile on; keepalive_requests 1000000; default_type application/json;
          types {{ application/vnd.apple.mpegurl m3u8; video/mp2t ts; video/mp4 mp4 m4s; }}
          http2_max_requests 1000000;
          client_body_temp_path {root}/b; proxy_temp_path {root}/p; fastcgi_temp_path {root}/f;
          uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;
          server {{ listen 127.0.0.1:{listen} root {root}/www; add_header Access-Control-Allow-Origin *; }} }}
        {tail}
        """
    )
    with servers.running([program("nginx"), "-c", str(root / "nginx.conf")], port, str(root)) as server:
        yield server


@contextlib.contextmanager
def ffmpeg_hls():
    """ffmpeg as a server: one publisher in, the same packets out as HLS files; None when it is not installed.

    The process has no HTTP of its own: `files` is where its playlist appears.
    """
    if program("ffmpeg") is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        rtmp_port = servers.free_port()
        url = f"rtmp://127.0.0.1:{rtmp_port}/live/stream"
        command = [program("ffmpeg"), "-v", "quiet", "-listen", "1", "-i", url, "-c", "copy", "-f", "hls"]
        command += ["-hls_time", str(FRAGMENT_SECONDS), "-hls_list_size", str(WINDOW_SECONDS // FRAGMENT_SECONDS)]
        command += ["-hls_flags", "delete_segments+program_date_time", f"{folder}/stream.m3u8"]
        with servers.running(command, None, folder) as server:
            servers.wait_for_listener(rtmp_port)
            server.rtmp = url
            server.files = pathlib.Path(folder)
            yield server


@contextlib.contextmanager
def mediamtx():
    """MediaMTX with low-latency HLS made all the time; None when it is not installed and cannot be built."""
    binary = program("mediamtx") or mediamtx_build.built()
    if binary is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        rtmp_port, hls_port = servers.free_port(), servers.free_port()
        config = pathlib.Path(folder) / "mediamtx.yml"
        off = "".join(f"{name}: no\n" for name in ("rtsp", "webrtc", "srt", "api", "metrics", "pprof", "playback"))
        config.write_text(
            f"logLevel: error\n{off}rtmp: yes\nrtmpAddress: 127.0.0.1:{rtmp_port}\nhls: yes\n"
            f"hlsAddress: 127.0.0.1:{hls_port}\nhlsVariant: lowLatency\nhlsAlwaysRemux: yes\npaths:\n  all_others:\n"
        )
        with servers.running([binary, str(config)], hls_port, folder) as server:
            servers.wait_for_listener(rtmp_port)
            server.rtmp = f"rtmp://127.0.0.1:{rtmp_port}/live/stream"
            server.playlist = "/live/stream/index.m3u8"
            yield server
