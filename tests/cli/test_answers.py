"""However an answer is made large, it is bounded, and so is what the host takes to make it.

Each row is one way, and how much JSON it may have: this is the list of them. The host's memory is
its peak during that answer over what it had before.
"""
import base64
import json
import os
import subprocess
import time
import unittest

from driver import SECONDS, SNUG, Case, environment
from share import in_share

KIB, MIB = 1024, 1024 * 1024
MEMORY, DISPLAYS, LISTS, VALUE, OUTPUT = 64 * MIB, 1 * MIB, 64 * KIB, 16 * KIB, 64 * KIB
OPTIONS = ["--memory", "64MB", "--displays", "1MB", "--lists", "64KB", "--timeout", "10", "--profile", "data",
           "--tool", "take=cat >/dev/null; echo 1", "--tool-calls", "200"]
REST = 16 * KIB  # of a result: its own names and numbers
TRACEBACK = 6 * (64 + 64 + 16) * KIB  # traceback, error value and names; a control character is six bytes

BUNDLE = "class F:\n def _repr_mimebundle_(self, include=None, exclude=None): return "
NAMES = "globals().update({%s: i for i in range(%d)})"

CELLS = {  # name: (code, most bytes of the answer)
    "value": ("'x' * 30_000_000", 2 * VALUE),
    "value of control characters": ("chr(1) * 9_000_000", 14 * VALUE),
    "value with its own repr": ("class R:\n def __repr__(self): return 'r' * 20_000_000\nR()", 2 * VALUE),
    "type of the value": ("type('T' * 1_000_000, (), {})()", 40 * KIB),
    "value as JSON": ("list(range(1_000_000))", 4 * VALUE),
    "main result in 31 forms": (BUNDLE + "{'text/x-%d' % i: s for i in range(31)}\ns = 'a' * 25_000_000\nF()", 0),
    "main result as SVG": ("class F:\n def _repr_svg_(self): return '<svg>' + 'a' * 10_000_000\nF()", 0),
    "main result of control characters": (
        BUNDLE + "{'text/x-%d' % i: s for i in range(16)}\ns = '\\1' * 8_000_000\nF()", 0),
    "main result of some control characters": (BUNDLE + "{'text/html': '\\1' * 500_000}\nF()", 0),
    "main result of NULs": (BUNDLE + "{'text/html': '\\0' * 150_000}\nF()", DISPLAYS),
    "main result of other characters": (BUNDLE + "{'text/html': '\\U0001f600' * 1_000_000}\nF()", 0),
    "main result of bytes": (BUNDLE + "{'image/png': b'x' * 20_000_000}\nF()", 0),
    "main result as JSON": (BUNDLE + "{'application/json': ['x' * 1000] * 20_000}\nF()", 0),
    "main result within the limit": (BUNDLE + "{'text/html': 'x' * 900_000}\nF()", DISPLAYS),
    "MIME types": (BUNDLE + "{'t%d' % i * 50_000: 'v' for i in range(31)}\nF()", 0),
    "many MIME types": (BUNDLE + "{'text/x-%d' % i: 'v' for i in range(200_000)}\nF()", 0),
    "metadata": (BUNDLE + "({'text/html': 'x'}, {'m': ['y' * 100] * 100_000})\nF()", 0),
    "display, then the main result": (
        BUNDLE + "{'text/html': s}\ns = 'x' * 900_000\ndisplay({'text/html': s}, raw=True)\nF()", DISPLAYS),
    "display of 25 MB": ("display({'text/html': 'x' * 25_000_000}, raw=True)", DISPLAYS),
    "many displays": ("for i in range(50_000): display({'text/plain': ''}, raw=True)", DISPLAYS),
    "displays that are cleared": (
        "from IPython.display import clear_output\n"
        "for i in range(200): display({'text/html': 'x' * 900_000}, raw=True); clear_output()", DISPLAYS),
    "displays that are updated": (
        "h = display({'text/html': 'x'}, raw=True, display_id='a')\n"
        "for i in range(200): display({'text/html': 'x' * 900_000}, raw=True, display_id='a', update=True)",
        DISPLAYS),
    "display_id": ("display('x', display_id='i' * 10_000_000)", TRACEBACK),
    "streams": ("import sys\nfor i in range(100):\n sys.stdout.write('\\1' * 1_000_000)\n sys.stderr.write('\\2' * 1_000)",
                14 * OUTPUT),
    "exception": ("raise type('X' * 1_000_000, (Exception,), {'__module__': 'm' * 1_000_000})('v' * 5_000_000)",
                  TRACEBACK),
    "control characters in an exception": ("raise ValueError('\\1' * 5_000_000)", TRACEBACK),
    "notes": ("e = ValueError('x')\nfor i in range(100_000): e.add_note('n' * 100)\nraise e", TRACEBACK),
    "deep traceback": ("import sys\nsys.setrecursionlimit(20_000)\ndef r(n):\n if n == 0: raise ValueError('x')\n"
                       " r(n - 1)\nr(900)", TRACEBACK),
    "exception group": ("raise ExceptionGroup('g' * 1_000_000, [ValueError('v' * 100_000) for i in range(2_000)])",
                        TRACEBACK),
    "chain of exceptions": ("e = None\nfor i in range(2_000):\n n = ValueError('c' * 10_000); n.__cause__ = e; e = n\n"
                            "raise e", TRACEBACK),
    "syntax error": ("x = '" + "s" * 500_000, TRACEBACK),
    "names in a traceback": ("exec('def ' + 'f' * 500_000 + '(): raise ValueError(1)\\n' + 'f' * 500_000 + '()')",
                             TRACEBACK),
    "name error": ("exec('n' * 1_000_000)", TRACEBACK),
    "warnings": ("import warnings\nfor i in range(20_000): warnings.warn('w%d' % i * 100)", 14 * OUTPUT),
    "names": (NAMES % ("'n%d_' % i + 'x' * 3000", 2_000), LISTS),
    "names of control characters": (NAMES % ("'n%d_' % i + '\\1' * 3000", 2_000), LISTS),
    "types of names": ("T = type('T' * 900, (), {})\nt = [T() for i in range(900)]\n" + NAMES % ("'t%d' % i", 900) +
                       "\nfor i in range(900): globals()['u%d' % i] = t[i]", 2 * LISTS),
    "denials": ("for i in range(2_000):\n try: open('/' + 'd' * 4_000 + str(i))\n except Exception: pass\n"
                " try: __import__('m' * 100_000)\n except Exception: pass", 400 * KIB),
    "artifacts": ("import os\nos.makedirs('/'.join(['d' * 200] * 15))\n"
                  "for i in range(300): open('/'.join(['d' * 200] * 15 + ['f%d' % i]), 'w').close()", 800 * KIB),
    "calls of tools": ("for i in range(300):\n try: take(x=i)\n except Exception: pass", 100 * KIB),
    "arguments of a tool": ("s = 'x' * 15_000_000\nfor i in range(5): take(x=s)\ntry: take(x=s + s)\n"
                            "except ValueError: pass", TRACEBACK),
}

