"""Workers in containers: what docker is told, by a double of it that starts the worker here."""
import os
import pathlib
import shutil
import unittest

from asking import Asking, Rules, program
from driver import SNUG, environment, snug

# Keeps its arguments, a line each, and runs what stands behind the image.
DOUBLE = """#!/bin/sh
printf '%s\\n' "$@" >"$0.said"
while [ "$1" != an/image:1 ] && [ "$1" != snug-worker ]; do shift; done
shift
exec "{folder}/$1"
"""
REFUSES = """#!/bin/sh
echo "docker: Cannot connect to the Docker daemon." >&2
echo >&2
echo "Run 'docker run --help' for more information" >&2
exit 125
"""
HARDENED = ["run", "-i", "--rm", "--init", "--network", "none", "--cap-drop", "ALL", "--security-opt",
            "no-new-privileges", "--pids-limit", "512", "--read-only", "--tmpfs", "/tmp"]


class Docker(Asking):
    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        self.have("docker", DOUBLE)

    def have(self, name, text):
        path = pathlib.Path(self.bin, name)
        path.write_text(text.format(folder=os.path.dirname(SNUG)))
        path.chmod(0o755)

    def env(self, **more):
        return environment(PATH=f"{self.bin}:{os.environ['PATH']}", **more)

    def snug(self, *args, path=None):
        return snug(*args, cwd=self.folder, env={**self.env(), **({"PATH": path} if path else {})})

    def said(self, name="docker"):
        return pathlib.Path(self.bin, name + ".said").read_text().splitlines()

    def test_cells_run_in_a_container_that_has_nothing_but_the_worker(self):
        done = self.snug("run", "--docker", "an/image:1", "-c", "6*7")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("42", done.stdout)
        said = self.said()
        self.assertEqual(said[:len(HARDENED)], HARDENED)
        self.assertEqual(said[len(HARDENED):], ["--user", f"{os.getuid()}:{os.getgid()}", "--workdir",
                                                os.path.realpath(self.folder), "an/image:1", "snug-worker"])

    def test_a_work_directory_is_made_and_has_its_name_in_the_container(self):
        done = self.snug("run", "--profile", "data", "--docker", "an/image:1", "--workdir", "it's work", "-c",
                         "open('made.txt', 'w').write('seven')")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(pathlib.Path(self.folder, "it's work/made.txt").read_text(), "seven")
        here = os.path.realpath(self.folder)
        volumes = [after for word, after in zip(self.said(), self.said()[1:]) if word == "--volume"]
        self.assertEqual(volumes, [f"{here}/it's work:{here}/it's work:rw"])

    def test_a_question_is_answered_from_a_container_by_the_configuration(self):
        rules = [("Question:\nhow many", program("6 * 7"))]
        self.endpoint.server.rules = Rules(rules)
        done = snug("ask", "--answer", "result", "--no-evaluation", "--quiet", "execution.use_docker=true", "how many",
                    cwd=self.folder, env=self.env(XDG_STATE_HOME=self.folder, **self.endpoint.environment))
        self.assertEqual((done.returncode, done.stderr, done.stdout.split()), (0, "", ["42"]))
        self.assertEqual(self.said()[-2:], ["snug-worker", "snug-worker"])

    def test_podman_takes_the_place_of_docker(self):
        os.rename(self.bin + "/docker", self.bin + "/podman")
        done = self.snug("run", "--docker", "an/image:1", "-c", "6*7", path=f"{self.bin}:{self.without_docker()}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.said("podman")[-2:], ["an/image:1", "snug-worker"])

    def without_docker(self):
        """A folder with what the double needs and no docker."""
        folder = os.path.join(self.folder, "tools")
        os.mkdir(folder)
        os.symlink(shutil.which("sh"), folder + "/sh")
        return folder

    def test_what_docker_refuses_is_said_in_its_words(self):
        self.have("docker", REFUSES)
        done = self.snug("run", "--docker", "an/image:1", "-c", "6*7")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.endswith(": docker: Cannot connect to the Docker daemon.\n"), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_what_cannot_be_is_one_sentence(self):
        for args, says in (
                (["--docker", "an/image:1", "--worker-command", "snug-worker"], "exclude each other"),
                (["--docker", "an/image:1", "--isolation", "bash"], "--docker runs Python"),
                (["--docker", "-v/:/"], "is not the name of an image"),
                (["--docker", "an/image:1", "--workdir", "a:b"], "a path with a colon"),
                (["--docker", "an/image:1", "--mount", "data:data"], "--docker has no --mount")):
            done = self.snug("run", *args, "-c", "1")
            self.assertEqual((done.returncode, done.stdout), (2, ""), args)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        done = self.snug("run", "--docker", "an/image:1", "-c", "1", path=self.without_docker())
        self.assertEqual((done.returncode, done.stderr),
                         (2, "snug: --docker: there is neither docker nor podman on PATH\n"))


if __name__ == "__main__":
    unittest.main()
