"""Each judgement of rough.py fails where what it is about is planted, and only that one; see Planted.

usage: roughplanted.py
"""
import os
import pathlib
import random
import stat
import sys
import tempfile
import unittest

import rough
from roughasks import Ask

# In the place of snug: it does what its question says.
PROGRAM = '''#!{python}
import base64, json, os, signal, subprocess, sys, time, urllib.request

what = sys.argv[-1]
key, header = os.environ["OPENAI_API_KEY"], os.environ["ROUGH_HEADER"]
elsewhere = os.environ["http_proxy"]
reply = {{"schema": "snug.reply/1", "status": "answered", "error": None, "answer": "It is 42."}}

def end(status, sentence="", answer=""):
    sys.stderr.write(sentence)
    sys.stdout.write(answer)
    sys.exit(status)

def fine():
    end(0, answer="It is 42.")

def send(address, headers={{}}, body=b'{{}}'):
    request = urllib.request.Request(address, body, headers)
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({{}})).open(request, timeout=5)
    except OSError:
        pass

exec({plants!r}[what])
'''
SENTENCE = "snug: max_attempts: line 1 is wrong\\n"
PLANTS = {
    # (source, what is said of it; "": nothing)
    "an answer": ("end(0, answer='It is 42.')", ""),
    "no answer": (f"end(1, '{SENTENCE}')", ""),
    "an option that is wrong": ("end(2, 'snug: unknown option --x; did you mean --y?\\n')", ""),
    "a notice and a sentence": (f"end(1, 'snug: this answer was made without a program\\n{SENTENCE}')", ""),
    "an answer in JSON": ("end(0, answer=json.dumps(reply))", ""),
    "a reply in JSON": ("end(1, answer=json.dumps({**reply, 'status': 'budget', 'error': 'It took too long.'}))", ""),
    "a child that ends": (f"subprocess.Popen(['sleep', '0.2']); end(1, '{SENTENCE}')", ""),
    "a hang": ("time.sleep(99)", "hangs"),
    "memory without end": ("rest = b'x' * (300 << 20); time.sleep(99)", "grows without end"),
    "a status of its own": (f"end(3, '{SENTENCE}')", "exit status 3"),
    "a status of an interrupt": (f"end(130, '{SENTENCE}')", "exit status 130"),
    "a crash": ("os.kill(os.getpid(), signal.SIGSEGV)", "ended by SIGSEGV"),
    "an abort": ("os.abort()", "ended by SIGABRT"),
    "a broken pipe": ("signal.signal(signal.SIGPIPE, signal.SIG_DFL)\nos.kill(os.getpid(), signal.SIGPIPE)",
                      "ended by SIGPIPE"),
    "a failure without a word": ("end(1)", "no sentence"),
    "a failure with another word": ("end(1, 'oops\\n')", "no sentence"),
    "a wrong use without a word": ("end(2)", "no sentence"),
    "success without an answer": ("end(0)", "no answer"),
    "success and a failure": (f"end(0, '{SENTENCE}', 'It is 42.')", "exit status 0, and"),
    "two sentences": (f"end(1, '{SENTENCE}snug: budget: too long\\n')", "more than one sentence"),
    "the same twice": ("end(2, 2 * 'snug: this is wrong\\n')", "the same twice"),
    "two reasons": ("end(2, 'snug: this is wrong\\nsnug: that is wrong\\n')", "more than one sentence"),
    "a null": ("end(1, 'snug: terminal_error: (null) is wrong\\n')", "(null)"),
    "a NULL": ("end(1, 'snug: terminal_error: NULL is wrong\\n')", "no clear sentence"),
    "a sentence without its reason": ("end(1, 'snug: terminal_error: the session was lost: :\\n')", "no clear sentence"),
    "half a sentence": ("end(2, 'snug: error\\n')", "no clear sentence"),
    "an assertion": (f"end(1, 'snug: x.c:1: f: Assertion `x` failed.\\n{SENTENCE}')", "Assertion"),
    "a segmentation fault of a child": (f"end(1, 'Segmentation fault\\n{SENTENCE}')", "Segmentation fault"),
    "a sanitizer": (f"end(1, 'ERROR: AddressSanitizer: heap\\n{SENTENCE}')", "AddressSanitizer"),
    "a traceback": (f"end(1, 'Traceback (most recent call last):\\n  File x\\n{SENTENCE}')", "a traceback"),
    "an end of Python": (f"end(1, 'Fatal Python error: x\\n{SENTENCE}')", "Fatal Python error"),
    "JSON that is none": ("end(0, answer='{')", "no JSON"),
    "JSON with half a character": ("end(0, answer=json.dumps({**reply, 'answer': chr(0xd800)}))", "surrogates"),
    "JSON of other bytes": ("sys.stdout.buffer.write(b'{\"a\": \"\\xff\"}\\n')\nend(0, answer=json.dumps(reply))",
                            "no UTF-8"),
    "no status": ("end(1, answer=json.dumps({**reply, 'status': 'odd', 'error': 'x'}))", "no status"),
    "an answer with an error": ("end(0, answer=json.dumps({**reply, 'error': 'x'}))", "its sentence is"),
    "an error of two lines": ("end(1, answer=json.dumps({**reply, 'status': 'budget', 'error': 'x\\ny'}))",
                              "its sentence is"),
    "a reply without an error": ("end(1, answer=json.dumps({**reply, 'status': 'budget'}))", "its sentence is"),
    "an answer of nothing": ("end(0, answer=json.dumps({**reply, 'answer': ' '}))", "its answer is empty"),
    "the key on stdout": ("end(0, answer='It is ' + key)", "the key is on stdout"),
    "the key on stderr": ("end(0, key, 'It is 42.')", "the key is on stderr"),
    "the key turned round": ("end(0, answer='It is ' + key[::-1])", "the key is on stdout"),
    "the key in digits": ("end(0, answer='It is ' + key.encode().hex())", "the key is on stdout"),
    "the key in columns": ("end(0, answer=' '.join('%02x' % byte for byte in key.encode()))", "the key is on stdout"),
    "the key in base64": ("end(0, answer=base64.b64encode(b'12' + key.encode()).decode())", "the key is on stdout"),
    "a header of the caller's": ("end(0, answer='It is ' + header)", "the key is on stdout"),
    "the key in a file": ("open('made.txt', 'w').write('x' + key)\nfine()",
                          "the key is in the file 'work/made.txt'"),
    "the key in the state": ("open(os.environ['HOME'] + '/s.db', 'w').write(key)\nfine()",
                             "the key is in the file 'home/s.db'"),
    "the key in a trace": ("send(os.environ['OPENAI_BASE_URL'] + '/v1/traces', {}, json.dumps(key).encode())\nfine()",
                           "the key is in a trace"),
    "the key in a redirect": ("send(elsewhere, {'Authorization': 'Bearer ' + key})\nfine()",
                              "the key came to another host"),
    "a question in a redirect": ("send(elsewhere)\nfine()",
                                 "a request came to another host"),
    "a process that stays": ("subprocess.Popen(['sleep', '99'])\nfine()", "left running"),
    "a process of another session": ("subprocess.Popen(['setsid', '-f', 'sleep', '99'], env={}).wait()\nfine()",
                                     "left running"),
    "a file that stays": ("open(os.environ['TMPDIR'] + '/x', 'w')\nfine()",
                          "left in the temporary folder: x"),
}
OF_JSON = {name for name in PLANTS if "JSON" in name or "reply" in PLANTS[name][0]}


