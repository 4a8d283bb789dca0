"""The rows D of the table of features (features/d.txt) that scenarios/feature_d.ask does not hold."""
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

from asked import RESULT, SNUG, Asked, code, told, verdict
import unittests

SERVER = """\
import json, os, sys
UNIT = {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "Of the answer."}
TOOL = {"name": "weather", "description": "The weather of a city.", "inputSchema": {
    "type": "object", "required": ["city"],
    "properties": {"unit": UNIT, "city": {"type": "string", "description": "Its name in English."},
                   "days": {"type": "integer", "default": 1}}}}
if "plain" in sys.argv:
    del TOOL["description"]
for line in sys.stdin:
    message = json.loads(line)
    with open(os.environ["LOG"], "a") as log:
        log.write(line)
    result = {"initialize": lambda params: {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                                            "serverInfo": {"name": "test", "version": "1"}},
              "tools/list": lambda params: {"tools": [TOOL]},
              "tools/call": lambda params: {"content": [], "structuredContent": {"degrees": 21}}}.get(message["method"])
    if result:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result(message.get("params", {}))}
        print(json.dumps(answer), flush=True)
"""


def can_have_bash():
    """Whether bubblewrap makes a sandbox here."""
    return bool(shutil.which("bwrap")) and not subprocess.run(
        ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True).returncode


class Margin(Asked):
    def orders(self):
        """47 rows, and their average margin in percent."""
        rows = [(2000 + n, 100 + 7 * n, 60 + (11 * n) % 37 + 3 * n) for n in range(47)]
        self.write("orders.csv", "order,revenue,cost\n" + "".join("%d,%d,%d\n" % row for row in rows))
        return sum((revenue - cost) / revenue for _, revenue, cost in rows) / 47 * 100

    PROGRAM = code("import csv\nmargins = [1 - float(row['cost']) / float(row['revenue'])\n"
                   "           for row in csv.DictReader(open('orders.csv'))]\n"
                   "print(len(margins), 'orders')\nprint(f'{100 * sum(margins) / len(margins):.2f}')")

    def test_D7_the_average_is_that_of_all_47_orders(self):
        wanted = "%.2f" % self.orders()
        reply = self.reply([self.PROGRAM, verdict(f"The average margin is {wanted} %.")],
                           "--check", "assert len(margins) == 47", "What is the average margin of orders.csv?")
        self.assertEqual((reply["answer"], reply["unsupported"]), (f"The average margin is {wanted} %.", []))
        self.assertEqual(reply["attempts"][-1]["output"].split(), ["47", "orders", wanted])
        # The model has seen how the file begins, and not the orders at its end.
        self.assertIn("2000,100,60", told(self.requests[0]))
        self.assertNotIn("2046,", told(self.requests[0]))

    def test_D7_an_average_that_the_model_guesses_from_what_it_has_seen_is_marked(self):
        self.orders()
        reply = self.reply([self.PROGRAM, verdict("The average margin is 35.91 %."), "It is 35.91 %."],
                           "What is the average margin of orders.csv?")
        self.assertEqual(reply["unsupported"], ["35.91 %"])


class Latency(Asked):
    def test_D8_running_in_a_sandbox_takes_less_than_starting_python(self):
        """The least of three, since other programs run too."""
        def started():
            begun = time.monotonic()
            subprocess.run([sys.executable, "-I", "-S", "-c", "print(6 * 7)"], check=True, capture_output=True)
            return (time.monotonic() - begun) * 1000

        def ran(*args):
            reply = self.reply([code("print(6 * 7)")], *RESULT, *args, "What is six times seven?")
            self.assertEqual(reply["answer"], "42")
            return reply["timing_ms"]["execute"]

        limit = min(started() for _ in range(3))
        self.assertLess(min(ran("--isolation", "local") for _ in range(3)), limit)
        self.assertLess(min(ran() for _ in range(3)), limit)


class Isolation(Asked):
    LOOK = """\
import os
found = []
for name in ("/etc/passwd", "/etc/hostname", os.path.expanduser("~/secret.txt"), "SECRET"):
    try:
        found.append(open(name).read())
    except OSError:
        pass
for name in ("socket", "subprocess"):
    try:
        module = __import__(name)
        module.socket().connect(("127.0.0.1", PORT)) if name == "socket" else module.run(["id"])
        found.append(name)
    except (ImportError, OSError):
        pass
found"""

    def look(self, *args):
        secret = self.write("secret.txt", "the secret")
        program = self.LOOK.replace("PORT", str(self.endpoint.server_port)).replace("SECRET", secret)
        reply = self.reply([code(program)], *RESULT, *args, "Look around.")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "[]"), reply["error"])

    def test_D13_in_this_process(self):
        self.look("--isolation", "local", "--profile", "data")

    def test_D13_in_a_worker(self):
        self.look("--profile", "data")

    def test_D13_in_a_full_session_that_may_import_what_opens_sockets_and_programs(self):
        self.look("--full", "--profile", "data", "--allow", "socket", "--allow", "subprocess")

    @unittest.skipUnless(can_have_bash(), "bubblewrap is not there, or makes no sandbox here")
    def test_D13_in_bash(self):
        secret = self.write("secret.txt", "the secret")
        program = (f"cat {secret} /root/.bashrc 2>/dev/null\n"
                   f"(exec 3<>/dev/tcp/127.0.0.1/{self.endpoint.server_port}) 2>/dev/null && echo network\n"
                   f"kill -0 {os.getpid()} 2>/dev/null && echo process\necho end")
        reply = self.reply([f"```bash\n{program}\n```"], *RESULT, "--language", "bash", "Look around.")
        self.assertEqual((reply["status"], reply["answer"].strip()), ("answered", "end"), reply["error"])


