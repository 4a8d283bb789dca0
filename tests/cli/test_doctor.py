import json
import os
import pathlib
import platform
import re
import tempfile

from driver import Case, snug
import unittests


class Doctor(Case):
    def test_it_tells_python_limits_and_kernel(self):
        done = snug("doctor")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("python: 3.", "kernel: ", "wall_ms", "--timeout", "30 s", "256 MiB", "Landlock",
                      "seccomp", platform.release()):
            self.assertIn(words, done.stdout)

    def test_json_tells_the_same(self):
        doctor = json.loads(snug("doctor", "--json").stdout)
        self.assertEqual(doctor["schema"], "snug.doctor/1")
        self.assertTrue(doctor["host"]["python"].startswith("3."))
        limits = {limit["name"]: limit for limit in doctor["limits"]}
        self.assertEqual(limits["wall_ms"]["default"], 30000)
        self.assertEqual(limits["wall_ms"]["option"], "--timeout")
        self.assertIsNone(limits["session_cpu_ms"]["default"])
        self.assertEqual(len(limits), 14)
        self.assertIn("unshare(CLONE_FS)", doctor["kernel"])
        for kind in ("worker", "full"):
            self.assertTrue(doctor[kind].startswith("works: "), doctor[kind])
        self.assertTrue(doctor["bash"])
        if doctor["bash"].startswith("works"):
            self.assertRegex(doctor["bash"], r"cgroup (v[12] \((memory|pids|memory, pids)\)|none: \w+)")

    def test_it_tells_that_the_installed_python_has_other_fixes(self):
        found = re.search(r"for Python ([0-9]+[.][0-9]+)[^(]*[(](.*)[)]", snug("--version").stdout)
        if not found:
            self.skipTest("the Python of this build is of no package")
        number, built_in = found.groups()
        stages = (("install ok installed", built_in, f"{built_in} is built in, as it is installed"),
                  ("install ok installed", built_in + "u99", f"and {built_in}u99 is installed: sessions have"),
                  ("deinstall ok config-files", built_in, "what is installed is not known"))
        for status, version, words in stages:
            with self.subTest(version=version), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "status").write_text(
                    "Package: first\nStatus: install ok installed\nVersion: 1\n\n"
                    f"Package: libpython{number}-stdlib\nStatus: {status}\nVersion: {version}\n\n"
                    "Package: last\nStatus: install ok installed\nVersion: 2\n")
                environment = dict(os.environ, DPKG_ADMINDIR=folder)
                line = re.search("^python fixes: (.*)$", snug("doctor", env=environment).stdout, re.M)
                self.assertIn(words, line[1])
                level = json.loads(snug("doctor", "--json", env=environment).stdout)["python_fixes"]
                self.assertEqual(level["built_in"], built_in)
                self.assertEqual(level.get("installed"), version if "ok installed" in status else None)


if __name__ == "__main__":
    unittests.main()
