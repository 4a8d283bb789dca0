"""An MCP server on stdio that offers the tools of a file, and answers calls with their arguments.

usage: tools_server.py FILE

FILE is the JSON list of tools/list, which goes out as it stands.
"""
import json
import sys


def say(number, body):
    sys.stdout.write('{"jsonrpc": "2.0", "id": %s, %s}\n' % (json.dumps(number), body))
    sys.stdout.flush()


with open(sys.argv[1]) as file:
    tools = file.read().replace("\n", " ")

for line in sys.stdin:
    message = json.loads(line)
    number, method = message.get("id"), message["method"]
    if number is None:
        continue
    if method == "initialize":
        info = {"name": "tools", "version": "1"}
        say(number, '"result": ' + json.dumps({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}))
    elif method == "tools/list":
        say(number, '"result": {"tools": %s}' % tools)
    elif method == "tools/call":
        text = json.dumps(message["params"].get("arguments"))
        say(number, '"result": ' + json.dumps({"content": [{"type": "text", "text": text}]}))
    else:
        say(number, '"error": {"code": -32601, "message": "there is no such method"}')
