"""What the host calls: `load` once, then `call` for every event, request or question.

This file is run once, when the engine is built; the memory it leaves is what every plugin starts from.
"""

# The first: whatever is imported below comes from it.
import library

import random
import traceback

import wit_world
from componentize_py_types import Err
from service_plugin import _guest
from service_plugin._compiler import Compiler

library.seal()


class WitWorld(wit_world.WitWorld):
    """The exports of `world.wit`."""

    def load(self, slug, manifest, source, code):
        # The generator was seeded when the engine was built: without this all plugins would draw the same numbers.
        random.seed()
        # The first hash of something that was not there draws the seed of hashes: whatever comes next has it.
        hash(random.randbytes(16))
        compiler = Compiler(code)
        registration = answer(_guest.load, slug, manifest, source, wit_world.host_call, compiler)
        return wit_world.Loaded(registration, compiler.compiled, compiler.to_keep())

    def call(self, kind, input):
        return answer(_guest.call, kind, input)


def answer(function, *arguments):
    """Run a function of the SDK; what it raises becomes the error that the host logs."""
    try:
        return function(*arguments)
    except _guest.PluginError as error:
        raise Err(str(error)) from None
    except BaseException as error:
        raise Err("".join(traceback.format_exception(error))) from None
