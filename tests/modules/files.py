"""What programs do with files works in the work directory as in plain Python, under the profile data.

files.py: each cell runs in a session of its own and in plain Python in an empty folder, and has to
print the same. SNUG is the program, SNUG_PYTHON the Python.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cells"))
import client  # noqa: E402

CELLS = {
    "folders": """
import os
os.mkdir("a"); os.makedirs("a/b/c"); os.rename("a/b", "a/d"); os.rmdir("a/d/c")
print(sorted(os.listdir()), os.listdir("a"), [(d, n) for _, d, n in os.walk(".")])
os.removedirs("a/d"); print(os.listdir())""",
    "metadata": """
import os, stat
open("x", "w").write("abc")
os.truncate("x", 2); os.chmod("x", 0o600); os.utime("x", (1, 2))
s = os.stat("x"); print(s.st_size, s.st_atime, s.st_mtime, stat.filemode(s.st_mode), os.access("x", os.R_OK))
print(os.path.getsize("x"), os.path.isdir("x"), os.path.exists("y"), os.path.exists("/etc/passwd/x"))
os.replace("x", "y"); os.remove("y"); print(os.listdir())""",
    "descriptors": """
import os
fd = os.open("f", os.O_RDWR | os.O_CREAT); os.write(fd, b"hello"); os.lseek(fd, 1, 0)
print(os.read(fd, 3), os.fstat(fd).st_size, os.writev(fd, [b"a", b"bc"]), os.pwritev(fd, [b"de", b"f"], 0))
part = bytearray(4); print(os.preadv(fd, [part], 1), part, os.pread(fd, 9, 0)); os.close(fd)
print(os.fdopen(os.open("f", os.O_RDONLY)).read(), open("f").isatty())""",
    "errors": """
import os
for call in (lambda: open("no"), lambda: os.listdir("no"), lambda: os.remove("no"), lambda: os.mkdir("no/no"), lambda: os.stat("no")):
    try:
        call()
    except OSError as error:
        print(type(error).__name__, error)""",
    "environment": """
import os
os.environ["A_NAME"] = "1"; print(os.getenv("A_NAME"), os.environ.get("HOME_OF_NOBODY")); del os.environ["A_NAME"]
print("A_NAME" in os.environ, os.path.expandvars("$A_NAME"))""",
    "pathlib": """
from pathlib import Path
p = Path("d") / "e"; p.mkdir(parents=True); (p / "f.txt").write_text("x"); (p / "g.bin").write_bytes(b"12")
print(sorted(str(q) for q in Path(".").rglob("*")), (p / "f.txt").stat().st_size, (p / "h").exists())
(p / "f.txt").rename(p / "h"); (p / "h").touch(); print((p / "h").read_text(), p.resolve().name, Path("d").is_dir())
(p / "h").unlink(); (p / "g.bin").unlink(); p.rmdir(); print(list(Path("d").iterdir()))""",
    "shutil": """
import shutil, os
os.mkdir("a"); open("a/x", "w").write("1")
shutil.copy("a/x", "y"); shutil.copy2("y", "z"); shutil.copytree("a", "b"); shutil.move("z", "b/z")
print(sorted(os.listdir()), sorted(os.listdir("b"))); shutil.rmtree("b"); print(sorted(os.listdir()))
print(os.path.basename(shutil.make_archive("all", "zip", "a"))); shutil.unpack_archive("all.zip", "out"); print(os.listdir("out"))""",
    "tempfile": """
import tempfile, os
tempfile.tempdir = "."
with tempfile.TemporaryDirectory() as folder:
    open(os.path.join(folder, "x"), "w").write("1"); print(os.listdir(folder))
with tempfile.NamedTemporaryFile("w+", dir=".") as f:
    f.write("abc"); f.seek(0); print(f.read())
with tempfile.TemporaryFile(dir=".") as f:
    f.write(b"12"); print(f.tell())
print(os.listdir())""",
    "archives": """
import gzip, bz2, lzma, zipfile, io
for module in (gzip, bz2, lzma):
    with module.open("f", "wt") as f: f.write("text")
    print(module.open("f", "rt").read())
