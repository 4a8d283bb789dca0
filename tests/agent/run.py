"""snug ask against a server that pretends to be a provider: the scenarios of scenarios/*.ask.

usage: SNUG=PROGRAM run.py BUILD_DIR [--all-ways] [WORD...]

With words, only the scenarios that have one of them in their names. There are four ways to run one: for
openai and anthropic, streaming and whole. Those of wire.ask, which are about what goes over the wire,
and those that have fewer ways are run in all of theirs; the others are run in one, each in the next of
the four, and with --all-ways, as scripts/test --long does, in all four. aimock is installed into the build folder as package-lock.json has
it. Exit status 77, skipped, where there is no npm, no Node.js 20, or no registry.
"""
import concurrent.futures
import ctypes
import itertools
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

import scenariofile
import talks
from aimock import Aimock
from endpoint import Endpoint

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pace  # noqa: E402
from share import in_share  # noqa: E402

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv[1], "tests/agent")
SNUG = os.path.abspath(os.environ["SNUG"])
SECONDS = 600
WAYS = list(itertools.product(("openai", "anthropic"), ("stream", "whole")))
KEY = "sk-the-key-of-no-one-0123456789"


class Trial:
    """A scenario in one of the ways."""

    def __init__(self, scenario, number, provider, manner):
        self.scenario, self.provider, self.manner = scenario, provider, manner
        self.model = f"{number}-{provider}-{manner}"
        # aimock keeps a request to Anthropic as what one to OpenAI would have been.
        is_compared = bool(scenario.all("talk", "messages")) and provider == "anthropic"
        self.own = is_compared or bool(scenario.first("own"))
        self.runs, self.requests, self.wrong = [], [], []

    def __str__(self):
        return f"{self.scenario.where} ({self.provider}, {self.manner}): {self.scenario.title}"


# ---- what the model says -----------------------------------------------------------------


def said(part):
    """The response, and the fixture around it."""
    if part.word in ("pass", "fail"):
        field = "answer" if part.word == "pass" else "reason"
        content = {"verdict": part.word, "reason": "as it should be", "answer": ""}
        return {"content": json.dumps({**content, field: part.text})}, {}
    response = json.loads(part.rest or "{}")
    around = response.pop("fixture", {})
    text = f"```python\n{part.text}\n```" if part.word == "code" else part.text
    if text and "content" not in response:
        response["content"] = text
    return response, around


def fixtures_of(trial):
    """Each is for the next request of this model, so that trials do not meet each other."""
    for model, parts in speakers(trial).items():
        for index, part in enumerate(parts):
            response, around = said(part)
            yield {"match": {"model": model, "sequenceIndex": index}, "response": response,
                   **around}
    for part in trial.scenario.all("embed"):
        text, vector = re.fullmatch(r"(.*) (\[.*\])", part.text).groups()
        yield {"match": {"model": trial.model + "-embed", "inputText": text},
               "response": {"embedding": json.loads(vector)}}


def speakers(trial):
    """The parts of the model, and of a second one where a reply names it ("by")."""
    out = {trial.model: []}
    for part in trial.scenario.replies:
        by = ""
        if part.word in ("reply", "code") and part.rest:
            by = json.loads(part.rest).get("fixture", {}).get("metadata", {}).get("by", "")
        out.setdefault(f"{trial.model}{'-' + by if by else ''}", []).append(part)
    return out


def as_own(response, provider):
    """What aimock would say, as endpoint.py says it."""
    out = {"thinking": response.get("reasoning", ""), **response}
    if out.get("finishReason") == "length":
        out["reason"] = "length" if provider == "openai" else "max_tokens"
    if calls := out.get("toolCalls"):
        out["calls"] = calls
    if error := out.get("error"):
        out["body"] = json.dumps({"error": error})
    if "retryAfter" in out:
        out["headers"] = {"Retry-After": str(out["retryAfter"])}
    return out


