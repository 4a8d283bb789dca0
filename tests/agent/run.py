"""snug ask against a server that pretends to be a provider: the scenarios of scenarios/*.ask.

usage: SNUG=PROGRAM run.py BUILD_DIR [WORD...]

With words, only the scenarios that have one of them in their names. Each is run for openai and
anthropic, streaming and whole. aimock is installed into the build folder as package-lock.json has
it. Exit status 77, skipped, where there is no npm, no Node.js 20, or no registry.
"""
import concurrent.futures
import filecmp
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import scenariofile
from endpoint import Endpoint

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv[1], "tests/agent")
SNUG = os.path.abspath(os.environ["SNUG"])
SECONDS = 60
WAYS = list(itertools.product(("openai", "anthropic"), ("stream", "whole")))
KEY = "sk-the-key-of-no-one-0123456789"


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def install():
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        skip("there is no npm here")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    if int((re.match(r"v(\d+)", version) or [0, 0])[1]) < 20:
        skip(f"Node.js is {version}, and aimock wants 20")
    FOLDER.mkdir(parents=True, exist_ok=True)
    done = FOLDER / "installed.json"
    if done.exists() and filecmp.cmp(HERE / "package-lock.json", done, shallow=False):
        return node
    for name in "package.json", "package-lock.json", ".npmrc":
        shutil.copy(HERE / name, FOLDER)
    ended = subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=FOLDER,
                           capture_output=True, text=True, timeout=600)
    if ended.returncode:
        skip("npm could not install aimock: " + ended.stderr.strip()[-300:])
    shutil.copy(HERE / "package-lock.json", done)
    return node


class Trial:
    """A scenario in one of the ways."""

    def __init__(self, scenario, number, provider, manner):
        self.scenario, self.provider, self.manner = scenario, provider, manner
        self.model = f"{number}-{provider}-{manner}"
        self.own = bool(scenario.first("own"))
        self.wrong = []

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


def speakers(trial):
    """The parts of the model, and of a second one where a reply names it ("by")."""
    out = {}
    for part in trial.scenario.replies:
        by = ""
        if part.word in ("reply", "code") and part.rest:
            by = json.loads(part.rest).get("fixture", {}).get("metadata", {}).get("by", "")
        out.setdefault(f"{trial.model}{'-' + by if by else ''}", []).append(part)
    return out


