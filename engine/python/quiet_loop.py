"""An event loop for `asyncio` that waits for time alone: there are no sockets it could wait for."""

import time


class Idle:
    """Stands where a loop expects its selector."""

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("this coroutine waits for something that cannot happen inside a plugin")
        if timeout > 0:
            time.sleep(timeout)
        return []


def install(unix_events):
    """Let `asyncio.run` and its relatives use it. Called when `asyncio.unix_events` has been loaded."""
    from asyncio import base_events

    class EventLoop(base_events.BaseEventLoop):
        def __init__(self):
            super().__init__()
            self._selector = Idle()

        def _process_events(self, event_list):
            pass

        def _write_to_self(self):
            pass

    unix_events.SelectorEventLoop = unix_events.EventLoop = EventLoop
    unix_events._UnixDefaultEventLoopPolicy._loop_factory = EventLoop