class Own:
    """The scenarios that aimock cannot do, and those whose requests it would not show as they were."""

    def __init__(self):
        self.scripts, self.came = {}, []
        self.lock = threading.Lock()
        self.endpoint = Endpoint(self.answer)
        self.url = self.endpoint.url

    def add(self, trial):
        for model, parts in speakers(trial).items():
            self.scripts[model] = [as_own(said(part)[0], trial.provider) for part in parts]

    def answer(self, request, _):
        model = request["model"]
        with self.lock:
            number = sum(one["model"] == model for one in self.came)
            self.came.append(request)
        script = self.scripts[model]
        return script[number] if number < len(script) else {"status": 404, "body": "no more"}

    def requests(self):
        return self.came

    def close(self):
        self.endpoint.close()


# ---- asking ------------------------------------------------------------------------------


def named(text, trial):
    text = text.replace("$MODEL", f"{trial.provider}:{trial.model}")
    return text.replace("$ESC", "\x1b").replace("$CSI", "\x9b").replace("$FF", "\udcff")


def command_of(trial, step):
    words = []
    for part in step.all("options", "run"):
        words += shlex.split(named(part.text, trial))
    if step.first("run"):
        return [SNUG, *words]
    command = [SNUG, "ask", "--model", f"{trial.provider}:{trial.model}", *words]
    if trial.manner == "whole":
        command.append("--no-stream")
    if "--format" not in words:
        command.append("--json")
    questions = [named(part.text, trial) for part in step.all("ask")]
    if len(questions) > 1 and not any(" " in question for question in questions):
        questions[-1] += " "  # words without a blank would be one question
    return command + ["--", *questions]


def environment_of(trial, url, folder):
    env = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH", "LANG", "TMPDIR")
           if name in os.environ}
    for name in "OPENAI", "ANTHROPIC":
        env[name + "_API_KEY"] = KEY
        env[name + "_BASE_URL"] = url
    env["XDG_STATE_HOME"] = env["XDG_CONFIG_HOME"] = f"{folder}/state"
    env.update(part.text.split("=", 1) for part in trial.scenario.all("environment"))
    return env


def watch(process, part, lines):
    """Reads stdout; at the event that the part names the program gets a signal."""
    for line in process.stdout:
        lines.append(line)
        if part and f'"event":"{part.text}"' in line:
            process.send_signal(signal.SIGINT if part.word == "interrupt" else signal.SIGKILL)
            part = None


class Run:
    """What came of a command."""

    def __init__(self, trial, step, url, folder):
        self.step, self.command = step, command_of(trial, step)
        stdin = step.first("stdin")
        errors = tempfile.TemporaryFile("w+")
        begun = time.monotonic()
        process = subprocess.Popen(self.command, cwd=f"{folder}/work",
                                   env=environment_of(trial, url, folder),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                                   text=True, errors="surrogateescape")
        lines = []
        end = step.first("interrupt") or step.first("kill")
        reader = threading.Thread(target=watch, args=(process, end, lines))
        reader.start()
        try:
            if stdin:
                process.stdin.write(stdin.text + "\n")
            process.stdin.close()
            self.exit = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            self.exit = f"none: killed after {SECONDS} s"
        reader.join()
        self.seconds = time.monotonic() - begun
        errors.seek(0)
        self.stdout, self.stderr = "".join(lines), errors.read()
        objects = [json.loads(line) for line in lines if line.startswith('{"')]
        self.events = [one for one in objects if "event" in one]
        self.replies = [one for one in objects if one.get("schema") == "snug.reply/1"]


def ask(trial, url):
    with tempfile.TemporaryDirectory(prefix="snug-ask-") as folder:
        for step in trial.scenario.steps:
            for part in step.all("file"):
                path = pathlib.Path(folder, "work", part.rest)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(named(part.text, trial) + "\n")
            pathlib.Path(folder, "work").mkdir(exist_ok=True)
            trial.runs.append(Run(trial, step, url, folder))


# ---- what must come of it ----------------------------------------------------------------


