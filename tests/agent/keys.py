"""The key of a model is nowhere but in the request: a planted one, new in each run, is searched for.

usage: SNUG=PROGRAM keys.py

In all that is printed, in each mode and for each error, where the endpoint sends the key back in
whatever it answers; in all that a cell reaches from where it is; in the files of the session.
Each search is first seen to find a key that is there.
"""
import concurrent.futures
import json
import os
import pathlib
import secrets
import subprocess
import tempfile
import unittest

from endpoint import Endpoint

SNUG = os.path.abspath(os.environ["SNUG"])
KEY = "sk-" + secrets.token_urlsafe(24)
SECONDS = 600
WAYS = [("openai", []), ("openai", ["--no-stream"]), ("anthropic", []), ("anthropic", ["--no-stream"])]
MODES = [["--format", "plain"], ["--format", "plain", "-v"], ["--json"], ["--json", "-v"],
         ["--format", "markdown", "-v"], ["--format", "json"], ["--quiet"]]

# Walks over all that can be reached, by attributes, items and subclasses, and looks at each
# object's text. The key that it looks for has each byte changed.
WALK = '''
import sys
KEY = bytes(byte ^ 1 for byte in {masked}).decode()
seen, found, reached = set(), [], []
# Made again whenever they are asked for; what they belong to is reached anyway.
passing = (type(len), type("".__add__), type([].append), type((lambda: 0).__get__(1)), int, float)

def reach(item):
    if item is not KEY and type(item) not in passing and id(item) not in seen:
        seen.add(id(item))
        reached.append(item)

def text_of(item):
    if isinstance(item, str):
        return item
    if isinstance(item, (bytes, bytearray)):
        return item.decode("latin-1")
    return "" if isinstance(item, (dict, list, tuple, set, frozenset)) else str(item)

def parts_of(item):
    if isinstance(item, dict):
        yield from list(item)
        yield from list(item.values())
    elif isinstance(item, (list, tuple, set, frozenset)):
        yield from list(item)
    elif isinstance(item, (str, bytes)):
        return
    if type(item) is type:
        yield from type.__subclasses__(item)
    for name in dir(item):
        try:
            yield getattr(item, name)
        except BaseException:
            pass

own = {{id(own) for own in (KEY, seen, found, reached)}}
for item in (globals(), sys, object, reach):
    reach(item)
at = 0
while at < len(reached) < {most}:
    item = reached[at]
    at += 1
    if id(item) in own:
        continue
    try:
        if KEY in text_of(item):
            found.append(type(item).__name__)
    except BaseException:
        pass
    try:
        for part in parts_of(item):
            reach(part)
    except BaseException:
        pass
[len(reached), at, found]
'''


def fenced(source):
    return "```python\n" + source + "\n```"


class Place:
    """A folder for the program, and an endpoint that answers by a script."""

    def __init__(self, script):
        self.script, self.requests, self.leaks = list(script), [], []
        self.endpoint = Endpoint(self.answer)
        self.folder = tempfile.TemporaryDirectory(prefix="snug-keys-")
        self.path = pathlib.Path(self.folder.name)
        for name in "tmp", "work", "in":
            (self.path / name).mkdir()

    def answer(self, request, headers):
        self.requests.append((request, headers))
        self.leaks += self.files_with(KEY)  # while the session is there
        return self.script.pop(0) if self.script else {"status": 404, "body": "no more"}

    def files_with(self, text):
        found = []
        for path in self.path.rglob("*"):
            try:
                if path.is_file() and text.encode() in path.read_bytes():
                    found.append(str(path))
            except OSError:
                pass
        return found

    def ask(self, provider, *options, key=KEY, url=None, **changes):
        name = provider.upper()
        env = {"PATH": os.environ["PATH"], "TMPDIR": str(self.path / "tmp"),
               name + "_API_KEY": key, name + "_BASE_URL": url or self.endpoint.url, **changes}
        if "LD_LIBRARY_PATH" in os.environ:
            env["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        done = subprocess.run([SNUG, "ask", "--model", provider + ":any", "--workdir", "work",
                               *options, "--", "What is six times seven?"], cwd=self.path, env=env,
                              capture_output=True, timeout=SECONDS)
        return done, (done.stdout + done.stderr).decode("utf-8", "replace")

    def close(self):
        self.endpoint.close()
        self.folder.cleanup()


