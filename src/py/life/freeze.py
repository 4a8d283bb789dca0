"""Compile the modules of frozen/ into one C file for CPython's frozen importer, and those of the
standard library that every interpreter loads at its start, which then reads no files for it.
loader_find_folders puts right what the importer does not know.

usage: freeze.py OUTPUT MODULE.py...

Run by the interpreter the library is linked to: bytecode is specific to it, and
the file records its magic number for the check in runtime.c.
"""
import importlib.util
import marshal
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "cmake"))
import embed  # noqa: E402

STANDARD = ["encodings", "encodings.aliases", "encodings.utf_8"]


def modules(paths):
    """(name, its array, whether it is a package, code)"""
    for path in paths:
        code = compile(path.read_bytes(), f"<snug {path.stem}>", "exec", dont_inherit=True)
        yield f"_snug_{path.stem}", path.stem, 0, code
    for name in STANDARD:
        spec = importlib.util.find_spec(name)
        code = compile(pathlib.Path(spec.origin).read_bytes(), spec.origin, "exec", dont_inherit=True)
        yield name, name.replace(".", "_"), int(spec.submodule_search_locations is not None), code


def generate(paths):
    all_modules = list(modules(paths))
    for _, stem, _, code in all_modules:
        yield from embed.array(f"static const unsigned char {stem}_code", marshal.dumps(code), 16)
    magic = int.from_bytes(importlib.util.MAGIC_NUMBER, "little")
    yield f"const long frozen_magic = {magic};"
    yield "const struct _frozen frozen_modules[] = {"
    for name, stem, is_package, _ in all_modules:
        yield (f'    {{ .name = "{name}", .code = {stem}_code, .size = sizeof({stem}_code), '
               f'.is_package = {is_package} }},')
    yield "    { 0 },"
    yield "};"


def main():
    output, *paths = map(pathlib.Path, sys.argv[1:])
    embed.write(output, "freeze.py", "py/life/frozen.h", generate(paths))


main()