def prompt_text(request, is_last):
    """All that the model was told, or in the last message, without the JSON around it."""
    texts = []

    def walk(value):
        if isinstance(value, str):
            texts.append(value)
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            walk(item)

    walk(request["messages"][-1] if is_last else
         {name: request.get(name) for name in ("system", "messages", "tools")})
    return "\n".join(texts)


def compare_messages(request, rows):
    """None, or the first message that is not as its row says, or how many there are."""
    messages = talks.messages_of(request)
    for (role, text), row in zip(messages, rows):
        wanted, _, rest = row.partition(" ")
        if role != wanted:
            return f"{role} in the place of {wanted}: {text}"
        for piece in filter(None, rest.split(" | ")):
            has = piece.removeprefix("!") in text
            if has == piece.startswith("!"):
                return f"{piece!r} of {role}: {text}"
    if len(messages) != len(rows):
        return f"{len(messages)} messages: " + json.dumps(messages)
    return None


def events_in_order(wanted, events):
    names = iter(event["event"] for event in events)
    return all(word in names for word in wanted)


def attempt_words(reply, field):
    return [(attempt["failure"] or {}).get(field, "-") for attempt in reply["attempts"]]


def look(trial, run, part, reply):
    """None, or what is there in the place of what must be."""
    word, text = part.word, named(part.text, trial)
    streams = {"stdout": run.stdout, "stderr": run.stderr}
    if word == "exit":
        return None if str(run.exit) == text else run.exit
    if word == "within":
        return f"{run.seconds:.1f} s" if pace.is_late(run.seconds, float(text)) else None
    if word == "events":
        names = [event["event"] for event in run.events if event["event"] != "delta"]
        return None if events_in_order(text.split(), run.events) else " ".join(names)
    if word in ("prompt", "no-prompt", "last", "not-last"):
        number, text = re.fullmatch(r"(\d+)\s(.*)", text, re.S).groups()
        if int(number) > len(trial.requests):
            return f"only {len(trial.requests)} requests"
        told = prompt_text(trial.requests[int(number) - 1], word.endswith("last"))
        return None if (text in told) == (not word.startswith("no")) else told
    if word == "messages":
        if int(part.rest) > len(trial.requests):
            return f"only {len(trial.requests)} requests"
        return compare_messages(trial.requests[int(part.rest) - 1], text.split("\n"))
    if word == "talk":
        return talks.Talk(part.lines).compare(trial.requests)
    if word == "headings":
        found = ", ".join(re.findall(r"^##? (.*)$", run.stdout, re.M))
        return None if found == text else found
    stream, _, manner = word.partition("-")
    if stream in streams:
        return None if (text in streams[stream]) == (manner == "has") else streams[stream]
    if word == "check":
        names = {"r": reply, "e": run.events, "q": trial.requests, "json": json}
        try:
            return None if eval(text, names) else json.dumps(reply)[:3000]
        except Exception as error:
            return f"{type(error).__name__}: {error}; {json.dumps(reply)[:3000]}"
    if reply is None:
        return "no reply; stderr: " + run.stderr
    found = {"status": lambda: reply["status"], "answer": lambda: reply["answer"] or "",
             "attempts": lambda: str(len(reply["attempts"])),
             "requests": lambda: str(reply["usage"]["requests"]),
             "verdict": lambda: (reply["evaluation"] or {}).get("verdict"),
             "classes": lambda: " ".join(attempt_words(reply, "class")),
             "categories": lambda: " ".join(attempt_words(reply, "category")),
             "unsupported": lambda: " ".join(reply["unsupported"])}.get(word)
    if found:
        return None if found() == text else found() + (f" ({reply['error']})" if reply["error"] else "")
    last = reply["attempts"][-1]["output"] if reply["attempts"] else ""
    whole = {"answer-has": reply["answer"], "error-has": reply["error"], "output-has": last}[word]
    return None if text in (whole or "") else whole