LINES = {  # name: (cell before, line, most bytes of the answer)
    "variables": (NAMES % ("'n%d_' % i + 'x' * 3000", 2_000), {"op": "vars"}, LISTS),
    "variables of control characters": (NAMES % ("'\\1%d_' % i * 1000", 100), {"op": "vars"}, LISTS),
    "variables with long types": ("x = type('T' * 1_000_000, (), {'__module__': 'm' * 100_000})()", {"op": "vars"}, LISTS),
    "variables with a long repr": ("class R:\n def __repr__(self): return '\\1' * 9_000_000\nr = [R(), R()]",
                                   {"op": "vars"}, LISTS),
    "completion": (NAMES % ("'nn%d_' % i + 'x' * 3000", 2_000), {"op": "complete", "code": "nn"}, LISTS),
    "completion of __dir__": ("class D:\n def __dir__(self): return ['d%d' % i * 1000 for i in range(20_000)]\nd = D()",
                              {"op": "complete", "code": "d."}, LISTS),
    "inspection": ("class D:\n '\\1'\n def __repr__(self): return '\\1' * 9_000_000\nD.__doc__ = '\\1' * 9_000_000\n"
                   "D.__name__ = 'D' * 1_000_000\nD.__module__ = 'm' * 1_000_000\nd = D()",
                   {"op": "inspect", "code": "d"}, 512 * KIB),
    "a file of NULs": ("with open('x', 'wb') as f: f.truncate(50_000_000)", {"op": "get", "path": "x"}, 70 * MIB),
    "a file of control characters": ("with open('x', 'wb') as f: f.write(b'\\1' * 20_000_000)",
                                     {"op": "get", "path": "x"}, 28 * MIB),
    "files": ("import os\nos.makedirs('/'.join(['\\1' * 200] * 15))\n"
              "for i in range(900): open('/'.join(['\\1' * 200] * 15 + ['f%d' % i]), 'w').close()",
              {"op": "files"}, 16 * MIB + KIB),
    "saved names": (NAMES % ("'n%d_' % i + 'x' * 3000", 2_000), {"op": "save", "path": "@/s.snug"}, 7 * MIB),
}

FORMS = {"local": [], "worker": ["--isolation", "worker"]}