with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_DEFLATED) as z: z.writestr("a/b.txt", "hello")
with zipfile.ZipFile("z.zip") as z: z.extractall("out"); print(z.namelist(), open("out/a/b.txt").read())""",
    "pickle": """
import pickle, collections, datetime
class P:
    def __init__(self): self.x = 1
pickle.dump([P(), collections.Counter("ab"), datetime.date(2020, 1, 2)], open("p", "wb"))
p, c, d = pickle.load(open("p", "rb")); print(p.x, c, d)""",
    "logging": """
import logging
logging.basicConfig(filename="log", format="%(levelname)s %(message)s", level=logging.INFO)
logging.info("one"); logging.warning("two %s", 2); logging.shutdown(); print(open("log").read())""",
    "configparser and csv": """
import configparser, csv
c = configparser.ConfigParser(); c["a"] = {"b": "1"}
with open("c.ini", "w") as f: c.write(f)
c2 = configparser.ConfigParser(); c2.read("c.ini"); print(c2["a"]["b"])
with open("t.csv", "w", newline="") as f: csv.writer(f).writerows([[1, "a,b"], [2, "c"]])
print(list(csv.reader(open("t.csv", newline=""))))""",
    "xml": """
import xml.etree.ElementTree as ET
tree = ET.ElementTree(ET.fromstring("<a><b c='1'>t</b></a>")); tree.write("x.xml"); print(ET.parse("x.xml").getroot()[0].attrib)""",
    "sqlite3 in memory": """
import sqlite3
db = sqlite3.connect(":memory:"); db.execute("create table t (a, b)"); db.executemany("insert into t values (?, ?)", [(1, "x"), (2, "y")])
print(db.execute("select b, sum(a) from t group by b order by b").fetchall()); db.close()""",
    "sqlite3 in a file": """
import sqlite3, os
with sqlite3.connect("d.db") as db: db.execute("create table t (a)"); db.execute("insert into t values (42)")
db.close(); db = sqlite3.connect("d.db"); print(db.execute("select * from t").fetchall()); db.close(); print(sorted(os.listdir()))""",
    "glob": """
import glob, fnmatch
for n in "abc": open(n + ".txt", "w").close()
print(sorted(glob.glob("*.txt")), sorted(glob.glob("**/*", recursive=True)), fnmatch.filter(["a.txt"], "*.t*"))""",
    "entries": """
import os
os.mkdir("d"); open("f", "w").write("abc")
with os.scandir() as entries:
    for e in sorted(entries, key=lambda e: e.name):
        print(e, type(e) is os.DirEntry, e.path, e.is_file(), e.is_dir(), e.is_symlink(), os.fspath(e))
        print(e.is_file(follow_symlinks=False), e.stat(follow_symlinks=False).st_mode == e.stat().st_mode, e.inode() == e.stat().st_ino)
print([e.path for e in os.scandir(b"d/..")], os.DirEntry[str], [e.stat().st_size for e in os.scandir(os.open(".", os.O_RDONLY)) if e.is_file()])
try: e.is_dir(1)
except TypeError: print("no")""",
    "the processor": """
import os, time
print(os.sched_getaffinity(0) == os.sched_getaffinity(os.getpid()), len(os.sched_getaffinity(0)) <= os.cpu_count())
print(time.process_time() > 0, time.thread_time() > 0, time.clock_getres(time.CLOCK_MONOTONIC) < 1)
fd = os.open("f", os.O_CREAT | os.O_WRONLY, 0o640); os.closerange(fd, 2**31 - 1); os.mkdir("d", 0o750)
print(oct(os.stat("f").st_mode), oct(os.stat("d").st_mode))""",
    "argparse": """
