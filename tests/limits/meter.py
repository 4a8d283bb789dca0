"""What a tree of processes takes from the machine, seen from outside of it.

Where this user may make control groups (version 1 or 2), the program under test is put into one of
its own, and the kernel's books of that group are read: pages of its processes, files in memory, and
the kernel's own memory for them, which no process shows (page tables, pipes, sockets, inodes). The
group also is the guard of the machine: it has a bound of memory and of processes, and whatever is in
it at the end is killed by its number. Elsewhere the same is put together from /proc: of every process
below the program the proportional share, page tables and kernel stacks; and for what no process shows,
by how much the machine's own figures have grown.
"""
import ctypes
import os
import re
import signal
import subprocess
import time

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
KERNEL = ("SUnreclaim", "Percpu")
STACK = 16 << 10  # of the kernel, for each thread
PR_SET_CHILD_SUBREAPER = 36


def read(path, default=""):
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return default


def number(path):
    text = read(path).strip()
    return int(text) if text.isdigit() else 0


def adopt_orphans():
    """Processes whose parents end become children of this one, and stay in the tree."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


# ---- control groups ---------------------------------------------------------

def own_groups():
    """Controller to the folder of this process's group; "" is version 2."""
    found = {}
    mounts = [line.split() for line in read("/proc/self/mounts").splitlines()]
    for line in read("/proc/self/cgroup").splitlines():
        _, names, path = line.split(":", 2)
        for _, point, kind, options, *_ in mounts:
            options = options.split(",")
            if names and kind == "cgroup" and set(names.split(",")) <= set(options):
                found.update({name: point + path for name in names.split(",")})
            elif not names and kind == "cgroup2":
                found[""] = point + path
    return found


class Group:
    """A control group; None of its figures needs a look at a process."""

    def __init__(self, name, memory_bytes, processes):
        own = own_groups()
        self.folders = {}
        try:
            if "memory" in own:
                self.version = 1
                for controller in ("memory", "cpuacct", "pids"):
                    self._make(own, controller, name)
                self._write("memory", "memory.use_hierarchy", 1, must=False)
                self._write("memory", "memory.limit_in_bytes", memory_bytes)
                self._write("pids", "pids.max", processes)
            else:
                self.version = 2
                self._make(own, "", name)
                if "memory" not in read(self.folders[""] + "/cgroup.controllers").split():
                    raise OSError("no controller of memory")
                self._write("", "memory.max", memory_bytes)
                self._write("", "pids.max", processes)
        except (OSError, KeyError) as error:
            self.remove()
            raise OSError(f"no control group: {error}") from None

    def _make(self, own, controller, name):
        folder = os.path.join(own[controller], name)
        os.mkdir(folder)
        self.folders[controller] = folder

    def _write(self, controller, file, value, must=True):
        try:
            with open(os.path.join(self.folders[controller], file), "w") as out:
                out.write(str(value))
        except OSError:
            if must:
                raise

    def command(self, command):
        """The same command, begun in the group."""
        enter = "".join(f'echo $$ >"{folder}/cgroup.procs" && ' for folder in self.folders.values())
        return ["/bin/sh", "-c", enter + 'exec "$@"', "sh", *command]

    def _main(self):
        return self.folders["memory" if self.version == 1 else ""]

    def memory(self):
        """Bytes: of processes, of files in memory, of the kernel; not what it only caches of disks."""
        folder = self._main()
        stat = dict(line.split() for line in read(folder + "/memory.stat").splitlines())
        if self.version == 1:
            cached = int(stat.get("total_cache", 0)) - int(stat.get("total_shmem", 0))
            return number(folder + "/memory.usage_in_bytes") - cached
        cached = int(stat.get("file", 0)) - int(stat.get("shmem", 0))
        return number(folder + "/memory.current") - cached

    def cpu_s(self):
        if self.version == 1:
            return number(self.folders["cpuacct"] + "/cpuacct.usage") / 1e9
        stat = dict(line.split() for line in read(self.folders[""] + "/cpu.stat").splitlines())
        return int(stat.get("usage_usec", 0)) / 1e6

    def _listed(self, file):
        ids = set()
        for folder, _, _ in os.walk(self._main()):
            ids.update(int(word) for word in read(os.path.join(folder, file)).split())
        return ids

    def processes(self):
        return self._listed("cgroup.procs")

    def tasks(self):
        return len(self._listed("tasks" if self.version == 1 else "cgroup.threads"))

    def remove(self):
        for folder in self.folders.values():
            for inner, _, _ in os.walk(folder, topdown=False):
                for _ in range(100):
                    try:
                        os.rmdir(inner)
                        break
                    except FileNotFoundError:
                        break
                    except OSError:
                        time.sleep(0.02)


# ---- without them ------------------------------------------------------------

def kib_lines(text):
    """Bytes by name, of the lines that end in kB."""
    return {name: int(kib) * 1024 for name, kib in re.findall(r"^(\w+):\s+(\d+) kB$", text, re.M)}


def figures_of(pid, file):
    """Those of a process whose first thread has ended are in the files of its others."""
    found = kib_lines(read(f"/proc/{pid}/{file}"))
    for thread in listed(f"/proc/{pid}/task"):
        found = found or kib_lines(read(f"/proc/{pid}/task/{thread}/{file}"))
    return found


