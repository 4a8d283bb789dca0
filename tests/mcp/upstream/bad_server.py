"""An MCP server on stdio that misbehaves as it is told.

usage: bad_server.py [WORD...]

Each tool is a way to answer a call wrongly; echo is right. Words are ways to begin or to end wrongly: see main().
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

WORDS = set(sys.argv[1:])
OUT = sys.stdout.buffer
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = {}  # name: (function of the id and the arguments, what tools/list has beside the name)
SEEN = []   # what the client has answered to requests of this server
HELD = []   # ids of calls that are answered together
LATE = []   # ids that are answered when they are cancelled
CHANGED = threading.Event()


def write(text):
    OUT.write(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    OUT.flush()


def say(**message):
    write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def result(text):
    return {"content": [{"type": "text", "text": text}]}


def answer(number, text):
    say(id=number, result=result(text))


def line(number, text):
    """The answer as it is written."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result(text)}) + "\n"


def tool(description=None, **more):
    def add(function):
        listed = {"inputSchema": {"type": "object"}, **more}
        if description:
            listed["description"] = description
        TOOLS[function.__name__] = (function, listed)
        return function
    return add


@tool(inputSchema=TEXT)
def echo(number, arguments):
    answer(number, arguments["text"])


# ---- it says nothing, or says it slowly ----

@tool()
def hang(number, arguments):
    pass


@tool()
def hang_and_answer_late(number, arguments):
    LATE.append(number)


@tool()
def answer_what_was_late(number, arguments):
    for late in LATE:
        answer(late, "late")
    answer(number, f"{len(LATE)} late")


@tool()
def drip(number, arguments):
    for byte in line(number, "drop by drop").encode():
        write(bytes([byte]))
        time.sleep(0.002)


@tool()
def drip_for_ever(number, arguments):
    write('{"jsonrpc": "2.0", "id": %d, "result": {"content": [' % number)

    def on():
        while True:
            write(" ")
            time.sleep(0.02)
    threading.Thread(target=on, daemon=True).start()


# ---- it says too much ----

@tool()
def flood_notifications(number, arguments):
    one = json.dumps({"jsonrpc": "2.0", "method": "notifications/message",
                      "params": {"level": "info", "data": "x" * 1000}}) + "\n"
    for _ in range(10):
        write(one * 500)
    answer(number, "after 5 MB")


@tool()
def flood_stderr(number, arguments):
    for _ in range(80):
        sys.stderr.write("noise " * 10_000)
    sys.stderr.flush()
    answer(number, "after 5 MB")


@tool()
def flood_answers_to_nobody(number, arguments):
    write("".join(line(other, "nobody's") for other in range(1_000_000, 1_010_000)))
    answer(number, "mine")


@tool()
def flood_progress(number, arguments):
    for step in range(5_000):
        write('{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": %d}}\n' % step)
    answer(number, "done")


def pour(descriptor, text):
    """At once with what else is written: a pipe takes so little whole. As fast as it is read while the call
    waits; some thousand lines a second afterwards, which leaves a processor to the other tests."""
    assert len(text) <= 4096

    def on():
        calm = time.monotonic() + 2
        while True:
            os.write(descriptor, text)
            if time.monotonic() > calm:
                time.sleep(0.01)
    threading.Thread(target=on, daemon=True).start()


@tool()
def flood_for_ever(number, arguments):
    pour(1, b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}\n' * 50)


@tool()
def flood_stderr_for_ever(number, arguments):
    pour(2, b"noise " * 600)
    answer(number, "noisy")


@tool()
def huge(number, arguments):
    answer(number, "a" * (17 << 20))


@tool()
def large(number, arguments):
    answer(number, "a" * (15 << 20))


@tool()
def endless_line(number, arguments):
    try:
        for _ in range(64):
            write("[" * (1 << 20))
    except BrokenPipeError:
        os._exit(1)


@tool()
def long_error(number, arguments):
    say(id=number, error={"code": -32000, "message": "no " * 400_000 + "end"})


# ---- what it says is wrong ----

@tool()
def not_json(number, arguments):
    write("Listening on port 3000\n")
    answer(number, "behind a line")


@tool()
def half_json(number, arguments):
    write(line(number, "cut")[:-20] + "\n")


@tool()
def not_utf8(number, arguments):
    write(line(number, "caf@").encode().replace(b"@", b"\xe9"))


@tool()
def nul_in_line(number, arguments):
    write(line(number, "a@b").encode().replace(b"@", b"\x00"))


@tool()
def byte_order_mark(number, arguments):
    write(b"\xef\xbb\xbf" + line(number, "marked").encode())