import argparse
p = argparse.ArgumentParser(prog="p"); p.add_argument("--n", type=int, default=1); print(p.parse_args([]), p.parse_args(["--n", "3"]))""",
}

# What a file may not do, and what its cell prints then.
REFUSED = {
    "a database elsewhere": "import sqlite3\ntry: sqlite3.connect('/tmp/snug-no.db')\nexcept PermissionError: print('no')",
    "a database attached": "import sqlite3\ndb = sqlite3.connect(':memory:')\n"
                           "try: db.execute(\"attach '/tmp/snug-no.db' as x\"); db.execute('create table x.t (a)')\n"
                           "except sqlite3.Error: print('no')",
    "a copy of a database": "import sqlite3\ndb = sqlite3.connect(':memory:')\n"
                            "try: db.execute(\"vacuum into '/tmp/snug-no.db'\")\nexcept sqlite3.Error: print('no')",
    "a shared database": "import sqlite3\ntry: sqlite3.connect('file::memory:?cache=shared', uri=True)\n"
                         "except PermissionError: print('no')",
    "a link": "import os\ntry: os.symlink('/etc/passwd', 'x')\nexcept PermissionError: print('no')",
    "metadata of another file": "import os\ntry: os.stat('/etc/passwd')\nexcept PermissionError: print('no')",
    "another folder": "import os\ntry: os.chdir('/')\nexcept PermissionError: print('no')",
    "mode of a descriptor": "import os\nfd = os.open(__import__('json').__file__, os.O_RDONLY)\ntry: os.chmod(fd, 0o777)\n"
                            "except PermissionError: print('no')",
}

# In a folder with links that the host made, in plain Python and in a session.
LINKS = """
import os, glob, pathlib, shutil
for e in sorted(os.scandir(), key=lambda e: e.name):
    print(e.name, e.is_file(), e.is_dir(), e.is_symlink(), e.is_file(follow_symlinks=False), e.inode() > 0)
    try: print(e.stat().st_size == os.stat(e.path).st_size, e.stat(follow_symlinks=False).st_size == os.lstat(e.path).st_size)
    except FileNotFoundError as error: print(error)
print(sorted(glob.glob("**", recursive=True)), sorted(map(str, pathlib.Path().rglob("*"))))
print([(at, sorted(d), sorted(f)) for at, d, f in sorted(os.walk(".", followlinks=True))])
print([(at, sorted(d), sorted(f)) for at, d, f in sorted(os.walk("."))])
os.remove("nowhere"); shutil.copytree(".", "copy", ignore=lambda at, names: ["copy"]); print(sorted(os.walk("copy")))
shutil.rmtree("copy"); print(os.path.exists("copy"))
"""
# One leads out: what follows links asks, and is refused.
LEADS_OUT = """
import os, glob, pathlib
entry, = (e for e in os.scandir() if e.name == "out")
for look in (entry.stat, entry.is_file, entry.is_dir, lambda: os.stat("out")):
    try: print(look())
    except PermissionError: print("no")
print(entry.is_symlink(), entry.is_dir(follow_symlinks=False), glob.glob("out/*"), [f for _, _, f in os.walk("out")])
print(sorted(glob.glob("*")), sorted(map(str, pathlib.Path().rglob("f*"))), sorted(next(os.walk("."))[1]))
"""
LEADS_OUT_ANSWER = """no
False
False
no
True False [] []
['file', 'folder', 'link', 'nowhere', 'out', 'to'] ['file', 'folder', 'folder/f'] ['folder', 'to']
"""

# In a session with at most 4000 bytes of files; each cell prints what is there.
QUOTA = {
    "a write over the limit changes nothing": """
f = open("a", "wb", 0); f.write(b"x" * 3000)
try: f.write(b"x" * 1001)
except OSError as error: print(error.errno, f.tell(), f.write(b"x" * 1000))""",
    "a deleted file counts while it is open": """
import os
f = open("a", "wb", 0); f.write(b"x" * 3000); os.remove("a"); g = open("b", "wb", 0)
try: g.write(b"x" * 1001)
except OSError as error: f.close(); print(error.errno, g.write(b"x" * 4000))""",
    "a hole counts": """
