"""What a session's work in C libraries leaves behind: sessions that are stopped in the midst of it
keep no memory and no processor of the process, and the others go on. SNUG is the program.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

MIB = 1 << 20

ENDLESS_QUERY = """import sqlite3
sqlite3.connect(":memory:").execute('''with recursive r(i) as (select 1 union all select i + 1 from r)
                                       select count(*) from r''').fetchall()"""

# 128 MiB and no end; the thread is torn out of libcrypto.
ENDLESS_KEY = """import hashlib
hashlib.scrypt(b"x", salt=b"y" * 8, n=2**17, r=8, p=1000, maxmem=2**31 - 1)"""

ENDLESS_CALLBACK = """import sqlite3
t = ()
for _ in range(100):
    t = slice(t, t) if slice.__hash__ else (t, t)  # 3.14 remembers the hash of a tuple
c = sqlite3.connect(":memory:")
c.create_function("f", 0, lambda: hash(t))
c.execute("select f()").fetchall()"""


class Host:
    def __init__(self, *options):
        self.process = subprocess.Popen([os.environ["SNUG"], "cells", "--profile", "data", *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.watch = threading.Timer(600, self.process.kill)
        self.watch.start()

    def ask(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline() or "{}")

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_s(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """The exit status."""
        self.process.stdin.close()
        status = self.process.wait()
        self.watch.cancel()
        return status


def test_memory_of_a_lost_key_is_given_back():
    host = Host("--timeout", "300ms", "--memory", "256MB")
    host.ask(session="a", code="import hashlib")
    before = host.resident()
    for _ in range(4):
        answer = host.ask(session="a", code=ENDLESS_KEY)
        assert (answer["status"], answer["state"]) == ("timeout", "lost"), answer
        assert "session" in host.ask(session="a", op="reset")
    grown = host.resident() - before
    host.end()
    assert grown < 64 * MIB, f"{grown // MIB} MiB are left of 512"


def test_an_endless_query_leaves_no_processor_taken():
    host = Host("--timeout", "300ms")
    for _ in range(3):
        answer = host.ask(session="a", code=ENDLESS_QUERY)
        assert (answer["status"], answer["state"]) == ("timeout", "kept"), answer
    before = host.processor_s()
    time.sleep(1)
    used = host.processor_s() - before
    host.end()
    assert used < 0.3, f"{used} s of a processor in an idle second"


def test_a_callback_of_sqlite_stops_nobody_else():
    host = Host("--timeout", "500ms")
    host.ask(session="b", code="x = 20")
    answer = host.ask(session="a", code=ENDLESS_CALLBACK)
    assert (answer["status"], answer["state"]) == ("timeout", "lost"), answer
    assert host.ask(session="b", code="x + 1")["value"]["text"] == "21"
    assert host.ask(session="c", code="1 + 1")["value"]["text"] == "2"
    assert host.end() == 0


def test_the_process_ends_at_a_signal_after_a_loss():
    host = Host("--timeout", "500ms")
    answer = host.ask(session="a", code=ENDLESS_CALLBACK)
    assert answer["state"] == "lost", answer
    host.process.send_signal(signal.SIGTERM)
    status = host.process.wait()  # with its input still open: its end would end the process as well
    host.end()
    assert status == 128 + signal.SIGTERM, status


def main():
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
        except AssertionError as error:
            failed += 1
            print(f"FAILED {name}: {error}")
    print(f"{failed} failed")
    sys.exit(failed > 0)


main()
