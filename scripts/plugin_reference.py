#!/usr/bin/env python3
"""Write docs/plugin-reference.md from what plugins import and what the server offers them.

    plugin_reference.py            write the page
    plugin_reference.py --check    exit 1 and show the difference when the page is out of step

Calls, decorators and payloads are read from the sources of the module `service_plugin`, which editors complete from and
which the engine carries; permissions from the table that the server asks. Nothing is imported: sources are read as they
are written.
"""

import ast
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "plugin-reference.md"
SDK = ROOT / "sdk" / "python"
SERVER = ROOT / "crates" / "plugins" / "src"

# What becomes of a refusal, by the function of `_wire.py` that a call is made with.
FAILURES = {
    "demand": "raises `RuntimeError`",
    "attempt": "nothing is done; the server logs it",
    "an_object": "`None`",
    "a_result": "`None`",
    "a_list": "`[]`",
    "an_outcome": "a dict with `error`",
}
# For plain values it follows from what the call gives back.
PLAIN = {"bool": "`False`", "int": "`0`"}


def functions():
    """What the server offers: each function by its name on the wire, with the permission it needs."""
    permissions = dict(re.findall(r'^    (\w+) = "([a-z.]+)", "', (SERVER / "permission.rs").read_text(), re.M))
    table = (SERVER / "host" / "table.rs").read_text().split("FUNCTIONS")[1]
    lines = re.findall(r'^    "(\w+)" (-|\w+) \w+::\w+,$', table, re.M)
    return {name: None if needs == "-" else permissions[needs] for name, needs in lines}


def classes(file):
    """The classes of a module of the SDK, by name."""
    tree = ast.parse((SDK / "service_plugin" / file).read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def methods(node):
    """What a class has for authors and for itself; of one that is overloaded the last, which is the real one."""
    return {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}


def groups():
    """The parts of `service` in their order: name, class."""
    known = {**classes("_storage.py"), **classes("_service.py")}
    for line in methods(known["Service"])["__init__"].body:
        if isinstance(line, ast.Assign):
            yield line.targets[0].attr, known[line.value.func.id]


def reached(node, name, host):
    """Which functions of the server a method calls, itself or by others of its class, and in which ways."""
    names, ways, seen, waiting = set(), set(), set(), [name]
    own = methods(node)
    while waiting:
        current = waiting.pop()
        if current in seen or current not in own:
            continue
        seen.add(current)
        for part in ast.walk(own[current]):
            if isinstance(part, ast.Constant) and part.value in host:
                names.add(part.value)
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                owner = getattr(part.func.value, "id", "")
                if owner == "self":
                    waiting.append(part.func.attr)
                elif owner == "wire" and part.func.attr in {*FAILURES, "value"}:
                    ways.add(part.func.attr)
    return names, ways


def calls(host):
    """Every call of `service`: group, method, the functions behind it and how it fails."""
    for group, node in groups():
        for name, method in methods(node).items():
            if not name.startswith("_"):
                names, ways = reached(node, name, host)
                yield group, method, names, failure(method, ways)


def failure(method, ways):
    if ways == {"value"}:
        with_fallback = any(one.arg == "fallback" for one in method.args.args)
        return "`fallback`" if with_fallback else PLAIN.get(written(method.returns), "`None`")
    return " and ".join(sorted({FAILURES[way] for way in ways if way in FAILURES}))


def events():
    """Decorators of events: method, event, the shape of its payload."""
    tree = ast.parse((SDK / "service_plugin" / "_plugin.py").read_text())
    constants = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
    }
    for method in methods(classes("_plugin.py")["Plugin"]).values():
        for part in ast.walk(method):
            if isinstance(part, ast.Call) and getattr(part.func, "attr", "") == "_event":
                event, shape = part.args[:2]
                name = event.value if isinstance(event, ast.Constant) else constants[event.id]
                yield method, name, getattr(shape, "attr", None) or shape.id


def decorators():
    """Everything else of `plugin`."""
    of_events = {method.name for method, _, _ in events()}
    for name, method in methods(classes("_plugin.py")["Plugin"]).items():
        if not name.startswith("_") and name not in of_events:
            yield method


def shapes():
    """What payloads hold: name, what it is, attributes with their types."""
    for name, node in {**classes("_shapes.py"), "Request": classes("_http.py")["Request"]}.items():
        fields = [(one.target.id, written(one.annotation)) for one in node.body if isinstance(one, ast.AnnAssign)]
        for one in methods(node).values():
            if not one.name.startswith("_"):
                is_property = bool(one.decorator_list)
                fields.append((one.name if is_property else one.name + "()", written(one.returns)))
        yield name, first_line(node), fields


def context():
    """What a command receives: attributes and methods."""
    node = classes("_commands.py")["CommandContext"]
    for part in methods(node)["__init__"].body:
        yield part.target.attr, written(part.annotation), ""
    for name, method in methods(node).items():
        if not name.startswith("_"):
            yield f"{name}({arguments(method)})", written(method.returns), first_line(method)


def verdicts():
    """Answers of filters and of sign-ins."""
    for name, owner in (("filter", "Filter"), ("auth_check", "AuthCheck")):
        for method in methods(classes("_verdicts.py")[owner]).values():
            if not method.name.startswith("_"):
                yield f"{name}.{method.name}({arguments(method)})", first_line(method)


