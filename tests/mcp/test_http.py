"""snug mcp --http: both kinds of revisions, who may ask, and what no client should send."""

import http.client
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from speaking import LEGACY, META, MODERN, SECONDS, SNUG, ServerCase, environment, main, meta, text

KINDS = "application/json, text/event-stream"
TOKEN = "a-token-of-some-length"


class Web:
    """A server, and how to speak with it."""

    def __init__(self, state, *args):
        self.process = subprocess.Popen([SNUG, "mcp", "--state", state, "--http", "0", "--structured", "full", *args], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment())
        line = self.process.stderr.readline()
        found = re.search(r"http://127.0.0.1:(\d+)/mcp", line)
        if not found:
            raise AssertionError(line)
        self.port, self.session, self.last = int(found[1]), None, 0

    def open(self, message, method="POST", path="/mcp", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        sent = {"Accept": KINDS}
        if message is not None:
            sent["Content-Type"] = "application/json"
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        sent = {name: value for name, value in sent.items() if value is not None}
        body = message if message is None or isinstance(message, (str, bytes)) else json.dumps(message)
        connection.request(method, path, body, sent)
        return connection, connection.getresponse()

    def exchange(self, message, **how):
        """Status, headers and the messages of the answer."""
        connection, response = self.open(message, **how)
        body = response.read().decode()
        connection.close()
        if response.headers.get("Content-Type") == "text/event-stream":
            messages = [json.loads(line[6:]) for line in body.split("\n") if line.startswith("data: ")]
        else:
            messages = [json.loads(body)] if body else []
        return response.status, response.headers, messages

    def modern(self, method, headers=None, _meta=None, **params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": {**params, "_meta": meta(**(_meta or {}))}}
        sent = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if name := params.get("name"):
            sent["Mcp-Name"] = name
        return self.exchange(message, **{**sent, **(headers or {})})

    def legacy(self, method, _meta=None, **params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": {**params, **({"_meta": _meta} if _meta else {})}}
        status, headers, messages = self.exchange(message, Mcp_Session_Id=self.session, MCP_Protocol_Version=LEGACY)
        if method == "initialize":
            self.session = headers["Mcp-Session-Id"]
        return status, headers, messages

    def tool(self, name, headers=None, **arguments):
        status, _, messages = self.modern("tools/call", headers, name=name, arguments=arguments)
        assert status == 200, (status, messages)
        return messages[-1]["result"]

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(SECONDS)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.said = self.process.stderr.read()
            self.process.stderr.close()


class WebCase(ServerCase):
    def web(self, *args):
        server = Web(os.path.join(self.folder, "state"), *args)
        self.addCleanup(server.end)
        return server

    def tokens(self, lines):
        path = self.file("tokens", lines)
        os.chmod(path, 0o600)
        return path


class Revisions(WebCase):
    def test_a_request_of_the_newer_revision_stands_alone(self):
        w = self.web()
        result = w.tool("run_python", code="x = 6")
        session = result["structuredContent"]["session"]
        self.assertEqual(w.tool("run_python", code="x * 7", session=session)["structuredContent"]["value"]["json"], 42)
        status, headers, messages = w.modern("server/discover")
        self.assertEqual((status, messages[0]["result"]["resultType"]), (200, "complete"))
        self.assertNotIn("Mcp-Session-Id", headers)

    def test_a_session_of_the_older_revision_has_a_session_of_its_own(self):
        w = self.web()
        alone = [w.tool("run_python", code="x = 1")["structuredContent"]["session"] for _ in range(2)]
        self.assertNotEqual(*alone)
        w.legacy("initialize", protocolVersion=LEGACY, capabilities={})
        for code in ("x = 6", "x"):
            _, _, messages = w.legacy("tools/call", name="run_python", arguments={"code": code})
        self.assertEqual(messages[-1]["result"]["structuredContent"]["value"]["json"], 6)

    def test_headers_that_do_not_match_the_body_are_refused(self):
        w = self.web()
        for headers in ({"Mcp-Method": None}, {"Mcp-Method": "tools/list"}, {"Mcp-Name": None}, {"Mcp-Name": "run_bash"},
                        {"MCP-Protocol-Version": None}, {"MCP-Protocol-Version": LEGACY}, {"Mcp-Method": "TOOLS/CALL"},
                        {"Mcp-Name": "=?base64?!!?="}):
            status, _, messages = w.modern("tools/call", headers, name="run_python", arguments={"code": "1"})
            self.assertEqual((status, messages[0]["error"]["code"], messages[0]["id"]), (400, -32020, w.last), headers)
        for same in ("=?base64?cnVuX3B5dGhvbg==?=", " run_python \t", "run_python  "):
            self.assertFalse(w.tool("run_python", {"Mcp-Name": same}, code="1")["isError"])

    def test_errors_have_the_status_that_the_newer_revision_says(self):
        w = self.web()
        self.assertEqual(w.modern("none")[0], 404)
        self.assertEqual(w.modern("none")[2][0]["error"]["code"], -32601)
        status, _, messages = w.modern("tools/list", {"MCP-Protocol-Version": "1900-01-01"}, {META + "protocolVersion": "1900-01-01"})
        self.assertEqual((status, messages[0]["error"]["code"]), (400, -32022))
        status, _, messages = w.exchange({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
                                         MCP_Protocol_Version=MODERN, Mcp_Method="tools/list")
        self.assertEqual((status, messages[0]["error"]["code"]), (400, -32602))
        self.assertEqual(w.exchange("{")[0], 400)
        self.assertEqual(w.exchange(None, method="GET")[0], 405)
        self.assertEqual(w.exchange(None, method="DELETE")[0], 405)

    def test_an_older_client_has_a_session_until_it_deletes_it(self):
        w = self.web()
        status, _, messages = w.legacy("initialize", protocolVersion=LEGACY, capabilities={})
        self.assertEqual((status, messages[0]["result"]["protocolVersion"]), (200, LEGACY))
        status, _, messages = w.exchange({"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=w.session)
        self.assertEqual((status, messages), (202, []))
        status, _, messages = w.legacy("tools/call", name="run_python", arguments={"code": "6*7"})
        self.assertEqual(messages[-1]["result"]["structuredContent"]["value"]["json"], 42)
        self.assertEqual(w.exchange(None, method="DELETE", Mcp_Session_Id=w.session)[0], 200)
        self.assertEqual(w.legacy("tools/list")[0], 404)
        w.session = None
        self.assertEqual(w.legacy("tools/list")[0], 400)
        w.session = "0" * 40
        self.assertEqual(w.legacy("ping")[0], 404)

    def test_progress_comes_as_events_before_the_answer(self):
        w = self.web()
        _, headers, messages = w.modern("tools/call", _meta={"progressToken": 7}, name="run_python",
                                        arguments={"code": "print('a', flush=True)"})
        self.assertEqual(headers["Content-Type"], "text/event-stream")
        self.assertEqual(messages[0]["params"]["progressToken"], 7)
        self.assertEqual(messages[-1]["id"], w.last)

    def test_who_hangs_up_has_cancelled(self):
        w = self.web()
        session = w.tool("run_python", code="x = 1")["structuredContent"]["session"]
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"_meta": meta(progressToken=1), "name": "run_python",
                              "arguments": {"session": session, "code": "print(1, flush=True)\nwhile True: pass"}}}
        for seen in (True, False):
            if not seen:
                del message["params"]["_meta"]["progressToken"]
                message["params"]["arguments"]["code"] = "while True: pass"
            plain = socket.create_connection(("127.0.0.1", w.port), SECONDS)
            body = json.dumps(message).encode()
            plain.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: %s\r\n"
                          b"MCP-Protocol-Version: %s\r\nMcp-Method: tools/call\r\nMcp-Name: run_python\r\n"
                          b"Content-Length: %d\r\n\r\n%s" % (KINDS.encode(), MODERN.encode(), len(body), body))
            if seen:
                self.assertIn(b"200 OK", plain.recv(100))
            plain.close()
            result = w.tool("run_python", code="x", session=session)
            self.assertEqual(result["structuredContent"]["value"]["json"], 1)

    def test_a_cell_that_runs_has_its_time_when_the_server_ends(self):
        w = self.web("--drain-time", "3600s")
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"_meta": meta(progressToken=1), "name": "run_python",
                              "arguments": {"code": "print('begun', flush=True)\nimport time\ntime.sleep(2)\n'over'"}}}
        connection, response = w.open(message, MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="run_python")
        while b"begun" not in response.readline():
            pass
        w.process.send_signal(signal.SIGTERM)
        self.assertIn(b"'over'", response.read())
        connection.close()
        self.assertEqual(w.process.wait(SECONDS), 0)

    def test_a_cell_that_goes_on_is_interrupted_after_its_part_of_the_end(self):
        w = self.web("--drain-time", "1s", "--timeout", "3600s")
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"_meta": meta(progressToken=1), "name": "run_python",
                              "arguments": {"code": "print('begun', flush=True)\nwhile True: pass"}}}
        connection, response = w.open(message, MCP_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="run_python")
        while b"begun" not in response.readline():
            pass
        w.process.send_signal(signal.SIGTERM)
        self.assertIn(w.process.wait(SECONDS), (0, 1))
        connection.close()


