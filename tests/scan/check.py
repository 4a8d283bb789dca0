"""`snug check --json` from end to end: what the C of the scan adds to test_scan.py.

usage: check.py

SNUG is the program. A case is a sentence, the options, a source and the findings as
"line:column rule subject", columns in characters from 1.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from share import Loader  # noqa: E402

SNUG = os.path.abspath(os.environ.get("SNUG", "snug"))
SECONDS = 600

DATA = ["--profile", "data"]
STRICT = ["--profile", "strict"]
SYNTAX = "syntax SyntaxError"
UPSTREAM = ["--upstream", f"notes=exec '{sys.executable}' '{os.path.join(HERE, '..', 'cli', 'mcp_server.py')}'"]
FETCH = ["--fetch", "example.org", "--tool", "upper=tr a-z A-Z"]

CASES = [
    ("a clean source has no findings", [], "import math\nmath.pi", []),
    ("an empty source has no findings", [], "", []),
    ("a comment has no findings", [], "# import os", []),
    ("the default profile is core", [], "import math, os", ["1:14 import os"]),
    ("a profile can be chosen", DATA, "import os\nos.system('ls')", ["2:1 call os.system"]),
    ("a module can be allowed", ["--allow", "socket"], "import socket, ssl", ["1:16 import ssl"]),
    ("an alias is followed", DATA, "from os import system as s\ns('ls')",
     ["1:16 call os.system", "2:1 call os.system"]),
    ("what only strict forbids is found there", STRICT, "eval('1')", ["1:1 call eval"]),
    ("what only strict forbids is fine elsewhere", [], "eval('1')", []),
    ("every finding is told", [], "import ssl\nimport socket\nsocket.socket()\nimport ssl",
     ["1:8 import ssl", "2:8 import socket", "3:1 call socket.socket", "4:8 import ssl"]),
    ("text is never a finding", [], "'''\nimport os\n'''  # os.system('ls')", []),

    # What sessions make of a cell
    ("displays are there", [], "from IPython.display import display, HTML\nimport IPython.display as d\n"
     "import IPython\nfrom IPython import get_ipython\nfrom IPython.core.display import *", []),
    ("other modules of that package are not", [], "import IPython.lib", ["1:8 import IPython.lib"]),
    ("magics are there", [], "%timeit 1\nx = %timeit -o 2\nlen?\n?len\n%matplotlib inline", []),
    ("a cell under a magic is judged", [], "\n%%time\nx = 1\nimport ssl", ["4:8 import ssl"]),
    ("a cell of text under a magic is none of Python", [], "%%writefile a.py\nimport ssl (", []),
    ("what a magic times is judged", DATA, "import os\nif 1:\n    %timeit -n 1 os.system('x')",
     ["3:5 call os.system"]),
    ("what a cell's magic prepares is judged", [], "%%timeit import ssl\npass", ["1:1 import ssl"]),
    ("a magic that there is not is a finding", [], "x = 1\n%cython\n%pip install x",
     ["2:1 call %cython", "3:1 call %pip"]),
    ("a cell's magic that there is not is one of syntax", [], "%%bash\nls", ["1:1 " + SYNTAX]),
    ("a magic behind a fault does not hide it", [], "%timeit 1\nx = = 1", ["2:5 " + SYNTAX]),

    # The caller's patterns
    ("a name is forbidden", ["--forbid", "open"], "x = 1\nopen('x')", ["2:1 forbid open"]),
    ("an import is forbidden", ["--forbid", "math"], "from math import pi\nimport json",
     ["1:1 forbid math"]),
    ("a forbidden name in a magic is found", ["--forbid", "open"], "%timeit open('x')",
     ["1:1 forbid open"]),
    ("a regular expression is found in lines", ["--forbid", "/rm +-rf/"],
     "é = '🙂'; x = 'rm  -rf'\n# rm -rf", ["1:15 forbid rm  -rf", "2:3 forbid rm -rf"]),
    ("a line is found for each expression", ["--forbid", "/a+/", "--forbid", "/b/"], "x = 'aab'",
     ["1:6 forbid aa", "1:8 forbid b"]),
    ("lines are searched where the syntax is wrong", ["--forbid", "/x/"], "y = = 1\nx",
     ["1:5 " + SYNTAX, "2:1 forbid x"]),
    ("findings of all rules are in the order of the source", ["--forbid", "/ssl/", "--forbid", "open"],
     "open('x')\nimport ssl\nopen", ["1:1 forbid open", "2:8 forbid ssl", "2:8 import ssl", "3:1 forbid open"]),

    # Columns
    ("columns count characters", [], "é = '🙂'; import ssl", ["1:17 import ssl"]),
    ("columns count the indentation that a cell may have", [],
     "    é = 1\n    import ssl\nimport socket", ["2:12 import ssl", "3:8 import socket"]),
    ("columns count tabs as characters", [], "\t\tif 1:\n\t\t\timport ssl", ["2:11 import ssl"]),
    ("columns count the prompts of a transcript", [], ">>> x = 1\n1\n>>> import ssl", ["3:12 import ssl"]),
    ("a byte order mark is not a column", [], "\ufeffimport ssl", ["1:8 import ssl"]),
    ("a byte order mark and indentation go together", [], "\ufeff  import ssl\n  import socket",
     ["1:10 import ssl", "2:10 import socket"]),
    ("lines end in CRLF", [], "x = 1\r\n  \r\nimport ssl\r\n", ["3:8 import ssl"]),
    ("lines end in CR", [], "x = 1\rimport ssl\r", ["2:8 import ssl"]),
    ("a form feed is a character", [], "x = 1\n\fimport ssl", ["2:9 import ssl"]),
    ("a continued line is a line", [], "x = 1; \\\nimport ssl", ["2:8 import ssl"]),
    ("a long line has its columns", [], "x = '" + "é" * 100_000 + "'; import ssl", ["1:100016 import ssl"]),

    # Syntax
    ("a syntax error is the only finding", [], "import socket\nx = = 1", ["2:5 " + SYNTAX]),
    ("a syntax error counts the indentation", [], "    x = 1\n    y = = 1", ["2:9 " + SYNTAX]),
    ("a syntax error counts characters", [], "é = 'é' 1", ["1:9 " + SYNTAX]),
    ("wrong indentation is a syntax error", [], "if 1:\nx", ["2:1 syntax IndentationError"]),
    ("what the compiler refuses is a syntax error", [], "é = 1; break", ["1:8 " + SYNTAX]),
    ("a nonlocal without a function is refused", [], "nonlocal x", ["1:1 " + SYNTAX]),
    ("top-level await is fine", [], "await x", []),
    ("a utf-8 coding cookie is fine", [], "# coding: utf-8\nimport ssl", ["2:8 import ssl"]),
    ("another coding cookie is refused", [], "# coding: latin-1\n", None),
    ("a NUL byte is refused", [], b"x = 1\n\0", ["2:1 " + SYNTAX]),
    ("invalid UTF-8 is refused", [], b"x = '\xff'", None),
    ("a lone surrogate is refused", [], b"x = '\xed\xa0\x80'", None),
    ("an unterminated string is refused", [], "x = 'a", ["1:5 " + SYNTAX]),
    ("nested parentheses are refused", [], "(" * 100_000, ["1:201 " + SYNTAX]),

    # Deep and long
    ("a deep chain of operators is refused", [], "-" * 100_000 + "1", ["0:0 " + SYNTAX]),
    ("a deep sum is refused", [], "+".join("a" * 50_000), ["0:0 " + SYNTAX]),
    ("a deep chain of attributes is refused", [], "x" + ".a" * 50_000, ["0:0 " + SYNTAX]),
    ("a deep chain of calls is refused", [], "x" + "()" * 50_000, ["0:0 " + SYNTAX]),
    ("a deep chain of elif is refused", [], "if a: b\n" + "elif a: b\n" * 20_000, ["0:0 " + SYNTAX]),
    ("a long source is walked", [], "x = 1\n" * 50_000 + "import ssl", ["50001:8 import ssl"]),
    ("nested finally blocks take no room", [],
     "".join(" " * i + "try: a\n" + " " * i + "finally:\n" for i in range(60)) + " " * 60 + "pass", None),

    # Calls of the host's functions
    ("a call that lacks an argument is found", UPSTREAM, "notes.echo('x')\nnotes.echo()", ["2:1 tool notes.echo"]),
    ("a function that there is not is found", UPSTREAM, "é = 1; notes.zecho('x')", ["1:8 tool notes.zecho"]),
    ("what a cell has made is not the host's", UPSTREAM, "notes = open('x')\nnotes.read()", []),
    ("nor in the cells behind it", UPSTREAM, "# %%\nnotes.a()\nnotes = 1\n# %%\nnotes.b()", []),
    ("a cell behind another use is judged", UPSTREAM, "# %%\nx = notes.echo('x')\n# %%\nnotes.b()", ["4:1 tool notes.b"]),
    ("nor is a function that a cell has made", FETCH, "# %%\ndef fetch(): pass\n# %%\nfetch()", []),
    ("a cell behind a call of it is judged", FETCH, "# %%\nx = fetch('x')\n# %%\nfetch()", ["4:1 tool fetch"]),
    ("functions of all kinds are judged", FETCH, "fetch(url='x', metod='GET')\nupper(any=1)\nupper(1)",
     ["1:16 tool fetch", "3:7 tool upper"]),

    ("a source over the limit is one finding", ["--source", "10"], "import socket", ["0:0 length "]),
    ("a source at the limit is judged", ["--source", "13"], "import socket", ["1:8 import socket"]),
]


def check(options, source):
    """(the ended process, the report; that of several cells has the findings of all)"""
    with tempfile.NamedTemporaryFile(suffix=".py") as file:
        file.write(source if isinstance(source, bytes) else source.encode())
        file.flush()
        done = subprocess.run([SNUG, "check", "--json", "--timeout", "60", *options, file.name], capture_output=True,
                              timeout=SECONDS, encoding="utf-8")
    report, *others = map(json.loads, done.stdout.splitlines())
    for cell in others:
        report["findings"] += cell["findings"]
        report["ok"] &= cell["ok"]
    return done, report


class CheckTest(unittest.TestCase):
    maxDiff = 2000

    def test_a_report_has_its_form(self):
        done, report = check([], "import socket")
        self.assertEqual((report["schema"], report["ok"], done.returncode), ("snug.scan/1", False, 1))
        [finding] = report["findings"]
        self.assertEqual(set(finding), {"rule", "line", "column", "subject", "message",
                                        "hint", "excerpt"})
        self.assertIn("socket", finding["message"])
        done, report = check([], "import math")
        self.assertEqual((report["ok"], report["findings"], done.returncode), (True, [], 0))

    def test_the_words_of_a_syntax_error_are_pythons(self):
        for source in ("x = (", "return 1", "if 1:\nx", "f(a for a in b, 1)"):
            with self.subTest(source):
                [finding] = check([], source)[1]["findings"]
                self.assertTrue(finding["message"])
                self.assertNotIn("<scan>", finding["message"])
        self.assertEqual(check([], "return 1")[1]["findings"][0]["message"], "'return' outside function")
        self.assertEqual(check([], "-" * 100_000 + "1")[1]["findings"][0]["message"], "too deeply nested")

    def test_a_call_says_what_to_do_instead(self):
        [finding] = check(DATA, "import os\nos.system('ls')")[1]["findings"]
        self.assertRegex(finding["message"], r"\Aos\.system is not allowed: \w+")

    def hint_and_excerpt(self, source, *options):
        [finding] = check(options, source)[1]["findings"]
        return finding["hint"], finding["excerpt"]

    def test_a_finding_shows_its_line_with_a_caret(self):
        self.assertEqual(self.hint_and_excerpt("if 1:\n\tx = = 1")[1], "\tx = = 1\n\t    ^")
        self.assertEqual(self.hint_and_excerpt("if 1:\n\tx = '值'; import ssl"),
                         ("", "\tx = '值'; import ssl\n\t" + " " * 17 + "^"))
        self.assertEqual(self.hint_and_excerpt("import socket" + " " * 13, "--source", "5"), ("", ""))

    def test_of_a_long_line_what_is_around_the_place_is_shown(self):
        _, excerpt = self.hint_and_excerpt("x = '" + "a" * 500 + "'; import ssl; y = '" + "b" * 500 + "'")
        line, caret = excerpt.split("\n")
        self.assertEqual(line[len(caret) - 1:][:3], "ssl")
        self.assertTrue(line.startswith("...aaa") and line.endswith("bbb..."))
        self.assertLess(len(line), 160)

    def test_what_is_no_text_is_shown_as_one_line_of_text(self):
        self.assertEqual(self.hint_and_excerpt(b"x = '\xff\x1b'\n")[1].split("\n")[0], "x = '? '")
        self.assertEqual(self.hint_and_excerpt(b"x = 1\0 2")[1].split("\n")[0], "x = 1  2")

    def test_the_hint_is_the_one_of_running(self):
        for source in ("!pip install numpy", "!ls", "  !ls", "%pip install numpy", "%%bash\nls", "print(“hi”)",
                       "return 1", "%conda install x", "pip install numpy"):
            with self.subTest(source):
                done = subprocess.run([SNUG, "run", "--json", "-c", source], capture_output=True, timeout=SECONDS,
                                      encoding="utf-8")
                told = json.loads(done.stdout.splitlines()[-1])["error"]["hint"]
                self.assertTrue(told)
                self.assertEqual(self.hint_and_excerpt(source)[0], told)

    def test_nothing_is_run_and_nothing_is_warned_of(self):
        done, report = check([], "print('ran')\nx = '\\d'\nx is 1\nassert (1, 2)")
        self.assertEqual((done.stderr, report["findings"]), ("", []))


def test_of(options, source, expected):
    def test(self):
        done, report = check(options, source)
        found = [f"{f['line']}:{f['column']} {f['rule']} {f['subject']}" for f in report["findings"]]
        if expected is None:  # where is not said
            self.assertEqual([f["rule"] for f in report["findings"]], ["syntax"])
        else:
            self.assertEqual(found, expected)
        self.assertEqual(report["ok"], not found)
        self.assertEqual((done.stderr, done.returncode), ("", 1 if found else 0))
    return test


for sentence, options, source, expected in CASES:
    name = "test_" + re.sub(r"\W+", "_", sentence)
    assert not hasattr(CheckTest, name), sentence
    setattr(CheckTest, name, test_of(options, source, expected))

if __name__ == "__main__":
    unittest.main(testLoader=Loader())