@tool()
def deep(number, arguments):
    write('{"jsonrpc": "2.0", "id": %d, "result": {"content": [], "structuredContent": %s}}\n'
          % (number, '{"a": ' * 50_000 + "1" + "}" * 50_000))


@tool()
def batch(number, arguments):
    write("[" + line(number, "in a batch").strip() + "]\n")


@tool()
def no_version(number, arguments):
    write(json.dumps({"id": number, "result": result("without jsonrpc")}) + "\n")


@tool()
def answer_with_nothing(number, arguments):
    say(id=number)


@tool()
def answer_with_both(number, arguments):
    say(id=number, result=result("fine"), error={"code": -1, "message": "not fine"})


@tool()
def result_is_text(number, arguments):
    say(id=number, result="done")


@tool()
def result_is_null(number, arguments):
    say(id=number, result=None)


@tool()
def result_is_empty(number, arguments):
    say(id=number, result={})


@tool()
def content_is_an_object(number, arguments):
    say(id=number, result={"content": {"type": "text", "text": "x"}})


@tool()
def text_is_a_number(number, arguments):
    say(id=number, result={"content": [{"type": "text", "text": 7}]})


@tool()
def block_without_type(number, arguments):
    say(id=number, result={"content": [{"text": "x"}]})


@tool(outputSchema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
def not_its_schema(number, arguments):
    say(id=number, result={"content": [], "structuredContent": {"n": "seven", "more": [1]}})


@tool()
def fail_without_text(number, arguments):
    say(id=number, result={"content": [], "isError": True})


@tool()
def error_is_text(number, arguments):
    say(id=number, error="broken")


@tool()
def error_without_message(number, arguments):
    say(id=number, error={"code": "x"})


@tool()
def error_with_escapes(number, arguments):
    say(id=number, error={"code": 1, "message": "red \u001b[31m text\nand a line\u0000end"})


# ---- it answers somebody else ----

@tool()
def answer_twice(number, arguments):
    answer(number, "first")
    answer(number, "second")


@tool()
def id_is_text(number, arguments):
    say(id=str(number), result=result("text"))


@tool()
def id_is_a_float(number, arguments):
    write(line(number, "float").replace(f'"id": {number}', f'"id": {number}.0'))


@tool()
def id_is_null(number, arguments):
    say(id=None, error={"code": -32700, "message": "parse error"})


@tool()
def id_of_the_next(number, arguments):
    answer(number + 1, "too early")


@tool(inputSchema=TEXT)
def backwards(number, arguments):
    HELD.append((number, arguments["text"]))
    if len(HELD) == 6:
        for held, text in reversed(HELD):
            answer(held, text)
        HELD.clear()


# ---- it asks ----

@tool()
def ask_back(number, arguments):
    SEEN.clear()
    for asked in ("ping", "roots/list", "sampling/createMessage", "elicitation/create", "made/up"):
        say(id="ask-" + asked, method=asked, params={})
    HELD.append(number)


def take_reply(message):
    SEEN.append([message["id"], message.get("error", {}).get("code", "result")])
    if len(SEEN) == 5:
        answer(HELD.pop(), json.dumps(SEEN))


# ---- it goes ----

@tool()
def die(number, arguments):
    print("out of disk", file=sys.stderr, flush=True)
    os._exit(3)


@tool()
def die_by_signal(number, arguments):
    os.kill(os.getpid(), signal.SIGKILL)


@tool()
def die_in_an_answer(number, arguments):
    write(line(number, "cut")[:30])
    os._exit(0)


@tool()
def answer_and_die(number, arguments):
    answer(number, "goodbye")
    os._exit(0)


@tool()
def close_stdout(number, arguments):
    os.close(1)


@tool()
def leave_a_child(number, arguments):
    subprocess.Popen(["sleep", "1000"])
    print("gone", file=sys.stderr, flush=True)
    os._exit(0)


@tool()
def process(number, arguments):
    answer(number, str(os.getpid()))


# ---- it changes ----

@tool()
def change(number, arguments):
    TOOLS.pop("goes", None)
    TOOLS["comes"] = (lambda n, a: answer(n, "here"), {"inputSchema": {"type": "object"}})
    TOOLS["varies"] = (lambda n, a: answer(n, json.dumps(a)), {"inputSchema": TEXT})
    say(method="notifications/tools/list_changed")
    answer(number, "changed")


@tool()
def change_all_the_time(number, arguments):
    write((json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}) + "\n") * 2_000)
    answer(number, "changed")


@tool()
def goes(number, arguments):
    answer(number, "still here")


@tool()
def varies(number, arguments):
    answer(number, json.dumps(arguments))


# ---- what it lists is wrong ----

