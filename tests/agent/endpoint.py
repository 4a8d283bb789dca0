"""A model's endpoint for tests: what it answers is a script, or a function.

It speaks both dialects, in streams and whole, and does what no real provider would do. The
answer to a request is a dict:

    content, calls     what the model says: a text, and [{"name", "arguments"}]
    thinking           what it thinks before that
    status, headers, body   another answer than 200, word for word; the body is a text or bytes
    location           a header, where URL stands for the endpoint's own address
    drop               the connection is closed unanswered
    silent             it is held open without an answer until the other side closes it
    stall              the same, behind so many bytes of the answer
    cut                it is closed behind so many bytes of the answer; negative: from its end
    corrupt            [[at, byte], ...]: bytes of the answer that are other ones
    garbage            this text stands in the middle of the answer
    wait               seconds before the answer
    pause              seconds between the pieces of the answer
    drip               each piece is so many bytes
    usage              {"input": n, "output": n}; by default there is none. Of Anthropic also
                       "read" and "written": from its cache, and into it
    reason             what the model ended by, in the provider's word
"""
import http.server
import json
import select
import threading
import time


def pieces_of(text):
    return [text[at:at + 20] for at in range(0, len(text), 20)] or [""]


def dump(data):
    """As bytes; a lone surrogate, U+DCFF, is the byte FF."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogateescape")


def event(data, name=None):
    head = f"event: {name}\n" if name else ""
    return head.encode() + b"data: " + (data.encode() if isinstance(data, str) else dump(data)) + b"\n\n"


def openai_stream(answer):
    def chunk(delta, reason=None):
        return event({"id": "c1", "object": "chat.completion.chunk",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces_of(answer.get("thinking", "")):
        yield chunk({"reasoning_content": piece})
    for piece in pieces_of(answer.get("content", "")):
        yield chunk({"content": piece})
    for index, call in enumerate(answer.get("calls", [])):
        yield chunk({"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function",
                                     "function": {"name": call["name"],
                                                  "arguments": json.dumps(call["arguments"])}}]})
    yield chunk({}, answer.get("reason", "tool_calls" if answer.get("calls") else "stop"))
    if usage := answer.get("usage"):
        yield event({"id": "c1", "choices": [], "usage": {"prompt_tokens": usage["input"],
                                                          "completion_tokens": usage["output"]}})
    yield event("[DONE]")


def openai_whole(answer):
    message = {"role": "assistant", "content": answer.get("content", "")}
    if answer.get("thinking"):
        message["reasoning_content"] = answer["thinking"]
    if answer.get("calls"):
        message["tool_calls"] = [{"id": f"call_{index}", "type": "function",
                                  "function": {"name": call["name"],
                                               "arguments": json.dumps(call["arguments"])}}
                                 for index, call in enumerate(answer["calls"])]
    reply = {"id": "c1", "object": "chat.completion",
             "choices": [{"index": 0, "message": message,
                          "finish_reason": answer.get("reason", "stop")}]}
    if usage := answer.get("usage"):
        reply["usage"] = {"prompt_tokens": usage["input"], "completion_tokens": usage["output"]}
    return reply


def anthropic_blocks(answer):
    if answer.get("thinking"):
        yield {"type": "thinking", "thinking": answer["thinking"], "signature": ""}
    if answer.get("content") or not answer.get("calls"):
        yield {"type": "text", "text": answer.get("content", "")}
    for index, call in enumerate(answer.get("calls", [])):
        yield {"type": "tool_use", "id": f"call_{index}", "name": call["name"],
               "input": call["arguments"]}


def anthropic_input(usage):
    caches = {"read": "cache_read_input_tokens", "written": "cache_creation_input_tokens"}
    return {"input_tokens": usage["input"], **{caches[name]: usage[name] for name in caches if name in usage}}


def anthropic_stream(answer):
    def told(kind, **fields):
        return event({"type": kind, **fields}, kind)

    usage = answer.get("usage")
    yield told("message_start", message={
        "id": "m1", "type": "message", "role": "assistant", "content": [],
        **({"usage": {**anthropic_input(usage), "output_tokens": 1}} if usage else {})})
    for index, block in enumerate(anthropic_blocks(answer)):
        if block["type"] == "text":
            yield told("content_block_start", index=index, content_block={"type": "text", "text": ""})
            for piece in pieces_of(block["text"]):
                yield told("content_block_delta", index=index,
                           delta={"type": "text_delta", "text": piece})
        elif block["type"] == "thinking":
            yield told("content_block_start", index=index, content_block={**block, "thinking": ""})
            for piece in pieces_of(block["thinking"]):
                yield told("content_block_delta", index=index,
                           delta={"type": "thinking_delta", "thinking": piece})
        else:
            yield told("content_block_start", index=index, content_block={**block, "input": {}})
            yield told("content_block_delta", index=index,
                       delta={"type": "input_json_delta", "partial_json": json.dumps(block["input"])})
        yield told("content_block_stop", index=index)
    yield told("message_delta",
               delta={"stop_reason": answer.get("reason", "tool_use" if answer.get("calls")
                                                else "end_turn")},
               **({"usage": {"output_tokens": usage["output"]}} if usage else {}))
    yield told("message_stop")


def anthropic_whole(answer):
    reply = {"id": "m1", "type": "message", "role": "assistant",
             "content": list(anthropic_blocks(answer)),
             "stop_reason": answer.get("reason", "end_turn")}
    if usage := answer.get("usage"):
        reply["usage"] = {**anthropic_input(usage), "output_tokens": usage["output"]}
    return reply


def render(path, request, answer):
    """The pieces of the body, and its type."""
    is_openai = path.endswith("/chat/completions")
    if request.get("stream"):
        pieces = list((openai_stream if is_openai else anthropic_stream)(answer))
        return pieces, "text/event-stream"
    whole = (openai_whole if is_openai else anthropic_whole)(answer)
    return [dump(whole)], "application/json"


def spoil(pieces, answer):
    if "garbage" in answer:
        middle = len(pieces) // 2
        text = answer["garbage"].encode("utf-8", "surrogateescape")
        if len(pieces) == 1:
            half = len(pieces[0]) // 2
            pieces = [pieces[0][:half], pieces[0][half:]]
            middle = 1
        pieces = pieces[:middle] + [text] + pieces[middle:]
    if "corrupt" in answer:
        whole = bytearray(b"".join(pieces))
        for at, byte in answer["corrupt"]:
            if whole:
                whole[at % len(whole)] = byte
        pieces = [bytes(whole)]
    length = answer.get("cut", answer.get("stall"))
    if length is not None:
        pieces = [b"".join(pieces)[:length]]
    if size := answer.get("drip"):
        whole = b"".join(pieces)
        pieces = [whole[at:at + size] for at in range(0, len(whole), size)]
    return pieces


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def hold(self):
        select.select([self.connection], [], [])  # readable: it was closed

    def do_POST(self):
        self.close_connection = True
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = json.loads(body)
        answer = self.server.answer(request, {**self.headers, ":path": self.path})
        if answer.get("wait") and select.select([self.connection], [], [], answer["wait"])[0]:
            return
        if answer.get("silent"):
            return self.hold()
        if answer.get("drop"):
            return
        headers = dict(answer.get("headers", {}))
        if "location" in answer:
            headers["Location"] = answer["location"].replace("URL", self.server.url)
        if "body" in answer or answer.get("status", 200) != 200:
            body = answer.get("body", "")
            pieces, kind = [body if isinstance(body, bytes) else body.encode()], "application/json"
        else:
            pieces, kind = render(self.path.partition("?")[0], request, answer)
        self.send_response(answer.get("status", 200))
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        if "cut" in answer or "stall" in answer: # so that the client can tell
            self.send_header("Content-Length", str(sum(map(len, pieces))))
        self.end_headers()
        for piece in spoil(pieces, answer):
            self.wfile.write(piece)
            self.wfile.flush()
            if answer.get("pause"):
                time.sleep(answer["pause"])
        if "stall" in answer:
            self.hold()


class Endpoint(http.server.ThreadingHTTPServer):
    """answer(request, headers): the answer, as above; headers[":path"] is the path. Runs until close."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.thread = threading.Thread(target=self.serve_forever, args=[0.05], daemon=True)
        self.thread.start()

    def handle_error(self, request, client_address):
        pass  # the other side has gone

    def close(self):
        self.shutdown()
        self.server_close()
