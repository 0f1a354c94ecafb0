"""The check of the API leaves out only what it names, and counts what it finds."""

import json
import re
import tomllib
import unittest

import schema

DOCUMENT = json.loads((schema.HERE.parent / "docs/openapi.json").read_text())


def operation_ids():
    methods = (methods.values() for methods in DOCUMENT["paths"].values())
    return {operation["operationId"] for operations in methods for operation in operations}


def report(**changes):
    usual = {
        "failures": [],
        "errors": [],
        "complete": True,
        "stop_reason": "completed",
        "operations": {"tested": 3},
    }
    return {**usual, **changes}


class Schema(unittest.TestCase):
    def test_what_is_left_out_or_comes_last_exists(self):
        depending = sum(schema.DEPENDS.values(), [])
        self.assertEqual(len(depending), len(set(depending)))
        self.assertLessEqual({*schema.LEFT_OUT, *schema.LAST, *depending}, operation_ids())

    def test_every_operation_is_called_in_one_pass_or_has_a_reason_not_to_be(self):
        self.assertEqual(schema.selection(True)[1::2], schema.LAST)
        self.assertEqual(set(schema.selection(False)[1::2]), {*schema.LEFT_OUT, *schema.LAST})
        self.assertTrue(all(schema.LEFT_OUT.values()))

    def test_every_way_to_sign_in_is_one_of_the_description(self):
        schemes = DOCUMENT["components"]["securitySchemes"]
        self.assertLessEqual({"adminPassword", "chatToken", "accessToken"}, set(schemes))

    def test_failures_and_errors_are_counted_by_operation(self):
        self.assertEqual(schema.verdict(report()), (3, {}))
        failures = [{"title": "Server error", "operations": ["GET /a", "GET /b"]}]
        errors = [{"title": "Network error", "operations": ["GET /b"]}]
        passed, wrong = schema.verdict(report(failures=failures, errors=errors))
        self.assertEqual((passed, wrong), (1, {"GET /a": ["Server error"], "GET /b": ["Server error", "Network error"]}))
        passed, wrong = schema.verdict(report(complete=False, stop_reason="interrupted"))
        self.assertEqual((passed, len(wrong)), (2, 1))

    def test_only_what_depends_on_more_may_refuse_what_the_description_allows(self):
        excused = schema.depending(DOCUMENT)
        self.assertIn("POST /api/remotefollow", excused)
        refused = [{"title": schema.REFUSED, "operations": ["POST /api/remotefollow", "POST /api/chat/register"]}]
        other = [{"title": "Server error", "operations": ["POST /api/remotefollow"]}]
        self.assertEqual(schema.verdict(report(failures=refused), excused)[1], {"POST /api/chat/register": [schema.REFUSED]})
        self.assertEqual(schema.verdict(report(failures=other), excused)[1], {"POST /api/remotefollow": ["Server error"]})

    def test_the_configuration_is_toml(self):
        read = tomllib.loads(schema.configuration({"chatToken": {"api_key": 'a"b'}}))
        self.assertEqual(read["auth"]["openapi"]["chatToken"], {"api_key": 'a"b'})

    def test_every_requirement_is_pinned(self):
        lines = schema.REQUIREMENTS.read_text().splitlines()
        pins = [line for line in lines if line and not line.startswith("#")]
        self.assertGreater(len(pins), 10)
        for pin in pins:
            self.assertTrue(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*", pin), pin)
