"""What a cell in bash cannot do to the machine: marked files, devices, other sockets, other accounts.

Each cell is a program in Python that the sandbox runs: the calls are made as machine code makes them.
Without bubblewrap, or where the machine refuses it, this is skipped with its sentence (status 77).
"""
import os
import platform
import socket
import stat
import subprocess
import sys
import time
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", "cli"), os.path.dirname(__file__)]
from driver import Case, Cells  # noqa: E402
from sandbox import BASH, main, run_in_sandbox  # noqa: E402

IS_X86 = platform.machine() == "x86_64"
# getpid by int 0x80: kernels without the emulation of i386 answer it by a fault, in all programs.
I386_CALL = r"""
import ctypes, mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
page.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
raise SystemExit(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))() <= 0)
"""
HAS_I386 = IS_X86 and subprocess.run([sys.executable, "-c", I386_CALL], stderr=subprocess.DEVNULL).returncode == 0

# raw(name, number, arguments...): prints what the kernel said. From 424 on numbers are the same everywhere.
RAW = """
import ctypes, errno, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def said(name, answer):
    print(name, "done" if answer >= 0 else errno.errorcode.get(ctypes.get_errno(), "?"), flush=True)
def raw(name, number, *arguments):
    ctypes.set_errno(0)
    said(name, libc.syscall(number, *arguments))
def call(name, *arguments):
    ctypes.set_errno(0)
    said(name, getattr(libc, name)(*arguments))
"""

