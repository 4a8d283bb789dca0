"""What a session of bash may have altogether: memory of every kind, processes and files, also between cells.

Without bubblewrap, or where the machine refuses it, this is skipped with its sentence (status 77).
"""
import os
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", "cli"), os.path.dirname(__file__)]
from driver import Case, Cells  # noqa: E402
from sandbox import BASH, main  # noqa: E402

MIB = 1 << 20

SHARED = """
import mmap, time
time.sleep(0.3)
m = mmap.mmap(-1, 1 << 30)
for i in range(0, len(m), 4096): m[i] = 1
time.sleep(20)
"""
PRIVATE = "import time; time.sleep(0.3); b = bytearray(50 << 20); time.sleep(20)"
# Forty processes, for each may have few descriptors.
SOCKETS = """
import os, socket, time
for i in range(40):
    if os.fork() == 0: break
keep = []
try:
    while True:
        pair = socket.socketpair(); pair[0].setblocking(False); keep.append(pair)
        try:
            while True: pair[0].send(bytes(65536))
        except BlockingIOError: pass
except OSError: pass
time.sleep(20)
"""
TABLES = """
import ctypes, mmap
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
size = 1 << 39
at = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, ctypes.c_long(0))
libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(size), 15)
for i in range(size >> 21): ctypes.c_char.from_address(at + (i << 21)).value
"""
NAMELESS = """
import os, time
files = []
for i in range(60):
    f = open("x", "wb"); os.unlink("x"); files.append(f)
    try: f.write(bytes(5 << 20)); f.flush()
    except OSError: pass
    time.sleep(0.02)
time.sleep(20)
"""
# Its first thread ends, and with it the process as /proc shows it; another one goes on.
HEADLESS = """
import ctypes, platform, threading, time
def go():
    time.sleep(0.5)
    %s
    time.sleep(20)
threading.Thread(target=go).start()
ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)
"""
HEADLESS_SHARED = HEADLESS % """import mmap
    m = mmap.mmap(-1, 1 << 29)
    for i in range(0, len(m), 4096): m[i] = 1"""
HEADLESS_NAMELESS = HEADLESS % """import os
    files = []
    for i in range(30):
        f = open("x", "wb"); os.unlink("x"); files.append(f)
        try: f.write(bytes(5 << 20)); f.flush()
        except OSError: pass"""
