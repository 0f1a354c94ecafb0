#!/usr/bin/env python3
"""Send requests that are refused before their body is read, with clients many people use, on connections that are kept.

    early_answers.py ADDRESS COUNT

Both send head and body in two packets. A connection that is closed without a word makes the next request on it fail;
neither client is told to try again. Needs requests and httpx; prints one line for each and ends with 1 if any failed.
"""

import sys

import httpx
import requests
import requests.adapters

# Path, and what it is answered with whatever the body says.
REFUSED = [
    ("/api/admin/config/name", 401),
    ("/api/integrations/chat/send", 401),
    ("/nowhere", 404),
    ("/api/status", 405),
]
BODY = b'{"value": "' + b"x" * 2000 + b'"}'


def failures(post, count):
    """How many of `count` requests were not answered, or answered otherwise."""
    failed = []
    for number in range(count):
        path, status = REFUSED[number % len(REFUSED)]
        try:
            answer = post(path)
            if answer.status_code != status:
                failed.append(f"{path} answered {answer.status_code}")
        except (requests.RequestException, httpx.HTTPError) as error:
            failed.append(f"{path}: {error!r}")
    return failed


def main(address, count):
    count = int(count)
    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=0))
    client = httpx.Client(transport=httpx.HTTPTransport(retries=0))
    posts = {
        "requests": lambda path: session.post(address + path, data=BODY, timeout=30),
        "httpx": lambda path: client.post(address + path, content=BODY, timeout=30),
    }
    is_well = True
    for name, post in posts.items():
        failed = failures(post, count)
        print(f"{name}: {count - len(failed)} of {count} requests answered on kept connections")
        for line in failed[:5]:
            print(f"  {line}")
        is_well &= not failed
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
