"""snug packages. The wheels are made here: nothing comes from a network."""

import base64
import fcntl
import hashlib
import json
import os
import shutil
import resource
import signal
import socket
import subprocess
import sys
import tarfile
import unittest
import zipfile

from driver import SECONDS, SNUG, Case, Terminal, environment, snug
import unittests

PYTHON = os.environ["SNUG_PYTHON"]
HAS_PIP = subprocess.run([PYTHON, "-I", "-m", "pip", "--version"], capture_output=True).returncode == 0
NUMBER = "%d.%d" % sys.version_info[:2]


def wheel(folder, name, version, files, requires=()):
    """The path of a new wheel. files: {path: text}."""
    info = f"{name}-{version}.dist-info"
    files = {**files,
             f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
                                 + "".join(f"Requires-Dist: {other}\n" for other in requires),
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                              "Tag: py3-none-any\n"}
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        record += f"{path},sha256={digest},{len(text)}\n"
    path = os.path.join(folder, f"{name}-{version}-py3-none-any.whl")
    with zipfile.ZipFile(path, "w") as out:
        for inside, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            out.writestr(inside, text)
    return path


def hash_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def tree(folder):
    """{path: bytes as text} of all that is in it, None for a folder; without bytecode."""
    found = {}
    for top, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in folders:
            found[os.path.relpath(os.path.join(top, name), folder)] = None
        for name in files:
            path = os.path.join(top, name)
            inside = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[inside] = os.readlink(path)
                continue
            with open(path, encoding="latin-1") as file:
                found[inside] = file.read()
    return found


class Packages(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        self.wheels = os.path.join(self.folder, "wheels")
        self.into = os.path.join(self.folder, "env")
        os.mkdir(self.wheels)

    def wheel(self, *args, **kw):
        return wheel(self.wheels, *args, **kw)

    def arguments(self, *args):
        return ("packages", "install", "--into", self.into, "--wheels", self.wheels, "--yes", *args)

    def install(self, *args, **kw):
        done = snug(*self.arguments(*args), **kw)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, *args, says, status=1, **kw):
        """One sentence, and the folder is as before with nothing hidden beside it."""
        before = tree(self.folder)
        done = snug(*self.arguments(*args), **kw)
        self.assertIn(says, done.stderr)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (status, 1), done.stderr)
        self.assertEqual(tree(self.folder), before)

    def listed(self, *args):
        return json.loads(snug("packages", "list", "--json", *args).stdout)