# Many processes whose first thread ends and another goes on, and what became of each.
HEADLESS_MANY = """
import collections, ctypes, os, platform, random, threading, time
for i in range(900): os.symlink("/", f"l{i}")  # a look at the files takes a while
libc, number = ctypes.CDLL(None), 60 if platform.machine() == "x86_64" else 93
def headless():
    def go():
        time.sleep(0.1)
        os._exit(7)
    threading.Thread(target=go).start()
    time.sleep(random.random() / 20)
    libc.syscall(number, 0)
ends = collections.Counter()
for i in range(25):
    children = []
    for j in range(10):
        child = os.fork()
        if child == 0: headless()
        children.append(child)
    for child in children:
        ends[os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])] += 1
print(dict(ends))
"""
# Everything that makes something, by every path from this process to its own folder.
BY_OTHER_PATHS = """
import ctypes, os, socket, struct, threading
libc = ctypes.CDLL(None, use_errno=True)
here, number = os.open(".", os.O_RDONLY), iter(range(1000))
os.dup2(here, 0)
os.symlink("/proc/self/cwd", "/tmp/self"); os.symlink("/proc/thread-self", "/tmp/thread")
places = [f"/dev/fd/{here}", f"/proc/self/fd/{here}", f"/proc/thread-self/fd/{here}", f"/proc/{os.getpid()}/fd/{here}",
          f"/proc/{os.getpid()}/task/{threading.get_native_id()}/fd/{here}", "/proc/self/cwd", "/proc/thread-self/cwd",
          "/dev/stdin", "/proc/net/../cwd", "/proc/self/root" + os.getcwd(), "/tmp/self", "/tmp/thread/cwd",
          f"/proc/self/task/{threading.get_native_id()}/cwd", "/dev/../proc//./self/cwd/.", "/proc/self/map_files/../cwd"]
def bind(path):
    with socket.socket(socket.AF_UNIX) as s: s.bind(path)
def bind_across_pages(path):
    # The family is in one page, and the name goes on in the next.
    memory = ctypes.create_string_buffer(3 * 4096)
    at = (ctypes.addressof(memory) | 4095) + 1 + 4096 - 20
    name = struct.pack("H", 1) + path.encode() + bytes(1)
    ctypes.memmove(at, name, len(name))
    with socket.socket(socket.AF_UNIX) as s:
        if libc.bind(s.fileno(), ctypes.c_void_p(at), len(name)): raise OSError(ctypes.get_errno(), "bind")
def make(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
def through_a_link(path):
    name = f"/tmp/link{next(number)}"
    os.symlink(path, name); make(name)
makers = {"open": make, "link at the end": through_a_link, "mkdir": os.mkdir, "mkdir/": lambda p: os.mkdir(p + "/"),
          "mkfifo": os.mkfifo, "symlink": lambda p: os.symlink("/", p), "link": lambda p: os.link("f1", p), "bind": bind, "bind across pages": bind_across_pages}
def attempt(name, make, path):
    try: make(path)
    except OSError as e:
        if e.errno != 122: print(name, path, e.strerror)
    else: print(name, path, "was made")
for place in places:
    for name, make_one in makers.items(): attempt(name, make_one, f"{place}/new{next(number)}")
for name, make_one in makers.items():
    if name != "link at the end": attempt(name, make_one, f"new{next(number)}")
attempt("dir_fd", lambda p: os.mkdir(p, dir_fd=here), "new")
os.chdir("/"); attempt("dir_fd elsewhere", lambda p: os.mkdir(p, dir_fd=here), "new2")
print(len(os.listdir(here)))
"""
STILL_MADE = """
echo one >/dev/stdout; echo two >/dev/stderr; cat <(echo three); echo four | tee /dev/fd/3 3>&1 >/dev/null
echo five >f1; cat f1; echo six >/tmp/new; cat /tmp/new; mkdir /tmp/d/ && ls -d /tmp/d
echo >nowhere/f; echo >/dev/fd/99; true
"""
# Knows by inotify when the middle folder is gone through: then the first was seen, and the last was not.
MOVES = """
import ctypes, os, select, struct, time
libc = ctypes.CDLL(None)
first, middle, last = os.listdir(".")
watch = libc.inotify_init()
names = {libc.inotify_add_watch(watch, d.encode(), 0x30): d for d in (middle, last)}  # opened, closed
files = [os.open(f"{last}/{i}", os.O_CREAT | os.O_WRONLY) for i in range(4)]
def move(source, to):
    for i in range(4):
        try: os.rename(f"{source}/{i}", f"{to}/{i}")
        except OSError: pass
until, k = time.time() + 8, 0
while time.time() < until:
    if k < 240:
        os.write(files[k % 4], bytes(256 << 10)); k += 1
    if not select.select([watch], [], [], 0.001)[0]: continue
    data, at = os.read(watch, 65536), 0
    while at < len(data):
        number, mask, _, size = struct.unpack_from("iIII", data, at); at += 16 + size
        if names[number] == middle and mask & 0x20: move(last, first)
        if names[number] == last and mask & 0x10: move(first, last)
print("got past")
"""
# Over many files, for the kernel goes through the locks of one for each of them.
LOCKS = """
import fcntl, os, struct
def lock(command, fd, at):
    fcntl.fcntl(fd, command, struct.pack("hhqqixxxx", fcntl.F_WRLCK, 0, at, 1, 0))
files = [os.open(f"l{os.getpid()}-{i}", os.O_CREAT | os.O_RDWR) for i in range(50)]
made, why, of_file = 0, 0, 0
try:
    for i in range(%d):
        lock(fcntl.F_SETLK, files[i %% 50], 2 * i); made += 1
except OSError as e: why = e.errno
try: lock(fcntl.F_OFD_SETLK, files[0], 1)
except OSError as e: of_file = e.errno
print(made, why, of_file, flush=True)
"""
HIDDEN = "cp /bin/sleep s && chmod 111 s && ./s 1000"


def python(source, after=""):
    return "python3 - <<'X' %s\n%s\nX\n" % (after, source)


def below(top):
    """The names of all processes that this one has started, and theirs."""
    names, parents = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
        except (OSError, IndexError):
            continue
        if rest.split()[0] != "Z":
            names[int(pid)], parents[int(pid)] = name, int(rest.split()[1])
    found = {top}
    while more := {pid for pid in parents if parents[pid] in found} - found:
        found |= more
    return {names[pid] for pid in found if pid in names}


