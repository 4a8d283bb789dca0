"""What src/py/life/frozen/scan.py finds in a syntax tree, with the profiles and the table of
stdlib_allowlist/ read by Python stand-ins for the C that decides.

usage: test_scan.py

A case is a sentence, a profile, a source and the findings as "line:column rule subject",
columns in bytes from 1. Needs nothing of snug that is compiled.
"""
import ast
import importlib.util
import pathlib
import re
import sys
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWLIST = ROOT / "stdlib_allowlist"

CASES = [
    # Imports
    ("an allowed import is fine", "core", "import math, json as j", []),
    ("a submodule of an allowed module is fine", "core", "import collections.abc", []),
    ("an import outside the profile is found", "core", "import socket", ["1:8 import socket"]),
    ("each of several imports is judged", "core", "import math, socket, ssl",
     ["1:14 import socket", "1:22 import ssl"]),
    ("all imports are found at once", "core", "import socket\nx = 1\nimport ssl\nimport socket\n",
     ["1:8 import socket", "3:8 import ssl", "4:8 import socket"]),
    ("an import under another name is found", "core", "import socket as s", ["1:8 import socket"]),
    ("an import from a module outside the profile is found once", "core",
     "from socket import socket, AF_INET", ["1:1 import socket"]),
    ("a star import of a module outside the profile is found", "core", "from ssl import *",
     ["1:1 import ssl"]),
    ("a submodule is named whole", "core", "import http.server", ["1:8 import http.server"]),
    ("a submodule with a line of its own is allowed", "core", "import urllib.parse", []),
    ("a submodule with a line of its own is allowed from its package", "core",
     "from urllib import parse", []),
    ("the other names of that package are found", "core", "from urllib import parse, request",
     ["1:1 import urllib"]),
    ("a submodule that the profile takes out is found", "data", "import logging.handlers",
     ["1:8 import logging.handlers"]),
    ("a submodule that the profile takes out is found in a from-import", "data",
     "from logging import handlers, INFO", ["1:21 import logging.handlers"]),
    ("a module for the standard library alone is found", "core", "import posix",
     ["1:8 import posix"]),
    ("an import in a function is found", "core", "def f():\n    import socket", ["2:12 import socket"]),
    *((f"an import that may fail is fine: {how}", "core", f"try:\n    import ssl as s\n{how}\n    s = None\n"
       "if s: s.create_default_context()", []) for how in (
          "except ImportError:", "except ModuleNotFoundError as error:", "except Exception:", "except:",
          "except builtins.ImportError:", "except (OSError, ImportError):")),
    ("an import whose failure is suppressed is fine", "core",
     "from contextlib import suppress\nwith suppress(ImportError):\n    import ssl", []),
    ("an import is fine that has another in its place", "core",
     "try:\n    import ssl as x\nexcept ImportError:\n    import math as x\nx.pi", []),
    ("a call is fine that has another function in its place", "core",
     "try:\n    from ssl import match\nexcept ImportError:\n    def match(): pass\nmatch()", []),
    ("an __import__ that may fail is fine", "core",
     "try:\n    s = __import__('ssl')\nexcept ImportError:\n    s = None", []),
    ("an import that may fail is fine deeper in the try", "core",
     "def f():\n    try:\n        if 1:\n            import ssl\n    except ImportError:\n        return 1", []),
    ("an import that may fail is fine where the program stops without it before it is used", "core",
     "try:\n    import ssl\nexcept ImportError:\n    ssl = None\nif ssl is None:\n    exit()\nssl.x()", []),
    ("the import in the place of another is judged", "core",
     "try:\n    import ssl\nexcept ImportError:\n    import socket as ssl", ["4:12 import socket"]),
    *((f"an import in a try is found: {how}", "core", f"import sys\ntry:\n    import ssl\n{how}",
       ["3:12 import ssl"]) for how in (
          "except ValueError:\n    pass", "except ImportError:\n    raise", "except ImportError:\n    sys.exit(1)",
          "except ImportError as e:\n    raise SystemExit(1) from e", "finally:\n    pass",
          "except ImportError:\n    raise\nexcept Exception:\n    pass",
          "except ImportError:\n    ssl = None\nssl.create_default_context()")),
    ("an import in the function of a try is found", "core",
     "try:\n    def f():\n        import ssl\nexcept ImportError:\n    pass", ["3:16 import ssl"]),
    ("an import of both kinds is found where it may not fail", "core",
     "try:\n    import ssl\nexcept ImportError:\n    pass\nimport ssl", ["5:8 import ssl"]),
    ("a forbidden call in a try is found", "data",
     "try:\n    import os\n    os.system('ls')\nexcept Exception:\n    pass", ["3:5 call os.system"]),
    ("a relative import is found", "core", "from . import x", ["1:1 import ."]),
    ("a relative import of a module is found", "core", "from ..a.b import x", ["1:1 import ..a.b"]),
    ("a constant __import__ is found", "core", "x = __import__('socket')", ["1:5 import socket"]),
    *([("a constant __lazy_import__ is found", "core", "x = __lazy_import__('socket')", ["1:5 import socket"])]
      if sys.version_info >= (3, 15) else []),
    ("a constant __import__ by keyword is found", "core", "__import__(name='socket')",
     ["1:1 import socket"]),
    ("a constant import_module is found", "core",
     "import importlib as i\ni.import_module('socket')",
     ["1:8 import importlib", "2:1 import socket"]),
    ("an import_module from its module is found", "core",
     "from importlib import import_module as load\nload('http.client')",
     ["1:1 import importlib", "2:1 import http.client"]),
    ("a constant __import__ of an allowed module is fine", "core", "__import__('math').pi", []),
    ("an __import__ of a computed name is left to the gate", "core", "__import__('so' + x)", []),
    ("an __import__ of the user's own is fine", "core",
     "def __import__(x): return x\n__import__('socket')", []),
    ("an __import__ of no name is fine", "core", "__import__('not a name')\n__import__('\\ud800')", []),

    # Calls
    ("a forbidden call is found", "data", "import os\nos.system('ls')", ["2:1 call os.system"]),
    ("an allowed call of the same module is fine", "data", "import os\nos.listdir('.')", []),
    ("a call under another module name is found", "data", "import os as o\no.system('ls')",
     ["2:1 call os.system"]),
    ("a from-import of a forbidden name is found", "data", "from os import system",
     ["1:16 call os.system"]),
    ("a call under another function name is found", "data",
     "from os import system as run, path\nrun('ls')", ["1:16 call os.system", "2:1 call os.system"]),
    ("a call through an imported submodule is found", "data", "import os.path\nos.system('ls')",
     ["2:1 call os.system"]),
    ("a submodule under another name is only that", "data", "import os.path as p\np.system('ls')", []),
    ("a name of another module is an alias as well", "data", "import os\no = os\no.remove('x')",
     ["3:1 call os.remove"]),
    ("aliases of aliases are followed", "data", "import os\na = os\nb = a\nc = b.popen\nc('ls')",
     ["4:5 call os.popen", "5:1 call os.popen"]),
    ("aliases are followed backwards", "data",
     "def f():\n    run('ls')\nimport os\nrun = os.system", ["2:5 call os.system", "4:7 call os.system"]),
    ("an unpacked alias is followed", "data", "import os, sys\na, (b, c) = sys, (os, 1)\nb.system('ls')",
     ["3:1 call os.system"]),
    ("an annotated alias is followed", "data", "import os\no: object = os\no.system('ls')",
     ["3:1 call os.system"]),
    ("an alias in an expression is followed", "data", "import os\n(o := os).remove('x'); o.rmdir('x')",
     ["2:1 call os.remove", "2:24 call os.rmdir"]),
    ("an alias by a condition is followed", "data",
     "import os\no = os if 1 else None\no.system('ls')\n(None or os).remove('x')",
     ["3:1 call os.system", "4:1 call os.remove"]),
    ("an alias that is an attribute is followed", "data",
     "import os\nclass A:\n    def __init__(self):\n        self.o = os\n    def f(self):\n"
     "        self.o.system('ls')", ["6:9 call os.system"]),
    ("a default value is an alias", "data", "import os\ndef f(a, o=os, *, p=os):\n    o.system(a)\n"
     "    p.popen(a)", ["3:5 call os.system", "4:5 call os.popen"]),
    ("a function-local import counts", "data", "def f():\n    import os\n    os.system('ls')",
     ["3:5 call os.system"]),
    ("a function-local import counts elsewhere, where nothing else binds the name", "data",
     "def f():\n    global o\n    import os\n    o = os\nos.system('ls')\no.system('ls')",
     ["5:1 call os.system", "6:1 call os.system"]),
    ("a nonlocal alias is followed", "data",
     "def f():\n    o = None\n    def g():\n        nonlocal o\n        import os\n        o = os\n"
     "    o.system('ls')", ["7:5 call os.system"]),
    ("a forbidden function that is handed on is found", "data",
     "import os\nmap(os.system, ['ls'])", ["2:5 call os.system"]),
    ("a forbidden decorator is found", "data", "import os\n@os.system\ndef f(): pass",
     ["2:2 call os.system"]),
    ("a reference is found and so is its call", "data", "import os\nf = os.system\nf('ls')",
     ["2:5 call os.system", "3:1 call os.system"]),
    ("an attribute of a forbidden function is one finding", "data",
     "import os\nos.system.__call__('ls')", ["2:1 call os.system"]),
    ("two calls on a line are two findings", "data", "import os\nos.system(os.system('ls'))",
     ["2:1 call os.system", "2:11 call os.system"]),
    ("a name in the module's dict is found", "data",
     "import os\nos.__dict__['system']('ls')\nvars(os)['popen']('ls')",
     ["2:1 call os.system", "3:1 call os.popen"]),
    ("a constant getattr is found", "data",
     "import os\ngetattr(os, 'system')('ls')\ngetattr(os, 'popen', None)",
     ["2:1 call os.system", "3:1 call os.popen"]),
    ("a computed getattr is left to the session", "data", "import os\ngetattr(os, 'sys' + x)", []),
    ("a module out of sys.modules is found", "data", "import sys\nsys.modules['os'].system('ls')",
     ["2:1 call os.system"]),
    ("a call on an __import__ is found", "data", "__import__('os').system('ls')",
     ["1:1 call os.system"]),
    ("an __import__ of a submodule gives the package", "data",
     "__import__('os.path').system('ls')\n__import__('os.path', fromlist=['x']).system('ls')",
     ["1:1 call os.system"]),
    ("a star import of a forbidden name is found", "data",
     "from os import *\nsystem('ls')\nexecv('ls', [])", ["2:1 call os.system", "3:1 call os.execv"]),
    ("a star import does not make built-in and own names suspicious", "data",
     "from os import *\nexec('1')\nprint(1)\ndef system(x): pass\nsystem(1)", []),
    ("a method of an object is found through its class", "data",
     "from pathlib import Path\np = Path('x')\np.unlink()\nPath('y').rmdir()\np.exists()",
     ["3:1 call pathlib.Path.unlink", "4:1 call pathlib.Path.rmdir"]),
    ("a name is known in all forms that Python takes for one", "data", "import os\nｏｓ.system('ls')",
     ["2:1 call os.system"]),
    ("a pattern finds every name that begins so", "data", "import os\nos.execvp('ls', [])\nos.spawnl()",
     ["2:1 call os.execvp", "3:1 call os.spawnl"]),
    ("a module that is forbidden whole is named whole", "core",
     "import subprocess\nsubprocess.run(['ls'])\nx = subprocess",
     ["1:8 import subprocess", "2:1 call subprocess.run"]),
    ("an object of a forbidden module is not found again", "core",
     "import subprocess\np = subprocess.Popen(['ls'])\np.wait()",
     ["1:8 import subprocess", "2:5 call subprocess.Popen"]),
    ("a comprehension is looked into", "data", "import os\n[os.remove(x) for x in os.listdir()]",
     ["2:2 call os.remove"]),

    # What is none
    ("text is never a finding", "core",
     "x = 'os.system(1)'  # import os; os.system(1)\n'''\nimport socket\n'''", []),
    ("a function of the user's own is not a finding", "core", "def system(x): pass\nsystem(1)", []),
    ("a class named as a module is not a finding", "core",
     "class os:\n    def system(x): pass\nos.system(1)", []),
    ("a variable named as a module is not a finding", "core", "os = make()\nos.system(1)", []),
    ("a parameter named as a module is not a finding", "core", "def f(os):\n    os.system(1)", []),
    ("a parameter hides the module", "data", "import os\ndef f(os):\n    os.system(1)", []),
    ("a comprehension's name hides the module", "data", "import os\n[os.system(1) for os in x]", []),
    ("a lambda's parameter hides the module", "data", "import os\nlambda os: os.system(1)", []),
    ("a name in a class body is none of its methods", "data",
     "import os\nclass A:\n    os = 1\n    def f(self): os.system(1)", ["4:18 call os.system"]),
    ("a loop's name is not an alias", "core", "for os in x:\n    os.system(1)", []),
    ("a caught exception's name is not an alias", "core",
     "try: pass\nexcept E as os:\n    os.system(1)", []),
    ("a pattern's name is not an alias", "core",
     "match x:\n    case {'a': os, **sys}: os.system(1)\n    case [*os] | os: os.system(1)", []),
    ("a replaced function is not a call", "data", "import os\nos.system = None\ndel os.popen", []),
    ("a method of the same name is not a finding", "core", "self.system(1)\nx.eval('1')\nx().open()", []),
    ("a name that nothing binds is not a module", "core", "os.system('ls')", []),
    ("a subscript of a list is not followed", "data", "import os\nx = [os]\nx[0].listdir()", []),

    # Built-in functions
    ("built-in functions are fine in core", "core", "eval('1'); exec('1'); compile('1', '', 'eval')", []),
    ("built-in functions are found in strict", "strict", "x = eval('1')\nexec('1')\nopen('f')",
     ["1:5 call eval", "2:1 call exec", "3:1 call open"]),
    ("compile and __import__ are found in strict", "strict", "compile('1', '', 'eval')\n__import__('math')",
     ["1:1 call compile", "2:1 call __import__"]),
    ("a built-in that is handed on is found in strict", "strict", "map(eval, x)", ["1:5 call eval"]),
    ("a built-in under another name is found in strict", "strict", "e = eval\ne('1')",
     ["1:5 call eval", "2:1 call eval"]),
    ("a built-in through its module is found in strict", "strict",
     "__builtins__.eval('1')\n__builtins__['exec']('1')", ["1:1 call eval", "2:1 call exec"]),
    ("a built-in that is rebound is the user's own", "strict",
     "def eval(x): return x\neval('1')\nopen = 1\nopen", []),
    ("a method does not rebind a built-in", "strict",
     "class A:\n    def eval(self): pass\neval('1')", ["3:1 call eval"]),
    ("pathlib is found in strict", "strict", "from pathlib import Path\nPath('x')",
     ["1:1 import pathlib", "2:1 call pathlib.Path"]),
    ("compile of the module re is fine in strict", "strict", "import re\nre.compile('x')", []),

    # Order, syntax
    ("findings stand in the order of the source", "core",
     "def f():\n    import ssl\nimport socket; import http\n", ["2:12 import ssl", "3:8 import socket",
                                                              "3:23 import http"]),
    ("what the compiler refuses is the only finding", "core", "import socket\nreturn 1",
     ["2:1 syntax SyntaxError"]),
    ("top-level await is fine", "core", "await x\nasync def f():\n    return await x", []),
    ("await in a plain function is refused", "core", "def f():\n    await x", ["2:5 syntax SyntaxError"]),
    ("a finally keeps its syntax", "core",
     "for a in b:\n    try: pass\n    finally:\n        continue\n", []),
    ("a break in a finally is refused outside loops", "core", "try: pass\nfinally: break",
     ["2:10 syntax SyntaxError"]),
    ("a nonlocal without a function is refused", "core", "nonlocal x", ["1:1 syntax SyntaxError"]),
    ("a text of dots is not a name", "data",
     "import os\nf = getattr(os, '.')\nf()\nf.x()\ngetattr(os, 'a..b')()\n__import__('..')\nos['.']()", []),
    ("a global after its use is refused", "core", "def f():\n    x = 1\n    global x",
     ["3:5 syntax SyntaxError"]),
]


