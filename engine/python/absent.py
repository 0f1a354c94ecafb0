"""What of the standard library a plugin cannot have, and why.

A module that is not here and needs one that is fails with the reason of the one it needs.
"""

_C = "it is written in C and not part of the engine"
_COMPRESSION = "it is written in C and not part of the engine; zlib and gzip are there"
_SOCKETS = "plugins have no sockets; service.http.fetch asks other servers"
_PROCESSES = "plugins have no processes"
_SCREEN = "plugins have no screen"
_TERMINAL = "plugins have no terminal"
_SYSTEM = "plugins do not see the operating system"
_WINDOWS = "it is for Windows"
_INSTALLERS = "nothing can be installed inside a plugin"

REASONS = {
    name: reason
    for reason, names in {
        _C: "_ctypes _dbm _gdbm _hashlib _remote_debugging _uuid ctypes",
        _COMPRESSION: "_bz2 _lzma _zstd",
        _SOCKETS: "_scproxy _ssl",
        _PROCESSES: "_interpchannels _interpqueues _interpreters _multiprocessing _posixshmem _posixsubprocess mmap"
        " multiprocessing.popen_fork multiprocessing.popen_forkserver multiprocessing.popen_spawn_posix",
        _SCREEN: "_curses _curses_panel _tkinter idlelib turtledemo",
        _TERMINAL: "readline termios",
        _SYSTEM: "fcntl grp pwd resource syslog",
        _WINDOWS: "_overlapped _winapi _wmi asyncio.windows_events asyncio.windows_utils encodings.mbcs encodings.oem"
        " msvcrt multiprocessing.popen_spawn_win32 nt winreg winsound",
        _INSTALLERS: "ensurepip",
    }.items()
    for name in names.split()
}


def reason_for(name):
    """Why a module is absent, or None when it is not known to be."""
    return REASONS.get(name) or REASONS.get(name.partition(".")[0])
