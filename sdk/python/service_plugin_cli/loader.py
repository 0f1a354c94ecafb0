"""What a bundle begins with. This file is never imported: its text below this line becomes part of bundles."""


def _load_bundle(modules, entry_file, entry, names):
    import importlib.util
    import linecache
    import sys
    import types

    def compiled(text, file):
        # Tracebacks show these lines.
        linecache.cache[file] = (len(text), None, [line + "\n" for line in text.split("\n")], file)
        return compile(text, file, "exec", dont_inherit=True)

    class Bundle:
        def find_spec(self, name, path=None, target=None):
            if name not in modules:
                return None
            file, is_package, _ = modules[name]
            spec = importlib.util.spec_from_loader(name, self, origin=file, is_package=is_package)
            spec.has_location = True
            return spec

        def create_module(self, spec):
            return None

        def exec_module(self, module):
            file, _, text = modules[module.__name__]
            exec(compiled(text, file), module.__dict__)

        def get_source(self, name):
            return modules[name][2]

    # A folder of modules without a file of its own is a package, too.
    for name in list(modules):
        while "." in name:
            name = name.rpartition(".")[0]
            modules.setdefault(name, (name.replace(".", "/"), True, ""))
    try:
        import service_plugin
    except ImportError:
        # A server that only gives the names.
        sdk = types.ModuleType("service_plugin")
        for name in ("plugin", "service", "filter", "auth_check", "CommandContext"):
            if name in names:
                setattr(sdk, name, names[name])
        sys.modules["service_plugin"] = sdk
    sys.meta_path.insert(0, Bundle())
    return compiled(entry, entry_file)
