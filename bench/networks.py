"""Machines with a network of their own: each in a Linux network namespace, on two bridges, and cut off as a switch does it.

On the bridge `cluster` are PostgreSQL and HAProxy, on the bridge `nats` is NATS; both end here, outside of the namespaces.
A machine has a link to each and no other way out.

A cut link stays up and passes on nothing: packets vanish, nobody is told. A link that is down would be something else:
the kernel behind it knows that it sends nothing, tries again twice a second instead of ever more seldom, and so is back at
once.
"""

import contextlib
import dataclasses
import json
import os
import subprocess

import peers

# Addresses for measuring (RFC 2544), which no other network has: 198.18.N.0/24 and 198.19.N.0/24.
BRIDGES = {"cluster": 18, "nats": 19}
BITS = 24
OUTSIDE, FIRST = 1, 11
# States of a bridge's port, from linux/if_bridge.h.
DISABLED, FORWARDING = "0", "3"


class NotAllowed(Exception):
    """No namespaces here, and why."""


@dataclasses.dataclass(frozen=True)
class Networks:
    """Names and addresses. A name on a bridge has at most 15 characters, and a pid up to 7."""

    pid: int
    number: int
    machines: int

    def bridge(self, bridge):
        return f"rc{self.pid}{bridge[0]}"

    def port(self, bridge, machine):
        """The bridge's end of a link."""
        return f"{self.bridge(bridge)}{machine + 1}"

    def namespace(self, machine):
        return f"rillcast-{self.pid}-{machine + 1}"

    def outside(self, bridge):
        """Where this side of the namespaces is."""
        return self.address(bridge, OUTSIDE)

    def address(self, bridge, host):
        return f"198.{BRIDGES[bridge]}.{self.number}.{host}"

    def places(self):
        """Where the machines are, as cluster.py is told it."""
        numbers = range(self.machines)
        return [f"{self.namespace(number)}={self.address('cluster', FIRST + number)}/{BITS}" for number in numbers]

    def links(self):
        return [(bridge, machine) for bridge in BRIDGES for machine in range(self.machines)]

    def making(self):
        """What `ip` is told, one after the other."""
        commands = []
        for bridge in BRIDGES:
            name = self.bridge(bridge)
            commands.append(["link", "add", name, "type", "bridge"])
            commands.append(["address", "add", f"{self.outside(bridge)}/{BITS}", "dev", name])
            commands.append(["link", "set", name, "up"])
        for machine in range(self.machines):
            commands.append(["netns", "add", self.namespace(machine)])
            commands.append(["-n", self.namespace(machine), "link", "set", "lo", "up"])
        for bridge, machine in self.links():
            port, inside = self.port(bridge, machine), ["-n", self.namespace(machine)]
            peer = ["peer", "name", bridge, "netns", self.namespace(machine)]
            commands.append(["link", "add", port, "type", "veth", *peer])
            commands.append(["link", "set", port, "master", self.bridge(bridge), "up"])
            address = f"{self.address(bridge, FIRST + machine)}/{BITS}"
            commands.append([*inside, "address", "add", address, "dev", bridge])
            commands.append([*inside, "link", "set", bridge, "up"])
        return commands

    def taking_away(self):
        ports = [["link", "delete", self.port(*link)] for link in self.links()]
        namespaces = [["netns", "delete", self.namespace(machine)] for machine in range(self.machines)]
        return [*ports, *namespaces, *(["link", "delete", self.bridge(bridge)] for bridge in BRIDGES)]

    def cut(self, machine, bridges):
        self.switch(machine, bridges, DISABLED)

    def mend(self, machine, bridges):
        self.switch(machine, bridges, FORWARDING)

    def switch(self, machine, bridges, state):
        for bridge in bridges:
            told("bridge", ["link", "set", "dev", self.port(bridge, machine), "state", state])


@contextlib.contextmanager
def networks(machines):
    """Networks for so many machines; nothing is left of them. Raises `NotAllowed`."""
    plan = Networks(os.getpid(), free_number(addresses(), os.getpid()), machines)
    try:
        for command in plan.making():
            told("ip", command)
        yield plan
    finally:
        for command in plan.taking_away():
            # What was not made cannot be taken away.
            with contextlib.suppress(NotAllowed):
                told("ip", command)


def addresses():
    """Those of this machine."""
    links = json.loads(told("ip", ["-json", "-4", "address"]))
    return {address["local"] for link in links for address in link.get("addr_info", ())}


def free_number(taken, wish):
    """The number of networks that nobody else uses."""
    used = {tuple(address.split(".")[:3]) for address in taken}
    for number in range(wish, wish + 256):
        if not any(("198", str(second), str(number % 256)) in used for second in BRIDGES.values()):
            return number % 256
    raise NotAllowed("all networks from 198.18.0.0 on are in use")


def told(program, command):
    """What the program answers."""
    found = peers.program(program)
    if found is None:
        raise NotAllowed(f"there is no program `{program}`: apt-get install iproute2")
    answer = subprocess.run([found, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if answer.returncode:
        raise NotAllowed(f"`{program} {' '.join(command)}` says: {answer.stderr.strip()}")
    return answer.stdout
