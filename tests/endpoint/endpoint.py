"""A model's endpoint for tests: chat completions that answer by what the last message has in it.

    with Endpoint([("word in the prompt", "reply"), ...]) as endpoint:
        ... endpoint.environment ...

The first rule whose word is in the last message, and that was not used up, gives the reply; rules
are used once each, in order, so that a conversation reads as a list. A prompt without a rule is a
400 whose message names it.
"""
import http.server
import json
import threading


def pieces(text, size=24):
    return [text[at:at + size] for at in range(0, len(text), size)] or [""]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *ignored):
        pass

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # who asked was killed
            pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = request["messages"][-1]["content"]
        reply = self.server.rules.reply(prompt)
        if reply is None:
            error = {"error": {"message": "no rule for: " + prompt[:2000]}}
            self.answer(400, "application/json", json.dumps(error).encode())
            return
        usage = {"prompt_tokens": sum(len(m["content"]) for m in request["messages"]) // 4,
                 "completion_tokens": len(reply) // 4}
        if not request.get("stream"):
            body = {"choices": [{"message": {"role": "assistant", "content": reply},
                                 "finish_reason": "stop"}], "usage": usage}
            self.answer(200, "application/json", json.dumps(body).encode())
            return
        chunks = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces(reply)]
        chunks += [{"choices": [{"delta": {}, "finish_reason": "stop"}]},
                   {"choices": [], "usage": usage}]
        lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self.answer(200, "text/event-stream", lines.encode())


class Rules:
    def __init__(self, rules):
        self.rules = list(rules)
        self.lock = threading.Lock()

    def reply(self, prompt):
        with self.lock:
            for at, (word, reply) in enumerate(self.rules):
                if word in prompt:
                    del self.rules[at]
                    return reply
        return None


class Endpoint:
    def __init__(self, rules):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.rules = Rules(rules)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.environment = {"SNUG_MODEL": "openai:test", "OPENAI_API_KEY": "none",
                            "OPENAI_BASE_URL": self.url, "no_proxy": "127.0.0.1"}

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *ignored):
        self.server.shutdown()
        self.server.server_close()
