"""Questions where all is rough at once: the question, the options, the data, and the model that answers.

usage: SNUG=PROGRAM rough.py [--count N] [--seed N] [--only N] [--shown]

However it is asked: the program ends, by itself and with one of the statuses of "snug help ask"; where there is
no answer it says why, in one sentence; nothing of it is left running or lying in the temporary folder; and the key, a
fresh one in each run, is nowhere but in the requests to the model. A redirect leads to a second server, to which
nothing may come. --only repeats one question of a seed, --shown prints its command, stdout and stderr.
"""
import argparse
import base64
import collections
import concurrent.futures
import ctypes
import http.server
import json
import os
import pathlib
import random
import re
import resource
import secrets
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from endpoint import Endpoint
from roughasks import Ask, furnish
from roughmodels import Model

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 600  # only a hang takes so long: no question has more than three for its answer
GRACE_SECONDS = 5  # for what is about to end
MOST_BYTES = 1 << 30  # of memory
BIGGEST_FILE = 16 << 20
STATUSES = ("max_attempts", "budget", "terminal_error", "refused")
FINE = "answered"

# What snug says on stderr that is no reason why there is no answer.
NOTICES = re.compile("|".join([
    "reading (data from )?stdin, which has not ended yet", "there is no worker, and cells run in this process",
    "what was made goes with the session", "some numbers of this answer", "this answer was made without a program"]))
BROKEN = [
    "(null)", "Segmentation fault", "core dumped", "Assertion `", "AddressSanitizer", "LeakSanitizer",
    "ThreadSanitizer", "runtime error:",
    "double free", "free(): ", "malloc(): ", "corrupted ", "stack smashing", "buffer overflow detected",
    "Fatal Python error",
    "Exception ignored in", "terminate called", "Python runtime state"]
OF_THE_PROGRAM = re.compile(r"^Traceback \(most recent call last\)", re.M)  # a cell's stands behind a mark

PROVIDERS = {"openai": "OPENAI", "anthropic": "ANTHROPIC", "vllm": "VLLM", "llamacpp": "LLAMACPP",
             "lmstudio": "LMSTUDIO",
             "openrouter": "OPENROUTER", "gemini": "GEMINI"}


# ---- servers ----


class Elsewhere(http.server.ThreadingHTTPServer):
    """Another host, to which a redirect leads. It keeps all that comes, of whatever method."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        def handle(self):
            self.connection.settimeout(1)
            came = b""
            try:
                while len(came) < 1 << 20 and (piece := self.connection.recv(65536)):
                    came += piece
                    if b"\r\n\r\n" in came:
                        break
            except OSError:
                pass
            self.server.came.append(came)

    def __init__(self):
        super().__init__(("127.0.0.2", 0), self.Handler)
        self.came = []
        self.url = f"http://127.0.0.2:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=[0.05], daemon=True).start()

    def handle_error(self, request, client_address):
        pass


# ---- the command ----


def children():
    """Of this process, and those that others have left to it."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = pathlib.Path("/proc", pid, "stat").read_bytes()
            words = stat[stat.rindex(b")") + 2:].split()
            if int(words[1]) == os.getpid():
                yield int(pid)
        except (OSError, ValueError):
            pass  # it has gone


def told_of(pid):
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return f"{pid} ({words.strip()[:200]})"
    except OSError:
        return str(pid)


def memory_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def where_it_waits(pid):
    """Of each thread, for whoever looks for the reason of a hang."""
    out = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        try:
            name, place, call = ((task / part).read_text().strip() for part in ("comm", "wchan", "syscall"))
            out.append(f"{name}: {place} {call.split()[0]}")
        except (OSError, IndexError):
            pass
    return "; ".join(out)


