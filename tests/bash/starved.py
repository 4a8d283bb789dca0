"""A shell that gets no processor is waited for, and one that has it and does not end is given up.

The shell of a session is put into a control group with next to no processor time. Without one to be had,
and without bubblewrap, this is skipped with its sentence (status 77).
"""
import errno
import os
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", "cli"), os.path.dirname(__file__)]
from driver import Case, Cells  # noqa: E402
from sandbox import BASH, main  # noqa: E402

PERIOD_US = 1000000
STARVED_US = 1000  # the least that the kernel takes
# Names enough that the shell needs more than that for the end of a cell.
MANY_NAMES = "x=7; for ((i = 0; i < 1000; i++)); do declare v$i=1; done"
PAST_S = 3.2  # a shell with a processor is given up three seconds past the limit
GONE_S = 60


class Group:
    """A group of version 1's cpu controller, below that of this process."""

    def __init__(self):
        with open("/proc/self/cgroup") as lines:
            own = [path for _, names, path in (line.rstrip("\n").split(":", 2) for line in lines)
                   if "cpu" in names.split(",")]
        if not own:
            raise OSError("there is no cpu controller of version 1")
        self.folder = "/sys/fs/cgroup/cpu%s/snug-test-%d" % (own[0].rstrip("/"), os.getpid())
        os.mkdir(self.folder)
        self.write("cpu.cfs_period_us", PERIOD_US)

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(str(value))

    def remove(self):
        """A task that is ending is no longer listed and still holds the folder: nothing tells of its end."""
        end = time.monotonic() + GONE_S
        while True:
            try:
                self.empty()
                return os.rmdir(self.folder)
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > end:
                    raise
            time.sleep(0.01)

    def empty(self):
        with open(os.path.join(self.folder, "tasks")) as tasks:
            for task in tasks.read().split():
                self.leave(task)

    def leave(self, task):
        try:
            with open(os.path.join(os.path.dirname(self.folder), "tasks"), "w") as above:
                above.write(task)
        except ProcessLookupError:
            pass


def children(pid):
    """Of all its threads."""
    found = []
    for thread in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/children" % (pid, thread)) as file:
            found += [int(word) for word in file.read().split()]
    return found


def shell_below(pid):
    for child in children(pid):
        with open("/proc/%d/cmdline" % child) as words:
            if "--noediting" in words.read().split("\0") and not children(child):
                return child
        if found := shell_below(child):
            return found
    return None


class Starved(Case):
    def setUp(self):
        try:
            self.group = Group()
        except OSError as error:
            self.skipTest("no control group with a share of the processors: %s" % error)
        self.cells = Cells(*BASH)
        self.addCleanup(self.group.remove)
        self.addCleanup(self.cells.close)
        self.assertEqual(self.run_cell(MANY_NAMES)["status"], "ok")
        self.group.write("tasks", shell_below(self.cells.process.pid))

    def run_cell(self, code, **settings):
        return self.cells.ask(session="a", code=code, **settings)

    def test_a_shell_that_gets_no_processor_keeps_its_names(self):
        begun = time.monotonic()
        self.cells.send(session="a", code="while :; do :; done", timeout=0.5)
        self.group.write("cpu.cfs_quota_us", STARVED_US)
        time.sleep(0.5 + PAST_S - (time.monotonic() - begun))
        self.group.write("cpu.cfs_quota_us", -1)
        answer = self.cells.answer()
        self.assertEqual((answer["status"], answer["state"]), ("timeout", "kept"), answer["error"])
        self.assertEqual(self.run_cell("echo $x")["stdout"], "7\n")

    def test_a_shell_that_does_not_end_is_given_up(self):
        answer = self.run_cell("trap '' INT; while :; do :; done", timeout=0.5)
        self.assertEqual((answer["status"], answer["state"]), ("timeout", "lost"), answer["error"])


if __name__ == "__main__":
    main()
