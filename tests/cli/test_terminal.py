"""What cells, files, models and servers say does nothing to the terminal; a pipe has it byte for byte."""
import json
import os
import re
import sys
import unittest

from driver import Case, Terminal, environment, snug

EVIL = "\x1b]52;c;cm0=\x07\x1b]0;pwned\x07\x1b[2J\x1b[1A\x1b]8;;http://evil\x07\x9b2J\x08\x7f\u202eevil\u2066"
PYTHON = ascii(EVIL)
# The program's own: colours, and a line that is taken back at the prompt.
OWN = re.compile(rb"\x1b\[[0-9;:]*m")


class Screen(Case):
    def shown(self, *args, typed=None, status=None, **env):
        terminal = Terminal(*args, env=environment(TERM="xterm", HOME=self.folder, **env))
        self.addCleanup(terminal.close)
        if typed:
            terminal.type(typed)
        got = terminal.end()
        if status is not None:
            self.assertEqual(got, status, terminal.out.text)
        return terminal.out.text

    def assert_harmless(self, text):
        text = OWN.sub(b"", text).replace(b"\r\n", b"\n")
        for bad in (b"\x1b", b"\x07", b"\x08", b"\x7f", "\x9b".encode(), "\u202e".encode(), "\u2066".encode(), b"\r"):
            self.assertNotIn(bad, text)

    def judge(self, *args, has=b"evil", **more):
        text = self.shown(*args, **more)
        self.assertIn(has, text)
        self.assert_harmless(text)
        return text

    def test_streams_values_and_displays(self):
        for code in (f"print({PYTHON})", f"import sys; print({PYTHON}, file=sys.stderr)",
                     f"class R:\n def __repr__(self): return {PYTHON}\nR()",
                     f"class R:\n def __repr__(self): return {PYTHON}\ndisplay(R())",
                     f"display({{{PYTHON}: 'x'}}, raw=True)", f"import sys; sys.stdout.buffer.write({EVIL.encode()!r})"):
            with self.subTest(code):
                text = self.judge("run", "-c", code, status=0)
                self.assertIn(b"^[]52;c;cm0=^G", text)

    def test_a_sequence_that_comes_in_two_writes(self):
        code = ("import sys\nfor text in ('\\x1b', '[2J', '\\x1b[', '2J', '\\x1b]0;evil', '\\x07', '\\xc2'):\n"
                " sys.stdout.write(text); sys.stdout.flush(); sum(range(300000))\n"
                "sys.stdout.buffer.write(b'\\xc2'); sys.stdout.flush(); sys.stdout.buffer.write(b'\\x9b2J')")
        self.judge("run", "-c", code, status=0)
        code = ("import sys, asyncio\nfor text in ('\\x1b', '[3', '1m', 'red'):\n"
                " sys.stdout.write(text); sys.stdout.flush(); await asyncio.sleep(0.1)")
        self.assertIn(b"\x1b[31mred\x1b[0m", self.shown("run", "--profile", "data", "-c", code))

    def test_what_is_typed_for_getpass_is_not_seen(self):
        code = "import getpass\nprint(len(getpass.getpass('Key: ')), len(input('Name: ')))"
        with Terminal("run", "-c", code, env=environment(TERM="xterm")) as terminal:
            terminal.wait("\r\nKey: $")
            terminal.type("secret\n")
            terminal.wait("\r\nName: $")
            terminal.type("shown\n")
            self.assertEqual(terminal.end(), 0)
            self.assertNotIn(b"secret", terminal.out.text)
            self.assertIn(b"Name: shown\r\n6 5\r\n", terminal.out.text)

    def test_tracebacks_hints_and_names(self):
        for code in (f"raise ValueError({PYTHON})", f"e = ValueError(1); e.add_note({PYTHON}); raise e",
                     f"raise type({PYTHON.replace(chr(92) + 'x00', '')}, (Exception,), {{}})(1)",
                     f"exec(compile('1/0', {PYTHON}, 'exec'))", f"{{}}[{PYTHON}]", f"open({PYTHON})",
                     f"__import__({PYTHON})", f"import json; json.{'evil'}" ):
            with self.subTest(code):
                self.judge("run", "-c", code, status=1)

    def test_sources_before_anything_runs(self):
        book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "source": f"# {EVIL}\nprint('x')\r# hidden", "metadata": {}, "outputs": []}]}
        self.judge("run", self.file("a.py", f"import sys; sys.exit({PYTHON})"), status=1)
        for path in (self.file("a.ipynb", json.dumps(book)), self.file("a.py", f"# {EVIL}\n'x'\n")):
            self.judge("run", "--cells", path)
        self.judge("run", "-c", f"1 # {EVIL}")

    def test_names_of_files(self):
        name = EVIL.replace("/", "_")
        self.judge("run", os.path.join(self.folder, name))
        self.judge("check", "-v", self.file(name + ".py", "import socket\n"))
        self.judge("check", "--json", self.file(name + ".py", "import socket\n"))

    def test_prompts_of_input(self):
        self.judge("run", "-c", f"input({PYTHON})", typed="x\n", status=0)

    def test_json_for_a_reader(self):
        text = self.judge("run", "--json", "-c", f"print({PYTHON})", status=0)
        self.assertIn(rb"\u202e", text)
        terminal = Terminal("cells", env=environment(TERM="xterm"))
        self.addCleanup(terminal.close)
        terminal.type('{"session": "a", "code": "chr(0x202e) + chr(0x9b) + chr(127) + str(40 + 2)"}\n')
        terminal.wait('42.*"policy"')
        self.assert_harmless(terminal.out.text)

    def test_the_prompt_shows_a_cell_as_run_does(self):
        terminal = Terminal(env=environment(TERM="dumb", HOME=self.folder))
        self.addCleanup(terminal.close)
        terminal.wait(r"In \[1\]")
        terminal.type(f"print({PYTHON})\n")
        terminal.wait("evil.*\n")
        terminal.wait(r"In \[2\]")
        terminal.type(f"raise ValueError({PYTHON})\n")
        terminal.wait(r"ValueError: .*evil")
        terminal.wait(r"In \[3\]")
        for bad in (b"\x1b]", b"\x1b[2J", b"\x1b[1A", "\x9b".encode(), "\u202e".encode()):
            self.assertNotIn(bad, terminal.out.text)

    def test_tools(self):
        server = self.file("server.py", f"""
import json, sys
for line in sys.stdin:
    r = json.loads(line); m = r.get('method')
    def say(x): print(json.dumps({{'jsonrpc': '2.0', 'id': r.get('id'), **x}}), flush=True)
    if m == 'initialize': say({{'result': {{'protocolVersion': r['params']['protocolVersion'], 'capabilities':
        {{'tools': {{}}}}, 'serverInfo': {{'name': {PYTHON}, 'version': '1'}}}}}})
    elif m == 'tools/list': say({{'result': {{'tools': [{{'name': n, 'inputSchema': {{'type': 'object'}}}}
        for n in ({PYTHON}, 'ok', 'print')]}}}})
    elif m == 'tools/call': say({{'error': {{'code': -1, 'message': {PYTHON}}}}})
""")
        text = self.judge("run", "--mcp", f"exec {sys.executable} {server}", "-c", "ok()", status=1)
        self.assertIn(b"tool_print", text)
        self.judge("run", "--tool", f"f=printf '%b' '\\033[2Jevil\\007' >&2; false", "-c", "f()", status=1)
        self.judge("run", "--mcp", f"printf '%b' '\\033]0;evil\\007' >&2; false", "-c", "1")

    def test_colours_of_a_cell_pass_and_end_with_it(self):
        text = self.shown("run", "-c", "print('\\x1b[31mred')")
        self.assertIn(b"\x1b[31mred\r\n\x1b[0m", text)
        text = self.shown("run", "-c", "class R:\n def __repr__(self): return '\\x1b[1;32mgreen'\nR()")
        self.assertIn(b"\x1b[1;32mgreen\x1b[0m", text)

    def test_progress_bars_return(self):
        self.assertIn(b"10%\r20%", self.shown("run", "-c", "print('10%', end='\\r'); print('20%')"))

    def test_a_pipe_has_every_byte(self):
        done = snug("run", "--color", "never", "-c", f"print({PYTHON})\nclass R:\n def __repr__(self): return {PYTHON}\nR()")
        self.assertEqual(done.stdout.count(EVIL), 2)
        done = snug("run", "-c", f"raise ValueError({PYTHON})")
        self.assertIn(EVIL, done.stderr)
        done = snug("run", "-c", f"1 # {EVIL}")
        self.assertIn(EVIL, done.stdout)


if __name__ == "__main__":
    unittest.main()
