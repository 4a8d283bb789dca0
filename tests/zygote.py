"""A zygote whose host goes ends at once, also while a worker of it lives; and leftover.py names it until then.

usage: zygote.py WORKER
"""
import array
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

WORKER = os.path.realpath(sys.argv.pop())
LEFTOVER = pathlib.Path(__file__).with_name("leftover.py")
FORK = 0  # src/worker/protocol/frame.h
SECONDS = 600


class Zygote(unittest.TestCase):
    def setUp(self):
        self.control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.settimeout(SECONDS)
        self.zygote = subprocess.Popen([WORKER, "--zygote"], stdin=other, stdout=subprocess.DEVNULL)
        self.addCleanup(self.end)
        other.close()
        self.first = self.control.recv(1 << 16)
        self.assertEqual(struct.unpack_from("<iii", self.first)[2], 0, self.first)

    def end(self):
        self.zygote.kill()
        self.zygote.wait()
        self.control.close()

    def fork(self):
        ours, its = socket.socketpair()
        self.addCleanup(ours.close)
        order = struct.pack("<iii", FORK, 0, 0).ljust(len(self.first), b"\0")
        self.control.sendmsg([order], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [its.fileno()]))])
        its.close()
        self.assertGreater(struct.unpack_from("<ii", self.control.recv(1 << 16))[1], 0)

    def test_ends_with_its_host(self):
        self.control.close()
        self.assertEqual(self.zygote.wait(SECONDS), 0)

    def test_ends_with_its_host_while_a_worker_lives(self):
        self.fork()
        self.control.close()
        self.assertEqual(self.zygote.wait(SECONDS), 0)

    def test_a_process_that_is_left_is_named(self):
        with tempfile.TemporaryDirectory() as build:
            os.makedirs(build + "/dev")
            os.symlink(os.path.dirname(WORKER), build + "/dev/src")
            self.assertIn(str(self.zygote.pid), self.left(build) + self.left(os.path.dirname(WORKER)))
            self.end()
            self.assertNotIn(str(self.zygote.pid), self.left(build) + self.left(os.path.dirname(WORKER)))

    def left(self, build):
        done = subprocess.run([sys.executable, LEFTOVER, build, "0"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return [line.split()[2].rstrip(":") for line in done.stdout.splitlines()]


if __name__ == "__main__":
    unittest.main()