import os
f = open("a", "wb", 0)
for call in (lambda: f.truncate(4001), lambda: os.truncate("a", 4001), lambda: os.posix_fallocate(f.fileno(), 1, 4000),
             lambda: os.pwrite(f.fileno(), b"x", 4000), lambda: os.pwritev(f.fileno(), [b"x"], 4000),
             lambda: os.writev(f.fileno(), [b"x" * 4000, b"x"])):
    try: call()
    except OSError as error: print(error.errno, end=" ")
print(f.truncate(4000))""",
    "what SQLite writes counts": """
import sqlite3
try: db = sqlite3.connect("d"); db.execute("create table t (a)"); db.commit()
except sqlite3.OperationalError as error: print(error)""",
}
QUOTA_ANSWERS = ["122 3000 1000\n", "122 4000\n", "122 122 122 122 122 122 4000\n", "disk I/O error\n"]


def check_quota():
    """The number that failed."""
    snug = client.Snug(["--profile", "data", "--disk", "4000"])
    failed = 0
    for number, ((name, code), wanted) in enumerate(zip(QUOTA.items(), QUOTA_ANSWERS)):
        result = snug.ask({"session": f"q{number}", "code": code})
        got = result["stdout"] + (result["error"] or {}).get("traceback", "")
        if got != wanted:
            failed += 1
            print(f"FAILED {name}\n--- wanted\n{wanted}--- got\n{got}")
    if not output_counts(snug):
        failed += 1
        print("FAILED output that goes to a file counts")
    snug.finish()
    return failed


def with_links(ask):
    """What ask(folder) answers in a fresh folder with links."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/folder")
        for name in ("file", "folder/f"):
            pathlib.Path(folder, name).write_text("text")
        for name, target in (("link", "file"), ("to", "folder"), ("nowhere", "none")):
            os.symlink(target, folder + "/" + name)
        return ask(folder)


def in_session(code, link=None):
    def ask(folder):
        if link:
            os.symlink(link, folder + "/out")
        snug = client.Snug(["--profile", "data", "--workdir", folder])
        result = snug.ask({"session": "l", "code": code})
        snug.finish()
        return result["stdout"] + (result["error"] or {}).get("traceback", "")
    return with_links(ask)


def check_links():
    """The number that failed."""
    pairs = {"links": (with_links(lambda folder: plainly(LINKS, folder)), in_session(LINKS)),
             "a link that leads out": (LEADS_OUT_ANSWER, in_session(LEADS_OUT, "/etc"))}
    for name, (wanted, got) in pairs.items():
        if got != wanted:
            print(f"FAILED {name}\n--- wanted\n{wanted}--- got\n{got}")
    return sum(got != wanted for wanted, got in pairs.values())


def output_counts(snug):
    """The file of the first cell's output gets what the cell has left."""
    first = snug.ask({"session": "o", "code": "print('x' * 70000)\nwith open('a', 'w') as f: f.write('y' * 100)"})
    second = snug.ask({"session": "o", "code": "import os; print([os.path.getsize(n) for n in ('a', 'out-1.txt')])"})
    return first["truncated"]["stdout"]["spill"] == "out-1.txt" and second["stdout"] == "[100, 3900]\n"


def plainly(code, folder=None):
    with tempfile.TemporaryDirectory() as own:
        done = subprocess.run([os.environ["SNUG_PYTHON"], "-I", "-X", "utf8", "-c", code], cwd=folder or own, text=True,
                              capture_output=True, timeout=600)
    return done.stdout + done.stderr


def main():
    snug = client.Snug(["--profile", "data"])
    failed = 0
    for number, (name, code) in enumerate([*CELLS.items(), *REFUSED.items()]):
        wanted = plainly(code) if name in CELLS else "no\n"
        result = snug.ask({"session": f"s{number}", "code": code})
        got = result["stdout"] + (result["error"] or {}).get("traceback", "")
        if got != wanted:
            failed += 1
            print(f"FAILED {name}\n--- wanted\n{wanted}--- got\n{got}")
    snug.finish()
    failed += check_quota() + check_links()
    print(f"{len(CELLS)} as in plain Python, {len(REFUSED)} refused, {len(QUOTA) + 1} of the quota, 2 of links, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