# Every way to a mode with one of the three bits, and to a device.
MODES = """
open("f", "w").close(); os.mkdir("d")
fd = os.open("f", os.O_RDWR)
for bit in (0o4000, 0o2000, 0o1000):
    mode = 0o755 | bit
    call("chmod", b"f", mode); call("chmod", b"d", mode); call("chmod", b".", mode)
    call("fchmod", fd, mode)
    call("fchmodat", -100, b"f", mode, 0)
    raw("fchmodat2", 452, -100, b"f", mode, 0)
    call("open", b"o1-%o" % bit, os.O_CREAT | os.O_WRONLY, mode)
    call("openat", -100, b"o2-%o" % bit, os.O_CREAT | os.O_WRONLY, mode)
    call("creat", b"o3-%o" % bit, mode)
    call("open", b".", os.O_TMPFILE | os.O_WRONLY, mode)
    call("mkdir", b"m1-%o" % bit, mode)
    call("mkdirat", -100, b"m2-%o" % bit, mode)
    call("mknod", b"n1-%o" % bit, 0o100000 | mode, 0)
    call("mknodat", -100, b"n2-%o" % bit, 0o100000 | mode, 0)
    call("mkfifo", b"p1-%o" % bit, mode)
    raw("openat2", 437, -100, b"o4-%o" % bit, struct.pack("QQQ", 0o102, mode, 0), 24)
import socket
s = socket.socket(socket.AF_UNIX)
call("fchmod", s.fileno(), 0o6777)
s.bind("sock")
"""
X86_MODES = """
for name, number, arguments in (("chmod", 90, (b"f", 0o4755)), ("mkdir", 83, (b"x32", 0o1777)),
                                ("creat", 85, (b"x32f", 0o4755))):
    raw("x32 " + name, 0x40000000 | number, *arguments)
"""
I386_MODES = """
import mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
low = libc.mmap; low.restype = ctypes.c_void_p
text = low(None, ctypes.c_size_t(4096), 3, 0x62, -1, ctypes.c_long(0))
ctypes.memmove(text, b"f\\0", 2)
# push rbx; mov eax, 15; mov ebx, text; mov ecx, mode; int 0x80; pop rbx; ret
page.write(b"\\x53\\xb8\\x0f\\0\\0\\0\\xbb" + struct.pack("<I", text) + b"\\xb9" + struct.pack("<I", 0o4755)
           + b"\\xcd\\x80\\x5b\\xc3")
at = ctypes.addressof(ctypes.c_char.from_buffer(page))
answer = ctypes.CFUNCTYPE(ctypes.c_int)(at)()
print("i386 chmod", "done" if answer >= 0 else errno.errorcode[-answer])
"""
DEVICES = """
for name, kind, device in (("null", 0o20000, os.makedev(1, 3)), ("whiteout", 0o20000, 0), ("disk", 0o60000, 0x800)):
    call("mknod", name.encode(), kind | 0o666, device)
    call("mknodat", -100, name.encode(), kind | 0o666, device)
open("g", "w").close()
call("renameat2", -100, b"g", -100, b"h", 4)
"""
ATTRIBUTES = """
open("f", "w").close()
fd = os.open("f", os.O_RDWR)
capability = struct.pack("<IIIII", 0x02000001, 0xffffffff, 0, 0xffffffff, 0)
for name, value in ((b"security.capability", capability), (b"user.much", b"x" * 60000), (b"trusted.x", b"y")):
    call("setxattr", b"f", name, value, len(value), 0)
    call("lsetxattr", b"f", name, value, len(value), 0)
    call("fsetxattr", fd, name, value, len(value), 0)
    raw("setxattrat", 463, -100, b"f", 0, name, struct.pack("QII", 0, 0, 0), 16)
import fcntl
for name, number, value in (("SETFLAGS", 0x40086602, 0x10), ("FSSETXATTR", 0x401c5820, 0),
                            ("RESVSP64", 0x4030582a, 0)):
    call("ioctl", fd, ctypes.c_ulong(number), struct.pack("Q", value) + bytes(64))
call("fallocate", fd, 1, ctypes.c_long(0), ctypes.c_long(1 << 20))
print("blocks", os.fstat(fd).st_blocks)
"""
FAMILIES = """
import socket
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        for make in (libc.socket, lambda *a: libc.socketpair(*a, (ctypes.c_int * 2)())):
            ctypes.set_errno(0)
            if make(family, kind, 0) >= 0:
                print("has", family)
for protocol in range(32):
    if libc.socket(socket.AF_NETLINK, 3, protocol) >= 0:
        print("netlink", protocol)
if libc.socket(-1 & 0x1_0000_0028, 1, 0) >= 0: print("has", 40)
"""
QUEUES = """
raw("memfd_secret", 447, 0)
call("memfd_create", b"m", 0)
call("msgget", 0, 0o1600)
call("semget", 0, 32000, 0o1600)
call("shmget", 0, 1 << 20, 0o1600)
call("mq_open", b"/q", 0o102, 0o600, 0)
"""
# What the worker does is set by its number, that of each of its threads, and by its user.
WORKER = """
limit, who = struct.pack("QQ", 13, 13), [int(t) for t in os.listdir("/proc/1/task")]
for thread in who:
    call("prlimit", thread, 7, limit, None)
    call("sched_setaffinity", thread, 8, struct.pack("Q", 1))
    call("sched_setscheduler", thread, 5, struct.pack("I", 0))
    call("sched_setparam", thread, struct.pack("I", 0))
    raw("sched_setattr", {"x86_64": 314, "aarch64": 274}[os.uname().machine], thread, struct.pack("IIQ", 48, 5, 0)
        + bytes(32), 0)
    call("setpriority", 0, thread, 19)
    raw("ioprio_set", {"x86_64": 251, "aarch64": 30}[os.uname().machine], 1, thread, 3 << 13)
call("setpriority", 1, os.getpgid(1), 19)
call("setpriority", 2, 0, 19)
raw("ioprio_set by user", {"x86_64": 251, "aarch64": 30}[os.uname().machine], 3, os.getuid(), 3 << 13)
"""
# The kernel takes the lower half of the number only.
HIDING = """
for number in (4, 1 << 32 | 4):
    for value in (0, 2):
        raw("prctl", {"x86_64": 157, "aarch64": 167}[os.uname().machine], ctypes.c_long(number), ctypes.c_long(value))
raw("fcntl", {"x86_64": 72, "aarch64": 25}[os.uname().machine], 0, ctypes.c_long(1 << 32 | 37), bytes(64))
print(os.access("/proc/self/environ", os.R_OK))
"""
# A thread whose descriptors are in a table of its own, where nobody looks for them.
TABLES = """
raw("close_range", 436, 100, -1 & 0xffffffff, 2)
raw("unshare", {"x86_64": 272, "aarch64": 97}[os.uname().machine], 0x400)
raw("clone", {"x86_64": 56, "aarch64": 220}[os.uname().machine], 0x10900, 0, 0, 0, 0)
"""


