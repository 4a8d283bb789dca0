"""An addon of Node, which loads it with RTLD_LOCAL: modules, cells beside the loop, interrupts and ends.

run.py [--long]
"""
import importlib.util
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from outside import HERE, PREFIX, built, command, needed, quantile, skip  # noqa: E402

LONG = "--long" in sys.argv
# Where the library itself links libpython, RTLD_LOCAL hides that from extension modules.
HAS_ENGINE = any(PREFIX.rglob("libsnug-python3*.so*"))
FORMS = ("local", "worker")
# Extension modules, which do not link libpython: where it is not seen by them, none of them loads.
MODULES = ("asyncio", "contextvars", "decimal", "fractions", "json", "random", "statistics", "zlib", "hashlib")
DATA = ("sqlite3", "bz2", "lzma")
CELLS, SECONDS_EACH = (100, 1) if LONG else (30, 0.5)
READ_MS = 20 if LONG else 500  # the median of reading a file; a pool without a thread takes as long as the cells


def include_dir(node):
    for folder in (pathlib.Path(node).resolve().parent.parent / "include/node", pathlib.Path("/usr/include/node"),
                   pathlib.Path("/usr/include/nodejs/src")):
        if (folder / "node_api.h").exists():
            return folder
    return skip("node_api.h is not here (Debian: libnode-dev)")


def profile_modules(name):
    """Those that a profile's file names and this Python has, without those of the profile that it goes on from."""
    path, = PREFIX.rglob(f"stdlib_allowlist/{name}.txt")
    words = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    names = (line[0] for line in words if line and line[0] not in ("#", "include") and "(internal)" not in line)
    return [name for name in names if name in sys.modules or importlib.util.find_spec(name)]


class Node(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = needed("node", "nodejs")
        include = include_dir(cls.node)
        words = ["-std=gnu11", "-shared", "-fPIC", "-Wno-missing-field-initializers", f"-isystem{include}"]
        if (include.parent / "deps/uv/include").exists():  # Debian's own package
            words.append(f"-isystem{include.parent / 'deps/uv/include'}")
        cls.addon = built("snug.node", HERE / "node/addon.c", *words)

    def ask(self, form, what, *words):
        said = command(self.node, HERE / "node/host.js", self.addon, form, what, *words)
        return json.loads(said.splitlines()[-1])

    def forms_with_modules(self):
        if HAS_ENGINE:
            return FORMS
        print("skipped: modules of a local session: the library links libpython, which RTLD_LOCAL hides")
        return ("worker",)

    def test_modules_with_extensions_import(self):
        for form in self.forms_with_modules():
            with self.subTest(form=form):
                self.assertEqual(self.ask(form, "modules", "core", *MODULES), {})
                self.assertEqual(self.ask(form, "modules", "data", *DATA), {})

    def test_json_has_its_accelerator(self):
        code = "import json\njson.encoder.c_make_encoder is not None and json.scanner.c_make_scanner is not None"
        for form in self.forms_with_modules():
            with self.subTest(form=form):
                self.assertIs(self.ask(form, "value", "core", code), True)

    @unittest.skipUnless(LONG and HAS_ENGINE, "for --long, and a library that does not link libpython")
    def test_every_module_of_the_profiles_imports(self):
        for profile in ("strict", "core", "data"):
            names = profile_modules(profile)
            self.assertGreater(len(names), 10)
            with self.subTest(profile=profile):
                self.assertEqual(self.ask("local", "modules", profile, *names), {})

    def test_cells_hold_no_thread_of_the_pool(self):
        for form in FORMS:
            with self.subTest(form=form):
                said = self.ask(form, "many", CELLS, SECONDS_EACH)
                print(f"{form:8} {CELLS} cells of {SECONDS_EACH} s in {said['wall']:.0f} ms; fs.readFile beside them, "
                      f"{len(said['reads'])} times: p50 {quantile(said['reads'], 0.5):.2f}, "
                      f"p99 {quantile(said['reads'], 0.99):.1f}, max {max(said['reads']):.1f} ms", flush=True)
                self.assertEqual(said["values"], list(range(CELLS)))
                self.assertLess(quantile(said["reads"], 0.5), READ_MS)

    def test_a_cell_is_interrupted_and_its_session_goes_on(self):
        for form in FORMS:
            with self.subTest(form=form):
                self.assertEqual(self.ask(form, "interrupted"), {"status": "interrupted", "state": "kept", "after": 5})

    def test_the_process_ends_while_a_cell_runs(self):
        for form in FORMS:
            with self.subTest(form=form):
                self.assertEqual(self.ask(form, "ended"), "ending")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