def arguments(method):
    """As a caller writes them, without types."""
    given = method.args
    plain = given.args[1:]
    defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    told = [one.arg if value is None else f"{one.arg}={ast.unparse(value)}" for one, value in zip(plain, defaults)]
    if given.kwonlyargs:
        told.append("*")
    for one, value in zip(given.kwonlyargs, given.kw_defaults):
        told.append(f"{one.arg}={ast.unparse(value)}")
    return ", ".join(told)


def written(annotation):
    """A type in words."""
    text = ast.unparse(annotation).strip("'\"").replace("shapes.", "") if annotation is not None else "Any"
    optional = re.fullmatch(r"Optional\[(.*)\]", text)
    return f"{optional[1]} or None" if optional else text


def first_line(node):
    return (ast.get_docstring(node) or "").split("\n")[0].replace("``", "`").replace("|", r"\|")


def permissions():
    """Permissions with what they let a plugin do."""
    tree = ast.parse((SDK / "service_plugin_cli" / "manifest" / "permissions.py").read_text())
    return ast.literal_eval(next(node.value for node in tree.body if isinstance(node, ast.Assign)))


def handlers():
    """The permission that each decorator needs."""
    tree = ast.parse((SDK / "service_plugin_cli" / "needs.py").read_text())
    names = ast.literal_eval(next(node.value for node in tree.body if isinstance(node, ast.Assign)))
    needs = {name: permission for permission, several in names.items() for name in several.split()}
    return {name.partition(".")[2]: needed for name, needed in needs.items() if name.startswith("plugin.")}


def page():
    """The whole page."""
    host, needed = functions(), handlers()
    lines = [
        "# Plugin reference",
        "",
        "Everything a plugin can import, ask for and be told.",
        "[The plugin guide](plugin-guide.md) explains it with examples; [the plugin SDK](plugin-sdk.md) has the manifest, "
        "the command and the tests.",
        "This page is made by `python3 scripts/plugin_reference.py` from the module `service_plugin` and the server's own "
        "tables.",
        "",
        "`Record` is an attribute object: `.display_name` reads `displayName`, what is missing is `None`, and `.raw` is the "
        "dict.",
        "`Result` is a dict whose members are attributes too.",
        "",
    ]
    used = {}
    for group, method, names, _ in calls(host):
        for name in names:
            used.setdefault(host[name], []).append(f"`{group}.{method.name}`")
    for method, needs in needed.items():
        used.setdefault(needs, []).append(f"`@plugin.{method}`")
    lines += table("Permissions", ["permission", "lets a plugin", "for"])
    for name, meaning in permissions().items():
        needed_by = ", ".join(dict.fromkeys(used.get(name, []))) or "-"
        lines.append(f"| `{name}` | {meaning} | {needed_by} |")

    lines += table("Events", ["decorator", "event", "payload", "needs", "when"])
    for method, name, shape in events():
        needs = code(needed.get(method.name))
        lines.append(f"| `@plugin.{method.name}` | `{name}` | `{shape}` | {needs} | {first_line(method)} |")

    lines += table("Other decorators and declarations", ["name", "needs", "does"])
    for method in decorators():
        told = f"plugin.{method.name}({arguments(method)})"
        lines.append(f"| `{told}` | {code(needed.get(method.name))} | {first_line(method)} |")

    about = "Type checkers know them by these names from `service_plugin.types`, which is empty while a plugin runs."
    lines += table("Payloads", ["shape", "attributes", "is"], about)
    for name, about, fields in shapes():
        told = ", ".join(f"`{field}`: {kind}" for field, kind in fields)
        lines.append(f"| `{name}` | {told} | {about} |")

    lines += table("Verdicts", ["answer", "means"])
    lines += [f"| `{call}` | {about} |" for call, about in verdicts()]

    lines += table("CommandContext", ["member", "gives", "does"])
    lines += [f"| `{name}` | {kind} | {about or '-'} |" for name, kind, about in context()]

    lines += ["", "## Calls", ""]
    lines.append("The last column says what the plugin sees when the permission is missing or the server cannot do it.")
    about = {group: first_line(node) for group, node in groups()}
    current = None
    for group, method, names, fails in calls(host):
        if group != current:
            current = group
            lines += ["", f"### service.{group}", "", about[group], ""]
            lines += ["| call | gives | needs | does | if it fails |", "|---|---|---|---|---|"]
        needs = code(next((host[name] for name in sorted(names) if host[name]), None))
        told = f"{method.name}({arguments(method)})"
        lines.append(f"| `{told}` | {written(method.returns)} | {needs} | {first_line(method)} | {fails} |")
    return "\n".join(lines) + "\n"


def code(name):
    return f"`{name}`" if name else "-"


def table(title, heads, about=""):
    lines = ["", f"## {title}", "", about, ""] if about else ["", f"## {title}", ""]
    return [*lines, f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit("usage: plugin_reference.py [--check]")
    # The first table has no blank line too many before it.
    wanted = page().replace("\n\n\n", "\n\n")
    found = PAGE.read_text() if PAGE.is_file() else ""
    if not arguments:
        PAGE.write_text(wanted)
    elif found != wanted:
        lines = difflib.unified_diff(found.splitlines(), wanted.splitlines(), "docs", "code", lineterm="")
        print("\n".join(lines))
        sys.exit("docs/plugin-reference.md is out of step: run python3 scripts/plugin_reference.py")


if __name__ == "__main__":
    main(sys.argv[1:])