def marked(folder):
    """What has a bit or is a device; the folder itself too."""
    found = []
    for top, folders, files in os.walk(folder):
        for name in [".", *folders, *files]:
            mode = os.lstat(os.path.join(top, name)).st_mode
            if mode & 0o7000 or stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                found.append(os.path.relpath(os.path.join(top, name), folder) + " " + stat.filemode(mode))
    return sorted(set(found))


class Held(Case):
    def python(self, source, *options):
        """What a program in a cell printed; its work directory is self.folder."""
        os.chmod(self.folder, 0o777 if os.getuid() else 0o700)
        answer = run_in_sandbox("python3 - <<'X'\n" + RAW + source + "X\n", "--workdir", self.folder, *options)
        self.assertEqual((answer["status"], answer["stderr"]), ("ok", ""), answer)
        return answer["stdout"].splitlines()

    def refused(self, lines, *but):
        self.assertGreater(len(lines), 5)
        self.assertEqual([line for line in lines if line.endswith("done") and line not in but], [])

    def test_no_file_or_folder_gets_a_set_id_or_sticky_bit(self):
        lines = self.python(MODES + (X86_MODES if IS_X86 else "") + (I386_MODES if HAS_I386 else ""))
        self.assertEqual(marked(self.folder), [])
        self.refused(lines)
        self.assertEqual({line for line in lines if line.startswith("openat2")}, {"openat2 ENOSYS"})

    def test_ordinary_modes_are_set(self):
        lines = self.python("open('f','w').close(); call('chmod', b'f', 0o751); call('mkdir', b'd', 0o750)\n"
                            "os.close(os.open('g', os.O_CREAT | os.O_RDWR, 0o640)); os.mkfifo('p')\n"
                            "os.rename('g', 'h'); import shutil; shutil.copy2('f', 'i')\n")
        self.assertEqual(lines, ["chmod done", "mkdir done"])
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.folder, "f")).st_mode), 0o751)

    def test_no_device_is_made(self):
        lines = self.python(DEVICES)
        self.assertEqual(marked(self.folder), [])
        self.refused(lines)

    def test_no_attribute_is_set_that_no_limit_counts(self):
        lines = self.python(ATTRIBUTES)
        self.refused(lines)
        self.assertEqual(lines[-1], "blocks 0")

    def test_copies_keep_what_can_be_kept(self):
        answer = run_in_sandbox("cp -a /usr/bin/id a && cp -p /usr/bin/true b && mkdir d && tar cf t.tar a b "
                                "&& tar xf t.tar -C d && install -m 755 a c && ls d")
        self.assertEqual((answer["status"], answer["stdout"], answer["stderr"]), ("ok", "a\nb\n", ""), answer)

    def test_sockets_are_of_a_few_families(self):
        lines = self.python(FAMILIES)
        families = {int(line.split()[1]) for line in lines if line.startswith("has")}
        self.assertLessEqual(families, {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK})
        self.assertLessEqual({socket.AF_UNIX, socket.AF_INET, socket.AF_NETLINK}, families)
        self.assertEqual([line for line in lines if line.startswith("netlink")], ["netlink 0"])

    def test_no_memory_is_had_that_outlives_its_process(self):
        lines = self.python(QUEUES)
        self.refused(lines)

    def test_a_port_of_the_machine_is_not_to_be_had(self):
        lines = self.python("import socket\ntry: socket.socket(socket.AF_VSOCK); print('had')\n"
                            "except (OSError, AttributeError): print('refused')\n")
        self.assertEqual(lines, ["refused"])

    def test_nothing_of_the_kernels_own_is_told(self):
        with open("/proc/cmdline") as file:
            secret = file.read().strip() or "-"
        paths = ("/proc/cmdline /proc/version /proc/kallsyms /proc/modules /proc/iomem /proc/ioports /proc/keys "
                 "/proc/key-users /proc/config.gz /proc/timer_list /proc/sched_debug /proc/slabinfo /proc/vmallocinfo "
                 "/proc/zoneinfo /proc/pagetypeinfo /proc/buddyinfo /proc/interrupts /proc/partitions "
                 "/proc/diskstats /proc/kmsg /proc/kcore /proc/sys/kernel/random/boot_id")
        answer = run_in_sandbox(f"for f in {paths}; do x=$(cat $f 2>/dev/null | head -c 100 | tr -d '\\0'); "
                                "[ -n \"$x\" ] && echo $f; done; cat /proc/self/mountinfo /proc/1/mountinfo | "
                                f"grep -cF -- '{secret}'; true")
        self.assertEqual(answer["stdout"].splitlines(), ["0"], answer)
        works = run_in_sandbox("nproc; free >/dev/null; ps ax >/dev/null; cat /proc/self/status >/dev/null; "
                               "grep -c processor /proc/cpuinfo >/dev/null; uptime >/dev/null")
        self.assertEqual((works["status"], works["stderr"]), ("ok", ""), works)

    def test_last_words_of_the_sandbox_are_not_to_be_written_or_read(self):
        answer = run_in_sandbox("for p in /proc/[0-9]*; do for f in 0 1 2 3 4 5 6 7 8 9; do "
                                "[ -p $p/fd/$f ] && [ $p != /proc/$$ ] && [ $p != /proc/self ] "
                                "&& (echo FORGED >$p/fd/$f) 2>/dev/null && echo wrote $p/fd/$f; done; done; true")
        self.assertEqual(answer["stdout"], "", answer)

    def test_the_worker_keeps_its_limits_and_its_turn(self):
        lines = self.python(WORKER)
        self.refused(lines)
        works = run_in_sandbox("nice -n 5 true; ionice -c 3 true; (ulimit -n 100; ulimit -n); python3 -c 'import os, "
                               "resource; os.nice(1); os.sched_setaffinity(0, {0}); resource.setrlimit("
                               "resource.RLIMIT_NOFILE, (99, 99)); resource.prlimit(1, resource.RLIMIT_NOFILE)'")
        self.assertEqual((works["status"], works["stdout"], works["stderr"]), ("ok", "100\n", ""), works)

    def test_no_thread_has_descriptors_of_its_own(self):
        lines = self.python(TABLES)
        self.assertEqual([line for line in lines if line.endswith("done")], [])
        self.assertEqual(len(lines), 3)

    def test_no_process_hides(self):
        lines = self.python(HIDING)
        self.assertEqual(lines, ["prctl EPERM"] * 4 + ["fcntl EINVAL", "True"])

    def test_no_process_has_rights(self):
        answer = run_in_sandbox("grep -h -E '^(Cap|NoNewPrivs)' /proc/[0-9]*/status | sort -u")
        self.assertEqual(answer["stdout"].split(),
                         [word for name in ("CapAmb", "CapBnd", "CapEff", "CapInh", "CapPrm")
                          for word in (name + ":", "0" * 16)] + ["NoNewPrivs:", "1"], answer)