class Doors(WebCase):
    def test_pages_of_other_hosts_are_refused(self):
        w = self.web("--origin", "https://mine.example")
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for headers, status in (({"Host": "evil.example"}, 403), ({"Host": "localhost.evil.example"}, 403),
                                ({"Host": "127.0.0.1@evil.example"}, 403), ({"Origin": "http://evil.example"}, 403),
                                ({"Origin": "null"}, 403), ({"Origin": "http://localhost.evil.example"}, 403),
                                ({"Origin": "https://mine.example.evil"}, 403), ({"Origin": "http://localhost:3000"}, 400),
                                ({"Origin": "https://mine.example"}, 400), ({"Host": f"localhost:{w.port}"}, 400),
                                ({"Host": f"[::1]:{w.port}"}, 400)):
            self.assertEqual(w.exchange(ping, **headers)[0], status, headers)

    def test_a_token_is_asked_for_and_names_the_client(self):
        w = self.web("--token-file", self.tokens(f"# tokens\nada={TOKEN}-a\nbob={TOKEN}-b\n\n{TOKEN}-c==\n"))
        for given in (None, "", "Bearer ", "Bearer x", f"Basic {TOKEN}-a", f"Bearer {TOKEN}-aa", f"Bearer {TOKEN}-", f"Bearer ada={TOKEN}-a"):
            status, headers, _ = w.modern("server/discover", {"Authorization": given})
            self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"), given)
        as_ada, as_bob = ({"Authorization": f"Bearer {TOKEN}-{one}"} for one in "ab")
        session = w.tool("run_python", as_ada, code="x = 1")["structuredContent"]["session"]
        self.assertFalse(w.tool("run_python", as_ada, code="x", session=session)["isError"])
        self.assertIn("there is no session", text(w.tool("run_python", as_bob, code="x", session=session)))
        self.assertEqual(w.modern("server/discover", {"Authorization": f"Bearer {TOKEN}-c=="})[0], 200)

    def test_what_is_no_address_is_refused_in_a_sentence(self):
        for text, says in (("[::1", "IPv6 in brackets"), (":0", "IPv6 in brackets"), ("[]:0", "IPv6 in brackets"),
                           ("a:b:0", "IPv6 in brackets"), ("99999", "65535 at most"), ("x", "a port is missing"), ("", "expected")):
            with self.subTest(text=text):
                done = subprocess.run([SNUG, "mcp", "--state", self.folder + "/s", "--http", text], capture_output=True, timeout=SECONDS)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)
                self.assertIn(says.encode(), done.stderr)

    def test_who_listens_to_other_machines_needs_a_token(self):
        done = subprocess.run([SNUG, "mcp", "--state", self.folder + "/s", "--http", "0.0.0.0:0"], capture_output=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--token-file is needed", done.stderr)

    def test_a_token_file_of_another_user_is_refused(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give a file away")
        path, link = self.tokens(f"ada={TOKEN}\n"), self.folder + "/link"
        os.symlink(path, link)
        for name, says in (link, "symbolic links"), (path, "is not private (mode 0600, user 65534"):
            os.chown(name, 65534, -1, follow_symlinks=False)
            done = subprocess.run([SNUG, "mcp", "--state", self.folder + "/s", "--http", "0", "--token-file", name],
                                  capture_output=True, timeout=SECONDS, encoding="utf-8")
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)

    def test_a_wrong_token_file_is_one_sentence_without_the_token(self):
        for lines, mode, why in (("", 0o600, "has no token"), ("short\n", 0o600, "line 1: the token has fewer"),
                                 (TOKEN, 0o644, "chmod 600")):
            path = self.file("t", lines)
            os.chmod(path, mode)
            done = subprocess.run([SNUG, "mcp", "--state", self.folder + "/s", "--http", "0", "--token-file", path],
                                  capture_output=True, timeout=SECONDS, encoding="utf-8")
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
            self.assertNotIn(TOKEN, done.stderr)


class Shares(WebCase):
    """Of two clients, ada and bob, each has half of every limit."""

    def shared(self, *args):
        tokens = self.tokens(f"ada={TOKEN}-a\nbob={TOKEN}-b\n")
        return self.web("--token-file", tokens, *args)

    def call(self, w, who, code, tool="run_python", version=MODERN):
        """Status, headers and the message of the answer."""
        status, headers, messages = w.modern("tools/call", {"Authorization": f"Bearer {TOKEN}-{who[0]}"},
                                             {META + "clientCapabilities": {"elicitation": {"form": {}}}},
                                             name=tool, arguments={"code": code})
        return status, headers, messages[-1]

    def many(self, w, who, count, code):
        """Calls at once: their threads, and a queue of their answers."""
        answers = queue.Queue()
        threads = [threading.Thread(target=lambda: answers.put(self.call(w, who, code))) for _ in range(count)]
        for thread in threads:
            thread.start()
            self.addCleanup(thread.join)
        return answers

    def gate(self):
        """A tool that waits for a file, and its path; it waits when there is one with .waits behind."""
        path = os.path.join(self.folder, "gate")
        return f"gate=touch {path}.waits; while [ ! -e {path} ]; do sleep 0.05; done; echo 1", path

    def wait_for(self, path):
        while not os.path.exists(path):
            time.sleep(0.05)

    def test_one_cannot_take_all_threads(self):
        tool, path = self.gate()
        w = self.shared("--calls", "2", "--timeout", "600s", "--tool", tool)
        self.many(w, "ada", 3, "gate()")
        self.wait_for(path + ".waits")
        for _ in range(5):  # so that the others have come
            self.call(w, "ada", "", tool="none")
        self.assertEqual(self.call(w, "bob", "6 * 7")[2]["result"]["structuredContent"]["value"]["json"], 42)
        pathlib.Path(path).touch()

    def test_turns_go_round_and_who_has_too_many_comes_again_later(self):
        tool, path = self.gate()
        log = os.path.join(self.folder, "log")
        w = self.shared("--calls", "1", "--waiting-calls", "4", "--tool", tool, "--tool", f"note=cat >> {log}")
        self.many(w, "ada", 1, "gate()")
        self.wait_for(path + ".waits")
        for who in ("ada", "bob"):
            answers = self.many(w, who, 3, f"note(who='{who}')")
            status, headers, message = answers.get(timeout=SECONDS)
            self.assertEqual((status, headers["Retry-After"], message["error"]["code"]), (429, "1", -32000))
        pathlib.Path(path).touch()
        self.wait_for(log)
        while len(lines := pathlib.Path(log).read_text().splitlines()) < 4:
            time.sleep(0.05)
        self.assertEqual([json.loads(line)["who"] for line in lines], ["bob", "ada", "bob", "ada"])

    def test_sessions_that_cannot_be_put_away_leave_room_for_others(self):
        w = self.shared("--sessions", "4", "--tool", "ask=true", "--tool-rule", "ask=ask")
        held = [self.call(w, "ada", "ask()")[2]["result"] for _ in range(3)]
        self.assertEqual([r["resultType"] for r in held], ["input_required"] * 2 + ["complete"])
        self.assertIn("has 2 sessions open, as many as it may have, and none is idle", text(held[2]))
        self.assertFalse(self.call(w, "bob", "1")[2]["result"]["isError"])

    @unittest.skipUnless(shutil.which("bwrap"), "bubblewrap is not here")
    def test_an_idle_session_of_bash_is_closed_for_somebody_else(self):
        w = self.shared("--sessions", "2", "--share", "100")
        session = self.call(w, "ada", "true", "run_bash")[2]["result"]["structuredContent"]["session"]
        own = text(self.call(w, "ada", "true", "run_bash")[2]["result"])
        self.assertIn("none is idle but sessions of bash, which cannot be saved", own)
        for _ in range(2):
            self.assertFalse(self.call(w, "bob", "1")[2]["result"]["isError"])

    def test_clients_beyond_a_share_are_its_own_and_none_with_a_cell(self):
        tool, path = self.gate()
        w = self.shared("--clients", "4", "--tool", tool)

        def client(who):
            w.session = None
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": LEGACY, "capabilities": {}}}
            status, headers, _ = w.exchange(message, Authorization=f"Bearer {TOKEN}-{who[0]}")
            return status, headers["Mcp-Session-Id"]

        def ask(session, who, method, **params):
            message = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
            return w.exchange(message, Authorization=f"Bearer {TOKEN}-{who[0]}", Mcp_Session_Id=session)

        bob, ada = client("bob")[1], client("ada")[1]
        answers = queue.Queue()
        thread = threading.Thread(target=lambda: answers.put(ask(ada, "ada", "tools/call", name="run_python", arguments={"code": "gate()"})))
        thread.start()
        self.addCleanup(thread.join)
        self.wait_for(path + ".waits")
        further = [client("ada")[1] for _ in range(3)]
        self.assertEqual([ask(one, "ada", "ping")[0] for one in further], [404, 404, 200])
        self.assertEqual(ask(bob, "bob", "ping")[0], 200)
        pathlib.Path(path).touch()
        self.assertEqual(answers.get(timeout=SECONDS)[0], 200)

    def test_connections_beyond_a_share_are_refused(self):
        w = self.shared("--connections", "4", "--request-time", "1h")
        answers = []
        for _ in range(5):
            one = socket.create_connection(("127.0.0.1", w.port), SECONDS)
            self.addCleanup(one.close)
            one.sendall(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}-a\r\n"
                        "Content-Length: 100\r\nExpect: 100-continue\r\n\r\n".encode())
            answers.append(one.recv(1000).decode())
        self.assertEqual([answer.split()[1] for answer in answers], ["100"] * 2 + ["429"] * 3)
        self.assertIn("\r\nRetry-After: 1\r\n", answers[-1])
        self.assertFalse(self.call(w, "bob", "1")[2]["result"]["isError"])

    def test_two_tokens_without_a_name_are_two_clients(self):
        w = self.web("--token-file", self.tokens(f"{TOKEN}-a\n{TOKEN}-b\n"))
        session = self.call(w, "ada", "x = 1")[2]["result"]["structuredContent"]["session"]
        as_bob = {"Authorization": f"Bearer {TOKEN}-b"}
        self.assertIn("there is no session", text(w.tool("run_python", as_bob, code="x", session=session)))


