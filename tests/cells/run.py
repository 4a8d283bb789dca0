"""Runs .cells files (see cellfile.py) against the program, all sessions in one `snug cells` process.

usage: SNUG=PROGRAM run.py [-k WORDS] [FILE.cells...]

What a cell's parts do not speak of must be at rest: status ok, state kept, no value, nothing printed,
nothing cut, nothing denied, no error. No frame of the host's own is ever shown.

Settings of a block, before its first cell:
    only V            for this version of Python only: 3.13, or 3.12+ or 3.13-
    options ...       a process of its own, with these options (quoted as in a shell)
    run               each cell is a file, for `snug run FILE --json`
A cell begins with one of:
    cell              source text
    source-expr E     Python for the source, a str (or bytes, with run)
    raw               a line for `snug cells` as it stands; SESSION becomes the session's name
Settings of a cell:
    timeout S, reset, interrupt S (sent after S seconds)
Expectations (X-expr E: the text is Python for a str, X-contains: each line must be in it):
    value, value-expr, value-contains, value-matches (a regular expression), any-value
    type, json (Python for the value), no-json
    stdout, stdout-expr, stdout-contains, stderr, ...     a text stands for whole lines
    ignore NAME       of an answer's member (stdout, stderr, truncated, policy, ...)
    status, state, count (execution_count), category
    error NAME or NAME: VALUE, error-value, error-value-expr, error-contains
    traceback, traceback-expr, traceback-contains         the line end at the end does not count
    frames            lines FILE:LINE FUNCTION: CODE
    hint              there is a hint, hint-contains
    policy EVENT DETAIL    is in policy.denied
    refused           answered by snug.error/1, whose value contains the text
    rejected          refused, or status error of category syntax
    within S          the answer took no longer, on a machine that is quiet (pace.py)
    exit-status N     of `snug run`
    check E           Python about r, the answer, and V, the version of Python: must be true
"""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import cellfile
import client

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pace  # noqa: E402
from share import in_share  # noqa: E402

SETTINGS = {"timeout", "reset", "interrupt"}


def shown(text):
    text = repr(text)
    return text if len(text) < 400 else text[:250] + " ... " + text[-120:]