class Stripped(Case):
    """What is marked all the same, as by a kernel that knows a call which this list does not."""

    def test_bits_are_gone_at_the_end_of_a_cell(self):
        self.file("before", "")
        before = os.path.join(self.folder, "before")
        os.chmod(before, 0o4755)
        time.sleep(2.1)
        with Cells(*BASH, "--workdir", self.folder) as cells:
            self.assertEqual(cells.ask(session="a", code="mkdir d; cp /usr/bin/id d/id; ln -s / out")["status"], "ok")
            outside = os.path.join(os.path.dirname(self.folder), os.path.basename(self.folder) + "-outside")
            with open(outside, "w"):
                self.addCleanup(os.unlink, outside)
            os.chmod(outside, 0o4755)
            os.symlink(outside, os.path.join(self.folder, "link"))
            os.chmod(os.path.join(self.folder, "d", "id"), 0o6755)
            os.chmod(os.path.join(self.folder, "d"), 0o3777)
            self.assertEqual(cells.ask(session="a", code="true")["status"], "ok")
            self.assertEqual(marked(self.folder), ["before -rwsr-xr-x"])
            self.assertEqual(os.stat(os.path.join(self.folder, "d", "id")).st_mode & 0o777, 0o755)
            self.assertEqual(os.stat(outside).st_mode & 0o7777, 0o4755)


if __name__ == "__main__":
    main()
