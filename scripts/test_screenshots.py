"""What the report of the screenshots says, and what it must not overlook."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import screenshots

CALM = {"silent": [], "unused": [], "refused": []}


def result(**changes):
    usual = {
        "place": 0,
        "id": "chat--many-lines--desktop-light-en",
        "page": "chat",
        "name": "many lines",
        "variant": "desktop-light-en",
        "seconds": 1.5,
        "picture": "chat--many-lines--desktop-light-en.png",
        "violations": [],
        "sideways": [],
        "cut": [],
        "problems": [],
    }
    return {**usual, **changes}


def violation(exempted=None):
    node = {"target": "#field", "summary": "no label", "html": "<input>", "exempted": exempted}
    return {"rule": "label", "impact": "critical", "help": "Fields have labels", "nodes": [node]}


class Screenshots(unittest.TestCase):
    def test_a_state_in_which_nothing_was_found_passes(self):
        self.assertTrue(screenshots.passed([result()], CALM))
        self.assertTrue(screenshots.case_of(result()).passed)

    def test_whatever_is_wrong_fails(self):
        for wrong in (
            {"violations": [violation()]},
            {"sideways": ["<main>"]},
            {"problems": ["console: no"]},
            {"error": "it was not reached"},
        ):
            with self.subTest(wrong=wrong):
                self.assertFalse(screenshots.passed([result(), result(**wrong)], CALM))
                self.assertTrue(screenshots.case_of(result(**wrong)).failure)

    def test_an_exemption_passes_and_its_reason_is_shown(self):
        exempted = result(violations=[violation("the frame is somebody else’s")])
        self.assertTrue(screenshots.passed([exempted], CALM))
        self.assertIn("the frame is somebody else’s", screenshots.sheet([exempted], CALM))

    def test_a_word_that_is_cut_off_is_shown_and_fails_nothing(self):
        cut = result(cut=["<button>Publish"])
        self.assertTrue(screenshots.passed([cut], CALM))
        self.assertIn("&lt;button&gt;Publish", screenshots.sheet([cut], CALM))

    def test_no_picture_at_all_is_no_success(self):
        self.assertFalse(screenshots.passed([], CALM))

    def test_a_run_that_did_not_end_has_failed(self):
        self.assertFalse(screenshots.passed([result()], None))
        self.assertIn("the run did not come to its end", screenshots.summary([result()], None))

    def test_an_exemption_that_nothing_needs_and_a_server_that_could_not_be_filled_fail(self):
        for found in ({"unused": ["because"]}, {"refused": ["tags: 400"]}):
            self.assertFalse(screenshots.passed([result()], {**CALM, **found}))

    def test_a_language_that_is_not_offered_is_told_and_fails_nothing(self):
        about = {**CALM, "silent": ["ar"]}
        self.assertTrue(screenshots.passed([result()], about))
        self.assertEqual(screenshots.summary([result()], about), ["not offered, so not looked at: ar"])

    def test_one_fault_in_many_states_is_told_once(self):
        several = [result(variant=name, violations=[violation()]) for name in ("one", "two", "three")]
        (line,) = screenshots.summary(several, CALM)
        self.assertIn("in chat/many lines/one and 2 more", line)

    def test_what_pages_say_is_text_on_the_sheet(self):
        made = screenshots.sheet([result(name="<script>", problems=["<b>"])], CALM)
        self.assertNotIn("<script>", made)
        self.assertIn("&lt;script&gt;", made)

    def test_results_are_read_in_the_order_of_the_plan(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            lines = [json.dumps(result(place=place, name=str(place))) for place in (2, 0, 1)]
            (folder / screenshots.RESULTS).write_text("\n".join(lines))
            results, about = screenshots.read(folder)
        self.assertEqual([one["name"] for one in results], ["0", "1", "2"])
        self.assertIsNone(about)

    def test_only_a_folder_of_screenshots_is_emptied(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "letter.txt").write_text("dear")
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                screenshots.prepare(folder)
            self.assertTrue((folder / "letter.txt").exists())
            (folder / screenshots.SHEET).touch()
            screenshots.prepare(folder)
            self.assertEqual([file.name for file in folder.iterdir()], [screenshots.RESULTS])


if __name__ == "__main__":
    unittest.main()
