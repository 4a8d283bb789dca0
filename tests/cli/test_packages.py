"""snug packages. The wheels are made here: nothing comes from a network."""

import base64
import hashlib
import json
import os
import signal
import socket
import subprocess
import tarfile
import unittest
import zipfile

from driver import SECONDS, SNUG, Case, environment, snug
import unittests

PYTHON = os.environ["SNUG_PYTHON"]
HAS_PIP = subprocess.run([PYTHON, "-I", "-m", "pip", "--version"], capture_output=True).returncode == 0


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


class Packages(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.realpath(self.folder)
        self.wheels = os.path.join(self.folder, "wheels")
        self.into = os.path.join(self.folder, "env")
        os.mkdir(self.wheels)

    def wheel(self, *args, **kw):
        return wheel(self.wheels, *args, **kw)

    def run_install(self, *args, **kw):
        return snug("packages", "install", "--wheels", self.wheels, *args, **kw)

    def install(self, *args, **kw):
        """The folder that is printed."""
        done = self.run_install(*args, **kw)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.removesuffix("\n")

    def fails(self, *args, says):
        """pip says why, and nothing is left behind."""
        done = self.run_install("--into", self.into, *args)
        self.assertIn(says, done.stderr)
        self.assertIn("snug: nothing was installed: pip", done.stderr)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("env")], [])

    def listed(self, *args):
        return json.loads(snug("packages", "list", "--json", *args).stdout)


class Arguments(Packages):
    """What is refused before anything runs."""

    def test_what_is_missing_or_too_much_is_said(self):
        os.mkdir(self.into)
        for args, says in (((), "no package is named"), (("one", "--in", "x"), "--in is not an option"),
                           (("one", "--into", self.into), "it is there already; name a new folder"),
                           (("one", "--into", "/nowhere/env"), "/nowhere/env: No such file"),
                           (("one", "--wheels", "/nowhere"), "--wheels /nowhere: No such file"),
                           (("-r", "/nowhere"), "/nowhere: No such file"),
                           (("one", "--yes"), "packages install does not ask")):
            with self.subTest(args):
                self.refused("packages", "install", *args, says=says)
        self.refused("packages", "instal", says="did you mean install")
        self.refused("packages", says='"" is not install or list')
        self.refused("packages", "list", "--in", "/nowhere", says="/nowhere: No such file")

    def test_without_pip_a_sentence_names_its_package(self):
        if HAS_PIP:
            self.skipTest("there is pip")
        self.fails("one", says="on Debian the package python3-pip")


@unittest.skipUnless(HAS_PIP, "python3-pip is missing")
class Install(Packages):
    def test_packages_come_with_what_they_need_and_are_listed(self):
        self.wheel("one", "1.0", {"one/__init__.py": ""}, requires=["two>=1"])
        self.wheel("two", "1.5", {"two.py": "x = 1\n"})
        self.assertEqual(self.install("one", "--into", self.into), self.into)
        self.assertEqual(sorted(os.listdir(self.folder)), ["env", "wheels"])
        self.assertEqual(snug("packages", "list", "--in", self.into).stdout, "one 1.0\ntwo 1.5\n")
        self.assertEqual(self.listed("--in", self.into), {
            "schema": "snug.packages/1", "folder": self.into,
            "packages": [{"name": "one", "version": "1.0"}, {"name": "two", "version": "1.5"}]})
        done = snug("run", "--full", "--packages", self.into, "--allow", "two", "-c", "import two; two.x")
        self.assertIn("Out[1]: 1", done.stdout)

    def test_the_same_request_has_the_same_folder(self):
        self.wheel("one", "1.0", {"one.py": ""})
        self.wheel("two", "1.0", {"two.py": ""})
        env = environment(XDG_STATE_HOME=self.folder + "/state")
        first = self.install("one", env=env)
        self.assertTrue(first.startswith(self.folder + "/state/snug/packages/"), first)
        marked = os.path.join(first, "mark")
        open(marked, "w", encoding="utf-8").close()
        self.assertEqual(self.install("one", env=env), first)
        self.assertTrue(os.path.exists(marked))
        folders = {first}
        for text in ("one\n", "two\n", "two==1.0\n"):
            folders.add(self.install("-r", self.file("r.txt", text), env=env))
        self.assertEqual(len(folders), 4)
        self.assertEqual(len(os.listdir(self.folder + "/state/snug/packages")), 4)

    def test_an_install_that_fails_leaves_nothing(self):
        self.wheel("one", "1.0", {"one.py": ""})
        wrong = self.file("wrong.txt", "one==1.0 --hash=sha256:" + "0" * 64 + "\n")
        self.fails("-r", wrong, says="THESE PACKAGES DO NOT MATCH THE HASHES")
        self.fails("one", "--require-hashes", says="must have their versions pinned")
        self.fails("nosuch", says="No matching distribution found for nosuch")
        self.fails("--", "--index-url=http://evil", says="Invalid requirement")

    def make_source(self):
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

    def test_source_is_built_only_when_that_is_asked(self):
        self.make_source()
        self.fails("one", says="No matching distribution found for one")
        self.install("one", "--build", "--into", self.into)
        self.assertIn("one.py", os.listdir(self.into))

    def test_modules_of_the_current_folder_have_no_effect(self):
        self.wheel("one", "1.0", {"one.py": ""})
        trap = f"open({self.folder + '/ran'!r}, 'w')\n"
        self.file("pip.py", trap)
        self.file("sitecustomize.py", trap)
        self.install("one", "--into", self.into, cwd=self.folder, env=environment(PYTHONPATH=self.folder))
        self.assertFalse(os.path.exists(self.folder + "/ran"))

    def test_an_interrupt_ends_pip_and_leaves_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"http://127.0.0.1:{server.getsockname()[1]}/simple"
            process = subprocess.Popen([SNUG, "packages", "install", "one", "--into", self.into],
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


class List(Packages):
    def test_without_a_folder_it_is_the_one_that_sessions_have(self):
        told = self.listed()
        doctor = json.loads(snug("doctor", "--json").stdout)
        self.assertEqual(told["folder"], doctor["host"]["python.packages"])

    def test_names_and_versions_are_those_of_what_installers_write(self):
        for name in ("a.b-1.egg-info", "c.egg-info", "d_e-2.0-py3.11.egg-info", "f.py"):
            os.mkdir(os.path.join(self.folder, name))
        self.assertEqual(snug("packages", "list", "--in", self.folder).stdout,
                         "a.b 1\nc\nd_e 2.0\n")


if __name__ == "__main__":
    if not HAS_PIP:
        print("python3-pip is missing: snug packages install is not tested")
    unittests.main()
