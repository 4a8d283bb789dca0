"""An HTTP server for MCP that answers a call with bytes, as the name of the tool says. In threads of the test."""
import json
import socket
import struct
import threading
import time

TOOLS = {}


def tool(function):
    TOOLS[function.__name__] = function
    return function


def message(number, text):
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": text}]}}).encode()


def reply(body, status="200 OK", kind="application/json", length=None, more=""):
    return (f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body) if length is None else length}\r\n"
            f"{more}\r\n").encode() + body


def events(body):
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + body


# Each gets the connection, the id and the arguments, and answers whether the connection stays.

@tool
def echo(peer, number, arguments):
    peer.sendall(reply(message(number, arguments["text"])))
    return True


@tool
def drip(peer, number, arguments):
    for byte in reply(message(number, "drop by drop")):
        peer.sendall(bytes([byte]))
        time.sleep(0.001)
    return True


@tool
def reset(peer, number, arguments):
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@tool
def hang_up(peer, number, arguments):
    pass


@tool
def cut(peer, number, arguments):
    peer.sendall(reply(message(number, "cut")[:-10], length=1000))


@tool
def no_http(peer, number, arguments):
    peer.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")


@tool
def many_headers(peer, number, arguments):
    peer.sendall(reply(message(number, "many"), more="".join(f"X-{n}: {'x' * 1000}\r\n" for n in range(5000))))


@tool
def bad_chunk(peer, number, arguments):
    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n")


@tool
def chunks(peer, number, arguments):
    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    for byte in message(number, "in chunks"):
        peer.sendall(b"1\r\n" + bytes([byte]) + b"\r\n")
    peer.sendall(b"0\r\n\r\n")
    return True


@tool
def empty(peer, number, arguments):
    peer.sendall(reply(b""))
    return True


@tool
def no_content(peer, number, arguments):
    peer.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
    return True


@tool
def accepted(peer, number, arguments):
    peer.sendall(reply(b"", "202 Accepted"))
    return True


@tool
def array(peer, number, arguments):
    peer.sendall(reply(b"[" + message(number, "in a batch") + b"]"))
    return True


@tool
def charset(peer, number, arguments):
    peer.sendall(reply(message(number, "h\u00e9"), kind="Application/JSON; charset=utf-8"))
    return True


@tool
def lines_of_events(peer, number, arguments):
    text = message(number, "in lines").replace(b", ", b",\r\ndata:")
    peer.sendall(events(b"\xef\xbb\xbf: comment\r\n\r\nid: 7\r\nretry: 1\r\nevent: message\r\ndata:" + text + b"\r\n\r\n"))


@tool
def other_events(peer, number, arguments):
    peer.sendall(events(b"event: ping\ndata: not for us\n\ndata:\n\nevent: message\ndata: " + message(number, "last") + b"\n\n"))


@tool
def two_answers(peer, number, arguments):
    peer.sendall(events(b"data: " + message(number, "first") + b"\n\ndata: " + message(number, "second") + b"\n\n"))


@tool
def asks(peer, number, arguments):
    asked = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "sampling/createMessage", "params": {}}).encode()
    peer.sendall(events(b"data: " + asked + b"\n\ndata: " + message(number, "asked") + b"\n\n"))


@tool
def silent(peer, number, arguments):
    peer.recv(1)


@tool
def for_ever(peer, number, arguments):
    peer.sendall(events(b""))
    while True:
        peer.sendall(b": " + b"x" * 1000 + b"\n\n")


class Server:
    def __init__(self, port=0):
        self.socket = socket.create_server(("127.0.0.1", port))
        self.port = self.socket.getsockname()[1]
        self.peers, self.called = [], []  # connections, and names of tools
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer = self.socket.accept()[0]
            except OSError:
                return
            self.peers.append(peer)
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        try:
            stays, rest = True, b""
            while stays:
                while b"\r\n\r\n" not in rest:
                    rest += self.more(peer)
                head, rest = rest.split(b"\r\n\r\n", 1)
                length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                while len(rest) < length:
                    rest += self.more(peer)
                stays = self.answer(peer, json.loads(rest[:length]))
                rest = rest[length:]
        except (OSError, StopIteration):  # the peer has gone, or asks for something else than a POST
            pass
        peer.close()

    @staticmethod
    def more(peer):
        return peer.recv(65536) or Server.gone()

    @staticmethod
    def gone():
        raise OSError

    def answer(self, peer, asked):
        number, method, params = asked.get("id"), asked["method"], asked.get("params", {})
        results = {"server/discover": {"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "public",
                                       "capabilities": {"tools": {}}},
                   "tools/list": {"resultType": "complete", "ttlMs": 3600000, "cacheScope": "public",
                                  "tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}}
        if method == "tools/call":
            self.called.append(params["name"])
            return TOOLS[params["name"]](peer, number, params["arguments"])
        if method in results:
            peer.sendall(reply(json.dumps({"jsonrpc": "2.0", "id": number, "result": results[method]}).encode()))
        else:
            peer.sendall(reply(b"", "202 Accepted"))
        return True

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for peer in self.peers:
            try:
                peer.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