class Bounded(Case):
    def cells(self, *options):
        cells = Cells(*BASH, "--memory", "128M", "--timeout", "15", *options)
        self.addCleanup(cells.close)
        return cells

    def run_cell(self, cells, code):
        return cells.ask(session="a", code=code)

    def wait_until_gone(self, cells, name, when_seen=None):
        """From outside: such processes were there, and are not any more."""
        seen, until = False, time.monotonic() + 20
        while time.monotonic() < until:
            there = name in below(cells.process.pid)
            if there and not seen and when_seen:
                when_seen()
            if seen and not there:
                time.sleep(0.5)  # others like it may follow
                if name not in below(cells.process.pid):
                    return
            seen |= there
            time.sleep(0.01)
        self.fail(f"{name} is still there" if seen else f"{name} was never there")

    def ended(self, cells, words, pattern):
        """The next cell is told, and the session goes on without what was ended."""
        answer = self.run_cell(cells, f"ps ax -o args | grep -c '{pattern}'")
        self.assertIn(words, answer["stderr"], answer)
        self.assertEqual((answer["stdout"], answer["state"]), ("0\n", "kept"), answer)
        after = self.run_cell(cells, "echo alive")
        self.assertEqual((after["stdout"], after["stderr"], after["status"]), ("alive\n", "", "ok"), after)

    def stopped(self, answer, status, name):
        error = answer["error"] or {"name": None}
        self.assertEqual((answer["status"], error["name"], answer["state"]), (status, name, "kept"), answer)

    # ---- memory

    def test_shared_memory_of_a_job_is_counted_between_cells(self):
        cells = self.cells()
        self.run_cell(cells, python(SHARED, ">/dev/null 2>&1 &"))
        self.wait_until_gone(cells, "python3")
        self.ended(cells, "bytes in memory", "[p]ython3 -")

    def test_many_jobs_together_are_counted_between_cells(self):
        cells = self.cells()
        self.run_cell(cells, "for i in 1 2 3 4 5 6; do %s done" % python(PRIVATE, ">/dev/null 2>&1 &"))
        self.wait_until_gone(cells, "python3")
        self.ended(cells, "bytes in memory", "[p]ython3 -")

    def test_older_jobs_are_not_spared(self):
        cells = self.cells()
        self.run_cell(cells, python(PRIVATE, ">/dev/null 2>&1 &"))
        time.sleep(1)
        answer = self.run_cell(cells, python(PRIVATE, "&") + python(PRIVATE, "&") + "wait")
        self.stopped(answer, "memory", "MemoryError")
        answer = self.run_cell(cells, "ps ax -o args | grep -c '[p]ython3 -'")
        self.assertEqual(answer["stdout"], "0\n", answer)

    def test_what_is_over_as_a_cell_ends_is_not_fine(self):
        answer = self.run_cell(self.cells(), "head -c 60M /dev/zero >/tmp/a; head -c 60M /dev/zero >/dev/shm/b\n"
                               "x=$(head -c 40M /dev/zero | tr '\\0' x)")
        self.assertEqual(answer["status"], "memory", answer)

    def test_a_process_without_its_first_thread_is_counted(self):
        answer = self.run_cell(self.cells(), python(HEADLESS_SHARED, ">/dev/null 2>&1 & sleep 12"))
        self.stopped(answer, "memory", "MemoryError")

    def test_files_of_a_process_without_its_first_thread_are_counted(self):
        answer = self.run_cell(self.cells("--disk", "16M"), python(HEADLESS_NAMELESS, ">/dev/null 2>&1 & sleep 12"))
        self.stopped(answer, "error", "DiskLimit")

    def test_a_process_whose_first_thread_ends_is_let_go_on(self):
        """On its way out a thread cannot be looked into, and the process has nothing to hide."""
        answer = self.run_cell(self.cells(), python(HEADLESS_MANY))
        self.assertEqual((answer["stdout"], answer["status"]), ("{7: 250}\n", "ok"), answer)

    def test_sockets_are_counted(self):
        self.stopped(self.run_cell(self.cells(), python(SOCKETS)), "memory", "MemoryError")

    def test_page_tables_are_counted(self):
        self.stopped(self.run_cell(self.cells(), python(TABLES)), "memory", "MemoryError")

    def test_files_in_memory_are_counted_by_their_number_too(self):
        cells = self.cells()
        answer = self.run_cell(cells, python(
            "import os\nwhile True:\n    for i in range(2 ** 30): os.mknod(f'/dev/shm/{i}')"))
        self.stopped(answer, "memory", "MemoryError")
        self.assertEqual(self.run_cell(cells, "ls /dev/shm | wc -l")["stdout"], "0\n")

    def test_files_in_memory_can_be_removed_by_a_cell(self):
        cells = self.cells()
        self.run_cell(cells, "head -c 60M /dev/zero >/tmp/a; head -c 60M /dev/zero >/dev/shm/b")
        answer = self.run_cell(cells, "rm -f /tmp/a /dev/shm/b; df --output=used -m /tmp /dev/shm | tail -2 | tr -d ' '")
        self.assertEqual((answer["stdout"], answer["status"]), ("0\n0\n", "ok"), answer)

    def test_mapped_files_in_memory_are_counted_once(self):
        answer = self.run_cell(self.cells(), python(
            "import mmap\nf = open('/dev/shm/x', 'wb+'); f.truncate(60 << 20); m = mmap.mmap(f.fileno(), 0)\n"
            "for i in range(0, len(m), 4096): m[i] = 1\nimport time; time.sleep(0.3); print('fine')"))
        self.assertEqual(answer["stdout"], "fine\n", answer)

    # ---- processes

    def test_processes_of_jobs_are_counted_between_cells(self):
        cells = self.cells()
        self.run_cell(cells, "(sleep 0.3; for i in {1..300}; do sleep 30 & done; wait) >/dev/null 2>&1 &")
        self.wait_until_gone(cells, "sleep")
        self.ended(cells, "processes and threads", "[s]leep 30")

    def test_a_descriptor_too_many_is_refused(self):
        answer = self.run_cell(self.cells(), "ulimit -Hn; ulimit -Hq; ulimit -Hi")
        self.assertEqual(answer["stdout"], "256\n0\n1024\n")

    # ---- files

    def test_files_without_a_name_are_counted(self):
        cells = self.cells("--disk", "30M")
        self.stopped(self.run_cell(cells, python(NAMELESS)), "error", "DiskLimit")

    def test_a_private_work_directory_has_room_for_its_limit_and_no_more(self):
        cells = self.cells("--disk", "16M")
        room = self.run_cell(cells, "df --output=size,avail -B1 . | tail -1")
        self.assertEqual(room["stdout"].split(), [str(16 * MIB)] * 2, room)
        full = self.run_cell(cells, "for i in {1..20}; do dd if=/dev/zero of=f$i bs=1M count=15 2>/dev/null & done; wait")
        self.assertEqual(full["state"], "kept", full)
        answer = self.run_cell(cells, "df --output=used -B1 . | tail -1; cat f* | wc -c; rm -f f*")
        used, sizes = map(int, answer["stdout"].split())
        self.assertLessEqual(max(used, sizes), 16 * MIB)
        again = self.run_cell(cells, "echo x >f && cat f")
        self.assertEqual(again["stdout"], "x\n", again)

    def test_files_of_jobs_are_counted_between_cells(self):
        """The job has a process that lasts until it is ended, and begins when that was seen."""
        cells = self.cells("--disk", "30M", "--disk-files", "100", "--workdir", self.folder)
        self.run_cell(cells, "mkfifo go; (sleep 41.3 & read <go; for i in {1..200}; do head -c 10M /dev/zero >big$i; done; "
                      "wait) >/dev/null 2>&1 &")
        self.wait_until_gone(cells, "sleep", self.let_go)
        bytes_there = sum(os.stat(os.path.join(self.folder, name)).st_size for name in os.listdir(self.folder))
        self.assertLessEqual(bytes_there, 30 * MIB * 1.25 + 32 * MIB)
        answer = self.run_cell(cells, "rm -f big*; ps ax -o args | grep -c '[h]ead -c'")
        self.assertIn("files had more than", answer["stderr"], answer)
        self.assertEqual(answer["stdout"], "0\n")
        self.assertEqual(self.run_cell(cells, "echo alive")["status"], "ok")

    def let_go(self):
        """What reads the FIFO of the work directory goes on."""
        with open(os.path.join(self.folder, "go"), "w") as fifo:
            fifo.write("go\n")

    def test_no_path_leads_past_the_number_of_files(self):
        cells = self.cells("--disk-files", "30", "--workdir", self.folder)
        self.run_cell(cells, "for i in {1..30}; do echo >f$i; done")
        answer = self.run_cell(cells, python(BY_OTHER_PATHS))
        self.assertEqual((answer["stdout"], answer["status"]), ("30\n", "ok"), answer)
        answer = self.run_cell(cells, STILL_MADE)
        self.assertEqual(answer["stdout"], "one\nthree\nfour\nfive\nsix\n/tmp/d\n", answer)
        self.assertIn("two\n", answer["stderr"])
        self.assertNotIn("quota", answer["stderr"])
        self.assertEqual(len(os.listdir(self.folder)), 30)

    def test_files_that_move_while_they_are_counted_are_counted(self):
        for name in "amz":
            os.mkdir(os.path.join(self.folder, name))
        middle = os.path.join(self.folder, os.listdir(self.folder)[1])
        for i in range(10000):
            os.symlink("/", os.path.join(middle, str(i)))
        cells = self.cells("--disk", "16M", "--workdir", self.folder)
        answer = self.run_cell(cells, python(MOVES))
        self.assertEqual((answer["status"], answer["error"]["name"]), ("error", "DiskLimit"), answer)
        self.assertNotIn("got past", answer["stdout"])

    # ---- locks

    def test_locks_of_records_are_counted(self):
        cells = self.cells()
        answer = self.run_cell(cells, python(LOCKS % 17000))
        made, why, of_file = answer["stdout"].split()
        self.assertEqual((why, of_file), ("37", "22"), answer)  # ENOLCK, EINVAL
        self.assertLess(int(made), 16384)
        self.assertGreater(int(made), 8000)
        again = self.run_cell(cells, python(LOCKS % 5000))
        self.assertEqual(again["stdout"], "5000 0 22\n", again)

    def test_locks_of_many_processes_are_counted_together(self):
        forks = "import os, time\nfor i in range(3): os.fork()\n" + LOCKS % 5000 + "time.sleep(5)\n"
        answer = self.run_cell(self.cells(), python(forks, ">told 2>&1 &") + "until [ $(wc -l <told) = 8 ]; do sleep 0.1; done; "
                               "cat told; kill %1")
        made = [int(line.split()[0]) for line in answer["stdout"].splitlines()]
        self.assertEqual(len(made), 8, answer)
        self.assertLess(sum(made), 16384)

    def test_databases_and_other_programs_have_locks(self):
        answer = self.run_cell(self.cells(), python("""
import sqlite3, fcntl
for mode in "delete", "wal":
    d = sqlite3.connect("d"); d.execute("pragma journal_mode=" + mode)
    d.execute("create table if not exists t(a)")
    for i in range(300):
        with d: d.execute("insert into t values(?)", (i,))
    d.close()
f = open("l", "w"); fcntl.lockf(f, fcntl.LOCK_EX); fcntl.flock(f, fcntl.LOCK_EX); print("fine")
""") + "flock l2 echo too")
        self.assertEqual((answer["stdout"], answer["status"]), ("fine\ntoo\n", "ok"), answer)

    def test_no_more_files_are_made_than_there_may_be(self):
        cells = self.cells("--disk-files", "30", "--workdir", self.folder)
        answer = self.run_cell(cells, "for i in {1..50}; do echo >f$i; mkdir d$i; mkfifo p$i; ln -s / s$i; ln f1 l$i; "
                               "done 2>err; tail -1 err; ls | wc -l; cat <<X\nhere\nX\necho >/dev/null && echo new >f1 && echo t >/tmp/t && echo fine")
        self.assertEqual(answer["stdout"].split("\n")[1:], ["30", "here", "fine", ""], answer)
        self.assertIn("Disk quota exceeded", answer["stdout"])
        self.assertEqual(len(os.listdir(self.folder)), 30)
        again = self.run_cell(cells, "rm f1 && echo x >g && python3 -c \"import socket; "
                              "socket.socket(socket.AF_UNIX).bind('sock')\"")
        self.assertIn("Disk quota exceeded", again["stderr"], again)
        self.assertEqual(len(os.listdir(self.folder)), 30)

    def test_the_way_to_the_work_directory_stays(self):
        """Another folder in its place would be counted, and this one not."""
        for options in (), ("--workdir", tempfile.mkdtemp(dir=self.folder)):
            answer = self.run_cell(self.cells("--disk-files", "20", *options),
                                   "way=$(dirname $PWD); name=$(basename $PWD); cd /tmp; mv $way /tmp/other; rm -rf $way; "
                                   "mkdir -p $way/$name; cd $HOME; cd /tmp/other/$name; for i in {1..60}; do echo >f$i; done; ls | wc -l")
            self.assertEqual(answer["stdout"], "20\n", answer)

    def test_a_session_that_is_full_makes_no_new_files(self):
        cells = self.cells("--disk", "10M", "--workdir", self.folder)
        for i in range(6):
            self.run_cell(cells, f"trap '' XFSZ; head -c 9M /dev/zero >big{i}")
        self.assertLessEqual(sum(os.stat(os.path.join(self.folder, name)).st_size
                                 for name in os.listdir(self.folder)), 19 * MIB)
        answer = self.run_cell(cells, "ls | wc -l; rm -f big*")
        self.assertEqual(answer["status"], "ok", answer)
        self.assertEqual(self.run_cell(cells, "echo x >new && cat new")["stdout"], "x\n")

    def test_a_process_that_cannot_be_looked_into_is_ended(self):
        answer = self.run_cell(self.cells(), HIDDEN)
        self.assertEqual(answer["error"]["value"], "exit status 137 (Killed)", answer)


if __name__ == "__main__":
    main()
