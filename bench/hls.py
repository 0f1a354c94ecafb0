"""Reading playlists as a viewer does."""

import http.client
import re
import time
import urllib.parse

PART = re.compile(r"#EXT-X-PART:(.*)")
EXTINF = re.compile(r"#EXTINF:([\d.]+)")
URI = re.compile(r'URI="([^"]+)"')
DURATION = re.compile(r"(?:^|,)DURATION=([\d.]+)")


def parts(text):
    """The parts of a playlist: ((segment, index), seconds, URI), and the place of the next one."""
    found = []
    segment, index = 0, 0
    for line in text.splitlines():
        if line.startswith("#EXT-X-MEDIA-SEQUENCE:"):
            segment = int(line.split(":")[1])
        elif line.startswith("#EXT-X-PART:"):
            about = PART.match(line).group(1)
            found.append(((segment, index), float(DURATION.search(about).group(1)), URI.search(about).group(1)))
            index += 1
        elif line and not line.startswith("#"):
            segment, index = segment + 1, 0
    return found, (segment, index)


def segments(text):
    """The whole segments of a playlist: (number, seconds, URI)."""
    found = []
    number, seconds = 0, None
    for line in text.splitlines():
        if line.startswith("#EXT-X-MEDIA-SEQUENCE:"):
            number = int(line.split(":")[1])
        elif line.startswith("#EXTINF:"):
            seconds = float(EXTINF.match(line).group(1))
        elif line and not line.startswith("#") and seconds is not None:
            found.append((number, seconds, line))
            number, seconds = number + 1, None
    return found


class Viewer:
    """One keep-alive connection."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)

    def get(self, path):
        """Status, body, and the time when the last byte was here."""
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        return answer.status, body, time.perf_counter()

    def text(self, path):
        status, body, at = self.get(path)
        return (body.decode() if status == 200 else None), at


def resolve(playlist, uri):
    return urllib.parse.urljoin(playlist, uri)