class Arguments(Packages):
    """What is refused before anything runs."""

    def test_a_name_is_no_option_path_or_address(self):
        for text, says in (("--index-url=http://evil", "does not begin"), ("-e", "does not begin"),
                           ("./one", "not by paths"), ("one.whl", "not by paths"),
                           ("one.tar.gz", "not by paths"), ("one==1.zip", "not by paths"),
                           ("one @ http://evil/one.whl", "not by paths"), ("git+ssh:one", "not by paths"),
                           ("one two", "followed by versions"), ("one==", "followed by versions"),
                           ("one==1\n--index-url", "may follow the version"), ("one;x", "may follow the version"),
                           ("one[", "extras"), ("_one", "named as in"), ("", "named as in"),
                           ("${HOME}", "named as in")):
            with self.subTest(text):
                self.refused(*self.arguments("--", text), says=says)

    def test_a_line_of_a_file_is_a_requirement_or_one_of_three_options(self):
        for line, says in (("--index-url http://evil", "the options of a file are"),
                           ("--find-links=x", "the options of a file are"), ("-e .", "the options of a file are"),
                           ("one --config-settings=x", "the only option of a requirement is --hash"),
                           ("one --hash=md5:00", "a hash is as in"), ("one ; $X", "the marker"),
                           ("./one", "not by paths"), ("one\x0c--pre", "followed by versions"),
                           ("o\\\nne\\\n @x", "not by paths"), ("-r gone.txt", "gone.txt: No such file"),
                           ("-r self.txt", "8 files"), ("\0", "NUL")):
            with self.subTest(line):
                path = self.file("self.txt", "# remark\n\n" + line + "\n")
                self.refused(*self.arguments("-r", path), says=says)
        path = self.file("line.txt", "two==1.0 \\\n   ; python_version > '3'\n\n -i x  # remark\n")
        self.refused(*self.arguments("-r", path), says=f'{path}, line 4: "-i"')

    def test_what_is_missing_or_too_much_is_said(self):
        self.refused("packages", "install", "one", "--yes", says="--into DIR is missing")
        self.refused(*self.arguments(), says="no package is named")
        self.refused("packages", "install", "one", "--into", self.into, says="--yes installs without asking")
        self.refused(*self.arguments("one", "--strict-audit"), says="needs pip-audit",
                     env=environment(PATH="/nowhere"))
        self.refused(*self.arguments("one", "--wheels", "/nowhere"), says="--wheels /nowhere: No such file")
        self.refused("packages", "instal", says="did you mean install")
        self.refused("packages", says='"" is not install or list')
        self.refused("packages", "list", "--in", "/nowhere", says="/nowhere: No such file")

    def test_a_folder_that_is_not_for_packages_is_left_alone(self):
        self.file("file", "")
        os.makedirs(os.path.join(self.folder, "home", "documents"))
        os.makedirs(os.path.join(self.folder, "snug-0123456789abcdef", "session-x"))
        os.symlink("nowhere", os.path.join(self.folder, "link"))
        other = os.path.join(self.folder, "other")
        os.mkdir(other)
        self.file("other/.snug-packages", "python 3.9\n")
        for name, says in (("file", "is not a folder"), ("home", "was not filled by snug packages"),
                           ("snug-0123456789abcdef/session-x/env", "work directory of a session"),
                           ("gone/env", "is not there"), ("link", "leads nowhere"),
                           ("other", "is for python 3.9, and this snug for Python " + NUMBER)):
            with self.subTest(name):
                self.into = os.path.join(self.folder, name)
                self.fails("one", says=says, status=2)
        self.into = "/"
        self.fails("one", says="/ cannot be", status=2)

    def test_where_nothing_can_be_written_nothing_runs(self):
        closed = os.path.join(self.folder, "closed")
        os.mkdir(closed, 0o555)
        os.chmod(self.folder, 0o755)
        self.into = os.path.join(closed, "env")
        program, other = SNUG, {}
        if os.geteuid() == 0:
            # The checkout may be where that user cannot go.
            program, other = shutil.copy(SNUG, self.folder), {"user": 65534}
            if subprocess.run(["/usr/bin/test", "-x", program], **other).returncode:
                self.skipTest(f"no other user can go to {self.folder}: set TMPDIR")
        done = subprocess.run([program, *self.arguments("one")], capture_output=True, text=True,
                              timeout=SECONDS, cwd="/", **other)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("nothing can be made in the folder that it is in: Permission denied", done.stderr)

    def test_without_pip_a_sentence_names_its_package(self):
        if HAS_PIP:
            self.skipTest("there is pip")
        self.fails("one", says="has no pip: install it, as the Debian package python3-pip", status=2)


