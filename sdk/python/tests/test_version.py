"""The SDK and the server are released together, under one version."""

import pathlib
import re
import unittest

from service_plugin_cli import VERSION

SDK = pathlib.Path(__file__).resolve().parents[1]
WORKSPACE = SDK.parents[1]


def version_in_table(manifest, table):
    """The `version` of one TOML table, read without tomllib, which Python 3.8 lacks."""
    inside = False
    for line in manifest.splitlines():
        if line.startswith("["):
            inside = line.strip() == "[" + table + "]"
        found = re.match(r'version\s*=\s*"([^"]+)"', line)
        if inside and found:
            return found.group(1)
    return None


class Version(unittest.TestCase):
    def test_sdk_and_server_have_the_same_version(self):
        sdk = version_in_table((SDK / "pyproject.toml").read_text(), "project")
        server = version_in_table((WORKSPACE / "Cargo.toml").read_text(), "workspace.package")
        self.assertIsNotNone(server)
        self.assertEqual(sdk, server)

    def test_the_command_has_the_version_of_its_package(self):
        self.assertEqual(VERSION, version_in_table((SDK / "pyproject.toml").read_text(), "project"))

    def test_a_version_in_another_table_is_not_taken(self):
        self.assertIsNone(version_in_table('[other]\nversion = "1.0.0"\n', "project"))


if __name__ == "__main__":
    unittest.main()
