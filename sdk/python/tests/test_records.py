"""Payloads and answers of the server are read as attributes."""

import copy
import json
import unittest

from service_plugin._records import Record, Result, records


class Records(unittest.TestCase):
    def test_snake_case_reads_the_camel_case_member(self):
        self.assertEqual(Record({"displayName": "mira"}).display_name, "mira")

    def test_a_name_as_written_wins_over_its_camel_case_form(self):
        self.assertEqual(Record({"a_b": 1, "aB": 2}).a_b, 1)

    def test_a_trailing_underscore_reaches_a_word_of_python(self):
        self.assertEqual(Record({"from": "old"}).from_, "old")

    def test_a_missing_member_is_none(self):
        self.assertIsNone(Record({}).anything)
        self.assertIsNone(getattr(Record({}), "anything", 1))

    def test_objects_inside_are_wrapped_and_lists_are_not(self):
        record = Record({"user": {"id": "u-1"}, "variants": [{"width": 5}]})
        self.assertEqual(record.user.id, "u-1")
        self.assertEqual(record.variants[0]["width"], 5)
        self.assertIs(type(record.variants[0]), dict)

    def test_raw_is_the_object_in_the_order_of_the_wire(self):
        text = '{"id":"1","user":{"id":"2","displayColor":3},"body":"x"}'
        record = Record(json.loads(text))
        self.assertEqual(json.dumps(record.raw, separators=(",", ":")), text)

    def test_an_object_without_members_is_still_true(self):
        self.assertTrue(Record({}))

    def test_it_can_be_read_like_a_dict_too(self):
        record = Record({"a": 1, "inner": {"b": 2}})
        self.assertEqual(record["a"], 1)
        self.assertEqual(record["inner"].b, 2)
        self.assertEqual(record.get("c", 7), 7)
        self.assertIn("a", record)
        self.assertEqual(list(record), ["a", "inner"])
        self.assertEqual(len(record), 2)
        self.assertEqual(dict(record)["a"], 1)
        self.assertEqual({**record, "a": 5}["a"], 5)
        self.assertEqual(record, {"a": 1, "inner": {"b": 2}})
        self.assertEqual(repr(Record({"a": 1})), "Record({'a': 1})")

    def test_setting_a_member_says_what_to_do_instead(self):
        with self.assertRaisesRegex(AttributeError, "changed copy"):
            Record({}).body = "x"

    def test_python_may_look_for_methods_that_are_not_there(self):
        self.assertEqual(copy.copy(Result(a=1)), {"a": 1})
        self.assertFalse(hasattr(Record({}), "__array__"))

    def test_a_result_is_a_dict_with_attributes(self):
        result = Result({"rowsAffected": 2})
        self.assertIsInstance(result, dict)
        self.assertEqual((result["rowsAffected"], result.rows_affected, result.error), (2, 2, None))

    def test_objects_in_a_list_the_server_gave_are_wrapped(self):
        self.assertEqual(records([{"displayName": "mira"}])[0].display_name, "mira")
        self.assertEqual(records(None), [])