def same_json(a, b):
    """Equal, and of the same JSON types: 1 is not 1.0 and not true."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def at(answer, *names):
    """The text or object under these names, None where one is missing."""
    for name in names:
        if not isinstance(answer, dict) or answer.get(name) is None:
            return None
        answer = answer[name]
    return answer


def differs(what, expected, actual):
    if expected == actual:
        return None
    if isinstance(expected, str) and isinstance(actual, str) and "\n" in expected.strip("\n"):
        return (f"{what} is\n" + indent(actual) + "\n  but should be\n" + indent(expected))
    return f"{what} is {shown(actual)}, but should be {shown(expected)}"


def indent(text):
    if len(text) > 4000:
        text = text[:2000] + "\n...\n" + text[-1500:]
    text = "".join(c if c == "\n" or c.isprintable() else repr(c)[1:-1] for c in text)
    return "\n".join("    | " + line for line in text.split("\n"))


def lacks(what, wanted, actual):
    missing = [line for line in wanted.split("\n") if line not in (actual or "")]
    if not wanted:
        return f"nothing to look for in {what}"
    return f"{what} is {shown(actual)}, without {shown(missing[0])}" if missing else None


def frames_text(answer):
    frames = at(answer, "error", "frames")
    if not isinstance(frames, list):
        return None
    return "\n".join(f"{f.get('file')}:{f.get('line')} {f.get('function')}: {f.get('code')}"
                     for f in frames)


def judge_error(part, answer):
    name, colon, value = part.text.partition(": ")
    problem = differs("error.name", name, at(answer, "error", "name"))
    if not problem and colon:
        problem = differs("error.value", value, at(answer, "error", "value"))
    return problem


def judge_stream(name):
    def judge(part, answer):
        text = part.text
        return differs(name, text + "\n" if text else "", answer.get(name))
    return judge


def judge_matches(part, answer):
    text = at(answer, "value", "text")
    if not isinstance(text, str) or not re.fullmatch(part.text, text):
        return f"value is {shown(text)}, which does not match {part.text}"
    return None


def judge_policy(part, answer):
    event, _, detail = part.text.partition(" ")
    denied = at(answer, "policy", "denied") or []
    if not any(d.get("event") == event and d.get("detail") == detail for d in denied):
        return f"policy.denied is {shown(denied)}, without {event} of {detail}"
    return None


def judge_json(part, answer):
    value = answer.get("value") or {}
    expected = eval(part.text, {})
    if "json" not in value:
        return f"value.json is absent, but should be {shown(expected)}"
    if not same_json(value["json"], expected):
        return f"value.json is {shown(value['json'])}, but should be {shown(expected)}"
    return None


def judge_refused(part, answer):
    if answer.get("schema") != "snug.error/1":
        return f"was not refused: {shown(answer)}"
    if not at(answer, "error", "name") or not at(answer, "error", "value"):
        return f"the refusal says too little: {shown(answer)}"
    return lacks("error.value", part.text, at(answer, "error", "value")) if part.text else None


def judge_rejected(part, answer):
    if answer.get("schema") != "snug.error/1":
        problem = (differs("status", "error", answer.get("status"))
                   or differs("error.category", "syntax", at(answer, "error", "category")))
        if problem:
            return problem
    elif not at(answer, "error", "name"):
        return f"the refusal says too little: {shown(answer)}"
    return lacks("error.value", part.text, at(answer, "error", "value")) if part.text else None


def path_text(*names):
    return lambda answer: at(answer, *names)


def traceback_text(answer):
    text = at(answer, "error", "traceback")
    return text.removesuffix("\n") if isinstance(text, str) else text


TEXTS = {  # of which exact, -expr and -contains are known
    "value": path_text("value", "text"),
    "stdout": path_text("stdout"),
    "stderr": path_text("stderr"),
    "error-value": path_text("error", "value"),
    "traceback": traceback_text,
}
EXACT = {  # one word or line
    "type": path_text("value", "type"),
    "status": path_text("status"),
    "state": path_text("state"),
    "category": path_text("error", "category"),
    "frames": frames_text,
}
JUDGES = {
    "error": judge_error,
    "json": judge_json,
    "value-matches": judge_matches,
    "policy": judge_policy,
    "refused": judge_refused,
    "rejected": judge_rejected,
    "any-value": lambda part, answer: None if answer.get("value") else "there is no value",
    "no-json": lambda part, answer: ("value.json is there" if "json" in (answer.get("value") or {})
                                     else None if answer.get("value") else "there is no value"),
    "error-contains": lambda part, answer: lacks("error.value", part.text, at(answer, "error", "value")),
    "hint": lambda part, answer: None if at(answer, "error", "hint") else "there is no hint",
    "hint-contains": lambda part, answer: lacks("error.hint", part.text, at(answer, "error", "hint")),
    "count": lambda part, answer: differs("execution_count", int(part.text), answer.get("execution_count")),
    "ignore": lambda part, answer: None,
}


def add_texts():
    def exact(get, name):
        return lambda part, answer: differs(name, part.text, get(answer))

    def evaluated(get, name):
        def judge(part, answer):
            expected = eval(part.text, {})
            return differs(name, expected.removesuffix("\n") if name == "traceback" else expected, get(answer))
        return judge

    def contains(get, name):
        return lambda part, answer: lacks(name, part.text, get(answer))

    for name, get in EXACT.items():
        JUDGES[name] = exact(get, name)
    for name, get in TEXTS.items():
        JUDGES[name] = exact(get, name)
        JUDGES[name + "-expr"] = evaluated(get, name)
        JUDGES[name + "-contains"] = contains(get, name)
    JUDGES["stdout"] = judge_stream("stdout")
    JUDGES["stderr"] = judge_stream("stderr")


add_texts()
OUTSIDE = {"check", "within", "exit-status"}  # judged in judge() itself
WORDS = SETTINGS | set(JUDGES) | OUTSIDE
NEEDS_NO_TEXT = {"reset", "no-json", "any-value", "hint", "refused", "rejected", "stdout", "stderr",
                 "traceback", "value", "error-value", "frames"}


def at_rest(parts, answer):
    """Problems in what the cell's parts do not speak of."""
    words = [part.word for part in parts]
    checks = " ".join(part.text for part in parts if part.word == "check")
    ignored = {part.text for part in parts if part.word == "ignore"}

    def spoken(name, *others):
        return name in ignored or f'"{name}"' in checks or any(w.startswith((name, *others)) for w in words)

    if spoken("refused", "rejected"):
        return
    if answer.get("schema") != "snug.result/1":
        yield f"the answer is not a result: {shown(answer)}"
        return
    if not spoken("status"):
        fails = any(word.startswith("error") for word in words)
        yield differs("status", "error" if fails else "ok", answer.get("status"))
    if not spoken("state"):
        yield differs("state", "kept", answer.get("state"))
    if not spoken("value", "any-value", "type", "json", "no-json") and answer.get("value") is not None:
        yield f"there is a value: {shown(answer['value'])}"
    for name in ("stdout", "stderr"):
        if not spoken(name) and answer.get(name) != "":
            yield f"{name} is {shown(answer.get(name))}, but should be empty"
    if not spoken("truncated") and answer.get("truncated"):
        yield f"truncated is {answer['truncated']}"
    if not spoken("policy") and at(answer, "policy", "denied"):
        yield f"policy.denied is {answer['policy']['denied']}"
    if answer.get("status") == "ok" and answer.get("error") is not None:
        yield f"status ok has an error: {shown(answer['error'])}"
    for text in (at(answer, "error", "traceback"), frames_text(answer), answer.get("stderr")):
        if "<snug" in (text or ""):
            yield "a frame of the host is shown:\n" + indent(text)


