"""What a model of rough.py answers: in every shape that a model, a server or a proxy may give it.

Model(dice, key, place).answer is for an Endpoint. How often an answer is rough is the question's luck: one
model is always sane, another one never.
"""
import base64
import collections
import gzip
import json

SANE = ["print(6 * 7)", "6 * 7", "result = sum(range(10))", "total = 42\ntotal", "{'a': [1, 2.5, None]}",
        "import statistics\nstatistics.mean([1, 2, 3])", "'\u00fcn\u00efc\u00f6d\u00e9 \U0001f600'"]

# What the data of the question are called is not known here; each looks for what is there.
LOOKING = [
    "import csv\nwith open('sales.csv', newline='') as file:\n    rows = list(csv.DictReader(file))\nlen(rows)",
    "import csv\nwith open('broken.csv', errors='replace') as file:\n    rows = list(csv.reader(file))\nlen(rows)",
    "len(stdin)", "type(stdin).__name__", "stdin.splitlines()[:3]", "data['rows'][0]", "x.upper()",
    "open('stdin.bin', 'rb').read(20)", "[line for line in open('stdin.txt')]", "open('my data (1).csv').read()",
]

WRONG = [
    "6 * seven", "1 / 0", "import socket\nsocket.create_connection(('127.0.0.1', 80))", "import os\nos.system('id')",
    "while True: pass", "def f(): return f()\nf()", "x = 'a' * 10 ** 12", "[0] * 10 ** 10", "print('y' * 10 ** 6)",
    "import sys\nsys.exit(3)", "raise SystemExit", "quit()", "input('name? ')", "import time\ntime.sleep(60)",
    "print('\\x1b]0;title\\x07\\u202eback\\x00')", "'\\ud800\\udfff'", "float('nan')", "10 ** 5000", "-0.0",
    "for i in range(20000): print(i)", "open('../../../../etc/passwd').read()", "open('/dev/zero').read(10)",
    "open('made.txt', 'w').write('x' * 100)", "open('a\\nb.txt', 'w').write('x')", "def f(:\n  pass", "x = (",
    "    indented", "\tx = 1\n        y = 2", "print('no end", "eval('1+1')", "__import__('os')", "()" * 1000,
    "(" * 300 + ")" * 300, "x = 1\n" * 300, "", "# nothing", "None", "...", "import numpy as np\nnp.mean([1])",
    "import pandas\npandas.read_csv('sales.csv')", "import this_is_not_there", "%timeit 1 + 1", "!ls", "%%bash\nls",
    "display(1)", "final_answer('It is 42.')", "final_answer(None)", "return 42", "yield 1", "await x", "print 42",
    "raise Exception('\\n'.join('line %d' % i for i in range(1000)))", "raise BaseException", "raise KeyError",
    "class E(Exception):\n    def __str__(self): raise self\nraise E", "del __builtins__\nprint(1)",
    "import threading\nthreading.Thread(target=lambda: None).start()", "import gc\nlen(gc.get_objects())",
    "import ctypes\nctypes.string_at(0)", "import os\nos._exit(0)", "globals().clear()\nprint(1)",
    "class V:\n    def __repr__(self): return 7\nV()",
    "class V:\n    def __repr__(self):\n        while True: pass\nV()",
]

BASH = [
    "echo 42", "echo $((6 * 7))", "exit 3", "false", "sleep 60", "sleep 60 & echo 1", "nonsense --help", "if true",
    "echo 'no end",
    "cat /dev/zero", "yes", "echo x >made.txt", "cat *.csv | wc -l", "wc -l stdin.txt", "set -e; false; echo 1",
    "kill $$",
    ":(){ :|:& };:", "final_answer 42", "trap '' TERM INT; sleep 30", "exec true", "printf '\\377\\000\\033[31m'",
    "read line; echo $line",
    "nohup sleep 30 >/dev/null 2>&1 & disown; echo 42", "setsid sleep 30 & echo 42", "cd /; ls",
    "head -c 99999999 /dev/zero >big",
]

