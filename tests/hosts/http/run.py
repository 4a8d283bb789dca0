"""A server of HTTP with a session for each client: what a hostile client's cell does to it and to four neighbours.

run.py [--forms FORM,...] [--cells NAME,...] [--wall MS] [--json FILE] [FULL_PROGRAM]

Each cell has a fresh server. The neighbours do small turns all the time; the hostile client runs the cell,
once. Printed is a table: how the cell was answered and after how long, what became of its session, the
neighbours' p50, p99 and longest turn before and meanwhile, and whether the server is alive. FULL_PROGRAM is
the same server with the full ladder, which the form full runs.

A row fails where the server is dead, a caller is not answered, a neighbour's turn or its names are lost, or the
cell ends otherwise than CELLS says. On Python 3.11 the sessions of a process share a GIL, and a turn that does not get
it for the host's patience is answered `stalled`, with the names kept: the neighbour says so to its user, and the table
tells how many there were. --exact also fails what comes later than the bounds of EXACT, for a quiet machine.
"""
import argparse
import concurrent.futures
import json
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from outside import HERE, SECONDS, built, has_package, quantile, skip  # noqa: E402

FOLDER = HERE / "http/cells"
FORMS = ("local", "signals", "worker", "tenant", "full")
NEIGHBOURS = 4
NAP = 0.004  # of a neighbour between two turns
PATIENCE = 30  # seconds that a turn may be under way when all is over

# How each cell may end. Behind a slash, what the session's state may then be; kept, if nothing is said.
CELLS = {
    "00_normal": "ok",
    "01_loop": "timeout",
    "02_loop_swallow": "timeout",
    "03_re": "timeout/any",
    "04_pow": "timeout",
    "05_list": "memory error",
    "06_sum": "timeout",
    "07_ctypes": "denied",
    "08_subclasses": "ok error",
    "09_recursion": "error",
    "10_recursion_limit_off": "memory error timeout/any",
    "11_eq_recursion_c": "memory error crashed timeout/any",
    "12_os_exit": "denied",
    "13_random_os_exit": "denied",
    "14_random_os_abort": "denied",
    "15_print_flood": "timeout",
    "16_print_big": "ok timeout",
    "17_sleep": "timeout",
    "18_memory_swallow": "timeout memory",
    "19_half_made": "ok error crashed timeout/any",
    "20_sysexit": "error ok",
    "21_int_gcd": "timeout memory error/any",
    "22_rfind": "ok timeout memory/any",
    "23_del_loop": "timeout",
    "24_sort_big": "timeout memory error",
    "25_thread": "denied error",
    "26_files": "error timeout",
    "27_json_deep": "error memory",
    "28_input": "error",
    "29_re_alternation": "timeout/any",
    "30_re_words": "timeout/any",
}
SMOKE = ("00_normal", "01_loop", "05_list", "12_os_exit", "17_sleep", "23_del_loop")
# What a process does not survive that has no handlers for faults: SECURITY.md.
DEADLY = {("local", "11_eq_recursion_c"), ("local", "19_half_made")}
# What only the jump out of C ends, which a stranger's process does not have ("hangs" in SECURITY.md): on 3.11 it keeps
# the GIL as long as it goes on, and its neighbours are told so at every turn. On 3.13 each has its own.
KEEPS_GIL = {(form, name) for form in ("local", "signals")
             for name in ("21_int_gcd", "29_re_alternation", "30_re_words")}
# Of the longest turn of a neighbour and of the answer after its limit, in ms.
EXACT = {"tenant": (100, 250), None: (1500, 300)}
PATIENCE_MS = 5000  # of the host; a turn that is stalled has waited for it


class Lost(Exception):
    """The server does not answer."""