class Endings(WebCase):
    def test_what_the_server_cancels_is_answered(self):
        for revision in (MODERN, LEGACY):
            for stream in (False, True):
                with self.subTest(revision=revision, stream=stream):
                    flag = os.path.join(self.folder, revision + str(stream))
                    w = self.web("--state", flag + ".state", "--drain-time", "1s", "--tool", f"note=touch {flag}")
                    if revision == LEGACY:
                        w.legacy("initialize", protocolVersion=LEGACY, capabilities={})
                    speak = w.modern if revision == MODERN else w.legacy
                    answers = queue.Queue()
                    thread = threading.Thread(target=lambda: answers.put(speak(
                        "tools/call", _meta={"progressToken": 1} if stream else None, name="run_python",
                        arguments={"code": "print(1, flush=True)\nnote()\nwhile True: pass"})))
                    thread.start()
                    while not os.path.exists(flag):
                        time.sleep(0.05)
                    w.process.send_signal(signal.SIGTERM)
                    status, headers, messages = answers.get(timeout=SECONDS)
                    thread.join()
                    self.assertEqual(messages[-1]["error"]["message"], "the server is ending")
                    if not stream:
                        self.assertEqual((status, headers["Retry-After"]), (503, "1"))

    def test_calls_of_a_client_that_is_deleted_are_answered(self):
        flag = os.path.join(self.folder, "flag")
        w = self.web("--tool", f"note=touch {flag}")
        w.legacy("initialize", protocolVersion=LEGACY, capabilities={})
        answers = queue.Queue()
        thread = threading.Thread(target=lambda: answers.put(w.legacy(
            "tools/call", name="run_python", arguments={"code": "note()\nwhile True: pass"})))
        thread.start()
        while not os.path.exists(flag):
            time.sleep(0.05)
        self.assertEqual(w.exchange(None, method="DELETE", Mcp_Session_Id=w.session)[0], 200)
        self.assertIn("was given up", answers.get(timeout=SECONDS)[2][0]["error"]["message"])
        thread.join()

    def test_a_signal_answers_what_runs_on_stdio(self):
        for era in (MODERN, LEGACY):
            with self.subTest(era=era):
                flag = os.path.join(self.folder, era)
                s = self.server("--tool", f"note=touch {flag}", state=flag + ".state", era=era)
                id = s.start_tool("run_python", code="note()\nwhile True: pass")
                while not os.path.exists(flag):
                    time.sleep(0.05)
                s.process.send_signal(signal.SIGTERM)
                self.assertEqual(s.answer(id)["error"]["message"], "the server is ending")


