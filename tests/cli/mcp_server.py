"""A small MCP server on stdio, which misbehaves when it is asked to.

usage: mcp_server.py [WORD...]

Words: silent (about server/discover, as an old server may be), dies-of-discover, new (revision 2026-07-28 alone), die-at-start, mute,
no-tools, error-at-start, deaf (does not end at the end of its input), pages (one tool a page), also-NAME (a tool of that name), reads-NAME (that tool only reads), also-getenv (tells the variable `value`). Calls do what the tool's name says. Each line that comes is
also written to the file in $LOG, if it is set.
"""
import json
import os
import sys
import time

WORDS = set(sys.argv[1:])
LATE = set()  # ids of calls that are answered when they are cancelled
STRING = {"type": "string"}


def tool(name, properties=None, required=(), **more):
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return {"name": name, "inputSchema": schema, **more}


TOOLS = [
    tool("echo", {"limit": {"type": "integer", "description": "How many."}, "text": STRING},
         ["text"], description="Say it again."),
    tool("two-words", {"in": STRING, "max-results": {"type": "number"}}),
    tool("class"), tool("9lives"),
    {"name": "anything", "inputSchema": {"type": "object"}},
    tool("fail"), tool("refuse"), tool("die"), tool("garbage"), tool("never"), tool("structured"),
    tool("picture"), tool("digits"), tool("ask"), tool("late"), tool("nothing"), tool("huge"),
]
if "new" in WORDS:
    TOOLS.append(tool("more"))
for word in sys.argv[1:]:
    if word.startswith("reads-"):
        next(t for t in TOOLS if t["name"] == word[6:])["annotations"] = {"readOnlyHint": True}
TOOLS += [tool(word[5:], {"value": {}}) for word in sys.argv[1:] if word.startswith("also-") and word != "also-strange"]
TOOLS += [tool("strange", description="\x1b[31mred")] if "also-strange" in WORDS else []


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(*texts, **more):
    return {"content": [{"type": "text", "text": t} for t in texts], **more}


def discover(number):
    if "dies-of-discover" in WORDS:
        sys.exit("initialize must come first")
    if "new" in WORDS:
        say({"id": number, "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
                                      "cacheScope": "public", "capabilities": {"tools": {"listChanged": True}}}})
    elif "silent" not in WORDS:
        say({"id": number, "error": {"code": -32601, "message": "Method not found"}})


def answer_new(message):
    """As revision 2026-07-28 has it: what is no request of it is refused. None: it is one."""
    number, params = message.get("id"), message.get("params", {})
    if message["method"] == "notifications/cancelled":
        return None
    if params.get("_meta", {}).get("io.modelcontextprotocol/protocolVersion") != "2026-07-28":
        say({"id": number, "error": {"code": -32602, "message": "no _meta"}})
        return True
    return None


def call(number, name, arguments):
    if name == "more":
        return say({"id": number, "result": {"resultType": "input_required", "requestState": "x"}})
    if name == "fail":
        return say({"id": number, "result": text("it went wrong", isError=True)})
    if name == "refuse":
        return say({"id": number, "error": {"code": -32602, "message": "no such thing"}})
    if name == "die":
        print("last words", os.environ.get("LAST_TOKEN", ""), file=sys.stderr, flush=True)
        os._exit(3)
    if name == "garbage":
        return print("{this is not JSON", flush=True)
    if name == "never":
        return None
    if name == "late":
        return LATE.add(number)
    if name == "structured":
        # Larger than a double holds, a NUL, half a surrogate pair: as they stand.
        return print('{"jsonrpc": "2.0", "id": %d, "result": {"content": [], "structuredContent": '
                     '{"n": 12345678901234567890123, "s": "\\u0000\\ud83d"}}}' % number, flush=True)
    if name == "getenv":
        return say({"id": number, "result": text(os.environ.get(arguments["value"], ""))})
    if name == "picture":
        return say({"id": number, "result": {"content": [{"type": "image", "data": "aGk="}]}})
    if name == "ask":
        say({"id": "ping-1", "method": "ping"})
        say({"id": "list-1", "method": "roots/list"})
        say({"method": "notifications/message", "params": {"level": "info", "data": "x"}})
        say({"id": 99999, "result": {}})
        return say({"id": number, "result": text("asked")})
    if name == "nothing":
        return say({"id": number})
    if name == "huge":
        return say({"id": number, "result": text("a" * (17 << 20))})
    return say({"id": number, "result": text(json.dumps(arguments, sort_keys=True), name)})


def list_tools(number, params):
    if "no-tools" in WORDS:
        return say({"id": number, "result": {}})
    if "pages" not in WORDS:
        return say({"id": number, "result": {"tools": TOOLS}})
    at = int(params.get("cursor", "0"))
    more = {"nextCursor": str(at + 1)} if at + 1 < len(TOOLS) else {}
    return say({"id": number, "result": {"tools": TOOLS[at:at + 1], **more}})


def answer(message):
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if method == "server/discover":
        return discover(number)
    if "new" in WORDS and method and answer_new(message):
        return None
    if method == "notifications/cancelled" and params["requestId"] in LATE:
        return say({"id": params["requestId"], "result": text("late")})
    if method == "initialize" and "mute" not in WORDS:
        if "error-at-start" in WORDS:
            return say({"id": number, "error": {"code": 1, "message": "not today"}})
        return say({"id": number, "result": {"protocolVersion": params["protocolVersion"],
                                             "capabilities": {"tools": {"listChanged": True}},
                                             "serverInfo": {"name": "test", "version": "1"}}})
    if method == "tools/list":
        return list_tools(number, params)
    if method == "tools/call":
        return call(number, params["name"], params["arguments"])
    return None


def main():
    if "die-at-start" in WORDS:
        sys.exit("no configuration")
    for line in sys.stdin:
        if os.environ.get("LOG"):
            with open(os.environ["LOG"], "a", encoding="utf-8") as log:
                log.write(line)
        answer(json.loads(line))
    if "deaf" in WORDS:
        time.sleep(1000)


main()