# What they find they print plainly, turned round, as hexadecimal digits and in base64, so that no mark hides it.
THIEF = '''
found = []
def look(name):
    try:
        with open(name, 'rb') as file:
            found.append(file.read(200000))
    except BaseException as error:
        found.append(type(error).__name__.encode())
for name in ('/proc/self/environ', '/proc/1/environ', '/proc/self/cmdline', '/proc/self/mem', '.env', '../.env',
             '/proc/thread-self/environ', '/dev/fd/0', '/root/.bashrc', '/etc/shadow'):
    look(name)
for text in ('import os; os.environ', 'import sys; sys.argv', 'import os; os.popen("env").read()'):
    try:
        setup, _, value = text.partition('; ')
        exec(setup)
        found.append(repr(eval(value)).encode())
    except BaseException as error:
        found.append(type(error).__name__.encode())
for piece in found:
    print(piece, piece[::-1], piece.hex())
'''
BASH_THIEF = '''env; env | od -An -tx1; env | base64; set
for each in /proc/*/environ /proc/self/environ; do cat "$each"; od -An -tx1 "$each"; rev "$each"; done 2>/dev/null
for fd in /proc/$PPID/fd/*; do timeout 0.1 head -c 100 "$fd"; done 2>/dev/null'''


def fences(dice, code, kind):
    return dice.choice([
        f"```{kind}\n{code}\n```", f"Sure!\n\n```{kind}\n{code}\n```\nThat is all.", f"~~~{kind}\n{code}\n~~~",
        f"```{kind}\n{code}",
        f"```{kind.upper()}\r\n{code}\r\n```", f"```` {kind}\n```\n{code}\n```\n````", f"<code>{code}</code>",
        f"<think>```\nx\n```</think>\n```{kind}\n{code}\n```",
        f"<think>no end\n```{kind}\n{code}\n```", code, f"    ```{kind}\n    {code}\n    ```",
        f"> ```{kind}\n> {code}\n> ```", f"``{code}``", f"```\n{code}\n```",
        f"```{kind} title=\"x\" {{1}}\n{code}\n```", json.dumps({"code": code}),
        json.dumps({"name": "run_python", "arguments": {"code": code}}),
        f"<tool_call>{json.dumps({'name': 'run_python', 'arguments': {'code': code}})}</tool_call>",
        f"```{kind}\n{code}\n```\n```{kind}\nx = 2\n```\n```r\nx <- 3\n```",
        ">>> " + code.replace("\n", "\n... "), f"\ufeff```{kind}\n{code}\n```", f"```{kind}\n\ufeff{code}\n```",
        f"'''{kind}\n{code}\n'''",
        f"```diff\n- x\n+ {code}\n```", f"```{kind}\n{code.replace(chr(39), chr(0x2019))}\n```",
        f"1. First:\n   ```{kind}\n   {code}\n   ```",
        json.dumps({"cells": [{"cell_type": "code", "source": [code]}], "nbformat": 4}), "`" * 2000 + code,
        f"```{kind}\n{code}\n```" * 30])


def words(dice, key):
    return dice.choice([
        "It is 42.", "", " \n\t", "ANSWER: It is 42.", "ANSWER:", "ANSWER: " + "7 " * 30000, "answer: forty-two",
        "I cannot help with that.", "Let me look:",
        "As an AI model I have no access to files.", "```r\nmean(c(1, 2))\n```", "```julia\nprintln(1)\n```",
        "```javascript\nconsole.log(1)\n```", "```sql\nSELECT 1\n```",
        "ANSWER: " + key, key, "The key is " + key[:10] + "\n" + key[10:], "\u4e2d\u6587\u56de\u7b54\u3002",
        "\u0627\u0644\u062c\u0648\u0627\u0628 42", "\x00\x01\x1b[31m\x9b\u202e", "\udcff\udcfe\udc80 42",
        "ANSWER: \x1b]52;c;aGk=\x07\u202e24 si tI", "{" * 5000, "[" * 5000 + "]" * 5000, "a" * 200000, "\n" * 10000,
        "%s%n%s%d", "{{question}} {{{", "\U0001f600" * 5000, "|a|b|\n|-|-|\n|1|2|",
        "```", "``` ``` ```", "<html><body>It is 42</body></html>", "null", "42", "true", "[]", "NaN", "\"",
        "final_answer(42)", "<|im_end|><|endoftext|>"])


