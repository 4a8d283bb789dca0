"""snug mcp asks its client about calls of tools: input_required, and elicitation/create."""

import json
import os
import re
import sys
import threading
import time

from speaking import LEGACY, META, MODERN, SECONDS, ServerCase, main, text
from test_http import WebCase

FORMS = {META + "clientCapabilities": {"elicitation": {}}}
ASK = ("--tool-rule", "*=ask")
UPSTREAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli", "mcp_server.py")
# How often it has run stays in the session.
COUNTED = "runs = globals().get('runs', 0) + 1\n"


def accepts(word):
    return {"action": "accept", "content": {"answer": word}}


class Asked(ServerCase):
    def setUp(self):
        super().setUp()
        self.noted = os.path.join(self.folder, "noted")
        word = """sed 's/.*: "//; s/"}//' | tr -d '\\n'"""  # the only argument
        self.options = ("--tool", f"note={word} | tee -a '{self.noted}'", "--tool", f"upper={word} | tr a-z A-Z", *ASK)

    def start_server(self, *more, **how):
        return self.server(*self.options, *more, **how)

    def what_was_noted(self):
        if not os.path.exists(self.noted):
            return ""
        with open(self.noted, encoding="utf-8") as file:
            return file.read()

    @staticmethod
    def session(s):
        return s.tool("run_python", code="1", session="new")["structuredContent"]["session"]

    def ask(self, s, code, **more):
        arguments = {"code": code, "session": "new", **more}
        asked = s.request("tools/call", _meta=FORMS, name="run_python", arguments=arguments)["result"]
        return arguments, asked

    def retry(self, s, arguments, asked, word=None, **given):
        """The answer to the same request with word for all that is asked."""
        responses = {key: accepts(word) for key in asked["inputRequests"]} if word else {}
        params = {"inputResponses": responses, "requestState": asked["requestState"], **given}
        return s.request("tools/call", _meta=FORMS, name="run_python", arguments=arguments, **params)


