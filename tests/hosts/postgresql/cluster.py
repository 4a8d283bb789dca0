"""A PostgreSQL of the test's own, in a temporary folder, that only a socket there leads to, and its clients."""
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from outside import CC, HERE, PREFIX, SECONDS, command, environment, needed, skip  # noqa: E402

FUNCTIONS = ("snug_eval", "snug_cell")
SETTINGS = {"fsync": "off", "max_connections": "20", "shared_buffers": "16MB", "dynamic_shared_memory_type": "mmap",
            "log_min_messages": "log", "deadlock_timeout": "60s", "jit": "off"}


def user():
    """Of root another account, because PostgreSQL does not run as root; else nobody else."""
    if os.getuid():
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
            return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
        except KeyError:
            continue
    raise AssertionError("neither an account postgres nor nobody")


class Cluster:
    def __init__(self):
        self.config = needed("pg_config", "postgresql-server-dev-all")
        self.bin = pathlib.Path(command(self.config, "--bindir").strip())
        self.psql = needed("psql", "postgresql-client")
        needed(self.bin / "initdb", "postgresql")
        include = pathlib.Path(command(self.config, "--includedir-server").strip())
        if not (include / "postgres.h").exists():
            skip("postgres.h is not here (Debian: postgresql-server-dev-all)")

        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="snug-pg-", dir="/tmp"))
        self.account = user()
        self.server = None
        try:
            self.build(include)
            self.start()
        except BaseException:
            self.end()
            raise

    def build(self, include):
        """The extension, with a prefix beside it: the account of the server may not read the build."""
        shutil.copytree(PREFIX, self.folder / "prefix", symlinks=True)
        library, = (self.folder / "prefix").rglob("libsnug.so")
        words = command("pkg-config", "--cflags", "--libs", "snug", env=environment(
            PKG_CONFIG_PATH=str(library.parent / "pkgconfig"))).split()
        command(CC, "-D_GNU_SOURCE", "-g", "-Wall", "-Werror", "-fPIC", "-shared", f"-isystem{include}",
                HERE / "postgresql/snug_pg.c", "-o", self.folder / "snug_pg.so", *words,
                f"-Wl,-rpath,{library.parent}")
        if self.account:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, self.account["user"], self.account["group"], follow_symlinks=False)

    def start(self):
        data = self.folder / "data"
        at_home = {"cwd": self.folder, "env": {**os.environ, "HOME": str(self.folder), "LC_ALL": "C.UTF-8"},
                   **self.account}
        command(self.bin / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", **at_home)
        words = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        self.log = open(self.folder / "log", "w+", encoding="utf-8")
        self.server = subprocess.Popen(
            [self.bin / "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses=", *words],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, **at_home)
        for _ in range(SECONDS * 10):
            done = subprocess.run([self.bin / "pg_isready", "-q", "-h", self.folder], stdin=subprocess.DEVNULL)
            if done.returncode == 0:
                break
            try:
                self.server.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"the server did not start:\n{self.said()}")
        client = Client(self)
        for name in FUNCTIONS:
            client.ask(f"create function {name}(text) returns text as '{self.folder}/snug_pg', '{name}' "
                       f"language c strict")
        client.close()

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def end(self):
        if self.server:
            self.server.terminate()
            try:
                self.server.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
            self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Client:
    """One psql, and with it one backend."""
    END = "-- over --"

    def __init__(self, cluster):
        self.process = subprocess.Popen(
            [cluster.psql, "-h", cluster.folder, "-U", "postgres", "-d", "postgres", "-X", "-q", "-A", "-t"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.pid = None

    def send(self, statement):
        self.process.stdin.write(f"{statement};\n\\echo {self.END}\n")

    def receive(self):
        """The lines of the answer; a hang is told by what is then killed."""
        guard = threading.Timer(SECONDS, self.process.kill)
        guard.start()
        lines = []
        try:
            for line in self.process.stdout:
                if line.rstrip("\n") == self.END:
                    return lines
                lines.append(line.rstrip("\n"))
        finally:
            guard.cancel()
        return [*lines, "the client has ended"]

    def ask(self, statement):
        self.send(statement)
        return self.receive()

    def backend(self):
        self.pid = self.pid or int(self.ask("select pg_backend_pid()")[0])
        return self.pid

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
