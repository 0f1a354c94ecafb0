"""Limits are found, read and written as a person would write them; the page is in step with the code."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import limits

RUST = """
/// Largest thing; see [`Other`].
/// Protects memory.
pub(crate) const MAX_BYTES: usize = 2 << 20;
const AS_TEXT_BYTES: usize = MAX_BYTES / 3 * 4 + 1024;
/// Patience.
const WINDOW: Duration = Duration::from_secs(15 * 60);
const PAUSE: Duration = Duration::from_millis(100);
static AT_ONCE: Semaphore = Semaphore::const_new(2);
const CHARS: std::ops::RangeInclusive<usize> = 6..=128;
const MANY: u64 = 10_000;
const CALLS: Rate = Rate::new(50, Duration::from_secs(5));
const TRIES: Rate = Rate::new(2 * 3, WINDOW);
const NAME: &str = "no limit";
const KEY_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    const MAX_TESTED: usize = 1;
}
"""


class Extraction(unittest.TestCase):
    def test_values_are_written_for_people_and_tests_are_left_out(self):
        found = {limit.name: limit.value for limit in limits.limits_in("a.rs", RUST)}
        expected = {
            "MAX_BYTES": "2 MiB",
            "AS_TEXT_BYTES": "2 797 224 bytes",
            "WINDOW": "15 min",
            "PAUSE": "100 ms",
            "AT_ONCE": "2",
            "CHARS": "6 to 128",
            "MANY": "10 000",
            "CALLS": "50 in 5 s",
            "TRIES": "6 in 15 min",
        }
        self.assertEqual(found, expected)

    def test_the_doc_lines_become_one_cell(self):
        first = limits.limits_in("a.rs", RUST)[0]
        self.assertEqual(first.doc, "Largest thing; see `Other`. Protects memory.")

    def test_a_value_that_is_not_understood_is_an_error_and_no_gap(self):
        with self.assertRaises(ValueError):
            limits.limits_in("a.rs", "const MAX: usize = size_of();\n")

    def test_a_number_of_another_room_is_known_by_its_name(self):
        shared = limits.shared_numbers([("a.rs", "pub const MOST: i64 = 5_00;\nconst OWN: usize = 7;\n")])
        self.assertEqual(shared, {"MOST": 500})
        [limit] = limits.limits_in("b.rs", "const TWICE: usize = 2 * MOST as usize;\n", shared)
        self.assertEqual(limit.value, "1 000")

    def test_routes_and_settings_are_read_from_their_tables(self):
        group = (
            "const LARGEST: usize = 3 << 20;\n"
            '    post(  "/a/{*b}",   Admin, x::y).body_bytes(512 * 1024),\n'
            '    get(   "/c",        Admin, x::y).body_bytes(LARGEST).media(),\n'
            '    post(  "/d",        Admin, x::y).body_bytes(x::SMALLER),\n'
        )
        texts = {"crates/web/src/routes/a.rs": group, "crates/web/src/x.rs": "const SMALLER: usize = 1024;\n"}
        rows = limits.routes(texts)
        for row in ("| `POST /a/{*b}` | 512 KiB |", "| `GET /c` | 3 MiB |", "| `POST /d` | 1 KiB |"):
            self.assertIn(row, rows)
        self.assertIn("| `name` | 2 500 |", limits.settings('max_chars(\n 2_500,\n meta(\n "name",'))

    def test_a_number_that_two_rooms_offer_is_that_of_the_room_that_is_named(self):
        group = 'use ::b::inner::MOST;\n    post(  "/a",   Admin, x::y).body_bytes(MOST),\n'
        texts = {
            "crates/a/src/a.rs": "//! A.\npub const MOST: usize = 10 << 20;\n",
            "crates/b/src/inner.rs": "//! B.\npub const MOST: usize = crate::OTHER;\n",
            "crates/b/src/lib.rs": "//! B.\npub const OTHER: usize = 1 << 20;\n",
            "crates/web/src/routes/a.rs": group,
        }
        self.assertIn("| `POST /a` | 1 MiB |", limits.routes(texts))


class Page(unittest.TestCase):
    def test_the_page_is_in_step_with_the_code(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = limits.main(["--check"])
        self.assertEqual(code, 0, said.getvalue())

    def test_an_old_page_is_noticed_and_a_new_one_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "limits.md"
            page.write_text("# Limits\n")
            with mock.patch.object(limits, "PAGE", page):
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(limits.main(["--check"]), 1)
                self.assertEqual(limits.main([]), 0)
                self.assertEqual(limits.main(["--check"]), 0)


if __name__ == "__main__":
    unittest.main()