class Rounds(Asked):
    def test_a_retry_with_the_answer_joins_the_cell_that_waits(self):
        s = self.start_server()
        arguments, asked = self.ask(s, COUNTED + "[note(text='hello'), runs]")
        self.assertEqual(asked["resultType"], "input_required")
        (request,) = asked["inputRequests"].values()
        self.assertEqual((request["method"], request["params"]["mode"]), ("elicitation/create", "form"))
        self.assertIn('note(text="hello")', request["params"]["message"])
        answer = request["params"]["requestedSchema"]["properties"]["answer"]
        self.assertEqual(answer["enum"], ["once", "always", "refuse"])
        self.assertEqual(self.what_was_noted(), "")
        result = self.retry(s, arguments, asked, "once")["result"]
        self.assertEqual((result["resultType"], result["isError"]), ("complete", False))
        self.assertEqual(result["structuredContent"]["value"]["json"], ["hello", 1])
        self.assertEqual(self.what_was_noted(), "hello")
        self.assertEqual(result["structuredContent"]["tool_calls"][0]["status"], "ok")

    def test_each_question_of_a_cell_is_a_round(self):
        s = self.start_server()
        arguments, asked = self.ask(s, COUNTED + "print(1)\n[[upper(text=t) for t in 'abc'], runs]")
        keys = set()
        for _ in range(3):
            self.assertEqual(asked["resultType"], "input_required")
            keys |= set(asked["inputRequests"])
            asked = self.retry(s, arguments, asked, "once")["result"]
        self.assertEqual(len(keys), 3)
        self.assertEqual(asked["structuredContent"]["value"]["json"], [["A", "B", "C"], 1])

    def test_always_is_for_the_session(self):
        s = self.start_server()
        arguments, asked = self.ask(s, "[upper(text=t) for t in 'abc']")
        result = self.retry(s, arguments, asked, "always")["result"]
        self.assertEqual(result["structuredContent"]["value"]["json"], ["A", "B", "C"])
        session = result["structuredContent"]["session"]
        _, again = self.ask(s, "upper(text='d')", session=session)
        self.assertEqual(again["structuredContent"]["value"]["json"], "D")
        _, other = self.ask(s, "upper(text='d')")
        self.assertEqual(other["resultType"], "input_required")

    def test_calls_at_one_time_are_asked_about_together_and_some_can_be_answered(self):
        s = self.start_server("--threads", "4")
        code = ("import threading\nout = {}\ndef go(t):\n    out[t] = upper(text=t)\n"
                "ts = [threading.Thread(target=go, args=(t,)) for t in 'ab']\n"
                "[t.start() for t in ts]\n[t.join() for t in ts]\nout")
        arguments, asked = self.ask(s, code)
        while len(asked["inputRequests"]) < 2:  # the threads may begin in two slices
            asked = self.retry(s, arguments, asked)["result"]
        first, second = sorted(asked["inputRequests"])
        left = self.retry(s, arguments, asked, inputResponses={first: accepts("once")})["result"]
        self.assertEqual((left["resultType"], list(left["inputRequests"])), ("input_required", [second]))
        done = self.retry(s, arguments, left, "once")["result"]
        self.assertEqual(done["structuredContent"]["value"]["json"], {"a": "A", "b": "B"})

    def test_what_is_not_approved_is_refused_and_can_be_caught(self):
        s = self.start_server()
        for response, says in ((accepts("refuse"), "refused"), ({"action": "decline"}, "refused"), ({"action": "cancel"}, "dismissed")):
            arguments, asked = self.ask(s, "note(text='x')")
            (key,) = asked["inputRequests"]
            result = self.retry(s, arguments, asked, inputResponses={key: response})["result"]
            self.assertTrue(result["isError"])
            self.assertIn("ToolRefused", text(result))
            self.assertIn(says, text(result))
        arguments, asked = self.ask(s, "try:\n    note(text='x')\nexcept ToolRefused:\n    print('no')")
        self.assertIn("no", text(self.retry(s, arguments, asked, "refuse")["result"]))
        self.assertEqual(self.what_was_noted(), "")

    def test_an_answer_that_is_missing_is_asked_for_again(self):
        s = self.start_server()
        arguments, asked = self.ask(s, COUNTED + "[note(text='x'), runs]")
        (key,) = asked["inputRequests"]
        for responses in ({}, {"other": accepts("once")}, {key: {"action": "accept"}}, {key: accepts("maybe")},
                          {key: {"action": "accept", "content": {"answer": 3}}}, {key: {"action": "yes"}}, {key: "once"}, {key: {}}, [], "x", 3):
            again = self.retry(s, arguments, asked, inputResponses=responses)["result"]
            self.assertEqual((again["resultType"], list(again["inputRequests"])), ("input_required", [key]))
        self.assertEqual(self.retry(s, arguments, asked, "once")["result"]["structuredContent"]["value"]["json"], ["x", 1])

    def test_one_request_at_a_time_waits_for_a_cell(self):
        s = self.start_server()
        arguments, asked = self.ask(s, COUNTED + "import time\nr = note(text='x')\ntime.sleep(0.5)\n[r, runs]")
        params = {"inputResponses": {key: accepts("once") for key in asked["inputRequests"]}, "requestState": asked["requestState"]}
        first, second = [s.start("tools/call", _meta=FORMS, name="run_python", arguments=arguments, **params) for _ in range(2)]
        self.assertIn("another request waits", s.answer(second)["error"]["message"])
        self.assertEqual(s.answer(first)["result"]["structuredContent"]["value"]["json"], ["x", 1])
        self.assertEqual(self.what_was_noted(), "x")
        self.assertIn("no cell that waits here", self.retry(s, arguments, asked, "once")["error"]["message"])

    def test_a_late_retry_of_an_earlier_round_has_what_is_asked_now(self):
        s = self.start_server()
        arguments, first = self.ask(s, COUNTED + "[upper(text='a') + upper(text='b'), runs]")
        second = self.retry(s, arguments, first, "once")["result"]
        again = self.retry(s, arguments, first, "refuse")["result"]
        self.assertEqual(list(again["inputRequests"]), list(second["inputRequests"]))
        self.assertEqual(self.retry(s, arguments, second, "once")["result"]["structuredContent"]["value"]["json"], ["AB", 1])

    def test_the_state_of_an_earlier_round_answers_nothing_that_is_asked_later(self):
        s = self.start_server()
        arguments, first = self.ask(s, COUNTED + "[upper(text='a'), note(text='b'), runs]")
        second = self.retry(s, arguments, first, "once")["result"]
        (key,) = second["inputRequests"]
        for word in "once", "always", "refuse":
            again = self.retry(s, arguments, first, inputResponses={key: accepts(word)})["result"]
            self.assertEqual((again["resultType"], list(again["inputRequests"])), ("input_required", [key]))
        self.assertEqual(self.what_was_noted(), "")
        self.assertEqual(self.retry(s, arguments, second, "once")["result"]["structuredContent"]["value"]["json"], ["A", "b", 1])

    def test_calls_that_are_approved_together_are_made_in_their_order(self):
        log = os.path.join(self.folder, "log")
        s = self.server("--upstream", f"a=LOG='{log}' exec '{sys.executable}' '{UPSTREAM}'", *ASK)
        arguments, asked = self.ask(s, "import asyncio\nlen(await asyncio.gather(*[a.echo(text=t) for t in 'abcdefgh']))")
        for _ in range(100):
            if len(asked["inputRequests"]) == 8:
                break
            asked = self.retry(s, arguments, asked)["result"]
        self.assertEqual(self.retry(s, arguments, asked, "once")["result"]["structuredContent"]["value"]["json"], 8)
        with open(log, encoding="utf-8") as file:
            calls = [message for message in map(json.loads, file) if message.get("method") == "tools/call"]
        self.assertEqual("".join(message["params"]["arguments"]["text"] for message in calls), "abcdefgh")

    def test_very_many_calls_are_asked_about_in_one_round(self):
        s = self.start_server("--tool-calls", "1500")
        code = ("import asyncio\nasync def one(n):\n    try:\n        await note(text=str(n))\n    except ToolRefused:\n        return n\n"
                "sum(await asyncio.gather(*[one(n) for n in range(1500)]))")
        arguments, asked = self.ask(s, code)
        for _ in range(200):
            if len(asked["inputRequests"]) == 1500:
                break
            asked = self.retry(s, arguments, asked)["result"]
        self.assertEqual(self.retry(s, arguments, asked, "refuse")["result"]["structuredContent"]["value"]["json"], 1124250)

    def test_who_does_not_come_back_in_time_has_refused(self):
        s = self.start_server("--approval-timeout", "400ms")
        session = self.session(s)
        arguments, asked = self.ask(s, COUNTED + "note(text='x')", session=session)
        # Behind it, in the same session.
        self.assertEqual(s.tool("run_python", code="runs", session=session)["structuredContent"]["value"]["json"], 1)
        self.assertIn("its cell is over", self.retry(s, arguments, asked, "once")["error"]["message"])
        self.assertEqual(self.what_was_noted(), "")

    def test_a_cell_of_which_nobody_waits_is_not_asked_about_for_ever(self):
        s = self.start_server("--approval-timeout", "300ms")
        code = "said = []\nfor _ in range(3):\n    try:\n        note(text='x')\n    except ToolRefused as e:\n        said.append(str(e))"
        session = self.session(s)
        arguments, asked = self.ask(s, code, session=session)
        said = s.tool("run_python", code="said", session=session)["structuredContent"]["value"]["json"]
        self.assertIn("nobody has answered", said[0])
        self.assertIn("no request of the client waits", said[1])
        self.assertIn("no request of the client waits", said[2])

    def test_a_requestState_that_is_not_this_one_is_refused(self):
        s = self.start_server()
        arguments, asked = self.ask(s, "note(text='x')")
        state = asked["requestState"]
        cell, number = state.split(".")
        wrong = ["", "x", ".", cell, cell[:-1] + "." + number, cell + "a." + number, "." + number, state.swapcase(), "A" * 10000, 3, None, {}]
        for one in wrong:
            error = self.retry(s, arguments, asked, "once", requestState=one)["error"]
            self.assertEqual(error["code"], -32602, one)
            self.assertIn("requestState", error["message"])
        alone = s.request("tools/call", _meta=FORMS, name="run_python", arguments=arguments, inputResponses={})
        self.assertEqual(alone["error"]["code"], -32602)
        foreign = self.start_server(state=os.path.join(self.folder, "other"))
        self.assertEqual(self.retry(foreign, arguments, asked, "once")["error"]["code"], -32602)
        self.assertEqual(self.what_was_noted(), "")
        self.assertEqual(self.retry(s, arguments, asked, "once")["result"]["structuredContent"]["value"]["json"], "x")

    def test_who_takes_no_forms_is_told_and_the_call_refused(self):
        s = self.start_server()
        for capabilities in ({}, {"elicitation": {"url": {}}}, {"elicitation": 3}):
            result = s.answer(s.start_tool("run_python", code="note(text='x')", _meta={META + "clientCapabilities": capabilities}))["result"]
            self.assertEqual((result["resultType"], result["isError"]), ("complete", True))
            self.assertIn("this MCP client does not take elicitation", text(result))
        self.assertEqual(self.what_was_noted(), "")

    def test_what_is_shown_is_cleaned_and_cut(self):
        s = self.start_server()
        _, asked = self.ask(s, "note(text='\\x1b[2Ja\\r\\nb' + 'x' * 100000)")
        (request,) = asked["inputRequests"].values()
        message = request["params"]["message"]
        self.assertNotRegex(message, r"[\x00-\x1f\x7f]")
        self.assertRegex(message, r"\.\.\. \(\d+ more bytes\)")
        self.assertLess(len(message), 3000)

    def test_a_cancelled_retry_interrupts_its_cell(self):
        s = self.start_server()
        session = self.session(s)
        arguments, asked = self.ask(s, "x = 1\nnote(text='x')\nwhile True: pass", session=session)
        params = {"inputResponses": {key: accepts("once") for key in asked["inputRequests"]}, "requestState": asked["requestState"]}
        id = s.start("tools/call", _meta=FORMS, name="run_python", arguments=arguments, **params)
        for _ in range(500):
            if self.what_was_noted() == "x":
                break
            time.sleep(0.02)
        s.cancel(id)
        self.assertEqual(s.tool("run_python", code="x", session=session)["structuredContent"]["value"]["json"], 1)
        self.assertIn("no cell that waits here", self.retry(s, arguments, asked, "once")["error"]["message"])

    def test_progress_goes_to_the_request_that_has_joined(self):
        s = self.start_server()
        code = "import time\nfor i in range(20):\n    print('early', i)\n    time.sleep(0.02)\nnote(text='x')\nfor i in range(20):\n    print('late', i)\n    time.sleep(0.02)"
        asked = s.request("tools/call", _meta={**FORMS, "progressToken": "one"}, name="run_python", arguments={"code": code})["result"]
        params = {"inputResponses": {key: accepts("once") for key in asked["inputRequests"]}, "requestState": asked["requestState"]}
        s.request("tools/call", _meta={**FORMS, "progressToken": "two"}, name="run_python", arguments={"code": code}, **params)
        said = {"one": "", "two": ""}
        while not s.told.empty():
            told = s.told.get()["params"]
            said[told["progressToken"]] += told["message"]
        self.assertIn("early 0", said["one"])
        self.assertNotIn("late", said["one"])
        self.assertIn("late 0", said["two"])

    def test_the_end_of_the_server_ends_cells_that_wait(self):
        s = self.start_server()
        self.ask(s, "note(text='x')")
        self.assertEqual((s.close(), s.process.returncode), ("", 0))
        self.assertEqual(self.what_was_noted(), "")

    def test_a_session_that_is_lost_while_it_waits_is_told(self):
        s = self.start_server()
        arguments, asked = self.ask(s, "note(text='x')")
        workers = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_worker_of(int(pid), s.process.pid)]
        self.assertTrue(workers)
        for pid in workers:
            os.kill(pid, 9)
        # Which needs another worker: from here on the server knows.
        self.assertEqual(s.tool("run_python", code="6 * 7")["structuredContent"]["value"]["json"], 42)
        self.assertIn("its cell is over", self.retry(s, arguments, asked, "once")["error"]["message"])
        self.assertEqual(self.what_was_noted(), "")


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def is_worker_of(pid, ancestor):
    above = parent_of(pid)
    while above > 1 and above != ancestor:
        above = parent_of(above)
    return above == ancestor


