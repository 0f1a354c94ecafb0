"""Networks of machines in the benchmarks: what they are called, what is asked of the kernel, and that nothing is left of them."""

import json
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

# Last: a file there has the name of one here.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "bench"))

import chaos  # noqa: E402
import networks  # noqa: E402

PLAN = networks.Networks(4194304, 7, 12)


def words(commands):
    return [" ".join(command) for command in commands]


class Names(unittest.TestCase):
    def test_a_name_on_a_bridge_fits_the_kernel_also_with_the_longest_pid(self):
        names = [PLAN.bridge(bridge) for bridge in networks.BRIDGES] + [PLAN.port(*link) for link in PLAN.links()]
        self.assertEqual(len(set(names)), len(networks.BRIDGES) * 13)
        self.assertLessEqual(max(map(len, names)), 15)

    def test_two_runs_share_no_name(self):
        other = networks.Networks(419430, 8, 12)
        made = [{word for command in plan.making() for word in command if "41943" in word} for plan in (PLAN, other)]
        self.assertEqual(made[0] & made[1], set())

    def test_a_machine_is_told_its_namespace_and_its_address_where_haproxy_is(self):
        self.assertEqual(PLAN.places()[1], "rillcast-4194304-2=198.18.7.12/24")
        self.assertEqual((PLAN.outside("cluster"), PLAN.outside("nats")), ("198.18.7.1", "198.19.7.1"))

    def test_a_network_that_somebody_has_is_not_taken(self):
        self.assertEqual(networks.free_number({"127.0.0.1", "192.0.2.2"}, 300), 44)
        self.assertEqual(networks.free_number({"198.18.255.1", "198.19.0.9"}, 255), 1)
        with self.assertRaises(networks.NotAllowed):
            networks.free_number({f"198.19.{number}.1" for number in range(256)}, 3)


class Kernel(unittest.TestCase):
    """What is told to `ip` and `bridge`, which are not there."""

    def setUp(self):
        self.told, self.failing = [], None
        patch = mock.patch.object(networks, "told", self.tell)
        patch.start()
        self.addCleanup(patch.stop)

    def tell(self, program, command):
        line = " ".join([program, *command])
        self.told.append(line)
        if self.failing and self.failing in line:
            raise networks.NotAllowed("no")
        return "[]"

    def test_all_that_was_made_is_taken_away_also_after_a_failure(self):
        with self.assertRaises(KeyboardInterrupt), networks.networks(3) as made:
            self.told.clear()
            raise KeyboardInterrupt
        self.assertEqual(self.told, [f"ip {line}" for line in words(made.taking_away())])
        created = {line.split()[2] for line in words(made.making()) if line.startswith(("link add", "netns add"))}
        self.assertEqual({line.split()[3] for line in self.told}, created)

    def test_where_one_step_is_not_allowed_the_steps_before_are_undone(self):
        self.failing = "veth"
        with self.assertRaises(networks.NotAllowed), networks.networks(1):
            self.fail("there are no networks")
        self.assertIn(f"ip netns delete rillcast-{os.getpid()}-1", self.told)
        self.assertTrue(self.told[-1].startswith("ip link delete rc"))

    def test_a_cut_leaves_the_link_up_and_concerns_the_named_bridges_of_one_machine(self):
        PLAN.cut(2, ["nats"])
        PLAN.mend(2, ["nats"])
        link = "bridge link set dev rc4194304n3 state"
        self.assertEqual(self.told, [f"{link} 0", f"{link} 3"])


class Real(unittest.TestCase):
    def test_nothing_is_left_of_networks_that_were_cut(self):
        try:
            with networks.networks(2) as made:
                made.cut(1, networks.BRIDGES)
                names = [*map(made.namespace, range(2)), *map(made.bridge, networks.BRIDGES)]
                names += [made.port(*link) for link in made.links()]
                self.assertEqual([name for name in names if name not in self.there()], [])
        except networks.NotAllowed as why:
            self.skipTest(str(why))
        self.assertEqual([name for name in names if name in self.there()], [])

    def there(self):
        links = json.loads(networks.told("ip", ["-json", "link"]))
        namespaces = networks.told("ip", ["netns", "list"])
        return {link["ifname"] for link in links} | {line.split()[0] for line in namespaces.splitlines()}


class Measuring(unittest.TestCase):
    def test_without_networks_a_row_says_that_it_is_missing_and_why(self):
        faults = {"cut": chaos.network_cut("nothing", chaos.ALL_OF_IT)}
        refused = mock.patch.object(chaos, "suffered", side_effect=networks.NotAllowed("not root"))
        tools = mock.patch.object(chaos.peers, "program", return_value="/bin/true")
        with refused, tools, mock.patch.object(chaos, "FAULTS", faults), mock.patch.object(subprocess, "run"):
            rows = chaos.measure(mock.Mock())
        self.assertEqual([row["ours"] for row in rows], [None])
        self.assertRegex(rows[0]["measure"], "^cut: missing.*not root$")

    def test_a_place_in_the_stream_counts_the_segments_that_were_finished(self):
        playlist = b"#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:40\n#EXTINF:2.0,\n40.m4s\n#EXT-X-DISCONTINUITY\n#EXTINF:2.0,\n41.m4s\n"
        self.assertEqual(chaos.place_of(playlist), 42)
        self.assertEqual(chaos.place_of(b"not here"), 0)


if __name__ == "__main__":
    unittest.main()