class Run:
    """A question that is asked. What came of it is in exit, stdout and stderr, None where nobody read them."""

    def __init__(self, ask, place, program, seconds=SECONDS):
        self.ask, self.place, self.program, self.most_seconds = ask, place, program, seconds
        if ask.keeps_key_in_file:
            ask.words[:0] = ["--key-file", place.keys.name]
        self.wrong, self.files, self.threads = [], [], []
        self.stdout = self.stderr = None
        self.is_ended = threading.Event()

    def words(self):
        out = []
        for word in self.ask.words:
            for name, value in self.place.stands_for(self.program).items():
                word = word.replace(name, value)
            out.append(word)
        return out

    def command(self):
        """Through a shell, which closes what is to be closed, and knows its number."""
        closed = "".join(text for stream, text in (("stdin", " <&-"), ("stdout", " >&-"), ("stderr", " 2>&-"))
                         if getattr(self.ask, stream) == "closed")
        words = [self.program, "ask", *self.words()]
        if not closed and not any("@PID@" in word for word in words):
            return words
        script = "exec"
        for number, word in enumerate(words):
            quoted = "'" + word.replace("'", "'\"'\"'").replace("@PID@", "'$$'") + "'"
            script += " " + quoted if "@PID@" in word else f' "${{{number}}}"'
        return ["sh", "-c", script + closed, *words]

    def open_stdin(self):
        kind = self.ask.stdin
        if kind == "pipe":
            return subprocess.PIPE
        if kind == "file":
            path = self.place.path / "stdin"
            path.write_bytes(b"".join(piece for _, piece in self.ask.pieces))
            return open(path, "rb")
        if kind == "fifo":
            os.mkfifo(self.place.path / "stdin")
            return open(os.open(self.place.path / "stdin", os.O_RDWR), "rb", buffering=0)
        names = {"folder": "/", "zero": "/dev/zero"}
        return os.open(names.get(kind, os.devnull), os.O_RDONLY)

    def open_out(self, kind):
        if kind == "full":
            return open("/dev/full", "wb")
        if kind in ("pipe", "gone", "slow"):
            return subprocess.PIPE
        return tempfile.TemporaryFile()

    def write(self, pipe):
        try:
            for wait, piece in self.ask.pieces:
                self.is_ended.wait(wait)
                pipe.write(piece)
                pipe.flush()
            if self.ask.is_held:
                self.is_ended.wait()
        except OSError:
            pass  # the program does not read it
        finally:
            try:
                pipe.close()
            except OSError:
                pass

    def read(self, pipe, kind, name):
        if kind == "slow":
            self.is_ended.wait(1)
        elif kind == "gone":
            pipe.read(self.ask.gone_after)
        else:
            setattr(self, name, pipe.read())
        pipe.close()

    def start_thread(self, *task):
        self.threads.append(threading.Thread(target=task[0], args=task[1:], daemon=True))
        self.threads[-1].start()

    def go(self):
        ask = self.ask
        streams = [self.open_stdin(), self.open_out(ask.stdout), self.open_out(ask.stderr)]
        begun = time.monotonic()
        process = subprocess.Popen([os.fsencode(word) for word in self.command()], cwd=self.place.path / "work",
                                   env=self.place.environment(ask),
                                   stdin=streams[0], stdout=streams[1], stderr=streams[2], start_new_session=True,
                                   bufsize=0)
        if process.stdin:
            self.start_thread(self.write, process.stdin)
        for name, pipe in ("stdout", process.stdout), ("stderr", process.stderr):
            if pipe:
                self.start_thread(self.read, pipe, getattr(ask, name), name)
        self.wait(process, begun)
        self.seconds = time.monotonic() - begun
        self.is_ended.set()
        self.see_children()
        for thread in self.threads:
            thread.join(GRACE_SECONDS)
        for name, stream in ("stdout", streams[1]), ("stderr", streams[2]):
            if getattr(ask, name) == "file":
                stream.seek(0)
                setattr(self, name, stream.read())
        for stream in streams:
            if hasattr(stream, "close"):
                stream.close()
            elif stream >= 0:
                os.close(stream)

    def wait(self, process, begun):
        watched = os.pidfd_open(process.pid)
        interrupted = False
        try:
            while not select.select([watched], [], [], 0.1)[0]:
                if self.ask.is_interrupted and not interrupted and self.place.model.came:
                    interrupted = True
                    process.send_signal(signal.SIGINT)
                if memory_of(process.pid) > MOST_BYTES:
                    self.wrong.append("grows without end: more than it may need")
                elif time.monotonic() - begun > self.most_seconds:
                    self.wrong.append(f"hangs: not ended after {self.most_seconds} s; {where_it_waits(process.pid)}")
                else:
                    continue
                process.kill()
                break
        finally:
            os.close(watched)
        self.exit = process.wait()

    def see_children(self):
        """The processes that it has left, which have a moment to end."""
        until = time.monotonic() + (0 if self.wrong else GRACE_SECONDS)
        while left := list(children()):
            for pid in left:
                watched = os.pidfd_open(pid)
                is_ended = select.select([watched], [], [], max(0, until - time.monotonic()))[0]
                os.close(watched)
                if not is_ended:
                    if not self.wrong:
                        self.wrong.append("left running: " + told_of(pid))
                    os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