def judge_run(trial, run):
    index, has_exit, unjudged = 0, False, set(range(len(run.replies)))
    for part in run.step.demands:
        if part.word == "of":
            index = int(part.text) - 1
            continue
        has_exit |= part.word == "exit"
        if part.word == "status":
            unjudged.discard(index)
        reply = run.replies[index] if index < len(run.replies) else None
        found = look(trial, run, part, reply)
        if found is not None:
            trial.wrong.append(f"{part.where}: {part.word} {part.text}\n    but: {found}")
    if not has_exit and "--format" not in run.command:
        is_fine = all(reply["status"] == "answered" for reply in run.replies)
        wanted = 0 if is_fine and (run.replies or run.step.first("run")) else 1
        if run.exit != wanted:
            trial.wrong.append(f"exit status {run.exit}; stderr: {run.stderr}")
    for index in unjudged:
        reply = run.replies[index]
        if reply["status"] != "answered" and not has_exit:
            trial.wrong.append(f"{reply['status']}: {reply['error']}")
    if KEY in run.stdout + run.stderr:
        trial.wrong.append("the key is in the output")


def judge(trial):
    for run in trial.runs:
        judge_run(trial, run)
    if len(trial.requests) != len(trial.scenario.replies) and not trial.scenario.first("interrupt"):
        trial.wrong.append(f"{len(trial.scenario.replies)} replies were there, and "
                           f"{len(trial.requests)} requests came")


def is_there(libraries):
    """Whether one of them is: a library has another number on another system."""
    for library in libraries.split(" or "):
        try:
            return bool(ctypes.CDLL(library))
        except OSError:
            pass
    return False


def ways_of(scenario, number, in_all):
    only = scenario.first("only")
    allowed = only.text.partition(":")[0].split() if only else []
    names = [name for name in allowed if name in ("openai", "anthropic")] or ["openai", "anthropic"]
    manners = [name for name in allowed if name in ("stream", "whole")] or ["stream", "whole"]
    in_all = in_all or allowed or pathlib.Path(scenario.where.partition(":")[0]).stem == "wire"
    return [(name, manner) for name, manner in (WAYS if in_all else [WAYS[number % 4]])
            if name in names and manner in manners]


def trials_of(paths, words, in_all):
    scenarios = [one for path in sorted(paths) for one in scenariofile.read(path)]
    titles = [scenario.title for scenario in scenarios]
    for title in titles:
        if titles.count(title) > 1:
            raise scenariofile.Malformed("a second scenario of this name: " + title)
    for number, scenario in enumerate(scenarios):
        if not in_share(number) or words and not any(word in scenario.title for word in words):
            continue
        if missing := [part.text for part in scenario.all("needs") if not is_there(part.text)]:
            print(f"skipped: {scenario.title}: without {missing[0]}")
            continue
        for provider, manner in ways_of(scenario, number, in_all):
            yield Trial(scenario, number, provider, manner)


def main():
    words = [word for word in sys.argv[2:] if word != "--all-ways"]
    trials = list(trials_of((HERE / "scenarios").glob("*.ask"), words, "--all-ways" in sys.argv))
    fixtures = [one for trial in trials if not trial.own for one in fixtures_of(trial)]
    own, aimock = Own(), Aimock(FOLDER, "scenarios", fixtures)
    try:
        for trial in trials:
            if trial.own:
                own.add(trial)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda trial: ask(trial, (own if trial.own else aimock).url), trials))
        asked = {model: trial for trial in trials for model in speakers(trial)}
        for request in aimock.requests() + own.requests():
            if request.get("model") in asked:
                asked[request["model"]].requests.append(request)
        for trial in trials:
            judge(trial)
    finally:
        aimock.close()
        own.close()
    for trial in trials:
        if trial.wrong:
            print(f"FAILED {trial}")
            print("\n".join("  " + text for text in trial.wrong))
    failed = sum(bool(trial.wrong) for trial in trials)
    count = len({trial.scenario.title for trial in trials})
    print(f"{count} scenarios, {len(trials)} runs, {failed} failed")
    if not trials or failed:
        sys.exit(1)


main()