class Host:
    def __init__(self, form):
        self.process = subprocess.Popen([SNUG, "cells", *FORMS[form], *OPTIONS], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment())

    def ask(self, **line):
        """The answer's bytes, and nothing else of it, so that the test is not what is large."""
        self.process.stdin.write(json.dumps({"session": "a", **line}).encode() + b"\n")
        self.process.stdin.flush()
        got = self.process.stdout.readline()
        return got

    def status(self, name):
        with open(f"/proc/{self.process.pid}/status") as status:
            return [int(line.split()[1]) * KIB for line in status if line.startswith(name)][0]

    def begin(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as refs:
            refs.write("5")
        self.before = self.status("VmRSS")

    def took(self):
        return self.status("VmHWM") - self.before

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(SECONDS)


class Answers(Case):
    def judge(self, form, name, host, answer, most, may_hold=0):
        with self.subTest(form=form, name=name):
            self.assertLessEqual(len(answer), most)
            # A local session's own memory is the host's.
            limit = may_hold + DISPLAYS + (MEMORY if form == "local" else 0)
            if not os.environ.get("ASAN_OPTIONS"):
                self.assertLessEqual(host.took(), 1.25 * limit + 32 * MIB)

    def over_forms(self, rows, step):
        for form in FORMS:
            for name, row in (row for number, row in enumerate(rows.items()) if in_share(number)):
                host = Host(form)
                try:
                    host.ask(code="import json")
                    step(form, name, host, *row)
                finally:
                    host.close()

    def test_of_cells(self):
        def step(form, name, host, code, most):
            host.begin()
            answer = host.ask(code=code)
            # What a call is given, the host has once as it came and once for the tool.
            held = 16 * MIB if name == "arguments of a tool" else 0
            self.judge(form, name, host, answer, most + REST, may_hold=held)
            self.assertEqual(json.loads(answer)["schema"], "snug.result/1")
        self.over_forms(CELLS, step)

    def test_of_other_lines(self):
        def step(form, name, host, code, line, most):
            with self.subTest(form=form, name=name):
                self.assertEqual(json.loads(host.ask(code=code))["status"], "ok")
            line = {k: v.replace("@", self.folder) for k, v in line.items()}
            host.begin()
            answer = host.ask(**line)
            self.judge(form, name, host, answer, most + REST, may_hold=most)
            with self.subTest(form=form, name=name):
                self.assertNotEqual(json.loads(answer)["schema"], "snug.error/1", answer[:300])
        self.over_forms(LINES, step)

    def test_what_is_left_out_is_told(self):
        host = Host("local")
        self.addCleanup(host.close)
        told = json.loads(host.ask(code=CELLS["main result as SVG"][0]))
        self.assertEqual(told["truncated"]["displays"], {"left_out": 1})
        self.assertEqual(list(told["results"][0]["data"]), ["text/plain"])
        told = json.loads(host.ask(code=CELLS["names"][0]))
        counts = told["truncated"]["vars_changed"]
        self.assertEqual(counts["total"], 2000)
        self.assertEqual(counts["shown"], len(told["vars_changed"]))
        self.assertGreater(counts["shown"], 10)
        told = json.loads(host.ask(op="vars"))
        self.assertEqual(len(told["variables"]) + told["left_out"], 2001)  # and F

    def test_a_limit_for_lists_is_of_each_session(self):
        host = Host("local")
        self.addCleanup(host.close)
        few = json.loads(host.ask(code="a = 1"))
        self.assertEqual(few["vars_changed"], [{"name": "a", "type": "int", "op": "set"}])
        self.assertEqual(few["truncated"], {})

    def test_a_file_is_text_where_it_reads_as_text(self):
        host = Host("local")
        self.addCleanup(host.close)
        rows = ((b"a,b\n1,2\r\n\t" * 9999, True), (("é\n\"" * 100_000).encode(), True), (b"a\0b", False),
                (b"\x1b[1m" + b"x" * 100, True), (b"\x01" * 100, False), (b"\xff", False), (b"", True))
        for data, is_text in rows:
            host.ask(op="put", path="f", data_base64=base64.b64encode(data).decode())
            told = json.loads(host.ask(op="get", path="f"))
            got = told["data"].encode() if is_text else base64.b64decode(told["data_base64"])
            self.assertEqual((got, told["bytes"]), (data, len(data)))


class Listeners(Case):
    def test_one_that_is_slow_holds_the_cell_up_and_the_host_keeps_little(self):
        for form in FORMS:
            out, into = os.pipe()
            code = "for i in range(200): print('x' * 999_999)"
            with subprocess.Popen([SNUG, "run", *FORMS[form], *OPTIONS, "-c", code], stdout=into,
                                  env=environment()) as run:
                os.close(into)
                time.sleep(2)
                with open(f"/proc/{run.pid}/status") as status:
                    peak = [int(line.split()[1]) * KIB for line in status if line.startswith("VmHWM")][0]
                got = 0
                while piece := os.read(out, MIB):
                    got += len(piece)
                os.close(out)
                self.assertEqual(run.wait(SECONDS), 0)
            with self.subTest(form=form):
                self.assertGreaterEqual(got, 200 * MIB * 0.95)
                if not os.environ.get("ASAN_OPTIONS"):
                    self.assertLess(peak, 96 * MIB)


if __name__ == "__main__":
    unittest.main()
