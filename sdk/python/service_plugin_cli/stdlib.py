"""Names that are not the author's: the standard library, and libraries that cannot run inside a plugin."""

import sys
from typing import Dict, FrozenSet

SDK = "service_plugin"

# What the engine's Python has. Older Pythons do not say what they have, and the answer must not depend on whose
# machine a plugin is built on.
_FIXED = """
abc annotationlib antigravity argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile
calendar cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib
contextvars copy copyreg csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest email encodings
ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt
getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib importlib inspect io ipaddress
itertools json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap modulefinder msvcrt
multiprocessing netrc nt ntpath nturl2path numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil
platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue
quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal
site smtplib socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep
struct subprocess symtable sys sysconfig syslog tabnanny tarfile tempfile termios textwrap this threading time timeit
tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest
urllib uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xml xmlrpc zipapp zipfile zipimport zlib
zoneinfo __future__ __main__ _abc _aix_support _android_support _ast _asyncio _bisect _blake2 _bz2 _codecs _codecs_cn
_codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _colorize _compat_pickle
_compression _contextvars _csv _ctypes _curses _curses_panel _datetime _dbm _decimal _elementtree _frozen_importlib
_frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _interpchannels _interpqueues _interpreters _io
_ios_support _json _locale _lsprof _lzma _markupbase _md5 _multibytecodec _multiprocessing _opcode _opcode_metadata
_operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess _py_abc _pydatetime _pydecimal _pyio _pylong
_pyrepl _queue _random _scproxy _sha1 _sha2 _sha3 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics
_string _strptime _struct _suggestions _symtable _sysconfig _thread _threading_local _tkinter _tokenize _tracemalloc
_typing _uuid _warnings _weakref _weakrefset _winapi _wmi _zoneinfo
""".split()

# Gone from Python before the engine's version, while older ones still list them. A copy in src/ is the author's.
_REMOVED = """
aifc asynchat asyncore audioop binhex cgi cgitb chunk crypt distutils dummy_threading formatter imghdr imp lib2to3
macpath mailcap msilib nis nntplib ossaudiodev parser pipes smtpd sndhdr spwd sunau symbol telnetlib uu xdrlib
""".split()

NAMES: FrozenSet[str] = (
    frozenset(_FIXED) | frozenset(getattr(sys, "stdlib_module_names", ())) | frozenset(sys.builtin_module_names)
) - frozenset(_REMOVED)

_SYSTEM = "plugins do not see the operating system"
_SCREEN = "plugins have no screen and no terminal"
_SOCKETS = "plugins have no sockets; service.http.fetch asks other servers"
_PROCESSES = "plugins have no processes"
_COMPRESSION = "the engine has zlib and gzip alone"
_WINDOWS = "it is for Windows"

# Parts of the standard library that fail inside a plugin, and why.
UNUSABLE: Dict[str, str] = {
    name: reason
    for reason, names in {
        "it is written in C": "ctypes",
        "nothing can be installed inside a plugin": "ensurepip venv",
        _COMPRESSION: "bz2 lzma",
        _PROCESSES: "mmap multiprocessing subprocess",
        _SCREEN: "curses idlelib pty readline termios tkinter tty turtle turtledemo",
        _SOCKETS: "ftplib http.client http.server imaplib poplib smtplib socket socketserver ssl urllib.request",
        _SYSTEM: "fcntl grp pwd resource syslog",
        _WINDOWS: "msvcrt nt winreg winsound",
    }.items()
    for name in names.split()
}

# Libraries that are useless without machine code of their own.
C_EXTENSIONS: FrozenSet[str] = frozenset(
    """
Crypto Cryptodome Cython Levenshtein MySQLdb OpenSSL PIL PyQt5 PyQt6 PySide2 PySide6 _cffi_backend apsw asyncpg av
bcrypt blosc brotli cffi cryptography cv2 cytoolz duckdb fitz gevent gi google_crc32c greenlet grpc h5py hiredis jax
jaxlib kiwisolver lxml lz4 lxml_html_clean matplotlib mediapipe msgspec mypyc nacl netifaces numba numexpr numpy
onnxruntime orjson pandas polars psutil psycopg2 psycopg_binary psycopg_c pyarrow pycares pycurl pydantic_core pygame
pymssql pymupdf pyodbc rapidfuzz rapidjson regex rpds rtree scipy selectolax setproctitle shapely simdjson skimage
sklearn snappy spacy tensorflow tiktoken tokenizers torch torchaudio torchvision ujson uvloop wx xxhash zmq zstandard
""".split()
)


def is_standard(name: str) -> bool:
    """Whether a dotted name belongs to the standard library, whatever lies in ``src``."""
    return name.partition(".")[0] in NAMES


def why_unusable(name: str) -> str:
    """Why a module of the standard library does not work inside plugins; empty when it does."""
    return UNUSABLE.get(name) or UNUSABLE.get(name.partition(".")[0], "")