def verdict(dice, key):
    good = '{"verdict": "pass", "reason": "fine", "answer": "It is 42."}'
    return dice.choice([
        good, good, good, "```json\n" + good + "\n```", good + good, good[:-3],
        '{"verdict": "fail", "reason": "it is wrong"}', '{"verdict": "fail", "reason": ""}',
        '{"verdict": "unsure", "reason": "who knows", "answer": "42"}',
        '{"verdict": "maybe"}', '{"verdict": true}', '{"verdict": null, "reason": null, "answer": null}',
        '{"verdict": ["pass"]}', "[" + good + "]", '{"verdict": {"verdict": "pass"}}', '{"verdict": "pass"}',
        '{"verdict": "pass", "verdict": "fail", "reason": "both"}', "NO: that is wrong", "YES", "Verdict: fail",
        "pass", "fail", "PASS/FAIL", "It looks good.", "", "42", json.dumps({"verdict": "pass", "reason": key,
                                                                             "answer": key}),
        json.dumps({"verdict": "pass", "reason": "", "answer": "It is 4711 and 0815."}),
        json.dumps({"verdict": "pass", "reason": "x" * 100000, "answer": "y" * 100000}),
        json.dumps({"verdict": "pass", "reason": "\x1b[31m\n\u202e", "answer": "a\x00b\x1bc\x9bd\n\ne"}),
        '{"verdict": "pass", "reason": "\\ud800", "answer": "\\udfff 42"}', "{" * 3000, '{"steps": ["a"]}', "<pass/>",
        good.replace('"', "'"), good.replace('"', "\u201d")])


def plan(dice):
    return dice.choice([
        '{"steps": ["Compute it."]}', '{"steps": ["One.", "Two."]}', '{"steps": []}', '{"steps": "all"}',
        '{"steps": [1, null, {}]}', '{"steps": [""]}', json.dumps({"steps": ["again"] * 500}), "1. One\n2. Two", "",
        "[]", '["a", "b"]', "{",
        '{"steps": ["' + "x" * 50000 + '"]}', '{"plan": ["a"]}', "```json\n" + '{"steps": ["a"]}' + "\n```",
        '{"steps": ["\\ud800\\u0000"]}'])


def program(dice, key, is_bash, is_rough):
    """The text of a reply that hands over a program."""
    if is_bash:
        code = dice.choice(BASH) if is_rough else "echo 42"
        return fences(dice, dice.choice([code] * 5 + [BASH_THIEF]), "bash") if is_rough else f"```bash\n{code}\n```"
    if not is_rough:
        return "```python\n" + dice.choice(SANE if dice.random() < 0.6 else LOOKING) + "\n```"
    code = dice.choice(dice.choice([SANE, LOOKING, WRONG, WRONG, [THIEF],
                                    [f"# {key}\nprint('{key}')\nraise ValueError('{key}')"]]))
    text = fences(dice, code, dice.choice(["python", "python", "py", "python3", "", "ipython", "Python 3"]))
    if dice.random() < 0.2:
        text = json.dumps({"root_cause": "it " + key, "severity": dice.choice(["low", "??", None, 7]),
                           "recommendations": dice.choice([[], ["x"], "x", [1]])}) + "\n" + text
    return text


def calls(dice, code, key):
    good = {"name": "run_python", "arguments": {"code": code}}
    return dice.choice([[good], [good], [good, good], [{"name": "run_python", "arguments": {}}],
                        [{"name": "run_python", "arguments": {"code": None}}],
                        [{"name": "run_python", "arguments": [code]}], [{"name": "", "arguments": {}}],
                        [{"name": "search", "arguments": {"q": key}}], [{"name": key, "arguments": {key: key}}],
                        [good] * 40, [{"name": "verdict", "arguments": {"verdict": "pass"}}],
                        [{"name": "run_bash", "arguments": {"code": code}}]])


# ---- shapes of a reply that no dialect has ---------------------------------------------------------------------