class Tree:
    """All processes below one, as /proc has them, and what the machine's own figures grew by."""

    def __init__(self):
        self.root = None
        self.base = self._machine()
        self.spent = {}

    def command(self, command):
        return command

    def _machine(self):
        found = kib_lines(read("/proc/meminfo"))
        figures = {name: found.get(name, 0) for name in (*KERNEL, "Shmem")}
        sockets = re.findall(r"\bmem (\d+)", read("/proc/net/sockstat"))
        figures["sockets"] = sum(map(int, sockets)) * PAGE
        return figures

    def processes(self):
        parents = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                stat = read(f"/proc/{name}/stat").rpartition(")")[2].split()
                if stat:
                    parents.setdefault(int(stat[1]), []).append(int(name))
        below, todo = set(), [self.root, *self._orphans(parents)]
        while todo:
            pid = todo.pop()
            if pid and pid not in below:
                below.add(pid)
                todo += parents.get(pid, [])
        return below

    def _orphans(self, parents):
        """Children of ours that no run of this driver has started: those of the program's."""
        mine = {self.root} if self.root else set()
        return [pid for pid in parents.get(os.getpid(), []) if pid in self.spent and pid not in mine]

    def memory(self):
        pages, shared = 0, 0
        for pid in self.processes():
            shares, status = figures_of(pid, "smaps_rollup"), figures_of(pid, "status")
            pages += shares.get("Pss_Anon", 0) + status.get("VmPTE", 0)
            pages += len(listed(f"/proc/{pid}/task")) * STACK
            shared += shares.get("Pss_Shmem", 0)
        now = self._machine()
        grown = {name: max(now[name] - self.base[name], 0) for name in now}
        in_files = max(grown.pop("Shmem"), shared)
        return pages + in_files + sum(grown.values())

    def cpu_s(self):
        for pid in self.processes():
            stat = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
            if stat:
                self.spent[pid] = max(self.spent.get(pid, 0), int(stat[11]) + int(stat[12]))
        return sum(self.spent.values()) / TICK

    def tasks(self):
        return sum(len(listed(f"/proc/{pid}/task")) for pid in self.processes())

    def remove(self):
        pass


def listed(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


# ---- disk ---------------------------------------------------------------------

MOUNTS = (  # the image, the folder: of a disk, whose pages the kernel can forget, or else in memory
    ("ext4", ["mkfs.ext4", "-q", "-O", "^has_journal", "-N", "60000", "{image}"],
     ["mount", "-o", "loop", "{image}", "{folder}"]),
    ("tmpfs", [], ["mount", "-t", "tmpfs", "-o", "size={bytes},nr_inodes=60000", "none", "{folder}"]),
)


class Disk:
    """A folder for work directories. As root it is a file system of its own, so that files count which
    have no name any more; elsewhere it is looked through, with what processes hold open."""

    def __init__(self, within, most_bytes):
        self.folder = os.path.join(within, "work")
        self.beside = os.path.join(within, "saved")  # for files that the host writes
        os.mkdir(self.folder)
        os.mkdir(self.beside)
        os.chmod(self.beside, 0o777)
        self.kind = ""
        if os.geteuid() == 0 and os.environ.get("SNUG_LIMITS_OWN_MOUNTS"):
            self.kind = self._mount(os.path.join(within, "image"), most_bytes)
        os.chmod(self.folder, 0o1777)
        self.own = self._devices("self")
        self.base = self._here()

    def _mount(self, image, most_bytes):
        with open(image, "wb") as file:
            file.truncate(most_bytes)
        names = {"image": image, "folder": self.folder, "bytes": most_bytes}
        for kind, *commands in MOUNTS:
            if all(run(command, names) for command in commands):
                return kind
        return ""

    def _here(self):
        at = os.statvfs(self.folder)
        return (at.f_blocks - at.f_bfree) * at.f_frsize, at.f_files - at.f_ffree

    @staticmethod
    def _devices(pid):
        lines = (line.split() for line in read(f"/proc/{pid}/mountinfo").splitlines())
        return {words[2]: words[4] for words in lines if len(words) > 4}

    def in_memory(self):
        """Bytes here that the books of memory have too."""
        return self._here()[0] - self.base[0] if self.kind == "tmpfs" else 0

    def used(self, pids):
        """(bytes, files) of work directories."""
        if self.kind:
            size, files = (now - before for now, before in zip(self._here(), self.base))
        else:
            size, files = self._walk(pids)
        inner = self._inner(pids)
        return size + inner[0], files + inner[1]

    def _walk(self, pids):
        seen = {}
        for folder, folders, files in os.walk(self.folder):
            for name in folders + files:
                try:
                    at = os.lstat(os.path.join(folder, name))
                    seen[at.st_dev, at.st_ino] = at.st_blocks * 512
                except OSError:
                    pass
        for pid in pids:
            for fd in listed(f"/proc/{pid}/fd"):
                path = f"/proc/{pid}/fd/{fd}"
                try:
                    if os.readlink(path).startswith(self.folder):
                        at = os.stat(path)
                        seen[at.st_dev, at.st_ino] = at.st_blocks * 512
                except OSError:
                    pass
        return sum(seen.values()), len(seen)

    def _inner(self, pids):
        """Work directories on file systems of a worker's own mount namespace."""
        size = files = 0
        counted = set()
        for pid in pids:
            namespace = read_link(f"/proc/{pid}/ns/mnt")
            if namespace in counted:
                continue
            counted.add(namespace)
            for device, point in self._devices(pid).items():
                if device in self.own or device in counted or not point.startswith(self.folder):
                    continue
                try:
                    at = os.statvfs(f"/proc/{pid}/root{point}")
                except OSError:
                    continue
                counted.add(device)
                size += (at.f_blocks - at.f_bfree) * at.f_frsize
                files += at.f_files - at.f_ffree
        return size, files

    def remove(self):
        if self.kind:
            subprocess.run(["umount", self.folder], stderr=subprocess.DEVNULL)


def run(command, names):
    """Whether it went well; so does none."""
    words = [word.format(**names) for word in command]
    try:
        return not words or subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
    except OSError:
        return False


def read_link(path):
    try:
        return os.readlink(path)
    except OSError:
        return path


def end(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
