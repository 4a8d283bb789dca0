import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "endpoint"))
from driver import Case, environment, snug
from endpoint import Endpoint

KEY = "sk-very-secret-0123456789"
FINE = ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "42"}')
LOOP = "```python\nwhile True:\n    pass\n```"
DENIED = """```python
for name in ("a", "b", "c", "d"):
    try:
        open("/etc/" + name)
    except Exception:
        pass
42
```"""


class Watch(Case):
    def ask(self, *args, rules=(), question="how many are there"):
        with Endpoint(rules) as endpoint:
            env = {"SNUG_CONFIG": "none", **endpoint.environment, "OPENAI_API_KEY": KEY}
            return snug("ask", "--no-stream", *args, question, env=environment(**env))

    def events(self, *args, **more):
        lines = [json.loads(line) for line in self.ask("--json", *args, **more).stdout.splitlines()]
        return [line for line in lines if "event" in line], lines[-1]

    def test_prompts_routes_and_budgets_are_told_where_they_are_asked_for(self):
        rules = [("how many", "```python\n6 * 7\n```"), FINE]
        for args in (["-v"], ["improvement.debug=true"]):
            done = self.ask(*args, rules=rules)
            self.assertEqual((done.returncode, done.stdout), (0, "42\n"))
            self.assertRegex(done.stderr, r"(?m)^- prompt, system$")
            self.assertRegex(done.stderr, r"(?m)^  > how many are there$")
            self.assertRegex(done.stderr, r"(?m)^- route: evaluate -> reply \(went\)$")
            self.assertRegex(done.stderr, r"(?m)^- used: \d+ of 100000 tokens, 1 of 3 attempts, "
                             r"[\d.e-]+ of 1800 s")
        done = self.ask(rules=rules)
        for word in ("prompt,", "route:", "used:"):
            self.assertNotIn(word, done.stderr)
        events, _ = self.events(rules=rules)
        self.assertFalse({"prompt", "route", "budget"} & {event["event"] for event in events})

    def test_the_events_say_which_way_a_question_went(self):
        events, reply = self.events("-v", rules=[("how many", "```python\n1 / 0\n```"),
                                                      ("Your program failed", "```python\n42\n```"), FINE])
        self.assertEqual(reply["status"], "answered")
        self.assertEqual([(event["from"], event["to"], event["outcome"]) for event in events
                          if event["event"] == "route"],
                         [("generate", "extract", "went"), ("extract", "scan", "went"),
                          ("scan", "execute", "went"), ("execute", "repair", "failed"),
                          ("repair", "extract", "went"), ("extract", "scan", "went"),
                          ("scan", "execute", "went"), ("execute", "evaluate", "went"),
                          ("evaluate", "reply", "went"), ("reply", "end", "went")])
        prompts = [event for event in events if event["event"] == "prompt"]
        self.assertEqual([(prompt["for"], [message["role"] for message in prompt["messages"]])
                          for prompt in prompts],
                         [("code", ["system", "user"]), ("repair", ["system", "user", "assistant", "user"]),
                          ("evaluation", ["user", "assistant", "user", "assistant", "user"])])
        budget = [event for event in events if event["event"] == "budget"][-1]
        self.assertEqual((budget["tokens"], budget["requests"], budget["max_tokens"]),
                         (reply["usage"]["input_tokens"] + reply["usage"]["output_tokens"], 3, 100000))
        events, _ = self.events("-v", rules=[])
        self.assertEqual([(event["from"], event["to"], event["outcome"]) for event in events
                          if event["event"] == "route"], [("generate", "end", "stopped")])

    def test_prompts_are_told_without_the_key(self):
        done = self.ask("-v", rules=[("how many", "```python\n6 * 7\n```"), FINE],
                        question="how many letters has " + KEY)
        self.assertEqual(done.returncode, 0)
        self.assertIn("how many letters has [key]", done.stderr)
        self.assertNotIn(KEY, done.stderr)

    def anomalies(self, *args, **more):
        return [(event["kind"], event["of"], event["count"]) for event in self.events(*args, **more)[0]
                if event["event"] == "anomaly"]

    def test_three_denials_of_one_thing_are_an_anomaly_once(self):
        rules = [("how many", DENIED), FINE]
        self.assertEqual(self.anomalies(rules=rules), [("denials", "open", 3)])
        few = DENIED.replace(', "c", "d"', "")
        self.assertEqual(self.anomalies(rules=[("how many", few), FINE]), [])
        done = self.ask(rules=rules)
        self.assertIn("- anomaly: the policy has denied open 3 times for this question\n", done.stderr)

    def test_two_kills_in_a_row_are_an_anomaly(self):
        limits = "--timeout", "0.2", "--no-evaluation", "--answer", "result"
        failed = "Your program failed"
        self.assertEqual(self.anomalies(*limits, rules=[("how many", LOOP), (failed, LOOP),
                                                        (failed, "```python\n42\n```")]),
                         [("kills", "timeout", 2)])
        self.assertEqual(self.anomalies(*limits, rules=[("how many", LOOP), (failed, "```python\n1/0\n```"),
                                                        (failed, LOOP)]), [])


if __name__ == "__main__":
    unittest.main()