@unittest.skipUnless(HAS_PIP, "python3-pip is missing")
class Install(Packages):
    def test_packages_come_with_what_they_need_and_are_listed(self):
        one = self.wheel("one", "1.0", {"one/__init__.py": "", "one/fast.so": "", "only.py": ""},
                         requires=["two>=1"])
        two = self.wheel("two", "1.5", {"two.py": "x = 1\n", "two-1.5.data/scripts/two": "#!python\n"})
        done = snug(*self.arguments("one"), env=environment(PATH="/nowhere"))
        self.assertEqual(done.stderr, "snug: pip-audit is not on PATH: known vulnerabilities are not "
                                      "looked for\n")
        self.assertEqual((done.returncode, done.stdout), (
            0,
            f"2 packages for Python {NUMBER} into {self.into}:\n"
            f"  one 1.0, {os.path.getsize(one)} bytes, from {self.wheels}\n"
            f"  two 1.5, {os.path.getsize(two)} bytes, from {self.wheels}, needed by another\n"
            f"2 packages installed into {self.into}\n"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["env", "wheels"])
        self.assertEqual(tree(self.into)[".snug-packages"], f"python {NUMBER}\n")
        self.assertTrue(os.path.exists(self.into + "/bin/two"))
        self.assertEqual(snug("packages", "list", "--in", self.into).stdout,
                         "one 1.0  (C extensions: --full)  import one, only\n"
                         "two 1.5  (Python only: --allow)  import two\n")
        self.assertEqual(self.listed("--in", self.into), {
            "schema": "snug.packages/1", "folder": self.into,
            "packages": [
                {"name": "one", "version": "1.0", "imports": ["one", "only"], "has_extensions": True},
                {"name": "two", "version": "1.5", "imports": ["two"], "has_extensions": False}]})

    def test_a_version_takes_the_place_of_another_and_the_rest_stays(self):
        self.wheel("one", "1.0", {"one/__init__.py": "1", "one/old.py": "", "old/gone.py": "",
                                  "one-1.0.data/scripts/one": "#!python\n"})
        self.wheel("two", "1.0", {"two.py": ""})
        self.install("one==1.0", "two")
        os.chmod(self.into, 0o750)
        victim = self.file("victim.py", "")
        with open(self.into + "/one-1.0.dist-info/RECORD", "a", encoding="utf-8") as record:
            record.write("../../../../victim.py,,\n" + victim + ",,\n")
        self.wheel("One", "2.0", {"one/__init__.py": "2"})
        self.assertIn(", replaces 1.0\n", self.install("ONE"))
        self.assertTrue(os.path.exists(victim))
        there = tree(self.into)
        self.assertEqual(there["one/__init__.py"], "2")
        self.assertIn("two.py", there)
        self.assertEqual([path for path in there if "old" in path or "bin" in path or "-1.0" in path
                          and "two" not in path], [])
        self.assertEqual([p["version"] for p in self.listed("--in", self.into)["packages"]], ["2.0", "1.0"])
        self.assertEqual(os.stat(self.into).st_mode & 0o777, 0o750)

    def test_an_install_that_fails_changes_nothing(self):
        path = self.wheel("one", "1.0", {"one.py": ""})
        hidden = self.file("wheels/broken-1.0-py3-none-any.whl", "no zip")
        self.wheel("up", "1.0", {"../../../../up.py": "x"})
        self.wheel("big", "1.0", {"big.py": "#" * 50000})
        requirements = self.file("r.txt", f"one==1.0 --hash=sha256:{hash_of(path)}\n")
        self.install("-r", requirements)
        wrong = self.file("wrong.txt", "-c r.txt\none==1.0 \\\n  --hash=sha256:" + "0" * 64 + "\n")
        self.fails("-r", wrong, says="Expected sha256 " + "0" * 64 + " Got " + hash_of(path))
        self.fails("one", "--require-hashes", says="all requirements must have their versions pinned")
        self.fails("nosuch", says="No matching distribution found for nosuch")
        self.fails("broken", says=f"located at {hidden} is invalid")
        self.fails("up", says="outside the target directory")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "up.py")))
        # As on a full disk: the write fails.
        old = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40000, old[1]))
        try:
            self.fails("big", says="File too large")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, old)

    def test_source_is_not_built(self):
        self.file("setup.py", f"open({self.folder + '/ran'!r}, 'w')\n")
        with tarfile.open(self.wheels + "/one-1.0.tar.gz", "w:gz") as out:
            out.add(self.folder + "/setup.py", "one-1.0/setup.py")
        self.fails("one", says="No matching distribution found for one")
        self.assertFalse(os.path.exists(self.folder + "/ran"))

    def test_source_is_built_when_that_is_asked(self):
        self.wheel("one", "1.0", {"one.py": "x = 1\n"})
        os.mkdir(self.folder + "/src")
        os.rename(self.wheels + "/one-1.0-py3-none-any.whl", self.folder + "/src/one.zip")
        # A backend that needs no other package.
        self.file("src/pyproject.toml", '[build-system]\nrequires = []\nbuild-backend = "backend"\n'
                                        'backend-path = ["."]\n')
        self.file("src/PKG-INFO", "Metadata-Version: 2.1\nName: one\nVersion: 1.0\n")
        self.file("src/backend.py", "import os, shutil\n"
                                    "def build_wheel(folder, config_settings=None, metadata_directory=None):\n"
                                    "    shutil.copy('one.zip', folder + '/one-1.0-py3-none-any.whl')\n"
                                    "    return 'one-1.0-py3-none-any.whl'\n")
        with tarfile.open(self.wheels + "/one-1.0.tar.gz", "w:gz") as out:
            out.add(self.folder + "/src", "one-1.0")
        self.assertIn(f"from {self.wheels}, built here\n", self.install("one", "--build"))
        self.assertIn("one.py", os.listdir(self.into))

    def test_nothing_but_the_options_says_what_pip_does(self):
        self.wheel("one", "1.0", {"one.py": ""})
        trap = f"open({self.folder + '/ran'!r}, 'w')\n"
        self.file("pip.py", trap)
        self.file("sitecustomize.py", trap)
        os.makedirs(self.folder + "/.config/pip")
        config = self.file(".config/pip/pip.conf", "[install]\nrequire-hashes = true\n")
        self.install("one", cwd=self.folder, env=environment(
            HOME=self.folder, PYTHONPATH=self.folder, PIP_CONFIG_FILE=config, PIP_TARGET=self.folder + "/else",
            PIP_NO_BINARY=":all:", PIP_REQUIREMENT="/nowhere", PYTHONSTARTUP=self.folder + "/pip.py"))
        self.assertFalse(os.path.exists(self.folder + "/ran") or os.path.exists(self.folder + "/else"))

    def test_an_index_that_is_not_reached_is_said(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
            self.refused("packages", "install", "one", "--into", self.into, "--yes", status=1,
                         says="the package index cannot be reached", env=environment(PIP_INDEX_URL=url))
        self.assertEqual(os.listdir(self.folder), ["wheels"])

    def test_an_interrupt_ends_pip_and_changes_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"http://127.0.0.1:{server.getsockname()[1]}/simple"
            process = subprocess.Popen([SNUG, "packages", "install", "one", "--into", self.into, "--yes"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=environment(PIP_INDEX_URL=url, no_proxy="127.0.0.1"))
            server.settimeout(SECONDS)
            pip, _ = server.accept()
            pip.settimeout(SECONDS)
            while not pip.recv(65536).endswith(b"\r\n\r\n"):
                pass
            process.send_signal(signal.SIGINT)
            self.assertEqual(pip.recv(1), b"")  # its end closed the connection
            pip.close()
            process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(os.listdir(self.folder), ["wheels"])

    def test_two_at_once_do_not_meet_and_what_was_left_behind_goes(self):
        self.wheel("one", "1.0", {"one.py": ""})
        os.mkdir(self.folder + "/.env.snug-abc123")
        with open(self.folder + "/.env.snug-lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.fails("one", says="another snug packages install is changing it", status=2)
        # One that ended between its two renames, where the kernel cannot exchange folders.
        os.mkdir(self.folder + "/.env.snug-old")
        self.file(".env.snug-old/.snug-packages", f"python {NUMBER}\n")
        self.file(".env.snug-old/kept.py", "")
        self.install("one")
        self.assertEqual(sorted(os.listdir(self.folder)), ["env", "wheels"])
        self.assertIn("kept.py", os.listdir(self.into))

    def test_on_a_terminal_it_is_asked(self):
        self.wheel("one", "1.0", {"one.py": ""})
        arguments = [word for word in self.arguments("one") if word != "--yes"]
        for answer, status, is_there in (("\n", 1, False), ("\x03", 130, False), ("y\n", 0, True)):
            with self.subTest(answer), Terminal(*arguments, env=environment(TERM="dumb")) as terminal:
                terminal.wait(r"one 1\.0.*Install\? \[y/N\] ")
                terminal.type(answer)
                self.assertEqual(terminal.end(), status)
                self.assertEqual(os.path.exists(self.into), is_there)


@unittest.skipUnless(HAS_PIP, "python3-pip is missing")
class Audit(Packages):
    def setUp(self):
        super().setUp()
        self.wheel("one", "1.0", {"one.py": ""})
        self.env = environment(PATH=self.folder + ":/usr/bin:/bin")

    def auditor(self, script):
        os.chmod(self.file("pip-audit", "#!/bin/sh\n" + script), 0o755)

    def test_what_pip_audit_finds_is_told_and_strict_is_strict(self):
        found = {"dependencies": [{"name": "one", "version": "1.0", "vulns": [
            {"id": "CVE-1", "fix_versions": ["1.1", "2.0"], "description": ""}]}]}
        self.auditor(f"ls \"${{1#--path=}}\" >{self.folder}/seen\necho '{json.dumps(found)}'\nexit 1\n")
        self.assertIn("pip-audit: one 1.0: CVE-1, fixed in 1.1 and 2.0\npip-audit: 1 known vulnerability\n",
                      self.install("one", env=self.env))
        self.assertIn("one.py", tree(self.folder)["seen"])
        self.fails("one", "--strict-audit", env=self.env, says="pip-audit has found something")

    def test_an_audit_that_fails_is_told(self):
        self.auditor("echo 'no network' >&2\nexit 1\n")
        done = snug(*self.arguments("one"), env=self.env)
        self.assertEqual((done.returncode, done.stderr), (0, "snug: pip-audit failed: no network\n"))
        self.fails("one", "--strict-audit", env=self.env, says="pip-audit failed: no network")


class List(Packages):
    def test_without_a_folder_it_is_the_one_that_sessions_have(self):
        told = self.listed()
        doctor = json.loads(snug("doctor", "--json").stdout)
        self.assertEqual(told["folder"], doctor["host"]["python.packages"])
        for package in told["packages"]:
            if package["name"] == "sympy":
                self.assertIn("sympy", package["imports"])
                self.assertFalse(package["has_extensions"])

    def test_packages_without_a_record_are_looked_at(self):
        for name, text in {"a.egg-info": "Name: a.b\nVersion: 1\n", "a_b.py": "",
                           "c.egg-info/PKG-INFO": "Name: c\nVersion: 2\n\nName: d\n",
                           "c.egg-info/top_level.txt": "_c\nc\n", "c.py": "", "_c.cpython-311.so": "",
                           "e.dist-info/METADATA": "Name: e\x1b[2J\n", "f.dist-info/METADATA": "",
                           "g.dist-info/METADATA": "Name: g\nVersion: 1;\n",
                           "g.dist-info/RECORD": '"g/a,b.py",,\n../../../h.py,,\n/i.py,,\n'}.items():
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            self.file(name, text)
        self.assertEqual(snug("packages", "list", "--in", self.folder).stdout,
                         "a.b 1  (Python only: --allow)  import a_b\n"
                         "c 2  (C extensions: --full)  import _c, c\n"
                         "g  (Python only: --allow)  import g\n")


if __name__ == "__main__":
    if not HAS_PIP:
        print("python3-pip is missing: snug packages install is not tested")
    unittests.main()