class Aimock:
    def __init__(self, node, trials):
        path = FOLDER / "fixtures.json"
        fixtures = [fixture for trial in trials for fixture in fixtures_of(trial)]
        path.write_text(json.dumps({"fixtures": fixtures}))
        program = FOLDER / "node_modules/@copilotkit/aimock/dist/cli.js"
        self.log = open(FOLDER / "aimock.log", "w+")
        self.process = subprocess.Popen(
            [node, program, "-p", "0", "-f", path, "--journal-max", "0"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if found := re.search(r"listening on (http://\S+)", line):
                self.url = found[1]
                break
        else:
            self.log.seek(0)
            raise SystemExit("aimock does not start: " + self.log.read()[-1000:])
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def requests(self):
        """The bodies of all requests, by the model."""
        with urllib.request.urlopen(self.url + "/__aimock/journal?limit=100000") as got:
            entries = json.load(got)
        out = {}
        for entry in entries:
            if entry["body"]:
                out.setdefault(entry["body"].get("model"), []).append(entry["body"])
        return out

    def close(self):
        self.process.terminate()
        self.process.wait(SECONDS)


class Own:
    """The scenarios that aimock can not do."""

    def __init__(self):
        self.scripts, self.came = {}, {}
        self.lock = threading.Lock()
        self.endpoint = Endpoint(self.answer)
        self.url = self.endpoint.url

    def add(self, trial):
        self.scripts[trial.model] = [said(part)[0] for part in trial.scenario.replies]

    def answer(self, request, _):
        model = request["model"]
        with self.lock:
            came = self.came.setdefault(model, [])
            came.append(request)
            number = len(came) - 1
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


def command_of(trial):
    scenario = trial.scenario
    words = []
    for part in scenario.all("options"):
        words += shlex.split(named(part.text, trial))
    command = [SNUG, "ask", "--model", f"{trial.provider}:{trial.model}", *words]
    if trial.manner == "whole":
        command.append("--no-stream")
    if "--format" not in words:
        command.append("--json")
    return command + ["--"] + [named(part.text, trial) for part in scenario.all("ask")]


def environment_of(trial, url):
    env = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH", "LANG", "TMPDIR")
           if name in os.environ}
    for name in "OPENAI", "ANTHROPIC":
        env[name + "_API_KEY"] = KEY
        env[name + "_BASE_URL"] = url
    env.update(part.text.split("=", 1) for part in trial.scenario.all("environment"))
    return env


def watch(process, event, lines):
    """Reads stdout; at the event the program is interrupted."""
    for line in process.stdout:
        lines.append(line)
        if event and f'"event":"{event}"' in line:
            process.send_signal(signal.SIGINT)
            event = None


def ask(trial, url):
    scenario = trial.scenario
    with tempfile.TemporaryDirectory(prefix="snug-ask-") as folder:
        for part in scenario.all("file"):
            path = pathlib.Path(folder, part.rest)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(named(part.text, trial) + "\n")
        stdin, interrupt = scenario.first("stdin"), scenario.first("interrupt")
        errors = tempfile.TemporaryFile("w+")
        begun = time.monotonic()
        process = subprocess.Popen(command_of(trial), cwd=folder, env=environment_of(trial, url),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                                   text=True, errors="surrogateescape")
        lines = []
        reader = threading.Thread(target=watch, args=(process, interrupt and interrupt.text, lines))
        reader.start()
        try:
            if stdin:
                process.stdin.write(stdin.text + "\n")
            process.stdin.close()
            trial.exit = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            trial.exit = f"none: killed after {SECONDS} s"
        reader.join()
        trial.seconds = time.monotonic() - begun
        errors.seek(0)
        trial.stdout, trial.stderr = "".join(lines), errors.read()
    objects = [json.loads(line) for line in lines if line.startswith('{"')]
    trial.events = [one for one in objects if "event" in one]
    trial.replies = [one for one in objects if one.get("schema") == "snug.reply/1"]


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


def events_in_order(wanted, events):
    names = iter(event["event"] for event in events)
    return all(word in names for word in wanted)


def attempt_words(reply, field):
    return [(attempt["failure"] or {}).get(field, "-") for attempt in reply["attempts"]]


def look(trial, part, reply):
    """None, or what is there in the place of what must be."""
    word, text = part.word, named(part.text, trial)
    streams = {"stdout": trial.stdout, "stderr": trial.stderr}
    if word == "exit":
        return None if str(trial.exit) == text else trial.exit
    if word == "within":
        return None if trial.seconds < float(text) else f"{trial.seconds:.1f} s"
    if word == "events":
        names = [event["event"] for event in trial.events if event["event"] != "delta"]
        return None if events_in_order(text.split(), trial.events) else " ".join(names)
    if word in ("prompt", "no-prompt", "last", "not-last"):
        number, text = re.fullmatch(r"(\d+)\s(.*)", text, re.S).groups()
        if int(number) > len(trial.requests):
            return f"only {len(trial.requests)} requests"
        told = prompt_text(trial.requests[int(number) - 1], word.endswith("last"))
        return None if (text in told) == (not word.startswith("no")) else told
    if word == "headings":
        found = ", ".join(re.findall(r"^##? (.*)$", trial.stdout, re.M))
        return None if found == text else found
    stream, _, manner = word.partition("-")
    if stream in streams:
        return None if (text in streams[stream]) == (manner == "has") else streams[stream]
    if word == "check":
        names = {"r": reply, "e": trial.events, "q": trial.requests, "json": json}
        try:
            return None if eval(text, names) else json.dumps(reply)[:3000]
        except Exception as error:
            return f"{type(error).__name__}: {error}; {json.dumps(reply)[:3000]}"
    if reply is None:
        return "no reply; stderr: " + trial.stderr
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


def judge(trial):
    index, has_exit, unjudged = 0, False, set(range(len(trial.replies)))
    for part in trial.scenario.demands:
        if part.word == "of":
            index = int(part.text) - 1
            continue
        has_exit |= part.word == "exit"
        if part.word == "status":
            unjudged.discard(index)
        reply = trial.replies[index] if index < len(trial.replies) else None
        found = look(trial, part, reply)
        if found is not None:
            trial.wrong.append(f"{part.where}: {part.word} {part.text}\n    but: {found}")
    if not has_exit and "--format" not in command_of(trial):
        wanted = 0 if trial.replies and all(r["status"] == "answered" for r in trial.replies) else 1
        if trial.exit != wanted:
            trial.wrong.append(f"exit status {trial.exit}; stderr: {trial.stderr}")
    for index in unjudged:
        reply = trial.replies[index]
        if reply["status"] != "answered" and not has_exit:
            trial.wrong.append(f"{reply['status']}: {reply['error']}")
    if len(trial.requests) != len(trial.scenario.replies) and not trial.scenario.first("interrupt"):
        trial.wrong.append(f"{len(trial.scenario.replies)} replies were there, and "
                           f"{len(trial.requests)} requests came")
    if KEY in trial.stdout + trial.stderr:
        trial.wrong.append("the key is in the output")


def trials_of(paths, words):
    scenarios = [one for path in sorted(paths) for one in scenariofile.read(path)]
    titles = [scenario.title for scenario in scenarios]
    for title in titles:
        if titles.count(title) > 1:
            raise scenariofile.Malformed("a second scenario of this name: " + title)
    for number, scenario in enumerate(scenarios):
        if words and not any(word in scenario.title for word in words):
            continue
        only = scenario.first("only")
        allowed = only.text.partition(":")[0].split() if only else []
        for provider, manner in WAYS:
            names = [name for name in allowed if name in ("openai", "anthropic")]
            manners = [name for name in allowed if name in ("stream", "whole")]
            if (not names or provider in names) and (not manners or manner in manners):
                yield Trial(scenario, number, provider, manner)


def main():
    trials = list(trials_of((HERE / "scenarios").glob("*.ask"), sys.argv[2:]))
    own, aimock = Own(), Aimock(install(), [trial for trial in trials if not trial.own])
    try:
        for trial in trials:
            if trial.own:
                own.add(trial)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda trial: ask(trial, (own if trial.own else aimock).url), trials))
        requests = {**aimock.requests(), **own.requests()}
        for trial in trials:
            trial.requests = [one for model in speakers(trial) for one in requests.get(model, [])]
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