class Place:
    """A folder for a question, its model, and the server that nothing may come to."""

    def __init__(self, dice):
        self.key, self.header = (head + secrets.token_urlsafe(24) for head in ("sk-", "hd-"))
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="snug-rough-"))
        self.keys = tempfile.NamedTemporaryFile("w", prefix="snug-rough-key-")
        self.keys.write(self.key + "\n")
        self.keys.flush()
        for name in "tmp", "work", "home":
            (self.path / name).mkdir()
        furnish(self.path / "work")
        self.elsewhere = Elsewhere()
        self.endpoint = Endpoint(lambda request, headers: self.model.answer(request, headers))
        self.model = Model(dice, self.key, self.endpoint.url, self.elsewhere.url)

    def stands_for(self, program):
        """What words of options stand for."""
        return {"@DIR@": str(self.path), "URL": self.endpoint.url, "PYTHON": shlex.quote(sys.executable),
                "MCP": shlex.quote(str(HERE.parent / "cli/mcp_server.py")),
                "WORKER": shlex.quote(os.path.join(os.path.dirname(os.path.realpath(program)), "snug-worker"))}

    def environment(self, ask):
        url = self.endpoint.url
        env = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                                   "LSAN_OPTIONS") if name in os.environ}
        env.update(HOME=str(self.path / "home"), TMPDIR=str(self.path / "tmp"), ROUGH_HEADER=self.header,
                   OLLAMA_HOST=url, AZURE_OPENAI_ENDPOINT=url)
        # What does not go to this machine goes where it is seen.
        env.update(http_proxy=self.elsewhere.url, https_proxy=self.elsewhere.url, all_proxy=self.elsewhere.url)
        for name in PROVIDERS.values():
            env[name + "_BASE_URL"] = url
        if not ask.has_no_key:
            for name in [*PROVIDERS.values(), "OLLAMA", "AZURE_OPENAI"]:
                env[("LLAMA" if name == "LLAMACPP" else name) + "_API_KEY"] = self.key
        if ask.keeps_key_in_file:
            env.pop("OPENAI_API_KEY", None)
        return env

    def made_files(self):
        """(path, what is in it); of a huge one its beginning."""
        for folder, _, names in os.walk(os.fsencode(self.path)):
            for name in set(names) - {b"huge.log"}:
                path = os.path.join(folder, name)
                try:
                    if os.path.isfile(path) and not os.path.islink(path):
                        with open(path, "rb") as file:
                            yield os.fsdecode(os.path.relpath(path, os.fsencode(self.path))), file.read(BIGGEST_FILE)
                except OSError:
                    pass

    def close(self):
        for server in self.endpoint, self.elsewhere:
            server.shutdown()
            server.server_close()
        self.keys.close()
        shutil.rmtree(self.path, ignore_errors=True)


# ---- judging ----


def forms_of(secret):
    """As it is, turned round, as hexadecimal digits, and in base64 wherever it begins."""
    raw = secret.encode()
    yield raw
    yield raw[::-1]
    yield raw.hex().encode()
    for at in range(0, len(raw) - 6, 8):
        yield " ".join(f"{byte:02x}" for byte in raw[at:at + 6]).encode()
    for lead in range(3):
        yield base64.b64encode(b"x" * lead + raw)[4:-4]


def has_secret(data, *hidden):
    return any(form in data for secret in hidden for form in forms_of(secret))


def sentences(stderr):
    """The value of an option, which a sentence may quote, may have a line end in it."""
    return re.findall(r"^snug: (.*(?:\n(?!snug: |- |  ).+)?)", stderr, re.M)