class Older(Asked):
    def older(self, *more, capabilities=None):
        s = self.start_server(*more, era=None)
        s.request("initialize", protocolVersion=LEGACY, capabilities={"elicitation": {}} if capabilities is None else capabilities,
                  clientInfo={"name": "t", "version": "1"})
        s.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return s

    def answer_one(self, s, **how):
        asked = s.told.get(timeout=SECONDS)
        self.assertEqual(asked["method"], "elicitation/create")
        s.send({"jsonrpc": "2.0", "id": asked["id"], **how})
        return asked

    def test_an_older_client_is_asked_on_its_way(self):
        for elicitation in ({"form": {}}, {}):
            s = self.older(capabilities={"elicitation": elicitation})
            id = s.start_tool("run_python", code="[upper(text='a'), upper(text='b')]")
            for word in "ab":
                asked = self.answer_one(s, result=accepts("once"))
                self.assertIn(f'upper(text="{word}")', asked["params"]["message"])
                self.assertNotIn("mode", asked["params"])
                self.assertEqual(asked["params"]["requestedSchema"]["properties"]["answer"]["enum"], ["once", "always", "refuse"])
            self.assertEqual(s.answer(id)["result"]["structuredContent"]["value"]["json"], ["A", "B"])
            id = s.start_tool("run_python", code="[upper(text=t) for t in 'cde']")
            self.answer_one(s, result=accepts("always"))
            self.assertEqual(s.answer(id)["result"]["structuredContent"]["value"]["json"], ["C", "D", "E"])
            s.close()

    def test_what_an_older_client_does_not_approve_is_refused(self):
        s = self.older()
        answers = (({"result": accepts("refuse")}, "refused"), ({"result": {"action": "decline"}}, "refused"),
                   ({"result": {"action": "cancel"}}, "dismissed"), ({"result": accepts("yes")}, "once, always or refuse"),
                   ({"result": {}}, "once, always or refuse"), ({"error": {"code": -1, "message": "no"}}, "could not ask"))
        for how, says in answers:
            id = s.start_tool("run_python", code="note(text='x')")
            self.answer_one(s, **how)
            result = s.answer(id)["result"]
            self.assertTrue(result["isError"])
            self.assertIn(says, text(result))
        self.assertEqual(self.what_was_noted(), "")

    def test_an_older_client_that_takes_no_forms_is_told(self):
        for capabilities in ({}, {"elicitation": {"url": {}}}):
            s = self.older(capabilities=capabilities)
            result = s.tool("run_python", code="note(text='x')")
            self.assertIn("this MCP client does not take elicitation", text(result))
            s.close()

    def test_a_question_that_nobody_answers_is_withdrawn(self):
        s = self.older("--approval-timeout", "300ms")
        result = s.tool("run_python", code="note(text='x')")
        self.assertIn("nobody has answered for 0.3 s", text(result))
        asked, withdrawn = s.told.get(timeout=SECONDS), s.told.get(timeout=SECONDS)
        self.assertEqual((withdrawn["method"], withdrawn["params"]["requestId"]), ("notifications/cancelled", asked["id"]))
        s.send({"jsonrpc": "2.0", "id": asked["id"], "result": accepts("once")})
        self.assertEqual(s.tool("run_python", code="1")["isError"], False)
        self.assertEqual(self.what_was_noted(), "")

    def test_a_request_that_waits_can_be_cancelled(self):
        s = self.older()
        session = s.tool("run_python", code="x = 3")["structuredContent"]["session"]
        id = s.start_tool("run_python", code="note(text='x')", session=session)
        s.told.get(timeout=SECONDS)
        s.cancel(id)
        self.assertEqual(s.tool("run_python", code="x", session=session)["structuredContent"]["value"]["json"], 3)
        self.assertEqual(self.what_was_noted(), "")

    def test_an_older_client_that_leaves_ends_its_cells(self):
        s = self.older()
        s.start_tool("run_python", code="note(text='x')")
        s.told.get(timeout=SECONDS)
        self.assertEqual(s.close(), "")
        self.assertEqual(s.process.returncode, 0)


