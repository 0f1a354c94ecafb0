"""Marked limits are found and written as a person would write them; the page is up to date with the code."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import limits

RUST = """
/// Limit (plugins): size of a thing; see [`WINDOW`].
/// Protects memory.
pub(crate) const MAX_BYTES: usize = 2 << 20;
/// Limit (operators): size of the same as text, within [`WINDOW`] | more;
/// a larger one is refused. It takes a third more.
const AS_TEXT_BYTES: usize = MAX_BYTES / 3 * 4 + 1024;
/// Patience.
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// Limit (viewers): pause between calls; earlier ones wait.
#[allow(dead_code)]
pub const PAUSE: Duration = Duration::from_millis(100);
/// Limit (clients): things at once; further ones wait.
static AT_ONCE: Semaphore = Semaphore::const_new(2);
impl Key {
    /// Limit (broadcasters): characters of a key; others are refused.
    const CHARS: std::ops::RangeInclusive<usize> = 6..=128;
}
/// Limit (fediverse): calls; further ones get 429.
const CALLS: Rate = Rate::new(2 * 5_000, WINDOW);
/// Limit (plugins, bytes): memory; allocations fail.
pub const MEMORY: usize = 64 * 1024 * MANY as usize;
const MANY: u64 = 1_024;
/// No limit of anybody.
const OTHER: usize = 3;
"""


class Extraction(unittest.TestCase):
    def test_marked_constants_are_rows_written_for_people(self):
        found = [(row.audience, row.what, row.value, row.beyond) for row in limits.limits_in("a.rs", RUST)]
        expected = [
            ("plugins", "Size of a thing", "2 MiB", "See 15 min"),
            ("operators", "Size of the same as text, within 15 min \\| more", "2,797,224 bytes", "A larger one is refused"),
            ("viewers", "Pause between calls", "100 ms", "Earlier ones wait"),
            ("clients", "Things at once", "2", "Further ones wait"),
            ("broadcasters", "Characters of a key", "6 to 128", "Others are refused"),
            ("fediverse", "Calls", "10,000 in 15 min", "Further ones get 429"),
            ("plugins", "Memory", "64 MiB", "Allocations fail"),
        ]
        self.assertEqual(found, expected)

    def test_units_come_from_the_end_of_the_name(self):
        rust = "/// Limit (viewers): a; b.\nconst {}: u32 = 7000;\n"
        for name, value in (("X_MS", "7 s"), ("X_KBPS", "7,000 kbit/s"), ("X_BYTES", "7,000 bytes"), ("X", "7,000")):
            [row] = limits.limits_in("a.rs", rust.format(name))
            self.assertEqual(row.value, value)

    def test_times_have_the_largest_unit_that_fits(self):
        shown = [str(limits.Milliseconds(number)) for number in (90_000, 60_000, 3_600_000, 86_400_000, 172_800_000)]
        self.assertEqual(shown, ["90 s", "1 min", "1 h", "24 h", "2 days"])


class Refusal(unittest.TestCase):
    def assert_refused(self, rust, why):
        with self.assertRaisesRegex(limits.Broken, rf"^a\.rs:\d+: .*{why}"):
            limits.limits_in("a.rs", rust)

    def test_an_audience_that_does_not_exist_is_refused(self):
        self.assert_refused("/// Limit (everybody): a; b.\nconst A: usize = 1;\n", "'everybody' is no audience")

    def test_a_unit_that_does_not_exist_is_refused(self):
        self.assert_refused("/// Limit (viewers, miles): a; b.\nconst A: usize = 1;\n", "'miles' is no unit")

    def test_a_mark_without_a_constant_is_refused(self):
        for rust in (
            "/// Limit (viewers): a; b.\nfn f() {}\nconst A: usize = 1;\n",
            "/// Limit (viewers): a; b.\n\nconst A: usize = 1;\n",
            "/// Limit (viewers): a; b.\npub struct A {\n    /// Limit (viewers): a; b.\n    pub a: usize,\n}\n",
            "// Limit (viewers): a; b.\nconst A: usize = 1;\n",
            "//! Limit (viewers): a; b.\nconst A: usize = 1;\n",
            "/// What it is.\n/// Limit (viewers): a; b.\nconst A: usize = 1;\n",
            "const A: usize = 1; // Limit (viewers): a; b.\n",
            "/// Limit (viewers): a; b.\n",
        ):
            self.assert_refused(rust, "begins the doc comment of a constant")

    def test_a_mark_that_does_not_say_what_happens_is_refused(self):
        for mark in ("Limit (viewers): a.", "Limit (viewers): a; b", "Limit (viewers) a; b.", "Limit(viewers): a; b."):
            self.assert_refused(f"/// {mark}\nconst A: usize = 1;\n", "what happens when it is reached")

    def test_a_value_that_is_not_understood_is_an_error_and_no_gap(self):
        for value in ("size_of::<u8>()", "crate::OTHER", "OTHER", "[1, 2]", "1.5", '"text"', "Duration::from_years(1)"):
            rust = f"/// Limit (viewers): a; b.\nconst A: usize = {value};\n"
            self.assert_refused(rust, "more than limits.py understands|no constant of the same file")

    def test_a_constant_that_a_mark_names_is_in_the_same_file(self):
        self.assert_refused("/// Limit (viewers): a in [`WINDOW`]; b.\nconst A: usize = 1;\n", "WINDOW is no constant")


class Page(unittest.TestCase):
    def test_the_page_is_up_to_date(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = limits.main(["--check"])
        self.assertEqual(code, 0, said.getvalue())

    def test_every_audience_meets_limits(self):
        page = limits.page(limits.sources())
        for title in limits.AUDIENCES.values():
            self.assertRegex(page, rf"\n## {title}\n\n\| What .*\n\|-.*\n\| \w")

    def test_moving_a_constant_to_another_file_leaves_the_page_as_it_is(self):
        one = "/// Limit (viewers): a; b.\nconst A: u8 = 1;\n"
        other = "/// Limit (viewers): c; d.\nconst C: u8 = 2;\n"
        page = limits.page([("a.rs", one), ("b.rs", other)])
        self.assertEqual(page, limits.page([("c.rs", other + one)]))

    def test_an_old_page_is_noticed_and_a_new_one_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "limits.md"
            page.write_text("# Limits\n")
            with mock.patch.object(limits, "PAGE", page):
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(limits.main(["--check"]), 1)
                self.assertEqual(limits.main([]), 0)
                self.assertEqual(limits.main(["--check"]), 0)

    def test_a_broken_mark_is_named_with_its_file_and_line(self):
        broken = [("crates/a/src/b.rs", "\n/// Limit (viewers): a.\nconst A: u8 = 1;\n")]
        with mock.patch.object(limits, "sources", lambda: broken):
            with self.assertRaisesRegex(SystemExit, r"^crates/a/src/b\.rs:2: a mark reads"):
                limits.main(["--check"])


if __name__ == "__main__":
    unittest.main()
