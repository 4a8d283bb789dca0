"""What no client should send to snug mcp: it is refused with a sentence, and the next one is answered."""

import json
import os
import select
import signal
import subprocess
import time

from speaking import SECONDS, SNUG, ServerCase, main, meta, text


class Messages(ServerCase):
    def error(self, s, line, id=None):
        s.write(line)
        return s.answer(id)["error"]

    def test_what_is_no_message_is_refused(self):
        s = self.server()
        for line, code in (("{", -32700), ("nonsense", -32700), ("[]", -32600), ("1", -32600), ('"x"', -32600),
                           ("{}", -32600), ('{"jsonrpc":"1.0","method":"x"}', -32600),
                           ('{"jsonrpc":"2.0","method":1}', -32600), ("\x00", -32700), ("[" * 90_000, -32700),
                           ('{"jsonrpc":"2.0","id":{},"method":"x"}', -32600),
                           ('{"jsonrpc":"2.0","id":null,"method":"x"}', -32600),
                           ('{"jsonrpc":"2.0","id":1.5,"method":"x"}', -32600),
                           ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600)):
            error = self.error(s, line)
            self.assertEqual(error["code"], code, line[:60])
            self.assertNotEqual(error["message"], "")
        self.assertEqual(s.request("ping")["error"]["code"], -32601)
        self.assertFalse(s.tool("run_python", code="1")["isError"])

    def test_a_message_that_is_refused_for_what_is_in_it_is_answered_under_its_id(self):
        s = self.server()
        for line in ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run_python\\u0000"}}',
                     '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}',
                     '{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\\ud800"}}',
                     '{"jsonrpc":"2.0","id":7,"method":"%s"}' % ("x" * 1000)):
            self.assertLess(self.error(s, line, 7)["code"], -32000)

    def test_ids_go_back_as_they_came(self):
        s = self.server()
        for id in (0, -1, 2**53 + 1, 10**30, "", "ü\n", "x" * 500):
            s.send({"jsonrpc": "2.0", "id": id, "method": "ping"})
            self.assertEqual(s.answer(id)["result"], {})

    def test_a_message_that_is_too_long_is_passed_over(self):
        s = self.server("--message-size", "64KiB")
        error = self.error(s, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y" * 100_000}}))
        self.assertIn("--message-size", error["message"])
        self.assertFalse(s.tool("run_python", code="1")["isError"])

    def test_params_of_wrong_types_are_refused(self):
        s = self.server()
        for method, params in (("tools/call", {}), ("tools/call", {"name": 1}), ("tools/call", {"name": "run_python", "arguments": []}),
                               ("tools/list", {"cursor": "x"})):
            self.assertEqual(s.request(method, **params)["error"]["code"], -32602, method)

    def test_of_two_requests_with_one_id_the_second_is_refused(self):
        s = self.server()
        s.start("tools/call", id=1, name="run_python", arguments={"code": "import time; time.sleep(1)"})
        s.start("tools/call", id=1, name="run_python", arguments={"code": "2"})
        first, = [s.answer(1)]
        self.assertEqual(first["error"]["code"], -32600)
        self.assertFalse(s.answer(1)["result"]["isError"])

    def test_notifications_that_are_wrong_are_passed_over(self):
        s = self.server()
        for params in ({}, {"requestId": 99}, {"requestId": None}, {"requestId": {}}, []):
            s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params} if params != [] else
                   {"jsonrpc": "2.0", "method": "notifications/none"})
        s.send({"jsonrpc": "2.0", "id": 4, "result": {}})
        self.assertFalse(s.tool("run_python", code="1")["isError"])
        self.assertEqual(s.answers, {})

    def test_a_flood_of_requests_is_answered_one_by_one(self):
        s = self.server()
        session = s.tool("run_python", code="n = 0")["structuredContent"]["session"]
        ids = [s.start_tool("run_python", code="n += 1", session=session) for _ in range(1000)]
        answers = [s.answer(id) for id in ids]
        done = sum("result" in answer and not answer["result"]["isError"] for answer in answers)
        self.assertEqual(s.tool("run_python", code="n", session=session)["structuredContent"]["value"]["json"], done)
        self.assertGreater(done, 100)

    def test_a_client_that_does_not_read_is_left(self):
        import subprocess
        import speaking
        s = subprocess.Popen([speaking.SNUG, "mcp", "--state", self.folder + "/s", "--unsent-size", "100KiB"],
                             stdin=-1, stdout=-1, stderr=-1)
        try:
            for _ in range(3000):
                s.stdin.write(b'{"jsonrpc":"2.0","id":"%s","method":"ping"}\n' % (b"x" * 900))
            s.stdin.flush()
        except BrokenPipeError:
            pass
        self.assertEqual(s.wait(SECONDS), 1)
        [pipe.close() for pipe in (s.stdout, s.stderr)]
        try:
            s.stdin.close()
        except BrokenPipeError:
            pass

    def test_a_client_that_reads_nothing_does_not_keep_the_server_from_its_end(self):
        for end in ("signal", "input"):
            s = self.server()
            session = s.tool("run_python", code="x = 41")["structuredContent"]["session"]
            s.close()
            saved = os.path.join(self.folder, "state", "stdio", f"{session}.snug")
            before = os.stat(saved).st_ino
            mute = subprocess.Popen([SNUG, "mcp", "--state", os.path.join(self.folder, "state")], bufsize=0,
                                    stdin=-1, stdout=-1, stderr=-1)
            call = {"name": "run_python", "arguments": {"code": "x += 1", "session": session}, "_meta": meta()}
            mute.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": call}).encode() + b"\n")
            self.assertIn(b'"id":0', mute.stdout.readline())
            # Two pipes' worth of answers, of which the first bytes are waited for.
            mute.stdin.write(b'{"jsonrpc":"2.0","id":"%s","method":"ping"}\n' % (b"x" * 900) * 150)
            mute.stdout.read(1)
            mute.send_signal(signal.SIGTERM) if end == "signal" else mute.stdin.close()
            while os.stat(saved).st_ino == before and mute.poll() is None:
                time.sleep(0.001)
            said_before_the_save = select.select([mute.stderr], [], [], 0)[0]
            try:
                self.assertEqual(mute.wait(SECONDS), 1)
            finally:
                mute.kill()
                mute.wait()
            self.assertEqual(said_before_the_save, [])
            self.assertIn(b"the client reads nothing: its last answers are lost", mute.stderr.read())
            [pipe.close() for pipe in (mute.stdin, mute.stdout, mute.stderr)]
            s = self.server()
            result = s.tool("run_python", code="x", session=session)
            self.assertEqual(result["structuredContent"]["value"]["json"], 42)
            s.close()


if __name__ == "__main__":
    main()