class Client:
    def __init__(self, port, name, seconds=SECONDS):
        self.port, self.name, self.seconds, self.socket = port, name, seconds, None

    def request(self, method, body=b""):
        """The status and the JSON of the answer."""
        try:
            if not self.socket:
                self.socket = socket.create_connection(("127.0.0.1", self.port), self.seconds)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket.sendall(b"%s / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
                                % (method, len(body), body))
            return self.answer()
        except OSError as error:
            self.socket = None
            raise Lost(str(error)) from error

    def answer(self):
        head, text = b"", b""
        while b"\r\n\r\n" not in head:
            head += self.more()
        head, _, text = head.partition(b"\r\n\r\n")
        lines = head.decode().lower().split("\r\n")
        length = next(int(line[15:]) for line in lines if line.startswith("content-length:"))
        while len(text) < length:
            text += self.more()
        return int(lines[0].split()[1]), json.loads(text)

    def more(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("the connection was closed")
        return data

    def run(self, code):
        return self.request(b"POST", json.dumps({"client": self.name, "code": code}).encode())


class Neighbour(threading.Thread):
    """One client with small turns: each is one more than the last."""

    def __init__(self, port, number, is_over):
        super().__init__(daemon=True)
        self.client, self.is_over = Client(port, f"n{number}"), is_over
        self.turns, self.failures, self.begun, self.stalled = [], [], None, 0
        self.lacks_gil = False

    def run(self):
        expected = 0
        try:
            self.client.run("n = 0")
            while not self.is_over.is_set():
                self.begun = time.monotonic()
                status, answer = self.client.run("n += 1\nn")
                self.turns.append((self.begun, time.monotonic()))
                self.begun = None
                if answer.get("status") == "stalled" and answer.get("state") == "kept":
                    self.stalled += 1
                    expected = self.counted(expected)
                    if self.lacks_gil:
                        break
                    continue
                expected += 1
                if status != 200 or (answer.get("value") or {}).get("json") != expected:
                    self.failures.append(str(answer)[:300])
                    self.client.run(f"n = {expected}")
                time.sleep(NAP)
        except Lost as error:
            self.failures.append(f"not answered: {error}")

    def counted(self, before):
        """After a turn that was stalled, before it had added one or after; as long as its thread still waits, a
        turn is refused."""
        until = time.monotonic() + PATIENCE
        while True:
            status, answer = self.client.run("n")
            if answer.get("status") != "stalled" and answer.get("error") != "SNUG_ETIMEOUT":
                break
            if time.monotonic() > until or self.is_over.is_set():
                self.lacks_gil = True
                return before
            self.stalled += 1
            time.sleep(NAP)
        now = (answer.get("value") or {}).get("json")
        if status != 200 or now not in (before, before + 1):
            self.failures.append(f"after a stalled turn: {str(answer)[:300]}")
            return before
        return now


class Server:
    def __init__(self, program, form, wall_ms):
        self.process = subprocess.Popen([program, "local" if form == "full" else form, str(wall_ms)],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        if not line.strip().isdigit():
            raise SystemExit(f"the server did not start: {line}{self.process.stdout.read()}")
        self.port = int(line)

    def end(self):
        """How it had ended before it was asked to: a signal's name, or None."""
        before = self.process.poll()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        if before is None:
            return None
        return signal.Signals(-before).name if before < 0 else f"status {before}"


def milliseconds(turns, begin, end):
    """Of the turns that were under way between the two times; one that still is counts so far."""
    return [(stop - start) * 1000 for start, stop in turns if stop >= begin and start < end]


def turns_of(neighbours, now):
    for neighbour in neighbours:
        yield from list(neighbour.turns)
        begun = neighbour.begun
        if begun is not None:
            yield begun, now


def attack(port, code):
    """The hostile client: what it was answered, and after how long."""
    client = Client(port, "evil")
    client.run("kept = 12345")
    begin = time.monotonic()
    try:
        answer = client.run(code)
    except Lost as error:
        answer = (0, {"error": str(error)})
    return begin, time.monotonic(), answer


def tried(program, form, name, options):
    """One row: a cell in a form."""
    is_endless = not name.startswith("00_")  # which a busy machine may take long for
    server = Server(program, form, options.wall if is_endless else 60000)
    is_over = threading.Event()
    neighbours = [Neighbour(server.port, number, is_over) for number in range(NEIGHBOURS)]
    for neighbour in neighbours:
        neighbour.start()
    warm, alone, after = (0.3, 0.7, 3) if options.cells is None and options.long else (0.1, 0.3, 0.5)
    time.sleep(warm)
    base = time.monotonic()
    time.sleep(alone)

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        begin, answered, (status, answer) = pool.submit(
            attack, server.port, (FOLDER / f"{name}.py").read_text(encoding="utf-8")).result()
    time.sleep(after)
    now = time.monotonic()
    row = {"form": form, "cell": name, "http": status, "status": answer.get("status"), "state": answer.get("state"),
           "error": answer.get("error"), "answer_ms": (answered - begin) * 1000}
    turns = list(turns_of(neighbours, now))
    for label, values in (("base", milliseconds(turns, base, begin)),
                          ("meanwhile", milliseconds(turns, begin, answered + 1))):
        row[label] = {"p50": quantile(values, 0.5), "p99": quantile(values, 0.99), "stall": max(values, default=0)}

    # A turn that still waits comes, or is one that never comes.
    is_over.set()
    for neighbour in neighbours:
        neighbour.join(PATIENCE)
    row["neighbours"] = [failure for neighbour in neighbours for failure in neighbour.failures]
    row["lack_gil"] = sum(neighbour.lacks_gil for neighbour in neighbours)
    row["stalled"] = sum(neighbour.stalled for neighbour in neighbours)
    row["neighbours"] += ["never answered" for neighbour in neighbours if neighbour.is_alive()]
    try:
        row["health"] = Client(server.port, "", 10).request(b"GET")[1]
        row["kept"] = (Client(server.port, "evil").run("kept")[1].get("value") or {}).get("json") == 12345
    except Lost as error:
        row["health"] = {"error": str(error)}
        row["kept"] = None
    row["died"] = server.end()
    return row


def faults(row, is_exact):
    """What is wrong with a row, in words."""
    form, name = row["form"], row["cell"]
    if row["died"]:
        if (form, name) not in DEADLY:
            yield f"the server died: {row['died']}"
        return
    if row["kept"] is None:
        yield "the server does not answer any more"
    statuses, _, state = CELLS[name].partition("/")
    if row["status"] not in statuses.split():
        yield f"status {row['status']} ({row['error']}), not one of {statuses}"
    if (state or "kept") != "any" and row["state"] != (state or "kept"):
        yield f"state {row['state']}"
    if row["kept"] is not None and row["kept"] != (row["state"] == "kept"):
        yield f"the state is said to be {row['state']}, and its name is {'there' if row['kept'] else 'gone'}"
    for failure in row["neighbours"][:1]:
        yield f"{len(row['neighbours'])} turns of neighbours failed: {failure}"
    if row["lack_gil"] and (form, name) not in KEEPS_GIL:
        yield f"{row['lack_gil']} neighbours do not get the GIL any more"
    if form == "tenant" and row["stalled"]:
        yield f"{row['stalled']} turns of neighbours with a process each were stalled"
    if is_exact:
        stall, late = EXACT.get(form, EXACT[None])
        if row["stalled"]:
            stall = PATIENCE_MS + stall
        if row["meanwhile"]["stall"] > stall:
            yield f"a neighbour waited for {row['meanwhile']['stall']:.0f} ms"
        if row["answer_ms"] > row["wall"] + late:
            yield f"answered after {row['answer_ms']:.0f} ms"


def line_of(row):
    def three(times):
        return f"{times['p50']:6.2f} {times['p99']:7.1f} {times['stall']:7.0f}"

    alive = row["died"] or ("yes" if row["kept"] is not None else "hangs")
    return (f"{row['cell']:24} {row['form']:8} {row['status'] or '-':8} {row['state'] or '-':5} "
            f"{row['answer_ms']:7.0f}   {three(row['base'])}   {three(row['meanwhile'])}   "
            f"{row['stalled']:7}   {alive}")


def options_of():
    parser = argparse.ArgumentParser()
    parser.add_argument("--forms", default="local,worker")
    parser.add_argument("--cells", help="names, or beginnings of names; else the smoke's")
    parser.add_argument("--long", action="store_true", help="every cell")
    parser.add_argument("--wall", type=int, default=300, help="ms; the limit of a cell")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("full", nargs="?", help="the server with the full ladder")
    return parser.parse_args()


def names_of(options):
    if options.cells:
        return [name for name in CELLS if name.startswith(tuple(options.cells.split(",")))]
    return list(CELLS) if options.long else list(SMOKE)


def main():
    options = options_of()
    if not has_package("libmicrohttpd"):
        skip("libmicrohttpd is not here (Debian: libmicrohttpd-dev)")
    program = built("http-server", HERE / "http/server.c", packages=("snug", "libmicrohttpd", "libcjson"))
    rows, bad = [], 0
    print(f"{'cell':24} {'form':8} {'status':8} {'state':5} {'answer':>7}   "
          f"{'before: p50':>11} {'p99':>2} {'stall':>7}   {'meanwhile: p50':>14} {'p99':>2} {'stall':>7}   stalled   alive")
    for name in names_of(options):
        for form in options.forms.split(","):
            if form == "full" and not options.full:
                continue
            row = tried(options.full if form == "full" else program, form, name, options)
            row["wall"] = options.wall
            rows.append(row)
            print(line_of(row), flush=True)
            for fault in faults(row, options.exact):
                bad += 1
                print(f"    FAILED: {fault}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(f"{len(rows)} rows, {bad} faults")
    sys.exit(bool(bad))


main()