def judge(parts, answer, version, took_s, exit_status):
    parts = [part for part in parts[1:] if part.holds_for(version) and part.word not in SETTINGS]
    problems = list(at_rest(parts, answer))
    for part in parts:
        if part.word == "check":
            try:
                fine = eval(part.text, {"r": answer, "V": version, "json": json, "re": re})
                problem = None if fine else "is not true"
            except Exception as error:  # a wrong shape of the answer, most likely
                problem = f"raised {error!r}"
            problem = problem and f"check {problem}: {part.text}\n  r is {shown(answer)}"
        elif part.word == "within":
            problem = f"took {took_s:.1f} s, more than {part.text} s" if pace.is_late(took_s, float(part.text)) else None
        elif part.word == "exit-status":
            problem = differs("exit status", int(part.text), exit_status)
        else:
            problem = JUDGES[part.word](part, answer)
        if problem:
            problems.append(f"{problem} ({part.where.rpartition('/')[2]})")
    return [problem for problem in problems if problem]


def check_block(block):
    """Finds what is wrong with a block itself."""
    expects = False
    for parts in block.cells:
        for part in parts[1:]:
            if part.word not in NEEDS_NO_TEXT and not part.text:
                raise cellfile.Malformed(f"{part.where}: {part.word} without text")
            if part.word not in SETTINGS and part.word != "ignore":
                expects = True
    if not expects:
        raise cellfile.Malformed(f"{block.where}: a test without an expectation")