class Keys(unittest.TestCase):
    def place(self, *script):
        place = Place(script)
        self.addCleanup(place.close)
        return place

    def was_sent(self, place):
        """Else there would be nothing to hide."""
        headers = {name.lower(): value for name, value in place.requests[0][1].items()}
        self.assertIn(KEY, headers.get("authorization", headers.get("x-api-key", "")))

    def hidden(self, place, text):
        self.assertNotIn(KEY, text)
        self.assertEqual(place.leaks + place.files_with(KEY), [])

    def test_a_model_that_says_the_key_says_it_to_nobody(self):
        for provider, manner in WAYS:
            for mode in MODES:
                with self.subTest(provider=provider, manner=manner, mode=mode):
                    place = self.place(
                        {"content": f"It is {KEY}.\n" + fenced(f"print(1)\nraise ValueError('{KEY}')")},
                        {"content": json.dumps({"root_cause": KEY, "severity": "low",
                                                "recommendations": [KEY]}) + "\n" +
                            fenced(f"# {KEY}\nprint('{KEY}')")},
                        {"content": json.dumps({"verdict": "pass", "reason": KEY, "answer": KEY})})
                    done, text = place.ask(provider, *manner, *mode)
                    self.was_sent(place)
                    self.assertEqual(done.returncode, 0, text)
                    self.assertIn("[key]", text)
                    self.hidden(place, text)

    def test_a_call_with_the_key_in_it_says_it_to_nobody(self):
        for provider, manner in WAYS:
            with self.subTest(provider=provider, manner=manner):
                place = self.place({"calls": [
                    {"name": KEY, "arguments": {KEY: KEY}},
                    {"name": "run_python", "arguments": {"code": f"print('{KEY}')"}}]},
                    {"calls": [{"name": "run_python", "arguments": {"code": f"final_answer('{KEY}')"}}]})
                done, text = place.ask(provider, *manner, "--json", "--mode", "act", "--no-evaluation")
                self.assertIn("[key]", text)
                self.hidden(place, text)

    def test_no_error_has_the_key(self):
        body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}", "type": KEY,
                                     "code": KEY, "param": KEY}})
        answers = [
            {"status": 401, "body": body}, {"status": 403, "body": KEY}, {"status": 400, "body": body},
            {"status": 404, "body": body}, {"status": 418, "body": json.dumps({"detail": KEY})},
            {"status": 429, "body": body, "headers": {"Retry-After": "9999", "X-Key": KEY}},
            {"status": 500, "body": body}, {"status": 307, "location": "URL/" + KEY, "body": ""},
            {"body": KEY}, {"body": body}, {"content": KEY, "cut": 80}, {"drop": True},
            {"content": "", "garbage": f"data: {body}\n\n"}, {"content": KEY, "reason": "refusal"},
            {"content": KEY, "reason": KEY}, {"content": "", "headers": {"Content-Type": KEY}},
        ]
        def ask(trial):
            (provider, manner), answer, place = trial
            return place.ask(provider, *manner, "-v", "--json", "--retries", "1",
                             "--max-attempts", "1")

        trials = [(way, answer, self.place(answer)) for way in (WAYS[0], WAYS[3])
                  for answer in answers]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asked = list(pool.map(ask, trials)) # most wait for a retry
        for (way, answer, place), (done, text) in zip(trials, asked):
            with self.subTest(way=way, answer=answer):
                self.was_sent(place)
                self.assertEqual(done.returncode, 1)
                self.hidden(place, text)

    def test_no_address_that_is_wrong_brings_the_key_out(self):
        for url in "http://127.0.0.1:9", "http://127.0.0.1:99999", "nonsense", "ftp://127.0.0.1", "http://":
            with self.subTest(url=url):
                place = self.place()
                done, text = place.ask("openai", "-v", "--json", "--retries", "1", url=url)
                self.assertIn(done.returncode, (1, 2))
                self.hidden(place, text)

    def test_no_message_about_a_key_has_the_key(self):
        place = self.place()
        for content in f"{KEY} {KEY}\n", f"{KEY}\x01\n", f"\n{KEY}\n", f"{KEY}\u00e4\n", KEY * 200, "":
            with self.subTest(content=content.replace(KEY, "KEY")):
                with tempfile.NamedTemporaryFile("w", prefix="snug-keys-") as file:
                    file.write(content)
                    file.flush()
                    done, text = place.ask("openai", "--key-file", file.name)
                self.assertEqual(done.returncode, 2, text)
                self.assertIn(file.name, text)
                self.assertNotIn(KEY, text)
        done, text = place.ask("openai", key=KEY + " " + KEY)
        self.assertEqual(done.returncode, 2, text)
        self.assertNotIn(KEY, text)

    def test_no_message_has_the_key_that_another_process_says(self):
        """What snug starts for its user has the environment, and its last words are quoted."""
        says = 'echo "loaded $SAID" >&2; exit 3'
        cut = 'printf "%915s%s\\n" x "$SAID" >&2; exit 3'  # messages have 1,024 bytes
        long = 'printf "%480s%s\\n" x "$SAID" >&2; exit 3'  # and quotes of servers 500
        # The first is server/discover, which an older server does not know, the second initialize.
        refuses = "; ".join("read line; echo '" + json.dumps({"jsonrpc": "2.0", "id": n, "error": {
            "code": 1, "message": "no, KEY"}}).replace("KEY", "'\"$SAID\"'") + "'" for n in (1, 2)) + "; cat"
        header = secrets.token_urlsafe(24)
        ways = [(KEY, []), (KEY, ["--key-file", "in/key"]), (header, ["--header", "X-Key: " + header]),
                (header, ["--header", "X-Key: Bearer " + header]), (header, ["--header", "X-Key: $HEADER"])]
        starts = [["--mcp", says], ["--mcp", long], ["--mcp", refuses],
                  ["--worker-command", says], ["--worker-command", cut],
                  # The middle of a long word is left out, behind 100 bytes and before 100.
                  ["--worker-command", 'printf "%085d%s%01500d\\n" 0 "$SAID" 0 >&2; exit 3'],
                  ["--worker-command", 'printf "%01500d%s%085d\\n" 0 "$SAID" 0 >&2; exit 3']]
        for said, options in ways:
            for start in starts:
                with self.subTest(options=options[:1], start=start):
                    place = self.place()
                    (place.path / "in" / "key").write_text(KEY + "\n")
                    done, text = place.ask("openai", *options, *start, SAID=said, HEADER=header,
                                           key="other-than-it" if options else KEY)
                    self.assertEqual(done.returncode, 2, text)
                    self.assertIn("[key]", text)
                    self.assertNotIn(said, text)
                    self.assertNotIn(said[:10], text)

    def test_a_tool_that_fails_with_the_key_says_it_to_no_cell(self):
        place = self.place()
        env = {**os.environ, "OPENAI_API_KEY": KEY, "TMPDIR": str(place.path / "tmp")}
        done = subprocess.run([SNUG, "run", "--tool", 'fetch=echo "with $OPENAI_API_KEY" >&2; exit 1',
                               "-c", "fetch()"], env=env, capture_output=True, timeout=SECONDS)
        text = (done.stdout + done.stderr).decode()
        self.assertIn("with [key]", text)
        self.hidden(place, text)

    def walked(self, place, *options):
        done, text = place.ask("openai", "--json", "--answer", "result", "--no-evaluation",
                               "--max-code-lines", "1000", "--timeout", "50", *options)
        reply = json.loads(done.stdout.decode().splitlines()[-1])
        self.assertEqual(reply["status"], "answered", reply["error"])
        return reply["answer"], text

    def walk(self, most=100000):
        return {"content": fenced(WALK.format(masked=[byte ^ 1 for byte in KEY.encode()], most=most))}

    def test_a_cell_reaches_no_object_with_the_key(self):
        place = self.place(self.walk())
        answer, text = self.walked(place)
        self.was_sent(place)
        reached, looked, found = json.loads(answer.replace("'", '"'))
        self.assertGreater(looked, 5000)
        self.assertEqual(found, [])
        self.hidden(place, text)

    def test_a_key_that_a_cell_can_reach_is_found(self):
        place = self.place(self.walk())
        (place.path / "in" / "planted").write_text(json.dumps({"deep": [{"down": "x" + KEY}]}))
        answer, _ = self.walked(place, "--input", "planted=in/planted")
        self.assertIn("str", answer)

    def test_a_session_has_no_environment(self):
        place = self.place({"content": fenced(
            "import os\n"
            "out = [dict(os.environ), os.getcwd()]\n"
            "for name in '/proc/self/environ', '/proc/1/environ', '/proc/self/cmdline', '/proc/self/mem':\n"
            "    try:\n"
            "        out.append(open(name, 'rb').read(100000))\n"
            "    except Exception as error:\n"
            "        out.append(type(error).__name__)\n"
            "out")})
        answer, text = self.walked(place, "--profile", "data", "--max-attempts", "1")
        self.was_sent(place)
        self.assertNotIn("API_KEY", answer)
        self.assertNotIn("sk-", answer)
        # The mark would hide what had been there.
        self.assertNotIn("[key]", text)

    def test_a_key_in_a_file_of_the_session_is_noticed(self):
        place = self.place({"content": fenced(
            f"open('a.txt', 'w').write(''.join({[c for c in KEY]!r}))\n1")})
        place.ask("openai", "--answer", "result", "--no-evaluation")
        self.assertEqual([pathlib.Path(path).name for path in place.files_with(KEY)], ["a.txt"])


unittest.main()
