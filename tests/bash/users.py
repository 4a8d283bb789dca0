"""Sessions of bash that root has: a user of their own, whose processes the kernel bounds, and the folders as they were.

Without bubblewrap, or where the machine refuses it, or as another user, this is skipped with its sentence (status 77).
"""
import os
import shutil
import stat
import subprocess
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", "cli"), os.path.dirname(__file__)]
import driver  # noqa: E402
from driver import Case, Cells  # noqa: E402
from sandbox import BASH, main  # noqa: E402

FIRST_STRANGER = 0x70000000  # as privileges.c has it

# Fewer than a look would end.
FORKS = """
import os, signal
made, why = [], 0
try:
    for i in range(40):
        made.append(os.fork())
        if not made[-1]: signal.pause()
except OSError as e: why = e.errno
print(why, len(made))
for pid in made: os.kill(pid, 9)
"""


def users_of(command, count=1):
    """The real user of each process with these arguments, of which there will be so many."""
    until, found = time.monotonic() + driver.SECONDS, []
    while len(found) < count and time.monotonic() < until:
        found = look_for(command)
    return set(found)


def look_for(command):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as arguments, open(f"/proc/{pid}/status") as status:
                if arguments.read().rstrip("\0").split("\0") == command.split():
                    found.append(int(next(line for line in status if line.startswith("Uid:")).split()[1]))
        except OSError:
            continue
    return found


class Users(Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o700)

    def cells(self, *options):
        cells = Cells(*BASH, *options)
        self.addCleanup(cells.close)
        return cells

    def fine(self, cells, code, stdout="", session="a"):
        answer = cells.ask(session=session, code=code)
        self.assertEqual((answer["stdout"], answer["status"]), (stdout, "ok"), answer)

    def test_each_session_is_another_user(self):
        cells = self.cells()
        self.fine(cells, "sleep 31.7 >/dev/null 2>&1 &")
        self.fine(cells, "sleep 31.7 >/dev/null 2>&1 &", session="b")
        users = users_of("sleep 31.7", 2)
        self.assertEqual(len(users), 2, users)
        self.assertGreaterEqual(min(users), FIRST_STRANGER)

    def test_the_doctor_tells(self):
        self.assertRegex(driver.snug("doctor").stdout, "works, under bubblewrap, as a user of its own; cgroup ")

    def test_the_kernel_refuses_a_process_too_many(self):
        """By the user's limit: a group's is higher, and looks count to more."""
        answer = self.cells().ask(session="a", code="ulimit -u; ulimit -u 30; python3 - <<'X'\n%sX\n" % FORKS)
        limit, why, made = answer["stdout"].split()
        self.assertEqual((limit, why), ("72", "11"), answer)  # EAGAIN
        self.assertLess(int(made), 30, answer)

    def test_roots_folders_are_as_they_were(self):
        private = os.path.join(self.folder, "private")
        for name in ("work", "both", "read"):
            os.makedirs(os.path.join(private, name))
            with open(os.path.join(private, name, "given"), "w") as file:
                file.write(name)
            os.chmod(os.path.join(private, name, "given"), 0o600)
        os.chmod(private, 0o700)
        cells = self.cells("--workdir", private + "/work", "--mount", f"{private}/both:both:rw", "--mount",
                           f"{private}/read:read:ro")
        self.fine(cells, "cat given both/given read/given; echo new >given; echo new >both/given; mkdir d; echo >d/f; "
                  "echo >both/made; chmod 755 given; (echo >read/made) 2>/dev/null || echo refused",
                  "workbothreadrefused\n")
        self.fine(cells, "sleep 34.7 >/dev/null 2>&1 &")
        self.assertGreaterEqual(min(users_of("sleep 34.7")), FIRST_STRANGER)
        for name in ("work/given", "work/d", "work/d/f", "both/given", "both/made", "read/given"):
            facts = os.stat(os.path.join(private, name))
            self.assertEqual((facts.st_uid, facts.st_gid), (0, 0), name)
        self.assertEqual(stat.S_IMODE(os.stat(private + "/work/given").st_mode), 0o755)
        with open(private + "/both/given") as file:
            self.assertEqual(file.read(), "new\n")

    def test_programs_that_only_root_reaches_are_enough(self):
        for path in (driver.SNUG, driver.WORKER):
            shutil.copy(path, self.folder)
        self.addCleanup(setattr, driver, "SNUG", driver.SNUG)
        driver.SNUG = os.path.join(self.folder, "snug")
        self.fine(self.cells(), "sleep 32.7 >/dev/null 2>&1 & echo fine", "fine\n")
        self.assertGreaterEqual(min(users_of("sleep 32.7")), FIRST_STRANGER)

    def test_a_folder_that_cannot_be_anothers_is_roots_as_before(self):
        """As an overlay, whose mounts have the owners that there are."""
        for name in ("lower", "upper", "work", "merged"):
            os.mkdir(os.path.join(self.folder, name))
        merged = self.folder + "/merged"
        options = ",".join(f"{name}dir={self.folder}/{name}" for name in ("lower", "upper", "work"))
        mounted = subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, merged], capture_output=True)
        if mounted.returncode:
            self.skipTest("no overlay here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", merged])
        cells = self.cells("--workdir", merged)
        self.fine(cells, "echo x >f; sleep 33.7 >/dev/null 2>&1 & cat f", "x\n")
        self.assertEqual(users_of("sleep 33.7"), {0})
        self.assertEqual(os.stat(self.folder + "/upper/f").st_uid, 0)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root has users to give")
        sys.exit(77)
    main()
