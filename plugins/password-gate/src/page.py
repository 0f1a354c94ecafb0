"""The page at the door."""

from __future__ import annotations

import html

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in</title>
<style>
  body { max-width: 22rem; margin: 15vh auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
  label, input, button { display: block; width: 100%%; box-sizing: border-box; }
  input, button { margin: 0.25rem 0 1rem; padding: 0.6rem; font: inherit; }
  .wrong { color: #b00020; }
</style>
<h1>Sign in</h1>
%(hint)s%(wrong)s
<form method="post" action="?">
  <input type="hidden" name="return_to" value="%(target)s">
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required autofocus>
  <label for="name">Your name in chat (if you like)</label>
  <input id="name" name="name" autocomplete="nickname" maxlength="30">
  <button>Watch</button>
</form>
"""


def form(status: int, target: str, hint: str, wrong: str = "") -> dict[str, object]:
    """The form, perhaps with what was wrong."""
    filled = {
        "target": html.escape(target),
        "hint": "<p>%s</p>" % html.escape(hint) if hint else "",
        "wrong": '<p class="wrong" role="alert">%s</p>' % html.escape(wrong) if wrong else "",
    }
    headers = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"}
    return {"status": status, "headers": headers, "body": PAGE % filled}
