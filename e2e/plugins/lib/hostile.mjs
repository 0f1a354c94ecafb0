// Plugins that mean harm, each with what has to become of it.

/** Python that does `lines` whenever somebody says a line that begins with "go". */
const onLine = (lines) => `
from service_plugin import plugin, service, filter

@plugin.on_chat_message
def hear(msg):
    if msg.body.startswith("go"):
        act(msg)

def act(msg):
${indented(lines)}
`;

/** The same while a line waits for its verdict. */
const inFilter = (lines) => `
from service_plugin import plugin, service, filter

@plugin.filter_chat_message
def judge(msg):
    if msg.body.startswith("go"):
        return act(msg)
    return filter.pass_()

def act(msg):
${indented(lines)}
`;

const indented = (lines) => lines.trim().replaceAll(/^/gm, '    ');

const isOutOfTime = /took longer than \d+ ms and was ended/;
const isOutOfMemory = /MemoryError|needed more than its \d+ bytes of memory/;
const either = (...patterns) => new RegExp(patterns.map(({ source }) => source).join('|'));

/**
 * @typedef {object} Hostile
 * @property {string} name
 * @property {string} code
 * @property {string[]} [permissions]
 * @property {object} [manifest]
 * @property {RegExp} [error] what its last error says
 * @property {RegExp} [logged] what the log says of it
 * @property {boolean | 'perhaps'} [survives] it goes on in the same instance
 */

/** What one line sets off. */
export const ON_A_LINE = [
  { name: 'an endless loop', code: onLine('while True: pass'), error: isOutOfTime },
  {
    name: 'an endless loop in a filter',
    permissions: ['chat.filter'],
    code: inFilter('while True: pass'),
    error: /took longer than 50 ms and was ended/,
  },
  {
    name: 'a loop that swallows every exception',
    code: onLine(`
while True:
    try:
        raise ValueError("again")
    except BaseException:
        pass`),
    error: isOutOfTime,
  },
  { name: 'a sleep of an hour', code: onLine('import time\ntime.sleep(3600)'), error: isOutOfTime },
  {
    name: 'a regular expression that never finishes',
    code: onLine('import re\nre.match("(a+)+$", "a" * 60 + "b")'),
    error: isOutOfTime,
  },
  {
    name: 'a regular expression that never finishes, in a filter',
    permissions: ['chat.filter'],
    code: inFilter('import re\nre.match("(a+)+$", "a" * 60 + "b")'),
    error: isOutOfTime,
  },
  {
    name: 'recursion',
    code: onLine('def deeper(n): return deeper(n + 1)\ndeeper(0)'),
    error: /RecursionError/,
    survives: true,
  },
  {
    name: 'recursion without a limit',
    code: onLine(`
import sys
sys.setrecursionlimit(10 ** 9)
def deeper(n): return deeper(n + 1)
deeper(0)`),
    error: either(/RecursionError|crashed and was ended/, isOutOfMemory, isOutOfTime),
    survives: 'perhaps',
  },
  {
    name: 'recursion inside Python itself',
    code: onLine(`
nested = []
for _ in range(100_000): nested = [nested]
repr(nested)`),
    error: either(/RecursionError|crashed and was ended/, isOutOfMemory, isOutOfTime),
    survives: 'perhaps',
  },
  {
    name: 'a list of four gigabytes',
    code: onLine('kept = [0] * (1 << 30)'),
    error: isOutOfMemory,
    survives: 'perhaps',
  },
  {
    name: 'memory that grows and grows',
    code: onLine('kept = []\nwhile True: kept.append("x" * 100_000)'),
    error: either(isOutOfMemory, isOutOfTime),
  },
  {
    name: 'a million questions to the server',
    permissions: ['storage.kv'],
    code: onLine('for _ in range(10 ** 6): service.kv.get("k")'),
    error: isOutOfTime,
  },
  {
    name: 'a million values to keep',
    permissions: ['storage.kv'],
    code: onLine(`
for number in range(10 ** 6):
    try:
        service.kv.set("k", "x" * 10_000)
    except RuntimeError:
        pass`),
    error: isOutOfTime,
  },
  { name: 'an exit', code: onLine('import os\nos._exit(3)'), error: /crashed and was ended/ },
  { name: 'an abort', code: onLine('import os\nos.abort()'), error: /crashed and was ended/ },
  {
    name: 'an error of five megabytes',
    code: onLine('raise ValueError("x" * 5_000_000)'),
    error: either(/ValueError/, isOutOfMemory),
    survives: 'perhaps',
  },
  {
    name: 'a log without an end',
    code: onLine(`
import sys
print("x" * 100_000)
for number in range(1_000): print("line %d " % number + "y" * 100, file=sys.stderr)`),
    logged: /printed more than 65536 bytes in one call/,
    survives: 'perhaps',
  },
  {
    name: 'a verdict of two megabytes',
    permissions: ['chat.filter'],
    code: inFilter('return filter.drop("x" * 2_000_000)'),
    error: either(/the answer has \d+ bytes, 1048576 are allowed/, isOutOfTime),
    survives: 'perhaps',
  },
  {
    name: 'no modules left',
    code: onLine('import sys\nsys.modules.clear()\nimport json\njson.dumps({})\nraise ValueError("torn apart")'),
    error: /./,
    survives: 'perhaps',
  },
  {
    name: 'no builtins left',
    code: onLine('import builtins\nbuiltins.__dict__.clear()\nlen([])'),
    error: /./,
    survives: 'perhaps',
  },
  {
    name: 'another engine in place of its own',
    code: onLine(`
import json, sys
import service_plugin._guest as guest
guest._KINDS.clear()
json.loads = None
sys.modules["service_plugin"] = None
raise ValueError("torn apart")`),
    error: /./,
    survives: 'perhaps',
  },
  {
    name: 'every object emptied',
    code: onLine(`
import gc
for one in gc.get_objects():
    if isinstance(one, dict) and one is not globals(): one.clear()
raise ValueError("torn apart")`),
    error: /./,
    survives: 'perhaps',
  },
  {
    name: 'every module there is',
    code: onLine(`
import sys
for name in sorted(sys.stdlib_module_names):
    try:
        __import__(name)
    except BaseException:
        pass
raise ValueError("all imported")`),
    error: either(/all imported/, isOutOfTime, isOutOfMemory),
    survives: 'perhaps',
  },
];