class ByHttp(WebCase, Asked):
    def test_rounds_go_by_http(self):
        w = self.web(*self.options)
        arguments = {"code": COUNTED + "[upper(text='a') + upper(text='b'), runs]"}
        status, _, messages = w.modern("tools/call", _meta=FORMS, name="run_python", arguments=arguments)
        for _ in range(2):
            asked = messages[-1]["result"]
            self.assertEqual((status, asked["resultType"]), (200, "input_required"))
            params = {"inputResponses": {key: accepts("once") for key in asked["inputRequests"]}, "requestState": asked["requestState"]}
            status, _, messages = w.modern("tools/call", _meta=FORMS, name="run_python", arguments=arguments, **params)
        self.assertEqual(messages[-1]["result"]["structuredContent"]["value"]["json"], ["AB", 1])

    def test_a_requestState_of_another_principal_is_refused(self):
        w = self.web(*self.options, "--token-file", self.tokens("ada=ada-has-a-long-token\nbob=bob-has-a-long-token\n"))
        arguments = {"code": "note(text='x')"}
        ada, bob = ({"Authorization": f"Bearer {name}-has-a-long-token"} for name in ("ada", "bob"))
        asked = w.modern("tools/call", ada, FORMS, name="run_python", arguments=arguments)[2][-1]["result"]
        params = {"inputResponses": {key: accepts("once") for key in asked["inputRequests"]}, "requestState": asked["requestState"]}
        status, _, messages = w.modern("tools/call", bob, FORMS, name="run_python", arguments=arguments, **params)
        self.assertEqual((status, messages[-1]["error"]["code"]), (400, -32602))
        self.assertEqual(self.what_was_noted(), "")
        _, _, messages = w.modern("tools/call", ada, FORMS, name="run_python", arguments=arguments, **params)
        self.assertEqual(messages[-1]["result"]["structuredContent"]["value"]["json"], "x")

    def test_an_older_client_is_asked_on_the_stream_of_its_request(self):
        w = self.web(*self.options)
        w.legacy("initialize", protocolVersion=LEGACY, capabilities={"elicitation": {}}, clientInfo={"name": "t", "version": "1"})
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                   "params": {"name": "run_python", "arguments": {"code": "[upper(text='a'), upper(text='b')]"}}}
        connection, response = w.open(message, Mcp_Session_Id=w.session, MCP_Protocol_Version=LEGACY)
        last = None
        for line in response:
            if not line.startswith(b"data: "):
                continue
            last = json.loads(line[6:])
            if last.get("method") != "elicitation/create":
                break
            status, _, _ = w.exchange({"jsonrpc": "2.0", "id": last["id"], "result": accepts("once")},
                                      Mcp_Session_Id=w.session, MCP_Protocol_Version=LEGACY)
            self.assertEqual(status, 202)
        connection.close()
        self.assertEqual(last["result"]["structuredContent"]["value"]["json"], ["A", "B"])

    def test_a_client_without_a_stream_cannot_be_asked(self):
        w = self.web(*self.options)
        w.legacy("initialize", protocolVersion=LEGACY, capabilities={"elicitation": {}}, clientInfo={"name": "t", "version": "1"})
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "run_python", "arguments": {"code": "note(text='x')"}}}
        _, _, messages = w.exchange(message, Mcp_Session_Id=w.session, MCP_Protocol_Version=LEGACY, Accept="application/json")
        self.assertIn("does not take elicitation", text(messages[-1]["result"]))

    def test_another_client_cannot_answer(self):
        w = self.web(*self.options)
        w.legacy("initialize", protocolVersion=LEGACY, capabilities={"elicitation": {}}, clientInfo={"name": "t", "version": "1"})
        mine = w.session
        w.legacy("initialize", protocolVersion=LEGACY, capabilities={"elicitation": {}}, clientInfo={"name": "u", "version": "1"})
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "run_python", "arguments": {"code": "note(text='x')"}}}
        connection, response = w.open(message, Mcp_Session_Id=mine, MCP_Protocol_Version=LEGACY)
        data = (json.loads(line[6:]) for line in response if line.startswith(b"data: "))
        asked = next(data)
        for session, word in ((w.session, "once"), (mine, "refuse")):
            w.exchange({"jsonrpc": "2.0", "id": asked["id"], "result": accepts(word)}, Mcp_Session_Id=session, MCP_Protocol_Version=LEGACY)
        self.assertTrue(next(data)["result"]["isError"])
        connection.close()
        self.assertEqual(self.what_was_noted(), "")


if __name__ == "__main__":
    main()