def replies_in(stdout, is_strict):
    """The replies among the lines; ValueError: what must be JSON is none."""
    replies = []
    for line in stdout.split("\n"):
        if not line.strip():
            continue
        try:
            one = json.loads(line) if line.startswith("{") or is_strict else None
        except ValueError:
            if is_strict:
                raise ValueError(f"a line of stdout is no JSON: {line[:200]!r}") from None
            continue
        if one is not None:
            json.dumps(one, ensure_ascii=False).encode()  # else a character that there is not
        if isinstance(one, dict) and one.get("schema") == "snug.reply/1":
            replies.append(one)
    return replies


class Judge:
    """Of a Run: the outcome in a word, and what is wrong, a sentence each."""

    def __init__(self, run):
        self.run, self.wrong = run, list(run.wrong)
        self.outcome = "hung" if run.wrong else None
        self.judge_secrets()
        if not self.outcome:
            self.judge_exit()
        if not self.outcome:
            self.judge_words()

    def say(self, sentence):
        self.wrong.append(sentence)

    def is_swept(self, path):
        """A worker that a command has started is sealed when it ends, and its own folder stays, empty: the next
        program that makes one sweeps it."""
        return ("--worker-command" in self.run.command() and re.fullmatch("snug-[0-9a-f]{16}", path.name)
                and not os.listdir(path))

    def judge_secrets(self):
        run, place = self.run, self.run.place
        hidden = place.key, place.header
        for name in "stdout", "stderr":
            if has_secret(getattr(run, name) or b"", *hidden):
                self.say(f"the key is on {name}")
        for path, data in place.made_files():
            if has_secret(data, *hidden):
                self.say(f"the key is in the file {path!r}")
        if has_secret("".join(place.model.bodies).encode(errors="replace"), *hidden):
            self.say("the key is in a trace, or in what embeddings are made of")
        for came in place.elsewhere.came:
            what = "the key" if has_secret(came, *hidden) else "a request"
            self.say(f"{what} came to another host: {came[:300]!r}")
        left = [name for name in os.listdir(place.path / "tmp") if not self.is_swept(place.path / "tmp" / name)]
        if left and not run.wrong:
            self.say("left in the temporary folder: " + ", ".join(left[:5]))

    def judge_exit(self):
        exit, ask = self.run.exit, self.run.ask
        allowed = (0, 1, 2, 130) if ask.is_interrupted else (0, 1, 2)
        if exit < 0:
            self.say(f"ended by {signal.Signals(-exit).name}")
        elif exit not in allowed:
            self.say(f"exit status {exit}")
        if self.wrong and exit not in allowed:
            self.outcome = "crashed"

    def judge_words(self):
        run = self.run
        stdout, stderr = ((data or b"").decode("utf-8", "replace") for data in (run.stdout, run.stderr))
        for text in BROKEN:
            if text in stderr or text in stdout:
                self.say(f"says {text!r}")
        if OF_THE_PROGRAM.search(stderr):
            self.say("a traceback of its own")
        if "--json" in run.ask.words and "\ufffd" in stdout and run.stdout is not None:
            try:
                run.stdout.decode()
            except UnicodeDecodeError as error:
                self.say(f"stdout is no UTF-8: {error}")
        said = sentences(stderr)
        for line in said:
            if re.search(r"\bNULL\b|: :$", line) or len(line.split()) < 2:
                self.say(f"no clear sentence: {line!r}")
        is_json = "--json" in run.ask.words and run.exit != 2 and not {"--help", "-h"} & set(run.ask.words)
        try:
            replies = replies_in(stdout, is_json)
        except ValueError as error:
            replies = []
            self.say(str(error))
        self.judge_replies(replies)
        self.judge_sentences(stdout, said, replies)

    def judge_replies(self, replies):
        for reply in replies:
            status, error = reply["status"], reply["error"] or ""
            if status != FINE and status not in STATUSES:
                self.say("no status: " + status)
            if (status == FINE) != (not error) or "\n" in error or re.search(r"\bNULL\b|: :$", error):
                self.say(f"{status}, and its sentence is {error!r}")
            if status == FINE and not (reply["answer"] or "").strip():
                self.say("answered, and its answer is empty")

    def judge_sentences(self, stdout, said, replies):
        """Where there is no answer, there is one sentence."""
        run, ask = self.run, self.run.ask
        of_status = [line for line in said if line.split(":")[0] in STATUSES]
        others = [line for line in said if line not in of_status and not NOTICES.match(line)]
        failed = of_status or [reply["status"] for reply in replies if reply["status"] != FINE]
        is_read = run.stdout is not None
        is_told = run.stderr is not None
        if len(set(said)) < len(said) and ask.asks == 1:
            self.say(f"says the same twice: {said}")
        if run.exit == 0:
            self.outcome = FINE if stdout.strip() or not is_read else "nothing was asked"
            if failed:
                self.say(f"exit status 0, and {failed}")
            if is_read and is_told and not stdout.strip() and ask.asks:
                self.say("exit status 0, and no answer")
        elif run.exit == 1:
            self.outcome = failed[0].split(":")[0] if failed else "stdout is broken"
            if is_told and is_read and not failed and ask.stdout not in ("full", "closed"):
                self.say(f"exit status 1, and no sentence: {said}")
            if is_told and ask.stdout in ("full", "closed") and not said:
                self.say("stdout cannot be written, and no sentence says so")
            if ask.asks == 1 and len(set(failed)) > 1:
                self.say(f"more than one sentence: {failed}")
        elif run.exit == 2:
            self.outcome = "usage"
            if is_told and not others:
                self.say(f"exit status 2, and no sentence: {said}")
            if is_told and ask.asks == 1 and len(set(others)) > 1:
                self.say(f"more than one sentence: {others}")
        else:
            self.outcome = "interrupted"


