"""Compiles the standard library. What this becomes is thrown away; what it has written is read by `library.py`."""

import wit_world

import book

book.write()


class WitWorld(wit_world.WitWorld):
    """Nobody calls it, but a component has to have it."""

    def load(self, slug, manifest, source, code):
        raise NotImplementedError

    def call(self, kind, input):
        raise NotImplementedError