ODD = [
    7, "text", None, {}, {"name": ""}, {"name": 7}, {"name": None},
    {"name": "no_schema"},
    {"name": "schema_is_text", "inputSchema": "object"},
    {"name": "properties_is_a_list", "inputSchema": {"type": "object", "properties": [1, 2]}},
    {"name": "required_is_text", "inputSchema": {"type": "object", "properties": {"a": {}}, "required": "a"}},
    {"name": "odd_types", "inputSchema": {"type": "object", "properties": {
        "a": {"type": "banana"}, "b": {"type": ["string", "null"]}, "c": {"type": 7}, "d": True, "e": 7}}},
    {"name": "odd_defaults", "inputSchema": {"type": "object", "properties": {
        "a": {"type": "integer", "default": "1); import os #"}, "b": {"default": {"x": [1]}}, "c": {"default": 1e308}}}},
    {"name": "odd_names", "inputSchema": {"type": "object", "properties": {
        "": {}, "a b": {}, "self": {}, "class": {}, "__x": {}, "\u00e9": {}, "a=1, *b": {}}, "required": ["class", "gone"]}},
    {"name": "refers", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                                       "$defs": {"a": {"$ref": "#/$defs/a"}}}},
    {"name": "lies", "inputSchema": {"type": "object"}, "annotations": "read-only", "description": ["not", "text"]},
    {"name": "twice", "inputSchema": {"type": "object"}, "description": "first"},
    {"name": "twice", "inputSchema": {"type": "object"}, "description": "second"},
    {"name": "a-b", "inputSchema": {"type": "object"}}, {"name": "a.b", "inputSchema": {"type": "object"}},
    {"name": "a b\n\"'); x", "inputSchema": {"type": "object"}},
    {"name": "\u540d\u524d", "inputSchema": {"type": "object"}},
    {"name": "__class__", "inputSchema": {"type": "object"}}, {"name": "__dict__", "inputSchema": {"type": "object"}},
    {"name": "n" * 5000, "inputSchema": {"type": "object"}},
    {"name": "docstring", "inputSchema": {"type": "object"}, "description": '"""\nimport os\n\u0000\u001b[31m' + "d" * 100_000},
]


def list_tools(number, params):
    if "no-list" in WORDS:
        return say(id=number, result={})
    if "list-is-text" in WORDS:
        return say(id=number, result={"tools": "all"})
    if "list-error" in WORDS:
        return say(id=number, error={"code": 1, "message": "the list is secret"})
    if "list-hangs" in WORDS:
        return None
    if "odd-list" in WORDS:
        return say(id=number, result={"tools": [*ODD, {"name": "echo", "inputSchema": TEXT}]})
    if "many" in WORDS:
        return say(id=number, result={"tools": [{"name": f"tool_{i}", "inputSchema": {"type": "object"}} for i in range(3000)]})
    tools = [{"name": name, **listed} for name, (_, listed) in TOOLS.items()]
    if "endless-pages" in WORDS:
        return say(id=number, result={"tools": [], "nextCursor": "more"})
    return say(id=number, result={"tools": tools})


def initialize(number, params):
    version = params["protocolVersion"]
    if "version-of-old" in WORDS:
        version = "1999-01-01"
    if "version-is-a-number" in WORDS:
        version = 7
    if "refuses" in WORDS:
        return say(id=number, error={"code": 1, "message": "no licence"})
    if "mute" in WORDS:
        return None
    if "empty-greeting" in WORDS:
        return say(id=number, result={})
    return say(id=number, result={"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}},
                                  "serverInfo": {"name": "bad", "version": "1"}})


def take(message):
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if method is None:
        take_reply(message)
    elif method == "initialize":
        initialize(number, params)
    elif method == "tools/list":
        list_tools(number, params)
    elif method == "notifications/cancelled" and params["requestId"] in LATE:
        answer(params["requestId"], "late")
    elif method == "tools/call":
        known = TOOLS.get(params["name"])
        if known:
            known[0](number, params["arguments"])
        elif "odd-list" in WORDS:
            answer(number, json.dumps([params["name"][:20], params["arguments"]]))
        else:
            say(id=number, error={"code": -32602, "message": "Unknown tool: " + params["name"]})
    elif number is not None:
        say(id=number, error={"code": -32601, "message": "not found"})


def main():
    if "dies" in WORDS:
        sys.exit("no API key")
    if "banner" in WORDS:
        write("Welcome to the server\n")
    if "floods" in WORDS:
        while True:
            write("x" * (1 << 16))
    if "deaf" in WORDS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for text in sys.stdin:
        take(json.loads(text))
    while "deaf" in WORDS:
        time.sleep(1)


main()
