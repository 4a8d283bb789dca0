"""A receiver of OTLP/HTTP with JSON for tests, which checks what it is sent.

    with Receiver() as receiver:
        ... receiver.url ...
    receiver.spans()

The checks are those of the protocol's protobuf files: fields and their types, ids in hex, 64-bit
numbers as text. Where Debian's python3-opentelemetry-proto is installed (not in Debian 12), its
classes read each request too.
"""
import base64
import http.server
import json
import re
import threading

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
except ImportError:
    trace_service_pb2 = None


def check(condition, what):
    if not condition:
        raise AssertionError("no OTLP: %r" % (what,))


def fields(thing, required, optional=()):
    check(isinstance(thing, dict), thing)
    check(set(required) <= set(thing) <= set(required) | set(optional), thing)


def is_int64(value):
    return isinstance(value, str) and re.fullmatch(r"-?\d{1,19}", value)


def check_value(value):
    check(isinstance(value, dict) and len(value) == 1, value)
    (kind, content), = value.items()
    if kind == "stringValue":
        check(isinstance(content, str), value)
    elif kind == "intValue":
        check(is_int64(content), value)
    elif kind == "doubleValue":
        check(isinstance(content, (int, float)), value)
    elif kind == "boolValue":
        check(isinstance(content, bool), value)
    elif kind == "arrayValue":
        fields(content, ["values"])
        for item in content["values"]:
            check_value(item)
    else:
        check(False, value)


def check_attributes(attributes):
    for attribute in attributes:
        fields(attribute, ["key", "value"])
        check_value(attribute["value"])
    keys = [attribute["key"] for attribute in attributes]
    check(len(set(keys)) == len(keys), keys)


def check_span(span):
    fields(span, ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"],
           ["parentSpanId", "traceState", "flags", "attributes", "status"])
    check(re.fullmatch("[0-9a-f]{32}", span["traceId"]) and int(span["traceId"], 16), span)
    for name in ("spanId", "parentSpanId"):
        if name in span:
            check(re.fullmatch("[0-9a-f]{16}", span[name]) and int(span[name], 16), span)
    check(span["kind"] in range(1, 6) and isinstance(span["name"], str), span)
    times = span["startTimeUnixNano"], span["endTimeUnixNano"]
    check(all(map(is_int64, times)) and int(times[0]) <= int(times[1]), span)
    check_attributes(span["attributes"])
    fields(span["status"], [], ["code", "message"])
    check(span["status"].get("code", 0) in (0, 1, 2), span)


def check_request(request):
    fields(request, ["resourceSpans"])
    for of_resource in request["resourceSpans"]:
        fields(of_resource, ["resource", "scopeSpans"], ["schemaUrl"])
        fields(of_resource["resource"], ["attributes"])
        check_attributes(of_resource["resource"]["attributes"])
        for of_scope in of_resource["scopeSpans"]:
            fields(of_scope, ["scope", "spans"], ["schemaUrl"])
            fields(of_scope["scope"], ["name"], ["version"])
            for span in of_scope["spans"]:
                check_span(span)
    if trace_service_pb2:
        # protobuf's own JSON has ids in base64, OTLP's in hex.
        text = re.sub(r'"(traceId|spanId|parentSpanId)": "([0-9a-f]+)"', lambda match: '"%s": "%s"' % (
            match[1], base64.b64encode(bytes.fromhex(match[2])).decode()), json.dumps(request))
        json_format.Parse(text, trace_service_pb2.ExportTraceServiceRequest())


def plain(value):
    (kind, content), = value.items()
    if kind == "arrayValue":
        return [plain(item) for item in content["values"]]
    return int(content) if kind == "intValue" else content


def attributes_of(thing):
    return {attribute["key"]: plain(attribute["value"]) for attribute in thing["attributes"]}


def spans_of(request):
    """Spans with their attributes as a dict."""
    return [{**span, "attributes": attributes_of(span)} for of_resource in request["resourceSpans"]
            for of_scope in of_resource["scopeSpans"] for span in of_scope["spans"]]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *ignored):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        owner = self.server.owner
        owner.texts.append(body.decode())
        owner.paths.append(self.path)
        owner.types.append(self.headers["Content-Type"])
        if owner.event:
            owner.event.wait()  # until the test has seen that nobody waits for this
            return
        self.send_response(owner.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


class Receiver:
    def __init__(self, status=200, is_stuck=False):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.owner = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.status, self.event = status, threading.Event() if is_stuck else None
        self.texts, self.paths, self.types = [], [], []

    def requests(self):
        found = [json.loads(text) for text in self.texts]
        for request in found:
            check_request(request)
        return found

    def spans(self):
        return [span for request in self.requests() for span in spans_of(request)]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *ignored):
        if self.event:
            self.event.set()
        self.server.shutdown()
        self.server.server_close()