# ---- all of them ----


Outcome = collections.namedtuple("Outcome", "number outcome seconds requests gone_wrong wrong told")


def ask_one(program, seed, number, is_shown, seconds=SECONDS, ask=None):
    """ask: another one than that of the seed and number."""
    ask = ask or Ask(random.Random(f"{seed}/{number}"))
    place = Place(random.Random(f"{seed}/{number}/model"))
    run = Run(ask, place, program, seconds)
    try:
        run.go()
        judged = Judge(run)
        told = tell(run, is_shown) if is_shown or judged.wrong else ""
        return Outcome(number, judged.outcome or "crashed", run.seconds, place.model.came, place.model.gone_wrong,
                       judged.wrong, told)
    finally:
        place.close()


def tell(run, is_whole):
    ask = run.ask
    command = os.fsencode(shlex.join(run.command())).decode("utf-8", "backslashreplace")
    lines = [f"command: {command if is_whole else command[:3000]}",
             f"stdin {ask.stdin}, stdout {ask.stdout}, stderr {ask.stderr}, exit status {run.exit}",
             f"stderr: {text_of(run.stderr, is_whole)}"]
    if is_whole:
        lines += [f"stdin: {str(ask.pieces)[:3000]}", f"stdout: {text_of(run.stdout, True)}"]
    return "\n".join("  " + line for line in lines)


def text_of(data, is_whole):
    text = (data or b"").decode("utf-8", "backslashreplace")
    return text if is_whole else text[-700:]


def become_heir():
    """Processes whose parents have ended become this one's children, so that none is missed."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--shown", action="store_true")
    given = parser.parse_args()
    program = os.path.abspath(os.environ["SNUG"])
    numbers = range(given.count) if given.only is None else [given.only]
    begun = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(2 * (os.cpu_count() or 1), initializer=become_heir) as pool:
        asked = [pool.submit(ask_one, program, given.seed, number, given.shown) for number in numbers]
        outcomes = [one.result() for one in asked]
    for one in outcomes:
        if one.wrong:
            print(f"FAILED {one.number}: " + "; ".join(one.wrong))
            print(f"  again: rough.py --seed {given.seed} --only {one.number} --shown")
        if one.told:
            print(one.told)
    counts = collections.Counter(one.outcome for one in outcomes)
    slowest = max(outcomes, key=lambda one: one.seconds)
    failed = sum(bool(one.wrong) for one in outcomes)
    requests, seconds = sum(one.requests for one in outcomes), time.monotonic() - begun
    print(f"{len(outcomes)} questions, {requests} requests, {seconds:.0f} s, {failed} failed")
    print("outcomes: " + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    gone_wrong = sum((one.gone_wrong for one in outcomes), collections.Counter())
    print("on the way: " + ", ".join(f"{name} {count}" for name, count in sorted(gone_wrong.items())))
    print(f"slowest: {slowest.seconds:.1f} s, --seed {given.seed} --only {slowest.number}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