class Recursion(Asked):
    def test_D17_a_long_text_is_data_and_cells_ask_a_model_about_its_parts(self):
        """The tool is snug ask itself, which has the part for its question."""
        words = [f"word{n}" for n in range(30000)]
        self.write("long.txt", "\n\n".join(" ".join(words[at:at + 10000]) for at in range(0, 30000, 10000)))
        inner = []

        def answer(request, _):
            with self.lock:
                self.requests.append(request)
            text = told(request)
            if "How many words has the text?" in text:
                return {"content": code("parts = text.split('\\n\\n')\n"
                                        "counts = [model(task='count', part=part[:60]) for part in parts]\n"
                                        "print(len(parts), counts)")}
            inner.append(text)
            return {"content": code("print(10000)")}

        self.endpoint.answer = answer
        tool = f"model='{SNUG}' ask --quiet --mode chain --no-auto-input {' '.join(RESULT)} -"
        reply = self.reply([], *RESULT, "--input", "text=long.txt", "--tool", tool, "How many words has the text?")
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "3 [10000, 10000, 10000]"), reply["error"])
        outer = [request for request in self.requests if "How many words has the text?" in told(request)]
        self.assertLess(len(told(outer[0])), 20000)
        self.assertNotIn("word15000", told(outer[0]))
        self.assertEqual([f"word{n} " in text for n, text in zip((0, 10000, 20000), inner)], [True] * 3)


class Typed(Asked):
    def setUp(self):
        super().setUp()
        self.server = f"exec '{sys.executable}' '{self.write('server.py', SERVER)}'"
        self.log = self.path("log")

    def typed(self, replies, *args):
        return self.reply(replies, *RESULT, "--mode", "act", "--mcp", self.server, *args, "How warm is it in Rome?",
                          LOG=str(self.log))

    def calls(self):
        messages = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [one["params"]["arguments"] for one in messages if one["method"] == "tools/call"]

    def test_D18_the_model_reads_names_types_choices_and_descriptions(self):
        self.typed([code("final_answer(weather('Rome', unit='celsius', days=2)['degrees'])")])
        prompt = told(self.requests[0])
        for word in ('weather(city: str, unit: Literal["celsius", "fahrenheit"] = ..., days: int = 1) -> Any: The weather of a city.\n',
                     'unit: Of the answer. One of "celsius", "fahrenheit".\n', "city: Its name in English.\n"):
            self.assertIn(word, prompt)
        self.assertEqual(self.calls(), [{"city": "Rome", "unit": "celsius", "days": 2}])

    def test_D18_a_tool_without_a_description_has_those_of_its_parameters_told(self):
        self.server += " plain"
        self.typed([code("final_answer('none')")])
        self.assertIn("days: int = 1) -> Any: Arguments:\n    unit: Of the answer.", told(self.requests[0]))

    def test_D18_what_comes_back_is_data_and_not_text(self):
        reply = self.typed([code("final_answer(weather('Rome')['degrees'] + 1)")])
        self.assertEqual(reply["answer"], "22")
        self.assertEqual(self.calls(), [{"city": "Rome", "days": 1}])

    def test_D18_a_call_that_does_not_fit_is_found_before_it_runs_or_is_an_error_that_the_model_reads(self):
        reply = self.typed([code("weather()"), code("weather('Rome', **{'colour': 'red'})"), code("final_answer('none')")])
        self.assertEqual(reply["answer"], "none")
        self.assertIn("weather needs city", self.requests[1]["messages"][-1]["content"])
        self.assertIn("TypeError", self.requests[2]["messages"][-1]["content"])
        self.assertEqual(self.calls(), [])


class Audit(Asked):
    def test_D19_each_question_leaves_a_line_with_all_that_was_asked_run_and_answered(self):
        self.reply([code("import socket"), code("six * 7"), code("print(6 * 7)"), verdict("It is 42.")], "--trace-file",
                   "trail.jsonl", "--trace-content", "What is six times seven?")
        self.reply([code("print(1)"), verdict("It is 1.")], "--trace-file", "trail.jsonl", "--trace-content",
                   "And one?")
        lines = [json.loads(line) for line in self.path("trail.jsonl").read_text().splitlines()]
        self.assertEqual(len(lines), 2)
        spans = [span for one in lines[0]["resourceSpans"] for scope in one["scopeSpans"] for span in scope["spans"]]
        self.assertEqual([span["name"] for span in spans],
                         ["invoke_agent snug", "chat test", "execute_tool scan", "chat test", "execute_tool scan",
                          "execute_tool run_python", "chat test", "execute_tool scan", "execute_tool run_python",
                          "chat test"])
        for span in spans:
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
            self.assertGreater(int(span["startTimeUnixNano"]), 10 ** 18)
        text = json.dumps(lines[0])
        for word in ("What is six times seven?", "import socket", "findings", "NameError", "It is 42."):
            self.assertIn(word, text)

    def test_D19_without_consent_the_trail_has_no_content(self):
        self.reply([code("print(6 * 7)"), verdict("It is 42.")], "--trace-file", "trail.jsonl",
                   "What is six times seven?")
        text = self.path("trail.jsonl").read_text()
        self.assertIn("execute_tool run_python", text)
        for word in ("six times seven", "6 * 7", "It is 42"):
            self.assertNotIn(word, text)

    def test_D19_calls_of_tools_are_in_the_reply(self):
        reply = self.reply([code("print(price())")], *RESULT, "--tool", "price=echo 42", "What does it cost?")
        call, = reply["attempts"][0]["result"]["tool_calls"]
        self.assertEqual((call["name"], call["status"]), ("price", "ok"))
        self.assertGreaterEqual(call["duration_ms"], 0)


if __name__ == "__main__":
    unittests.main()