/** Packages that are tried out when they come, and refused: a pattern for the reason. */
export const AT_LOAD = [
  { name: 'an endless loop', code: 'while True: pass', error: /took longer than 5000 ms and was ended/ },
  { name: 'memory without end', code: 'kept = [0] * (1 << 30)', error: isOutOfMemory },
  { name: 'an exception', code: 'raise ValueError("not today")', error: /ValueError: not today/ },
  { name: 'an exit', code: 'import os\nos._exit(0)', error: /crashed and was ended/ },
  {
    name: 'a filter it does not ask for',
    code: 'from service_plugin import plugin, filter\n@plugin.filter_chat_message\ndef f(msg): return filter.pass_()',
    error: /chat\.filter/,
  },
  {
    name: 'commands without end',
    code: 'from service_plugin import plugin\nplugin.commands({"c%d" % n: {"run": print, "description": "x" * 1000} for n in range(5000)})',
    error: /the answer has \d+ bytes, 262144 are allowed/,
  },
];

/** Tries to reach everything outside when it is asked to. `{PORT}` is the server's, `{DATA}` its folder. */
export const REACHING_OUT = `
import json
from service_plugin import plugin, service

def imported(name, use):
    def attempt():
        use(__import__(name, fromlist=["_"]))
    return attempt

HOST, PORT = "127.0.0.1", int("{PORT}")
ATTEMPTS = {
    "thread": imported("threading", lambda m: m.Thread(target=print).start()),
    "raw thread": imported("_thread", lambda m: m.start_new_thread(print, ())),
    "thread pool": imported("concurrent.futures", lambda m: m.ThreadPoolExecutor().submit(print).result(1)),
    "process": imported("multiprocessing", lambda m: m.Process(target=print).start()),
    "subprocess": imported("subprocess", lambda m: m.run(["ls"])),
    "system": imported("os", lambda m: m.system("ls")),
    "popen": imported("os", lambda m: m.popen("ls").read()),
    "fork": imported("os", lambda m: m.fork()),
    "exec": imported("os", lambda m: m.execv("/bin/ls", ["ls"])),
    "kill": imported("os", lambda m: m.kill(1, 9)),
    "connect": imported("socket", lambda m: m.create_connection((HOST, PORT))),
    "raw connect": imported("socket", lambda m: m.socket().connect((HOST, PORT))),
    "datagram": imported("socket", lambda m: m.socket(m.AF_INET, m.SOCK_DGRAM).sendto(b"x", (HOST, PORT))),
    "bind": imported("socket", lambda m: m.socket().bind((HOST, 0))),
    "name": imported("socket", lambda m: m.getaddrinfo("localhost", 80)),
    "url": imported("urllib.request", lambda m: m.urlopen("http://%s:%d/" % (HOST, PORT))),
    "http": imported("http.client", lambda m: m.HTTPConnection(HOST, PORT).request("GET", "/")),
    "passwords": lambda: open("/etc/passwd").read(),
    "environment": lambda: open("/proc/self/environ").read(),
    "database": lambda: open("{DATA}/rillcast.db", "rb").read(),
    "neighbour's package": lambda: open("{DATA}/plugins/neighbour.ocpkg", "rb").read(),
    "up and out": lambda: open("../../../etc/passwd").read(),
    "root": imported("os", lambda m: m.listdir("/")),
    "write": lambda: open("new", "w").write("x"),
    "temporary file": imported("tempfile", lambda m: m.TemporaryFile()),
    "ctypes": imported("ctypes", lambda m: m.CDLL(None)),
    "mmap": imported("mmap", lambda m: m.mmap(-1, 4096)),
    "unknown host call": imported("wit_world", lambda m: m.host_call("no_such", "{}")),
    "values without permission": lambda: service.kv.set("k", "v"),
    "requests without permission": lambda: service.http.fetch("http://%s:%d/" % (HOST, PORT)),
    "bans without permission": lambda: service.users.ban_ip("192.0.2.1"),
    "sql without permission": lambda: service.sql.exec("CREATE TABLE t (x)"),
    "settings without permission": lambda: service.video_config.write({"latencyLevel": 1}),
}

def told(value):
    return {"headers": {"Content-Type": "application/json"}, "body": json.dumps(value)}

@plugin.get("/")
def names(req):
    import os
    return told({"attempts": list(ATTEMPTS), "environment": dict(os.environ)})

@plugin.get("/try")
def attempt(req):
    try:
        ATTEMPTS[req.query["name"]]()
    except BaseException as error:
        return told("%s: %s" % (type(error).__name__, error))
    return told("it worked")
`;