class OneOf(Ask):
    """The plainest question."""

    def __init__(self, what):
        self.words = (["--json"] if what in OF_JSON else []) + ["--", what]
        self.pieces, self.is_held, self.asks, self.stdin = [], False, 1, "null"
        self.stdout = self.stderr = "file"
        self.is_interrupted = self.keeps_key_in_file = self.has_no_key = False


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rough.become_heir()
        rough.MOST_BYTES, rough.GRACE_SECONDS = 200 << 20, 1
        cls.folder = tempfile.TemporaryDirectory(prefix="snug-planted-")
        cls.program = os.path.join(cls.folder.name, "snug")
        text = PROGRAM.format(python=sys.executable, plants={name: source for name, (source, _) in PLANTS.items()})
        pathlib.Path(cls.program).write_text(text)
        os.chmod(cls.program, stat.S_IRWXU)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_each_is_found_and_only_that(self):
        for what, (_, said) in PLANTS.items():
            with self.subTest(what):
                outcome = rough.ask_one(self.program, 1, 0, False, 2 if "hang" in what else 20, OneOf(what))
                if said:
                    self.assertEqual(len(outcome.wrong), 1, outcome.wrong)
                    self.assertIn(said, outcome.wrong[0])
                else:
                    self.assertEqual(outcome.wrong, [])

    def test_a_question_is_the_same_again(self):
        for number in range(50):
            first, again = (Ask(random.Random(f"7/{number}")) for _ in range(2))
            self.assertEqual(vars(first), vars(again))
        self.assertNotEqual(vars(first), vars(Ask(random.Random("8/49"))))


unittest.main()
