import json
import platform
import unittest

from driver import Case, snug


class Doctor(Case):
    def test_it_tells_python_limits_and_kernel(self):
        done = snug("doctor")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("python: 3.", "kernel: ", "wall_ms", "--timeout", "30 s", "256 MiB", "enforced", "Landlock",
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
        self.assertEqual(len(limits), 13)
        self.assertIn("unshare(CLONE_FS)", doctor["kernel"])
        for kind in ("worker", "full"):
            self.assertTrue(doctor[kind].startswith("works: "), doctor[kind])
        self.assertTrue(doctor["bash"])
        if doctor["bash"].startswith("works"):
            self.assertRegex(doctor["bash"], r"cgroup (v[12] \((memory|pids|memory, pids)\)|none: \w+)")


if __name__ == "__main__":
    unittest.main()
