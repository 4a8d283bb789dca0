"""Each form of a session that the pages name, by what scripts/run builds.

usage: first_command.py TOP [--fresh]

With --fresh by the command itself, typed in a clone that has built nothing; else by the program in TOP that it has built.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli"), str(TESTS / "mcp"), str(TESTS / "kernel")]


def clone(top, folder):
    """The command in a clone of the checkout, after it has built what is to be built."""
    if not shutil.which("git") or subprocess.run(["git", "-C", top, "rev-parse"], capture_output=True).returncode:
        print("skipped: a fresh clone: git, or what it would clone, is not here")
        sys.exit(77)
    subprocess.run(["git", "clone", "-q", top, folder], check=True)
    command = pathlib.Path(folder, "scripts/run")
    subprocess.run([command, "--version"], check=True, env={**os.environ, "SNUG_NO_INSTALL": "1"})
    return command


TOP = sys.argv[1]
if "--fresh" in sys.argv:
    place = tempfile.TemporaryDirectory(prefix="snug-clone-")
    os.environ.update(SNUG_NO_INSTALL="1", SNUG=str(clone(TOP, place.name)))
else:
    os.environ["SNUG"] = os.path.join(TOP, "build/release/src/snug")

from driver import snug  # noqa: E402
from speaking import LEGACY, ServerCase, text  # noqa: E402
import unittests  # noqa: E402


class Forms(ServerCase):
    def test_run(self):
        for words in [], ["--isolation", "local"], ["--isolation", "worker"], ["--full"], ["--data"]:
            with self.subTest(" ".join(words)):
                done = snug("run", *words, "-c", "6 * 7")
                self.assertEqual((done.stdout.splitlines()[1:2], done.stderr), (["Out[1]: 42"], ""))

    @unittests.unittest.skipUnless(shutil.which("bwrap"), "bwrap is not here (Debian: bubblewrap)")
    def test_bash(self):
        self.assertIn("42\n", snug("run", "--isolation", "bash", "-c", "echo 42").stdout)

    def test_cells(self):
        self.assertIn('"42"', snug("cells", "--isolation", "worker", stdin='{"session": "a", "code": "6 * 7"}\n').stdout)

    def test_mcp(self):
        server = self.server(era=LEGACY)
        self.assertIn("42", text(server.tool("run_python", code="6 * 7")))

    def test_kernel(self):
        try:
            import jupyter_client  # noqa: F401
        except ImportError as error:
            self.skipTest(f"{error} (Debian's package python3-jupyter-client)")
        from kernels import Kernel
        for options in [], ["--full"]:
            with self.subTest(" ".join(options)):
                kernel = Kernel(*options)
                self.addCleanup(kernel.close)
                self.assertEqual(kernel.value("6 * 7"), "42")


if __name__ == "__main__":
    unittests.main(sys.argv[:1])