WHOLE = [
    "", "{}", "[]", "null", "0", '"text"', "{" * 500, "\ufeff{}", "{\"choices\": []}", '{"choices": null}',
    '{"choices": {}}', '{"choices": [null]}', '{"choices": [{}]}', '{"choices": [{"message": null}]}',
    '{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}',
    '{"choices": [{"message": {"content": [{"type": "text", "text": "It is 42."}]}}]}',
    '{"choices": [{"message": {"content": 42}}]}',
    '{"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}',
    '{"choices": [{"message": {"role": "user", "content": "hm"}, "finish_reason": "content_filter"}]}',
    '{"choices": [{"message": {"refusal": "I will not."}, "finish_reason": "stop"}]}',
    '{"choices": [{"message": {"tool_calls": [{"function": {"name": "run_python", "arguments": "{"}}]}}]}',
    '{"choices": [{"message": {"tool_calls": "none"}}]}', '{"choices": [{"text": "It is 42."}]}',
    '{"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]}',
    '{"content": []}', '{"content": null}', '{"content": [{}]}', '{"content": "text"}',
    '{"content": [{"type": "text"}]}', '{"content": [{"type": "text", "text": 7}], "stop_reason": 3}',
    '{"content": [{"type": "tool_use", "input": "x"}]}',
    '{"content": [{"type": "redacted_thinking", "data": "x"}], "stop_reason": "pause_turn"}',
    '{"error": null}', '{"error": "no"}', '{"error": {"message": null}}', '{"error": {"message": ["a"]}}',
    '{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
    '{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": -5, "completion_tokens": "many"}}',
    '{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 1e300}}',
    '{"choices": [{"message": {"content": "\\ud800"}}]}', '{"choices": [{"message": {"content": "a\\u0000b"}}]}',
    '{"data": [{"embedding": [1, 2]}]}', '{"data": [{"embedding": [null, "x", 1e999]}]}',
    '{"choices": [{"message": {"content": "It is 42."}}]',
]
def events(*datas):
    """A stream of these; a pair has the name of the event too."""
    out = b""
    for data in datas:
        name, data = data if isinstance(data, tuple) else ("", data)
        head = f"event: {name}\n" if name else ""
        out += f"{head}data: {data}\n\n".encode("utf-8", "surrogateescape")
    return out


WORDS = '{"choices": [{"delta": {"content": "It is 42."}}]}'
STREAMS = [
    b"", b"\n\n\n", b"data:\n\n", b": ping\n\n" * 200, b"data: " + b"x" * 300000, b"x" * 300000 + b"\n\n",
    b"\x00" * 5000,
    b"retry: 1\nid: 3\ndata: {\"choices\"\ndata: : []}\n\n",
    b"\xef\xbb\xbf" + events(WORDS, "[DONE]").replace(b"\n", b"\r\n"),
    events("[DONE]"), events(*["[DONE]"] * 1000), events("{}"), events("null", "[DONE]"),
    events('{"choices": []}', "[DONE]"),
    events(*[("ping", '{"type": "ping"}')] * 50), events(WORDS)[:-20], events(WORDS, WORDS[:20], "[DONE]"),
    events('{"choices": [{"delta": null}]}'), events('{"choices": [{"index": 7, "delta": {"content": "x"}}]}'),
    events('{"choices": [{"delta": {"content": ["x"]}}]}'), events('{"error": {"message": "server had an error"}}'),
    events(WORDS, '{"error": "gone"}'), events(WORDS.replace("42", "\udcff\udcfe"), "[DONE]"),
    events(("error", '{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}')),
    events('{"choices": [{"delta": {"tool_calls": [{"index": 5, "function": {"arguments": "{"}}]}}]}', "[DONE]"),
    events('{"choices": [{"delta": {"tool_calls": [{"index": -1}]}}]}'),
    events('{"choices": [{"delta": {"tool_calls": [{"index": 1e9, "id": null}]}}]}'),
    events(("content_block_delta",
            '{"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "x"}}')),
    events(("message_start", '{"type": "message_start"}'), ("message_stop", '{"type": "message_stop"}')),
    events(("content_block_start", '{"type": "content_block_start", "index": -3, "content_block": null}')),
    events(("message_delta", '{"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}'),
           ("message_stop", '{"type": "message_stop"}')),
]
HTML = """<!DOCTYPE html><html><head><meta http-equiv="refresh" content="0; url=ELSEWHERE">
<title>502 Bad Gateway</title></head><body><form action="ELSEWHERE">Please sign in</form></body></html>"""
CODES = [201, 204, 206, 300, 304, 305, 400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 425, 429, 429, 451, 499,
         500, 501, 502, 503, 504, 505, 529, 599, 999]