class Runner:
    def __init__(self):
        self.processes = {}  # by options
        self.versions = {}
        self.sessions = 0

    def process(self, options):
        if options not in self.processes:
            snug = client.Snug(options)
            self.processes[options] = snug
            self.versions[options] = client.python_version(snug)
        return self.processes[options]

    def lose(self, options):
        snug = self.processes.pop(options, None)
        if snug:
            snug.kill()

    def run_block(self, block):
        """The problems of a block, or None if it is for another Python."""
        options = ()
        by_file = False
        for part in block.settings:
            if part.word == "options":
                options = tuple(shlex.split(part.text))
            by_file = by_file or part.word == "run"
        try:
            snug = self.process(() if by_file else options)
            version = self.versions[() if by_file else options]
            if not all(cellfile.version_matches(part.text, version)
                       for part in block.settings if part.word == "only"):
                return None
            if by_file:
                return self.run_files(block, options, version)
            return self.run_session(block, snug, version)
        except client.Lost as lost:
            self.lose(() if by_file else options)
            return [str(lost)]

    def run_session(self, block, snug, version):
        self.sessions += 1
        session = f"t{self.sessions}"
        problems = []
        for number, parts in enumerate(block.cells, 1):
            setting = {part.word: part.text for part in parts if part.word in SETTINGS}
            begun = time.monotonic()
            answer = self.answer(snug, session, f"{session}-{number}", parts[0], setting)
            found = judge(parts, answer, version, time.monotonic() - begun, None)
            if answer.get("session") != session and parts[0].word != "raw":
                found.append(f"session is {answer.get('session')!r}, but should be {session!r}")
            problems += [f"cell {number}: {problem}" for problem in found]
        closed = snug.ask({"session": session, "close": True})
        if closed.get("schema") != "snug.closed/1" or closed.get("session") != session:
            problems.append(f"the close was answered by {shown(closed)}")
        return problems

    def answer(self, snug, session, name, first, setting):
        if first.word == "raw":
            snug.send_line(first.text.replace("SESSION", session))
            return snug.receive()
        request = {"session": session, "id": name, "code": cellfile.source(first)}
        if "timeout" in setting:
            request["timeout"] = float(setting["timeout"])
        if "reset" in setting:
            request["reset"] = True
        snug.send(request)
        acks = 0
        if "interrupt" in setting:
            time.sleep(float(setting["interrupt"]))
            snug.send({"session": session, "op": "interrupt", "id": name + "-interrupt"})
            acks = 1
        answer = None
        while answer is None or acks:
            got = snug.receive()
            if acks and got.get("id") == name + "-interrupt":
                acks -= 1
            elif answer is not None:
                raise client.Lost(f"a second answer to one cell: {shown(got)}")
            elif got.get("id") != name and got.get("schema") != "snug.error/1":
                raise client.Lost(f"an answer with the id {got.get('id')!r} instead of {name!r}: {shown(got)}")
            else:
                answer = got
        return answer

    def run_files(self, block, options, version):
        problems = []
        for number, parts in enumerate(block.cells, 1):
            source = cellfile.source(parts[0])
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "cell.py")
                path.write_bytes(source.encode("utf-8") if isinstance(source, str) else source)
                begun = time.monotonic()
                try:
                    done = subprocess.run([client.program(), "run", "--json", *options, str(path)],
                                          stdin=subprocess.DEVNULL, capture_output=True, timeout=client.BOUND_S)
                except subprocess.TimeoutExpired:
                    raise client.Lost(f"snug run did not end within {client.BOUND_S} s") from None
                took_s = time.monotonic() - begun
            lines = done.stdout.splitlines()
            if len(lines) != 1:
                problems.append(f"cell {number}: snug run answered {len(lines)} lines instead of one, exit status "
                                f"{done.returncode}, stderr {shown(done.stderr.decode('utf-8', 'replace'))}")
                continue
            found = judge(parts, client.decode(lines[0]), version, took_s, done.returncode)
            problems += [f"cell {number}: {problem}" for problem in found]
        return problems

    def finish(self):
        """Problems at the end of the processes themselves, by sentence."""
        for options, snug in self.processes.items():
            with_options = f" (with {' '.join(options)})" if options else ""
            try:
                code = snug.finish()
                problem = None if code == 0 else f"exit status {code}"
            except client.Lost as lost:
                problem = str(lost)
            yield f"the program ends well at the end of its input{with_options}", problem
            # A sanitizer's notice of a size that it refuses, as malloc would.
            said = "".join(line for line in snug.said().splitlines(True)
                           if "AddressSanitizer failed to allocate" not in line)
            yield (f"the program itself writes nothing to stderr{with_options}",
                   f"it wrote\n{indent(said)}" if said else None)


def main():
    parser = argparse.ArgumentParser(description="Runs .cells files; SNUG is the program.")
    parser.add_argument("-k", dest="words", default="", help="only tests whose sentence contains WORDS")
    parser.add_argument("--without", action="append", default=[], metavar="NAME",
                        help="not the file NAME.cells")
    parser.add_argument("files", nargs="*", metavar="FILE.cells")
    arguments = parser.parse_args()
    here = pathlib.Path(__file__).parent
    files = arguments.files or sorted(
        str(path) for path in here.glob("*.cells") if path.stem not in arguments.without)
    try:
        blocks = [block for path in files for block in cellfile.read(path, WORDS)]
        for block in blocks:
            check_block(block)
    except (cellfile.Malformed, OSError) as error:
        sys.exit(f"run.py: {error}")
    passed = failed = skipped = 0
    runner = Runner()
    try:
        runner.process(())
    except client.Lost as lost:
        print(f"FAILED the program starts\n  {lost}\n0 passed, 1 failed")
        sys.exit(1)

    def count(title, where, problems):
        nonlocal passed, failed
        if not problems:
            passed += 1
            return
        failed += 1
        print(f"FAILED {title}" + (f" ({where})" if where else ""))
        for problem in problems:
            print("  " + problem)
        sys.stdout.flush()

    for number, block in enumerate(blocks):
        if arguments.words in block.title and in_share(number):
            problems = runner.run_block(block)
            if problems is None:
                skipped += 1
            else:
                count(block.title, block.where, problems)
    for title, problem in runner.finish():
        count(title, None, [problem] if problem else [])
    if skipped:
        print(f"{skipped} tests are for another version of Python")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