def load_scan():
    spec = importlib.util.spec_from_file_location("scan", ROOT / "src/py/life/frozen/scan.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.scan


def lines(name):
    for line in (ALLOWLIST / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.split(maxsplit=2)


def read_profile(name):
    """{module: whether cells may import it}"""
    found = {}
    for first, *rest in lines(name + ".txt"):
        if first == "include":
            found.update(read_profile(rest[0]))
        else:
            found[first] = rest[0] != "(internal)"
    return found


class Decisions:
    """Stands in for policy/allowlist.h and policy/files.h."""

    def __init__(self, profile):
        self.modules = read_profile(profile)
        self.rules = [(pattern, reason) for pattern, where, reason in lines("calls.txt")
                      if where in ("all", profile)]

    def allowed(self, module):
        while module not in self.modules and module:
            module = module.rpartition(".")[0]
        return self.modules.get(module, False)

    def explain(self, module):
        return f"{module} is not here"

    def forbidden(self, name):
        for pattern, reason in self.rules:
            beginning = pattern.removesuffix("*")
            if name == pattern or (beginning != pattern and name.startswith(beginning)):
                return pattern, reason
        return None


scan = load_scan()
questions = scan.__globals__["Questions"]


def findings(profile, source):
    decide = Decisions(profile)
    tree = compile(source, "<scan>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    return scan(tree, questions(decide.allowed, decide.explain, decide.forbidden))


class ScanTest(unittest.TestCase):
    maxDiff = None

    def test_a_message_says_what_to_do(self):
        [found] = findings("data", "import os\nos.popen('ls')")
        self.assertRegex(found[4], r"\Aos\.popen is not allowed: \w+")
        [found] = findings("core", "import socket")
        self.assertEqual(found[4], "socket is not here")

    def test_a_call_in_an_f_string_is_found_at_some_column(self):
        found = findings("data", "import os\nf'{os.system(1)} {x:{os.remove}}'")
        self.assertEqual([(f[0], f[2], f[3]) for f in found],
                         [(2, "call", "os.system"), (2, "call", "os.remove")])

    def test_columns_count_bytes(self):
        [found] = findings("core", "é = 1; import ssl")
        self.assertEqual(found[:4], (1, 15, "import", "ssl"))

    def test_a_question_is_asked_once(self):
        asked = []
        decide = Decisions("core")
        tree = ast.parse("import ssl\n" * 5)
        scan(tree, questions(asked.append, decide.explain, decide.forbidden))
        self.assertEqual(asked, ["ssl"])

    def unwanted(self, pattern, source):
        tree = ast.parse(source)

        def matches(name):
            return pattern if name == pattern or name.startswith(pattern + ".") else None
        found = scan(tree, questions(lambda m: True, str, lambda n: None, unwanted=matches))
        self.assertEqual({f[2] for f in found} - {"forbid"}, set())
        return [f"{f[0]}:{f[1] + 1} {f[3]}" for f in found]

    def test_a_pattern_of_the_callers_is_found_by_any_alias(self):
        for source, places in (
                ("open('x')", ["1:1 open"]), ("f = open\nf('x')", ["1:5 open", "2:1 open"]),
                ("__builtins__['open']('x')", ["1:1 open"]), ("print('open')  # open", []),
                ("def open(x): return x\nopen(1)", []), ("x.open()", []), ("opened('x')", [])):
            with self.subTest(source):
                self.assertEqual(self.unwanted("open", source), places)

    def test_a_pattern_stands_for_what_is_below_it_and_not_above(self):
        for source, places in (
                ("import os", []), ("import os\nos.remove('x')", ["2:1 os.remove"]),
                ("from os import remove as r\nr('x')", ["1:16 os.remove", "2:1 os.remove"]),
                ("import os.remove.deep", ["1:8 os.remove.deep"]), ("import os\nos.removedirs('x')", [])):
            with self.subTest(source):
                self.assertEqual(self.unwanted("os.remove", source), places)

    def test_a_pattern_finds_names_that_an_earlier_cell_has_made(self):
        self.assertEqual(self.unwanted("os.remove", "os.remove('x')"), ["1:1 os.remove"])
        self.assertEqual(self.unwanted("fetch", "fetch('x')"), ["1:1 fetch"])
        self.assertEqual(self.unwanted("fetch", "def f(fetch): fetch('x')"), [])

    def test_deep_and_long_trees_need_no_recursion(self):
        deep = 900
        sources = {
            "a sum": "import os\nx = " + "+".join(["os"] * deep),
            "attributes": "import os\nos" + ".system" * deep,
            "calls": "import os\nos.system" + "()" * deep,
            "subscripts": "import os\nos" + "['a']" * deep,
            "getattr": "import os\nos.system(" + "getattr(" * 60 + "os" + ", 'a')" * 60 + ")",
            "conditions": "import os\nos.system(" + "(" * 60 + "os" + " if a else os)" * 60 + ")",
            "aliases": "import os\na0 = os\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(deep))
                       + f"a{deep}.system(1)",
            "growing aliases": "import os\na = os\n" + "a = a.a\n" * deep + "os.system(1)",
            "aliases in a circle": "import os\na = b\nb = a\na = os\na.system(1)",
        }
        for name, source in sources.items():
            with self.subTest(name):
                found = {f[3] for f in findings("data", source)}
                self.assertEqual(found, set() if name in ("a sum", "subscripts") else {"os.system"})

    def test_nested_finally_blocks_are_compiled_once(self):
        # Copied to each way out, as CPython does, these would take 2**18 times the room.
        depth = 18
        source = "".join(f"{' ' * i}try: a\n{' ' * i}finally:\n" for i in range(depth))
        tree = ast.parse(source + " " * depth + "pass\n")
        self.assertLess(len(marshalled(tree)), 10_000)

    def test_a_docstring_of_a_lone_surrogate_is_no_error_of_the_scan(self):
        found = findings("core", "def f():\n    '\\ud800'")
        self.assertIn([finding[2:4] for finding in found], ([], [("syntax", "SyntaxError")]))

    def test_the_table_has_each_call_of_the_issue(self):
        for name in ("os.system os.remove os.rmdir shutil.rmtree subprocess.run os.fork os.execv "
                     "ctypes.CDLL").split():
            with self.subTest(name):
                self.assertTrue(Decisions("core").forbidden(name))
        for name in "__import__ eval exec compile open pathlib.Path".split():
            with self.subTest(name):
                self.assertFalse(Decisions("core").forbidden(name))
                self.assertTrue(Decisions("strict").forbidden(name))


def marshalled(tree):
    """The code that the scan's compiler makes of the tree."""
    import marshal
    made = []
    scope = scan.__globals__
    scope["compile"] = lambda *args, **options: made.append(compile(*args, **options))
    try:
        scan(tree, questions(lambda m: True, str, lambda n: None))
    finally:
        del scope["compile"]
    return marshal.dumps(made[0])


def test_of(profile, source, expected):
    def test(self):
        found = [f"{line}:{column + 1} {rule} {subject}"
                 for line, column, rule, subject, *_ in findings(profile, source)]
        self.assertEqual(found, expected, "\n" + textwrap.indent(source, "    "))
    return test


for sentence, profile, source, expected in CASES:
    name = "test_" + re.sub(r"\W+", "_", sentence)
    assert not hasattr(ScanTest, name), sentence
    setattr(ScanTest, name, test_of(profile, source, expected))

if __name__ == "__main__":
    unittest.main()