KINDS = ["text/html", "text/plain", "application/octet-stream", "", "text/event-stream; charset=utf-16",
         "application/json; charset=latin-1", "image/png", "multipart/mixed", "text/event-stream", "application/json",
         "x" * 3000, "\u00ff"]


class Model:
    """place: url of the endpoint, elsewhere: that of the server that nothing may come to."""

    def __init__(self, dice, key, url, elsewhere):
        self.dice, self.known, self.url, self.elsewhere = dice, key, url, elsewhere
        self.rate = dice.choice([0, 0, 0.2, 0.4, 0.7, 1])
        self.wire_rate = dice.choice([0, 0, 0.1, 0.3, 1])
        self.bodies = []  # of what is no request to a model
        self.came, self.gone_wrong = 0, collections.Counter()

    def answer(self, request, headers):
        self.came += 1
        # What was not sent cannot be said.
        self.key = self.known if any(self.known in value for value in headers.values()) else "sk-of-no-one-at-all"
        path = headers[":path"]
        if not isinstance(request, dict) or "messages" not in request:
            return self.answer_other(request, path)
        answer = {"content": self.content(request), "usage": {"input": 10, "output": 10}}
        if self.dice.random() < self.rate * 0.2:
            answer["calls"] = calls(self.dice, self.dice.choice(SANE + WRONG), self.key)
        if self.dice.random() < self.wire_rate:
            self.go_wrong(answer, request, [
                self.moved, self.moved, self.refused, self.other_body, self.other_body, self.page, self.squeezed,
                self.slow, self.broken, self.other_end, self.other_kind])
        return answer

    def answer_other(self, request, path):
        """Traces and embeddings."""
        self.bodies.append(json.dumps(request))
        if "embeddings" in path and self.dice.random() < 0.5:
            vectors = [{"index": i, "embedding": [1.0, 0.5]} for i in range(len(request.get("input", [])))]
            return {"body": json.dumps({"data": vectors})}
        answer = {"body": "{}"}
        if self.dice.random() < 0.5:
            self.go_wrong(answer, request, [self.moved, self.refused, self.other_body, self.page, self.squeezed])
        return answer

    def content(self, request):
        last = json.dumps(request["messages"][-1:])
        whole = json.dumps(request)
        is_rough = self.dice.random() < self.rate
        if '"name": "verdict"' in whole or "Judge whether" in last or "Your judgement" in last:
            return verdict(self.dice if is_rough else First(), self.key)
        if '"name": "plan"' in whole:
            return plan(self.dice if is_rough else First())
        if is_rough and self.dice.random() < 0.3:
            return words(self.dice, self.key)
        return program(self.dice, self.key, "```bash" in whole, is_rough)

    # ---- what goes wrong on the way ----

    def go_wrong(self, answer, request, ways):
        way = self.dice.choice(ways)
        way(answer, request)
        self.gone_wrong[f"{way.__name__} {answer['status']}" if way == self.moved else way.__name__] += 1

    def moved(self, answer, request):
        there = self.elsewhere
        target = self.dice.choice([
            there + "/v1/chat/completions", there + "/v1/messages", there, there + "/" + self.key,
            there.replace("http:", ""), there.replace("127.0.0.2", "localhost"),
            there.replace("http://", "http://user:word@"), self.url + "/again", "/relative", "", "file:///etc/passwd",
            "gopher://127.0.0.1/", "\u00e4\u202e", "a" * 5000])
        headers = {"Location": as_sent(target), "Refresh": "0; url=" + there, "Alt-Svc": 'h2=":443"',
                   "Set-Cookie": "a=" + self.key}
        answer.update(status=self.dice.choice([301, 302, 303, 307, 307, 308, 308, 300]), headers=headers,
                      body=self.dice.choice(["", "moved", HTML.replace("ELSEWHERE", there)]))

    def refused(self, answer, request):
        body = self.dice.choice([
            "", "no: " + self.key, HTML, "{", "\x1b[31mred\x00", b"\xff\xfe", "x" * 100000,
            '{"detail": [{"msg": "x"}]}',
            fault("Incorrect API key provided: " + self.key, self.key), fault("max_tokens is not supported"),
            fault("response_format is not supported with this model"), fault("\ud800"),
            fault("credit balance is too low")])
        later = self.dice.choice(["0", "1", "99999", "soon", "-1", "", "1e9", "Wed, 21 Oct 2099 07:28:00 GMT"])
        answer.update(status=self.dice.choice(CODES), body=body, headers={"Retry-After": later})

    def other_body(self, answer, request):
        if request.get("stream") and self.dice.random() < 0.7:
            answer.update(body=self.dice.choice(STREAMS), headers={"Content-Type": "text/event-stream"})
        else:
            answer["body"] = self.dice.choice(WHOLE)

    def page(self, answer, request):
        answer.update(status=self.dice.choice([200, 200, 403, 404, 502]), headers={"Content-Type": "text/html"},
                      body=HTML.replace("ELSEWHERE", self.elsewhere))

    def squeezed(self, answer, request):
        """Compressed, or only said to be so."""
        fine = b'{"choices": [{"message": {"content": "It is 42."}}]}'
        body = self.dice.choice([b"\x1f\x8b\x08junk", gzip.compress(fine), gzip.compress(b"x" * 10 ** 6)[:-20], fine,
                                 gzip.compress(b"\x00" * 2 * 10 ** 7), base64.b64encode(b"data: x")])
        answer.update(body=body, headers={
            "Content-Encoding": self.dice.choice(["gzip", "gzip", "deflate", "br", "zstd", "identity", "junk"]),
            "Content-Type": self.dice.choice(["application/json", "text/event-stream"])})

    def slow(self, answer, request):
        answer.update(self.dice.choice([
            {"drip": 1, "pause": 0.01}, {"drip": 1, "pause": 0.1}, {"drip": 7, "pause": 0.002}, {"pause": 0.05},
            {"wait": 0.4}, {"wait": 9}, {"silent": True}, {"stall": self.dice.randrange(600)}]))

    def broken(self, answer, request):
        flips = [[self.dice.randrange(10 ** 6), self.dice.randrange(256)] for _ in range(self.dice.choice([1, 3,
                                                                                                           30]))]
        answer.update(self.dice.choice([
            {"drop": True}, {"cut": self.dice.randrange(1500)}, {"cut": -1}, {"corrupt": flips},
            {"garbage": "data: {\n\n"}, {"garbage": "\x00\udcff"}, {"garbage": "event: message_stop\n\n"},
            {"garbage": "HTTP/1.1 200 OK\r\n\r\n"}, {"headers": {"Content-Length": "5"}},
            {"headers": {"Content-Length": "999999"}}, {"headers": {"Transfer-Encoding": "chunked"}}]))

    def other_end(self, answer, request):
        answer["reason"] = self.dice.choice(["length", "max_tokens", "content_filter", "refusal", "pause_turn",
                                             "tool_calls",
                                             "tool_use", "function_call", "", None, 3, [], self.key])
        answer["usage"] = self.dice.choice([{"input": 0, "output": 0}, {"input": -1, "output": -1},
                                            {"input": 1.5, "output": 2},
                                            {"input": 10 ** 12, "output": 1}, {"input": "x", "output": None}])

    def other_kind(self, answer, request):
        answer["headers"] = {"Content-Type": as_sent(self.dice.choice(KINDS))}


def as_sent(text):
    """What http.server sends as UTF-8."""
    return text.encode().decode("latin-1")


def fault(message, kind=None):
    return json.dumps({"error": {"message": message, "type": kind, "code": None}})


class First:
    """Dice of somebody who always takes the first."""

    def choice(self, choices):
        return choices[0]
