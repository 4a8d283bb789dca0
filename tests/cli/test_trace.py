import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "endpoint"))
import otlp
from driver import SECONDS, SNUG, Case, environment, snug
from endpoint import Endpoint

KEY = "sk-very-secret-0123456789"
RULES = [
    ("Question:\nhow many", "```python\n6 / 0\n```"),
    ("Your program failed", '```json\n{"root_cause": "c", "severity": "low", "recommendations": []}\n'
     '```\n```python\nmarvel = 6 * 7\nmarvel\n```'),
    ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "It is 42, of course."}'),
]
ANSWER = "It is 42, of course.\n"


class Trace(Case):
    def ask(self, *args, rules=RULES, question="how many are there", **env):
        with Endpoint(rules) as endpoint:
            env = {"SNUG_CONFIG": "none", **endpoint.environment, "OPENAI_API_KEY": KEY, **env}
            return snug("ask", "--no-stream", *args, question, env=environment(**env))

    def traced(self, *args, **more):
        with otlp.Receiver() as receiver:
            done = self.ask("--trace-url", receiver.url, *args, **more)
        return done, receiver

    def test_a_question_is_one_trace_with_its_steps(self):
        done, receiver = self.traced()
        self.assertEqual((done.returncode, done.stdout), (0, ANSWER))
        self.assertEqual((receiver.paths, receiver.types), (["/v1/traces"], ["application/json"]))
        spans = receiver.spans()
        self.assertEqual([span["name"] for span in spans],
                         ["invoke_agent snug", "chat test", "execute_tool scan",
                          "execute_tool run_python", "chat test", "execute_tool scan",
                          "execute_tool run_python", "chat test"])
        root = spans[0]
        self.assertNotIn("parentSpanId", root)
        self.assertEqual({span["traceId"] for span in spans}, {root["traceId"]})
        self.assertEqual({span["parentSpanId"] for span in spans[1:]}, {root["spanId"]})
        self.assertEqual(len({span["spanId"] for span in spans}), len(spans))
        for span in spans:
            self.assertLessEqual(int(root["startTimeUnixNano"]), int(span["startTimeUnixNano"]))
            self.assertLessEqual(int(span["endTimeUnixNano"]), int(root["endTimeUnixNano"]))

    def test_spans_have_the_names_of_the_conventions(self):
        spans = self.traced()[1].spans()
        chats = [span for span in spans if span["name"].startswith("chat")]
        self.assertEqual([chat["attributes"]["snug.step"] for chat in chats],
                         ["generate", "repair", "evaluate"])
        total = {"input": 0, "output": 0}
        for chat in chats:
            has = chat["attributes"]
            self.assertEqual(chat["kind"], 3)
            self.assertEqual((has["gen_ai.operation.name"], has["gen_ai.provider.name"],
                              has["gen_ai.request.model"], has["gen_ai.response.finish_reasons"],
                              has["gen_ai.request.max_tokens"], has["gen_ai.request.temperature"]),
                             ("chat", "openai", "test", ["stop"], 2000, 0.7))
            for side in total:
                total[side] += has[f"gen_ai.usage.{side}_tokens"]
        root = spans[0]["attributes"]
        self.assertEqual((root["gen_ai.operation.name"], root["gen_ai.agent.name"],
                          root["gen_ai.conversation.id"], root["snug.status"], root["snug.attempts"]),
                         ("invoke_agent", "snug", "s1", "answered", 2))
        self.assertEqual({side: root[f"gen_ai.usage.{side}_tokens"] for side in total}, total)
        tools = [span for span in spans if span["name"].startswith("execute_tool")]
        self.assertEqual([(tool["attributes"]["gen_ai.tool.name"], tool["attributes"]["snug.attempt"],
                           tool["attributes"].get("error.type"), tool["status"].get("code"))
                          for tool in tools],
                         [("scan", 1, None, None), ("run_python", 1, "ZeroDivisionError", 2),
                          ("scan", 2, None, None), ("run_python", 2, None, None)])

    def test_calls_of_tools_are_spans_below_their_cell(self):
        server = pathlib.Path(__file__).with_name("mcp_server.py")
        rules = [("Question:\nhow many", "```python\nnotes.echo(text='x')\ntry: notes.fail()\nexcept ToolError: print(42)\n```"),
                 ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "It is 42, of course."}')]
        done, receiver = self.traced("--upstream", f"notes=exec '{sys.executable}' '{server}'", rules=rules)
        self.assertEqual(done.returncode, 0, done.stderr)
        spans = receiver.spans()
        cell, = [span for span in spans if span["name"] == "execute_tool run_python"]
        calls = [span for span in spans if span.get("parentSpanId") == cell["spanId"]]
        self.assertEqual([(call["name"], call["attributes"]["gen_ai.tool.name"], call["attributes"].get("error.type"))
                          for call in calls],
                         [("execute_tool notes.echo", "notes.echo", None), ("execute_tool notes.fail", "notes.fail", "error")])
        for call in calls:
            self.assertLessEqual(int(cell["startTimeUnixNano"]), int(call["startTimeUnixNano"]))
            self.assertLessEqual(int(call["endTimeUnixNano"]), int(cell["endTimeUnixNano"]))

    def test_the_resource_is_snug(self):
        request, = self.traced()[1].requests()
        has = otlp.attributes_of(request["resourceSpans"][0]["resource"])
        self.assertEqual(has["service.name"], "snug")
        self.assertIn("snug " + has["service.version"], snug("--version").stdout)

    def test_questions_programs_and_answers_are_in_it_by_option_only(self):
        _, receiver = self.traced()
        for word in ("how many", "marvel", "of course", "6 / 0", "division"):
            self.assertNotIn(word, receiver.texts[0])
        spans = self.traced("--trace-content")[1].spans()
        question, = json.loads(spans[0]["attributes"]["gen_ai.input.messages"])
        self.assertEqual(question, {"role": "user", "parts": [
            {"type": "text", "content": "how many are there"}]})
        answer, = json.loads(spans[0]["attributes"]["gen_ai.output.messages"])
        self.assertEqual(answer["parts"][0]["content"], ANSWER.strip())
        self.assertEqual([message["role"] for message in
                          json.loads(spans[1]["attributes"]["gen_ai.input.messages"])],
                         ["system", "user"])
        runs = [span["attributes"] for span in spans if span["name"] == "execute_tool run_python"]
        self.assertEqual(json.loads(runs[1]["gen_ai.tool.call.arguments"]),
                         {"code": "marvel = 6 * 7\nmarvel"})
        self.assertEqual(runs[1]["gen_ai.tool.call.result"], "42")

    def test_the_key_is_never_in_it(self):
        rules = [("Question:\nhow many", "```python\nprint('%s')\n```" % KEY),
                 ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "%s"}' % KEY)]
        done, receiver = self.traced("--trace-content", "--trace-file", self.folder + "/t", rules=rules,
                                     question="how many letters has " + KEY)
        self.assertEqual(done.returncode, 0, done.stderr)
        written = pathlib.Path(self.folder, "t").read_text(encoding="utf-8")
        self.assertNotIn(KEY, receiver.texts[0] + written)
        self.assertIn("how many letters has [key]", receiver.texts[0])
        receiver.requests()

    def test_what_a_server_says_of_its_key_is_not_in_it_either(self):
        server = str(pathlib.Path(__file__).with_name("mcp_server.py"))
        config = self.file("config.json", json.dumps({"mcpServers": {"notes": {
            "command": sys.executable, "args": [server, "also-getenv"], "env": {"MY_TOKEN": "sesame-sesame"}}}}))
        rules = [("Question:\nhow many", "```python\nprint('it is', notes.getenv(value='MY_TOKEN'))\n```"),
                 ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "It is there."}')]
        done, receiver = self.traced("--trace-content", "--upstream-config", config, rules=rules)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("sesame", receiver.texts[0] + done.stdout + done.stderr)
        self.assertIn("it is [key]", receiver.texts[0])
        receiver.requests()

    def test_a_file_has_a_line_for_each_question(self):
        path = self.folder + "/traces.jsonl"
        for _ in range(2):
            self.assertEqual(self.ask("--trace-file", path).returncode, 0)
        requests = [json.loads(line) for line in
                    pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
        for request in requests:
            otlp.check_request(request)
        ids = [otlp.spans_of(request)[0]["traceId"] for request in requests]
        self.assertEqual(len(set(ids)), 2)

    def test_the_trace_of_the_environment_is_continued(self):
        trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
        spans = self.traced(TRACEPARENT=f"00-{trace}-{span}-01")[1].spans()
        self.assertEqual((spans[0]["traceId"], spans[0]["parentSpanId"]), (trace, span))
        self.assertEqual({span["traceId"] for span in spans}, {trace})
        for wrong in ("", "x", f"00-{'0' * 32}-{span}-01", f"00-{trace}-{'0' * 16}-01",
                      f"ff-{trace}-{span}-01", f"00-{trace.upper()}-{span}-01",
                      f"00-{trace}-{span}-01-more"):
            root = self.traced(TRACEPARENT=wrong, rules=[])[1].spans()[0]
            self.assertNotEqual(root["traceId"], trace, wrong)
            self.assertNotIn("parentSpanId", root)

    def test_the_standard_variables_are_honoured_where_no_option_is_given(self):
        for variable, behind, path in (("OTEL_EXPORTER_OTLP_ENDPOINT", "/", "/v1/traces"),
                                       ("OTEL_EXPORTER_OTLP_ENDPOINT", "/base", "/base/v1/traces"),
                                       ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/own/", "/own/")):
            with otlp.Receiver() as receiver:
                self.ask(rules=[], **{variable: receiver.url + behind})
            self.assertEqual(receiver.paths, [path])
        with otlp.Receiver() as other:
            self.traced(rules=[], OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=other.url)
        self.assertEqual(other.paths, [])

    def test_a_question_that_failed_says_why(self):
        done, receiver = self.traced(rules=[])
        self.assertEqual(done.returncode, 1)
        root, chat = receiver.spans()
        self.assertEqual((root["attributes"]["error.type"], root["status"]), ("terminal_error", {"code": 2}))
        self.assertEqual((chat["attributes"]["error.type"], chat["attributes"]["http.response.status_code"]),
                         ("bad_request", 400))

    def test_a_receiver_that_fails_costs_the_trace_only(self):
        with otlp.Receiver(status=503) as receiver:
            done = self.ask("--trace-url", receiver.url)
        self.assertEqual((done.returncode, done.stdout), (0, ANSWER))
        self.assertIn(f"the trace could not be sent to {receiver.url}/v1/traces: it answers with status "
                      "503\n", done.stderr)
        done = self.ask("--trace-url", "http://127.0.0.1:1", "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        told, = [line for line in lines if line.get("event") == "trace"]
        self.assertRegex(told["message"], "^the trace could not be sent to http://127.0.0.1:1/v1/traces: ")
        self.assertEqual(lines[-1]["status"], "answered")

    def test_a_receiver_that_does_not_answer_is_not_waited_for(self):
        with otlp.Receiver(is_stuck=True) as receiver:
            done = self.ask("--trace-url", receiver.url)
        self.assertEqual((done.returncode, done.stdout), (0, ANSWER))
        self.assertIn("/v1/traces: it took too long\n", done.stderr)

    def test_a_trace_that_has_no_room_leaves_whole_lines(self):
        before = json.dumps({"x": "y" * 700}) + "\n"
        path = self.file("t.jsonl", before)
        with Endpoint(RULES) as endpoint:
            env = environment(**endpoint.environment, SNUG_CONFIG="none")
            done = subprocess.run(["bash", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"', SNUG, "ask",
                                   "--isolation", "local", "--trace-file", path, "how many are there"], env=env,
                                  capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual((done.returncode, done.stdout), (0, ANSWER))
        self.assertIn("t.jsonl: there is not room for all of it", done.stderr)
        self.assertEqual(pathlib.Path(path).read_text(), before)

    def test_what_is_no_address_and_no_file_is_refused(self):
        open_to_all, linked = self.file("open", ""), self.folder + "/linked"
        os.chmod(open_to_all, 0o644)
        os.symlink(open_to_all, linked)
        for args, says in ((["--trace-url", "ftp://x"], "the address for traces is not an http or https URL: ftp://x"),
                           (["--trace-url", "http://u:p@x"], "--trace-url: the address has a user name in it"),
                           (["--trace-file", self.folder], "the file for traces, " + self.folder),
                           (["--trace-content", "--trace-file", self.folder], self.folder + ": Is a directory"),
                           (["--trace-content", "--trace-file", open_to_all], "open is not private (mode 0644"),
                           (["--trace-content", "--trace-file", linked], "is a link"),
                           (["--trace-file", self.folder + "/no/t"], "No such file")):
            done = self.ask(*args, rules=[])
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn(says, done.stderr)

    def test_nothing_is_traced_unless_it_is_asked_for(self):
        done = self.ask("--trace-content")
        self.assertEqual((done.returncode, done.stdout), (0, ANSWER))


if __name__ == "__main__":
    unittest.main()
