"""A small MCP server by streamable HTTP, of both eras of the protocol, which misbehaves when it is asked to.

usage: mcp_web_server.py [WORD...]

Writes its port on stdout, and ends at the end of its input. Words: old (revision 2025-11-25, with sessions), sse (answers
by events), moves (its place is another path), elsewhere (another host), unauthorized, key=VALUE (the header X-Key
that it wants; it stands in the description of leak). Calls do what the tool's name says. Each request is also written to the file in $LOG.
"""
import base64
import gzip
import http.server
import json
import os
import sys
import threading
import time

WORDS = set(sys.argv[1:])
KEY = next((word[4:] for word in WORDS if word.startswith("key=")), None)
IS_OLD = "old" in WORDS
STRING = {"type": "string"}
NAMES = ["echo", "headers", "wrong_id", "huge", "never", "half", "garbage", "packed", "html", "status", "forget", "busy",
         "structured", "fail", "refuse", "flood", "away", "more", "stays_open", "leak",
         "acts", "gone", "asks"]
LOCK = threading.Lock()
SESSIONS = set()
END = threading.Event()
EIGHT = threading.Barrier(8)


def tools():
    listed = [{"name": name, "inputSchema": {"type": "object", "properties": {"text": STRING}}} for name in NAMES]
    next(tool for tool in listed if tool["name"] == "leak")["description"] = f"Tells {KEY}."
    return listed


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients that hang up are what is tested."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def note(self, body):
        if os.environ.get("LOG"):
            with LOCK, open(os.environ["LOG"], "a", encoding="utf-8") as log:
                log.write(json.dumps({"verb": self.command, "path": self.path, "headers": dict(self.headers),
                                      "body": body}) + "\n")

    def reply(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def begin_events(self, **headers):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.close_connection = True

    def event(self, message):
        self.wfile.write(f"event: message\ndata: {json.dumps({'jsonrpc': '2.0', **message})}\n\n".encode())
        self.wfile.flush()

    def answer(self, message, status=200, **headers):
        if "sse" in WORDS and status == 200:
            self.begin_events(**headers)
            self.wfile.write(b": hello\nid: 1\ndata:\n\n")
            self.event({"method": "notifications/message", "params": {"level": "info", "data": "x"}})
            return self.event(message)
        return self.reply(status, json.dumps({"jsonrpc": "2.0", **message}).encode(), **headers)

    # ---- requests ----

    def do_DELETE(self):
        self.note(None)
        SESSIONS.discard(self.headers.get("Mcp-Session-Id"))
        self.reply(200)

    def do_GET(self):
        self.note(None)
        self.reply(405)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.note(message)
        if "unauthorized" in WORDS or (KEY and self.headers.get("X-Key") != KEY):
            return self.reply(401, b'{"error": "who are you, sesame-sesame?"}')
        if "moves" in WORDS and self.path != "/mcp/":
            return self.reply(307, Location="/mcp/")
        if "elsewhere" in WORDS:
            return self.reply(307, Location=f"http://127.0.0.2:{self.server.server_port}/mcp")
        return self.serve_old(message) if IS_OLD else self.serve_new(message)

    def serve_old(self, message):
        number, method = message.get("id"), message.get("method")
        if method == "initialize":
            session = f"session-{len(SESSIONS)}-{time.monotonic_ns()}"
            SESSIONS.add(session)
            return self.answer({"id": number, "result": {
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "test", "version": "1"}}}, Mcp_Session_Id=session)
        session = self.headers.get("Mcp-Session-Id")
        if not session:
            return self.reply(400, b'{"jsonrpc": "2.0", "error": {"code": -32000, "message": "no session"}, "id": null}')
        if session not in SESSIONS:
            return self.reply(404, b'{"jsonrpc": "2.0", "error": {"code": -32001, "message": "no session"}, "id": null}')
        if number is None or not method:
            return self.reply(202)
        return self.serve(message)

    def serve_new(self, message):
        number, method, params = message["id"], message["method"], message["params"]
        named = params.get("name")
        wrong = [self.headers.get("MCP-Protocol-Version") != params["_meta"]["io.modelcontextprotocol/protocolVersion"],
                 self.headers.get("Mcp-Method") != method, self.headers.get("Mcp-Name") != named,
                 "Mcp-Session-Id" in self.headers]
        if any(wrong):
            return self.answer({"id": number, "error": {"code": -32020, "message": f"headers: {wrong}"}}, 400)
        if method == "server/discover":
            return self.answer({"id": number, "result": {
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "public",
                "capabilities": {"tools": {"listChanged": True}}}})
        return self.serve(message)

    def serve(self, message):
        number, method, params = message["id"], message["method"], message["params"]
        if method == "tools/list":
            return self.answer({"id": number, "result": {"resultType": "complete", "tools": tools(), "ttlMs": 0}})
        if method != "tools/call":
            return self.answer({"id": number, "error": {"code": -32601, "message": "Method not found"}}, 404)
        act = getattr(self, "call_" + params["name"], None)
        if act:
            return act(number, params["arguments"])
        return self.say(number, json.dumps(params["arguments"], sort_keys=True))

    def say(self, number, text, **more):
        self.answer({"id": number, "result": {"content": [{"type": "text", "text": text}], **more}})

    # ---- what the tools do ----

    def call_headers(self, number, _):
        self.say(number, json.dumps({k: v for k, v in self.headers.items() if k.lower().startswith("x-")},
                                    sort_keys=True))

    def call_wrong_id(self, number, _):
        self.answer({"id": number + 1000, "result": {"content": []}})

    def call_huge(self, number, _):
        self.begin_events()
        try:
            while True:
                self.wfile.write(b"data: " + b"a" * (1 << 20))
        except OSError:
            pass

    def call_flood(self, number, _):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                self.wfile.write(b" " * (1 << 20))
        except OSError:
            pass

    def call_never(self, number, _):
        self.begin_events()
        while not END.wait(0.05):
            self.wfile.write(b": still here\n\n")
            self.wfile.flush()

    def call_half(self, number, _):
        self.begin_events()
        self.wfile.write(b'data: {"jsonrpc": "2.0", "id": %d, "result"' % number)

    def call_stays_open(self, number, _):
        self.begin_events()
        self.event({"id": number, "result": {"content": [{"type": "text", "text": "open"}]}})
        END.wait(600)

    def call_garbage(self, number, _):
        self.reply(200, b"this is not JSON")

    def call_html(self, number, _):
        self.reply(200, b"<html>Sign in</html>", "text/html")

    def call_packed(self, number, _):
        self.reply(200, gzip.compress(b"a" * (64 << 20)), Content_Encoding="gzip")

    def call_status(self, number, _):
        self.reply(503, b"sesame-sesame")

    def call_away(self, number, _):
        self.reply(302, Location="http://127.0.0.2:1/")

    def call_forget(self, number, _):
        SESSIONS.clear()
        self.say(number, "forgotten")

    def call_busy(self, number, _):
        """Answers when eight are under way."""
        EIGHT.wait(600)
        self.say(number, "done")

    def call_leak(self, number, arguments):
        how, key = arguments["text"], KEY or "nothing"
        fine = {"text": [{"type": "text", "text": f"a {key} b"}],
                "base64": [{"type": "text", "text": base64.b64encode(f"user:{key}".encode()).decode()}],
                "nested": [{"type": "text", "text": json.dumps({"deep": json.dumps(key)})}],
                "picture": [{"type": "image", "mimeType": "image/png", "data": base64.b64encode(f"PNG {key}".encode()).decode()}],
                "resource": [{"type": "resource", "resource": {"uri": "a:b", "text": key}}, {"type": "resource_link", "uri": f"a:{key}"}]}
        if how in fine:
            return self.answer({"id": number, "result": {"content": fine[how]}})
        if how == "structured":
            return self.say(number, "x", structuredContent={key: [key, 1]})
        if how == "fail":
            return self.say(number, f"not {key}", isError=True)
        if how == "refuse":
            return self.answer({"id": number, "error": {"code": -32602, "message": f"not {key}", "data": key}}, 400)
        text = json.dumps(key)[1:-1].replace("/", "\\/")
        line = '{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "text", "text": "%s"}]}}' % (number, text)
        self.begin_events()
        for piece in ["data: " + line[:-15], line[-15:]]:  # within the key
            self.wfile.write(piece.encode())
            self.wfile.flush()
            END.wait(0.05)
        self.wfile.write(b"\n\n")
        return None

    def call_acts(self, number, _):
        """Which it does, and says 400."""
        SESSIONS.clear()
        self.reply(400, b'{"jsonrpc": "2.0", "error": {"code": -32000, "message": "no session"}, "id": null}')

    def call_gone(self, number, _):
        SESSIONS.clear()
        self.answer({"id": number, "error": {"code": -32001, "message": "it is gone"}}, 404)

    def call_structured(self, number, _):
        self.say(number, "x", structuredContent={"n": 12345678901234567890123})

    def call_fail(self, number, _):
        self.say(number, "it went wrong", isError=True)

    def call_refuse(self, number, _):
        self.answer({"id": number, "error": {"code": -32602, "message": "no such thing"}}, 400)

    def call_more(self, number, _):
        self.answer({"id": number, "result": {"resultType": "input_required", "requestState": "1"}})

    def call_asks(self, number, _):
        self.begin_events()
        self.event({"id": "e1", "method": "elicitation/create", "params": {"message": "Your name?"}})
        self.event({"id": number, "result": {"content": [{"type": "text", "text": "nobody answers"}], "isError": True}})


def main():
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    END.set()


main()
