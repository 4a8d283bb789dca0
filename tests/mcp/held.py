"""snug mcp: a call that is held for more than ten minutes, in real time, by both kinds of revisions at once.

usage: held.py [SECONDS]
"""

import json
import os
import sys
import time

from speaking import LEGACY, META, ServerCase, main, text
from test_http import WebCase

HELD = float(sys.argv.pop(1)) if len(sys.argv) > 1 else 610
FORMS = {META + "clientCapabilities": {"elicitation": {}}}
OPTIONS = ("--timeout", "5s", "--tool", "upper=tr a-z A-Z", "--tool-rule", "*=ask")
CODE = "n = globals().get('n', 0) + 1\n[upper(text='x')['TEXT'], n]"
YES = {"action": "accept", "content": {"answer": "once"}}


def cpu_seconds(pid):
    """Of the process, without its workers."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Held(WebCase, ServerCase):
    def test_a_call_is_held_for_more_than_ten_minutes(self):
        s, w = self.server(*OPTIONS, state=os.path.join(self.folder, "other")), self.web(*OPTIONS)
        arguments = {"code": CODE}
        asked = s.request("tools/call", _meta=FORMS, name="run_python", arguments=arguments)["result"]
        w.legacy("initialize", protocolVersion=LEGACY, capabilities={"elicitation": {}}, clientInfo={"name": "t", "version": "1"})
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "run_python", "arguments": arguments}}
        connection, response = w.open(message, Mcp_Session_Id=w.session, MCP_Protocol_Version=LEGACY)
        data = (json.loads(line[6:]) for line in response if line.startswith(b"data: "))
        question = next(data)
        before = cpu_seconds(s.process.pid), cpu_seconds(w.process.pid)
        time.sleep(HELD)
        used = cpu_seconds(s.process.pid) - before[0], cpu_seconds(w.process.pid) - before[1]
        self.assertLess(max(used), 0.01 * HELD + 1, used)

        params = {"inputResponses": {key: YES for key in asked["inputRequests"]}, "requestState": asked["requestState"]}
        result = s.request("tools/call", _meta=FORMS, name="run_python", arguments=arguments, **params)["result"]
        self.assertEqual(result["structuredContent"]["value"]["json"], ["X", 1], text(result))
        w.exchange({"jsonrpc": "2.0", "id": question["id"], "result": YES}, Mcp_Session_Id=w.session, MCP_Protocol_Version=LEGACY)
        result = next(data)["result"]
        self.assertEqual(result["structuredContent"]["value"]["json"], ["X", 1], text(result))
        connection.close()
        print(f"held for {HELD:g} s; processor time of the servers meanwhile: {used[0]:.2f} s and {used[1]:.2f} s")


if __name__ == "__main__":
    main()