class Hostile(WebCase):
    def raw(self, w, data, wait=True):
        """What comes back until the connection ends."""
        with socket.create_connection(("127.0.0.1", w.port), SECONDS) as plain:
            plain.sendall(data)
            got = b""
            while wait and (part := plain.recv(65536)):
                got += part
            return got

    def test_requests_that_can_be_read_in_two_ways_are_refused(self):
        w = self.web()
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
        for rest in (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                     b"Host: evil.example\r\nContent-Length: 2\r\n\r\n{}", b"Content-Length: -1\r\n\r\n{}",
                     b"Content-Length: 2x\r\n\r\n{}"):
            self.assertRegex(self.raw(w, head + rest), rb"^HTTP/1.1 4\d\d ", rest)
        self.assertFalse(w.tool("run_python", code="1")["isError"])

    def test_what_is_no_request_is_refused(self):
        w = self.web()
        for data in (b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01" * 20 + b"\r\n\r\n", b"GET /mcp HTTP/1.1\r\n\r\n",
                     b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\n\r\n"):
            try:
                self.raw(w, data, wait=b"HTTP" in data)
            except ConnectionError:
                pass
        self.assertFalse(w.tool("run_python", code="1")["isError"])

    def test_a_body_that_is_too_large_is_refused(self):
        w = self.web("--message-size", "64KiB")
        self.assertEqual(w.exchange("x" * 100_000)[0], 413)
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        got = self.raw(w, b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
                          b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 3 + b"0\r\n\r\n")
        self.assertIn(b" 413 ", got.split(b"\r\n")[0])

    def test_a_message_of_too_many_values_is_refused(self):
        w = self.web()

        def call(x):
            return w.modern("tools/call", None, {"x": x}, name="run_python", arguments={"code": "1"})

        for x in ([1] * 100_000, [[]] * 100_000, {str(n): n for n in range(100_000)}):
            status, _, messages = call(x)
            self.assertEqual((status, messages[0]["error"]["code"]), (400, -32600))
            self.assertIn("more than 100,000 values", messages[0]["error"]["message"])
        for x in ([1] * 99_000, ',[{"\\' * 100_000):
            self.assertFalse(call(x)[2][-1]["result"]["isError"])

    def test_a_request_that_is_not_whole_in_time_ends(self):
        w = self.web("--request-time", "1s")
        with socket.create_connection(("127.0.0.1", w.port), SECONDS) as slow:
            slow.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n")
            stop = threading.Event()

            def drip():
                while not stop.wait(0.1):
                    try:
                        slow.sendall(b"X: y\r\n")
                    except OSError:
                        return
            dripping = threading.Thread(target=drip)
            dripping.start()
            try:
                got = b""
                while part := slow.recv(1000):
                    got += part
            except ConnectionError:
                pass
            finally:
                stop.set()
                dripping.join()
        self.assertFalse(w.tool("run_python", code="1")["isError"])

    def test_other_kinds_of_content_are_refused(self):
        w = self.web()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for kind in (None, "text/plain", "application/jsonx", "application/x-www-form-urlencoded"):
            self.assertEqual(w.exchange(ping, Content_Type=kind)[0], 415, kind)
        self.assertEqual(w.exchange(ping, Accept="text/html")[0], 406)
        self.assertEqual(w.exchange(ping, path="/")[0], 404)
        self.assertEqual(w.exchange(ping, method="PUT")[0], 405)

    def test_many_who_hang_up_leave_nothing(self):
        w = self.web()
        before = len(os.listdir(f"/proc/{w.process.pid}/fd"))
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"_meta": meta(), "name": "run_python", "arguments": {"code": "while True: pass"}}}).encode()
        for _ in range(50):
            self.raw(w, b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: %s\r\n"
                        b"MCP-Protocol-Version: %s\r\nMcp-Method: tools/call\r\nMcp-Name: run_python\r\n"
                        b"Content-Length: %d\r\n\r\n%s" % (KINDS.encode(), MODERN.encode(), len(body), body), wait=False)
        self.assertFalse(w.tool("run_python", code="1")["isError"])
        self.assertLess(len(os.listdir(f"/proc/{w.process.pid}/fd")), before + 60)

    def test_the_client_that_was_used_longest_ago_makes_room(self):
        w = self.web("--clients", "2")
        sessions = []
        for _ in range(3):
            w.session = None
            w.legacy("initialize", protocolVersion=LEGACY, capabilities={})
            sessions.append(w.session)
        statuses = []
        for w.session in sessions:
            statuses.append(w.legacy("ping")[0])
        self.assertEqual(statuses, [404, 200, 200])

    def test_connections_are_bounded(self):
        w = self.web("--connections", "3")
        held = []
        for _ in range(3):
            held.append(socket.create_connection(("127.0.0.1", w.port), SECONDS))
            held[-1].sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
                             b"Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n")
            self.assertIn(b" 100 ", held[-1].recv(100))
        # In the place that is left for one that has shown no head.
        held.append(socket.create_connection(("127.0.0.1", w.port), SECONDS))
        with socket.create_connection(("127.0.0.1", w.port), SECONDS) as further:
            further.settimeout(1)
            further.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            try:
                self.assertEqual(further.recv(100), b"")
            except (TimeoutError, ConnectionError):
                pass
        for one in held:
            one.close()
        self.assertFalse(w.tool("run_python", code="1")["isError"])

    def test_connections_without_a_token_make_room(self):
        w = self.web("--connections", "3", "--request-time", "1h")
        silent = [socket.create_connection(("127.0.0.1", w.port), SECONDS) for _ in range(9)]
        for one in silent:
            one.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n")
        self.assertFalse(w.tool("run_python", code="1")["isError"])
        self.assertEqual(silent[0].recv(1), b"")
        for one in silent:
            one.close()


if __name__ == "__main__":
    main()
