"""Questions to an endpoint that drops, delays, truncates and corrupts at random.

usage: SNUG=PROGRAM faults.py [--count N] [--seed N]

However it answers: the program does not crash, no question takes longer than its budget, and
each that fails has one of the statuses and a sentence. Prints how many had which status.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys

from endpoint import Endpoint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pace  # noqa: E402

STATUSES = {"answered", "max_attempts", "budget", "terminal_error", "refused"}
KEY = "sk-the-key-of-no-one-0123456789"
BUDGET_SECONDS = 2
SLACK_SECONDS = 8
SECONDS = 600  # only a hang takes so long
OPTIONS = ["--json", "--max-seconds", str(BUDGET_SECONDS), "--first-token-timeout", "0.3",
           "--idle-timeout", "0.3", "--request-timeout", "0.8", "--retries", "2",
           "--timeout", "0.3", "--max-attempts", "2"]
WAYS = [("openai", []), ("openai", ["--no-stream"]), ("anthropic", []), ("anthropic", ["--no-stream"])]

PROGRAMS = ["```python\nprint(6 * 7)\n```"] * 6 + [
    "```python\n6 * seven\n```", "```python\nwhile True: pass\n```", "```python\nimport socket\n```",
    "```python\n" + "x = 1\n" * 200 + "```", "It is 42.", "", "\u00e4\u4e2d\U0001f600" * 50, KEY]
VERDICTS = ['{"verdict": "pass", "reason": "fine", "answer": "It is 42."}'] * 4 + [
    '{"verdict": "pass", "reason": "fine", "answer": ""}', '{"verdict": "fail", "reason": "no"}',
    "It looks good.", ""]
STATUS_CODES = [400, 401, 403, 404, 408, 413, 429, 429, 500, 502, 503, 529]


def text(dice):
    return "".join(chr(dice.choice([10, 32, 34, 58, 92, 123, 125, dice.randrange(1, 0x250)]))
                   for _ in range(dice.randrange(120)))


# Each makes the answer a worse one.
FAULTS = {
    "none": lambda a, dice: None,
    "dropped": lambda a, dice: a.update(drop=True),
    "silent": lambda a, dice: a.update(silent=True),
    "late": lambda a, dice: a.update(wait=dice.random() * 0.5),
    "slow": lambda a, dice: a.update(pause=dice.random() * 0.05),
    "cut": lambda a, dice: a.update(cut=dice.randrange(1500)),
    "stalled": lambda a, dice: a.update(stall=dice.randrange(600)),
    "corrupt": lambda a, dice: a.update(corrupt=[[dice.randrange(10 ** 6), dice.randrange(256)]
                                                 for _ in range(dice.choice([1, 2, 20]))]),
    "garbage": lambda a, dice: a.update(garbage=text(dice)),
    "status": lambda a, dice: a.update(
        status=dice.choice(STATUS_CODES), body=dice.choice([text(dice), "no: " + KEY, json.dumps(
            {"error": {"message": text(dice) + KEY, "type": dice.choice(["x", 7, None])}})]),
        headers={"Retry-After": dice.choice(["0", "1", "90", "soon", "-1", ""])}),
    "nothing": lambda a, dice: a.update(body=""),
    "another body": lambda a, dice: a.update(body=dice.choice(
        ["{}", "[]", "null", '{"choices": []}', '{"content": [{}]}', '{"choices": [{"message": 1}]}',
         text(dice), "{" * 500, '{"error": null}', '{"error": "no"}'])),
    "no usage at all": lambda a, dice: a.update(usage={"input": 0, "output": 0}),
    "used a lot": lambda a, dice: a.update(usage={"input": 10 ** dice.randrange(12), "output": 1}),
    "another end": lambda a, dice: a.update(reason=dice.choice(["length", "max_tokens", "refusal",
                                                               "content_filter", "", None, 3])),
    "an unknown tool": lambda a, dice: a.update(calls=[{"name": "search", "arguments": {"q": 1}}]),
}


class Run:
    """The questions of one process, which come one after the other: so is the chance."""

    def __init__(self, number, seed, count):
        self.provider, self.more = WAYS[number]
        self.dice = random.Random(seed * len(WAYS) + number)
        self.count, self.seen = count, collections.Counter()
        self.replies, self.wrong = [], []
        self.endpoint = Endpoint(self.answer)

    def answer(self, request, headers):
        dice = self.dice
        last = json.dumps(request["messages"][-1:])
        is_judge = "Judge whether" in last or "Your judgement" in last
        answer = {"content": dice.choice(VERDICTS if is_judge else PROGRAMS), "usage": {"input": 10, "output": 10}}
        names = [name for name in FAULTS if name != "none"]
        name = "none" if dice.random() < 0.6 else dice.choice(names)
        FAULTS[name](answer, dice)
        self.seen[name] += 1
        return answer

    def go(self):
        env = {**os.environ, "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY,
               "OPENAI_BASE_URL": self.endpoint.url, "ANTHROPIC_BASE_URL": self.endpoint.url}
        command = [os.environ["SNUG"], "ask", "--model", self.provider + ":any", *OPTIONS, *self.more]
        questions = "".join(f"What is {n} times seven?\n" for n in range(self.count))
        try:
            done = subprocess.run(command, input=questions, capture_output=True, text=True, env=env,
                                  timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.wrong.append("the program hangs")
            return
        finally:
            self.endpoint.close()
        self.judge(done)

    def judge(self, done):
        for line in done.stdout.splitlines():
            one = json.loads(line)
            if one.get("schema") == "snug.reply/1":
                self.replies.append(one)
        if done.returncode not in (0, 1) or len(self.replies) != self.count:
            self.wrong.append(f"exit status {done.returncode}, {len(self.replies)} replies to "
                              f"{self.count} questions: {done.stderr[-500:]}")
        if KEY in done.stdout + done.stderr:
            self.wrong.append("the key is in the output")
        for reply in self.replies:
            status, error = reply["status"], reply["error"] or ""
            if status not in STATUSES:
                self.wrong.append("no status: " + status)
            if (status == "answered") != (not error) or "\n" in error:
                self.wrong.append(f"{status}, and its sentence is: {error!r}")
            if pace.is_late(reply["timing_ms"]["total"] / 1000, BUDGET_SECONDS + SLACK_SECONDS):
                self.wrong.append(f"{reply['question']} took {reply['timing_ms']['total']} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    each = -(-given.count // len(WAYS))
    runs = [Run(number, given.seed, each) for number in range(len(WAYS))]
    with concurrent.futures.ThreadPoolExecutor(len(runs)) as pool:
        list(pool.map(Run.go, runs)) # passes an exception on
    counts = collections.Counter(reply["status"] for run in runs for reply in run.replies)
    seen = sum((run.seen for run in runs), collections.Counter())
    print(f"{sum(counts.values())} questions, {sum(seen.values())} requests")
    print("status: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    print("faults: " + ", ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    wrong = [text for run in runs for text in run.wrong]
    print("\n".join(wrong) or "none crashed, hung or failed without a sentence")
    sys.exit(bool(wrong))


main()
