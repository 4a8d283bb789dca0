"""Every limit of a question that ends something is named in the sentence, with its option."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from driver import SECONDS, SNUG, Case, environment
from endpoint import Endpoint

CODE = {"content": "```python\nprint(6 * 7)\n```"}
WRONG = {"content": "```python\nprint(six)\n```"}
COUNTED = {**CODE, "usage": {"input": 10000, "output": 1000}}
LONG = {"content": "```python\n" + "1 + 1\n" * 30 + "```"}
BUSY = {"status": 503, "headers": {"Retry-After": "0"}, "body": '{"error": {"message": "busy"}}'}

# The limit, the options of the question, what the model says, and what the sentence has.
ENDED = [
    ("--first-token-timeout", ["--first-token-timeout", "0.2", "--retries", "1"], [{"silent": True}] * 2,
     "no answer from"),
    ("--idle-timeout", ["--idle-timeout", "0.2", "--retries", "1"], [{**LONG, "stall": -150}] * 2,
     "nothing more came from"),
    ("--request-timeout", ["--request-timeout", "0.3", "--retries", "1"], [{**LONG, "pause": 0.2}] * 2,
     "was not whole within 300 ms"),
    ("--request-timeout", ["--request-timeout", "0.3", "--retries", "1", "--no-stream"],
     [{"silent": True}] * 2, "was not whole within 300 ms"),
    ("--reply-size", ["--reply-size", "100"], [LONG], "over the limit of 100 bytes"),
    ("--retries", ["--retries", "1"], [BUSY, BUSY], "answered 503: busy (request 2 of 2)"),
    ("--reply-tokens", ["--reply-tokens", "50", "--longest-reply-tokens", "50"],
     [{**CODE, "reason": "length"}], "did not fit in 50 tokens"),
    ("--max-tokens", ["--max-tokens", "1500"], [COUNTED], "of the question's 1500 are used"),
    ("--max-cost", ["--max-cost", "0.02", "--prices", "prices.json"], [COUNTED],
     "0.020000 of 0.020000 US dollars are used"),
    ("--max-seconds", ["--max-seconds", "0.5"], [{"silent": True}], "taken all of its 0.5 s"),
    ("--max-seconds", ["--max-seconds", "0.7"],
     [{**BUSY, "headers": {"Retry-After": "5"}}], "is up before the next request"),
    ("--max-attempts", ["--max-attempts", "2"], [WRONG, WRONG], "attempt 2 of 2 failed too"),
    ("--max-steps", ["--mode", "act", "--max-steps", "2"], [CODE, CODE, {"content": ""}],
     "all 2 steps were taken without a final answer"),
    ("--max-steps", ["--mode", "plan", "--max-steps", "1"], [{"content": '["a", "b"]'}] * 2,
     "the plan has more than 1 steps"),
    ("--max-code-lines", ["--max-code-lines", "3", "--max-attempts", "1"], [LONG],
     "the program has 30 lines, and may have 3"),
    ("--most-model-calls", ["--ask-model", "--most-model-calls", "1", "--max-attempts", "1"],
     [{"content": "```python\nask_model('a') + ask_model('b')\n```"}, {"content": "a"}],
     "have made all of their 1 calls"),
    ("--max-question", ["--max-question", "9"], [], "more than the 9 of its limit"),
]
# These end nothing.
OTHERS = {"--history-tokens", "--retrieved", "--cache-age", "--cache-size", "--longest-reply-tokens",
          "--retrieve-timeout"}


class Ended(Case):
    def ask(self, options, script):
        answers = iter(script)
        endpoint = Endpoint(lambda request, headers: next(answers, {"status": 404, "body": "no more"}))
        self.addCleanup(endpoint.close)
        self.file("prices.json", json.dumps({"openai:m": {"input_per_mtok": 1, "output_per_mtok": 10}}))
        env = environment(OPENAI_BASE_URL=endpoint.url + "/v1", OPENAI_API_KEY="none-0123456789",
                          HOME=self.folder)
        return subprocess.run([SNUG, "ask", "--model", "openai:m", "--format", "json", "--quiet",
                               *options, "What is six times seven?"], cwd=self.folder, env=env,
                              capture_output=True, encoding="utf-8", timeout=SECONDS)

    def test_the_sentence_names_the_option(self):
        for option, options, script, says in ENDED:
            with self.subTest(" ".join(options)):
                done = self.ask(options, script)
                reply = json.loads(done.stdout)
                self.assertEqual(done.returncode, 1, reply)
                self.assertIn(says, reply["error"])
                self.assertRegex(reply["error"], re.escape(option) + r"\b")

    def test_a_connection_that_does_not_come_about_names_its_option(self):
        with socket.create_server(("127.0.0.1", 0)) as silent: # never a word of TLS
            url = f"https://127.0.0.1:{silent.getsockname()[1]}/v1"
            done = self.ask(["--connect-timeout", "0.2", "--retries", "1", "--base-url", url], [])
        reply = json.loads(done.stdout)
        self.assertIn("no connection to", reply["error"])
        self.assertIn("(--connect-timeout)", reply["error"])

    def test_there_is_no_other_limit_of_a_question(self):
        text = pathlib.Path(__file__).resolve().parents[2].joinpath("docs/limits.md").read_text()
        table = text[text.index("## Limits of a question"):text.index("## Limits of a kernel")]
        options = set(re.findall(r"^\| `\w+` \| `(--[a-z-]+)` \|", table, re.MULTILINE))
        named = {option for option, *_ in ENDED} | {"--connect-timeout"}
        self.assertEqual(options, named | OTHERS)


if __name__ == "__main__":
    unittest.main()
