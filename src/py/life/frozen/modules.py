"""Modules that cells have written into the work directory: importlib's finder and loader of them.

Only source is read, and it is run as a cell's: what it imports is judged as if a cell did.
"""
import os
import sys

import _snug

_self = sys.modules[__name__]


def _read(file):
    """The source, or None where there is no such file: a pipe is none."""
    path = os.path.join(_snug.workdir(), file)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8-sig") as opened:
        return opened.read()


def find_spec(name, path=None, target=None):
    if not _snug.is_work_module(name):
        return None
    base = name.replace(".", "/")
    for file, is_package in ((base + "/__init__.py", True), (base + ".py", False)):
        source = _read(file)
        if source is not None:
            break
    else:
        if not os.path.isdir(os.path.join(_snug.workdir(), base)):
            return None
        file, is_package = None, True
    spec = type(__spec__)(name, _self, origin=file, loader_state=source, is_package=is_package)
    spec.has_location = file is not None
    if is_package:
        spec.submodule_search_locations = [base]
    return spec


def create_module(spec):
    return None


def exec_module(module):
    file, source = module.__spec__.origin, module.__spec__.loader_state
    if file:
        _snug.note_source(file, source)
        exec(compile(source, file, "exec", dont_inherit=True), vars(module))


def get_source(name):
    return sys.modules[name].__spec__.loader_state


def _is_stale(module):
    spec = getattr(module, "__spec__", None)
    if getattr(getattr(spec, "loader", None), "__name__", "") != __name__:
        return False
    return spec.loader is not _self or spec.origin and spec.loader_state != _read(spec.origin)


def prepare(name):
    """For an import of that name: a package of which a file has changed is loaded again."""
    if _self not in sys.meta_path:
        sys.meta_path.insert(0, _self)
    top = name.partition(".")[0]
    loaded = [key for key in sys.modules if key.partition(".")[0] == top]
    if any(_is_stale(sys.modules[key]) for key in loaded):
        for key in loaded:
            del sys.modules[key]
