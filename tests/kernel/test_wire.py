"""Messages that are not right, parents that go, workers that are killed: a kernel is not harmed."""
import json
import os
import random
import signal
import subprocess
import sys
import time

from kernels import SECONDS, SNUG, Kernel, KernelCase, environment, main

import gate
import zmq  # jupyter_client's own
from jupyter_client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

LOOP = "while True: pass"


def until(holds):
    end = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("it does not come true")
        time.sleep(0.02)


def children(process):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


class Wrong(KernelCase):
    def send(self, kernel, channel, *frames):
        socket = getattr(kernel.client, channel + "_channel").socket
        socket.send_multipart([frame if isinstance(frame, bytes) else frame.encode() for frame in frames])

    def signed(self, kernel, *parts):
        parts = [part.encode() for part in parts]
        return [b"<IDS|MSG>", kernel.client.session.sign(parts), *parts]

    def test_what_is_not_right_costs_a_line_and_nothing_else(self):
        k = self.kernel()
        header = json.dumps({"msg_id": "1", "msg_type": "execute_request"})
        rows = [
            (["<IDS|MSG>", "0" * 64, header, "{}", "{}", '{"code": "x = 1"}'], "its signature is wrong"),
            (["<IDS|MSG>", "", header, "{}", "{}", '{"code": "x = 1"}'], "its signature is wrong"),
            (["hello"], "it has no <IDS|MSG>"),
            (["<IDS|MSG>", "a", "b"], "it has 2 parts after <IDS|MSG>, not 5"),
            (self.signed(k, header, "{}", "{}", "{"), "its content is not JSON"),
            (self.signed(k, "[]", "{}", "{}", "{}"), "its header is not a JSON object"),
            (self.signed(k, "{}", "{}", "{}", "{}"), "its header has no \"msg_type\""),
            (self.signed(k, '{"msg_type": "dance_request"}', "{}", "{}", "{}"),
             "a message dance_request on shell is left aside: its type is not known there"),
            (["x"] * 100, "it has more than 64 frames"),
        ]
        for frames, says in rows:
            self.send(k, "shell", *frames)
        self.assertEqual(k.value("'x' in globals()"), "False")
        said = k.said().splitlines()
        self.assertEqual(len(said), len(rows), said)
        for line in said:
            self.assertTrue(line.startswith("snug: kernel: a message "), line)
        for _, says in rows:
            self.assertTrue(any(says in line for line in said), (says, said))

    def test_control_and_stdin_leave_it_aside_too(self):
        k = self.kernel()
        for channel in ("control", "stdin"):
            self.send(k, channel, "hello")
            self.send(k, channel, *self.signed(k, '{"msg_type": "dance_request"}', "{}", "{}", "{}"))
        self.assertEqual(k.value("1 + 1"), "2")
        until(lambda: k.said().count("\n") == 4)

    def test_an_execute_request_without_code_is_an_error(self):
        k = self.kernel()
        reply = k.reply_to(k.shell("execute_request", code=3))["content"]
        self.assertEqual((reply["status"], reply["ename"]), ("error", "ValueError"))
        self.assertIn('"code" must be a string', reply["evalue"])


class Requests(KernelCase):
    """libzmq tells of a message once, to whatever uses the socket next: one that comes while an answer is sent too."""

    def sender(self, kernel, context):
        socket = context.socket(zmq.DEALER)
        socket.connect(kernel.client._make_url("shell"))
        return socket

    def ask(self, kernel, socket, kind, content):
        session = kernel.client.session
        socket.send_multipart(session.serialize(session.msg(kind, content)))

    def take(self, socket):
        self.assertTrue(socket.poll(SECONDS * 1000), "no answer")
        return json.loads(socket.recv_multipart()[-1])

    def test_requests_of_several_clients_are_answered_whenever_they_come(self):
        k, choose = self.kernel(), random.Random(7)
        cell = {"code": "1", "silent": True}
        with zmq.Context() as context:
            senders = [self.sender(k, context) for _ in range(4)]
            for _ in range(400):
                ahead = [(socket, choose.choice([0, 1, 1, 3])) for socket in senders]
                for socket, count in ahead:
                    for _ in range(count):
                        self.ask(k, socket, *choose.choice([("execute_request", cell), ("kernel_info_request", {})]))
                    for _ in range(choose.choice([0, 0, 200, 2000])):  # some tens of microseconds
                        pass
                for socket, count in ahead:
                    for _ in range(count):
                        self.assertEqual(self.take(socket)["status"], "ok")
            for socket in senders:
                socket.close(0)

    def test_the_last_of_two_members_counts_and_many_are_read(self):
        k = self.kernel()
        many = "".join(f'"other{i}": {i}, ' for i in range(40))
        with zmq.Context() as context:
            socket = self.sender(k, context)
            for others in ("", many):
                header = json.dumps({"msg_id": "1", "msg_type": "execute_request"})
                content = '{%s"code": "1/0", "code": "x = 1", "user_expressions": {"a": "x + 1"}}' % others
                parts = [part.encode() for part in (header, "{}", "{}", content)]
                socket.send_multipart([b"<IDS|MSG>", k.client.session.sign(parts), *parts])
                reply = self.take(socket)
                self.assertEqual((reply["status"], reply["user_expressions"]["a"]["data"]["text/plain"]), ("ok", "2"))
            socket.close(0)


class Files(KernelCase):
    whole = {"transport": "tcp", "ip": "127.0.0.1", "key": "k", "signature_scheme": "hmac-sha256",
             "shell_port": 1, "control_port": 2, "stdin_port": 3, "iopub_port": 4, "hb_port": 5}

    def test_a_connection_file_that_is_none_is_refused(self):
        for change, says in (({"ip": ""}, '"ip" is missing'), ({"ip": 5}, '"ip" must be a string'), ({"shell_port": 0}, '"shell_port" must be a port'),
                             ({"hb_port": "5"}, '"hb_port" must be a port'),
                             ({"transport": "pigeon"}, "must be tcp or ipc"),
                             ({"signature_scheme": "rot13"}, "must be hmac-DIGEST"),
                             ({"signature_scheme": "hmac-rot13"}, "hmac-rot13 is not known here")):
            path = self.file("connection.json", json.dumps({**self.whole, **change}))
            self.refused("kernel", "-f", path, says=says)
        for key in (5, None, True, ["k"], {}):
            path = self.file("connection.json", json.dumps({**self.whole, "key": key}))
            self.refused("kernel", "-f", path, says='"key" must be a string')
        path = self.file("connection.json", json.dumps({**self.whole, "key": "\0k"}))
        self.refused("kernel", "-f", path, says="connection.json")
        path = self.file("connection.json", json.dumps({k: v for k, v in self.whole.items() if k != "key"}))
        self.refused("kernel", "-f", path, says='"key" is missing; an empty one does without signatures')
        self.refused("kernel", "-f", self.file("connection.json", "{"), says="connection.json: invalid JSON")
        self.refused("kernel", "-f", "/nowhere.json", says="/nowhere.json")
        self.refused("kernel", says="-f CONNECTION_FILE is missing")
        self.refused("kernel", "dance", says='unknown verb "dance"')


class Sockets(KernelCase):
    def start(self, path):
        kernel = subprocess.Popen([SNUG, "kernel", "-f", path], stderr=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(kernel.stderr.close)
        self.addCleanup(kernel.wait)
        self.addCleanup(kernel.kill)
        return kernel

    def value_of(self, path, code):
        client = BlockingKernelClient(connection_file=path)
        client.load_connection_file()
        client.start_channels()
        self.addCleanup(client.stop_channels)
        client.wait_for_ready(timeout=SECONDS)
        reply = client.execute("", user_expressions={"x": code}, reply=True, timeout=SECONDS)
        return reply["content"]["user_expressions"]["x"]["data"]["text/plain"]

    def test_each_digest_that_clients_have_signs_with_keys_of_any_length(self):
        for scheme, key in (("hmac-md5", b"k"), ("hmac-sha1", b"k" * 300), ("hmac-sha512", b"k"), ("hmac-sha3_256", b"k" * 300),
                            ("hmac-sha256", b"k" * 64)):
            with self.subTest(scheme=scheme, key=len(key)):
                path, _ = write_connection_file(os.path.join(self.folder, "connection.json"), key=key, signature_scheme=scheme)
                self.start(path)
                self.assertEqual(self.value_of(path, "1 + 1"), "2")


class Parent(KernelCase):
    def ends_with_its_parent(self, **more):
        parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        path, _ = write_connection_file(os.path.join(self.folder, "connection.json"), key=b"k")
        kernel = subprocess.Popen([SNUG, "kernel", "-f", path], stderr=subprocess.PIPE, text=True,
                                  env=environment(JPY_PARENT_PID=str(parent.pid)), **more)
        self.addCleanup(kernel.kill)
        client = BlockingKernelClient(connection_file=path)
        client.load_connection_file()
        client.start_channels()
        self.addCleanup(client.stop_channels)
        client.wait_for_ready(timeout=SECONDS)
        parent.stdin.close()
        parent.wait()
        said = kernel.communicate(timeout=SECONDS)[1]
        self.assertIn(f"process {parent.pid}, the kernel's parent, is gone", said)
        self.assertEqual(kernel.returncode, 0)

    def test_a_kernel_whose_parent_is_gone_ends(self):
        self.ends_with_its_parent()


class Workers(KernelCase):
    """Where sessions are unless an option says otherwise."""

    def test_a_worker_that_is_killed_between_cells_is_told_of(self):
        k = self.kernel()
        k.run("x = 1")
        for process in self.workers(k):
            os.kill(process, signal.SIGKILL)
        reply, _ = k.run("y = 2")
        self.assertEqual(reply["status"], "error")
        self.assertIn("run the cells that it needs again", reply["traceback"][-1])
        reply, told = k.run("x")
        self.assertIn("a fresh session has taken the place of the lost one", told[0][1]["text"])
        self.assertEqual(reply["ename"], "NameError")
        self.assertTrue(k.manager.is_alive())

    def test_a_worker_that_is_killed_under_a_cell_is_told_of(self):
        k = self.kernel()
        request = k.client.execute(LOOP)
        k.wait_for("execute_input")
        for process in self.workers(k):
            os.kill(process, signal.SIGKILL)
        reply = k.reply_to(request)["content"]
        self.assertEqual(reply["status"], "error")
        k.told_of(request)
        self.assertEqual(k.value("6 * 7"), "42")
        self.assertTrue(k.client.hb_channel.is_beating())

    def test_nothing_is_left_behind(self):
        k = self.kernel()
        k.run("x = 1")
        processes = self.workers(k)
        self.assertGreater(len(processes), 0)
        k.control("shutdown_request", restart=False)
        until(lambda: not any(os.path.exists(f"/proc/{process}") for process in processes))

    def workers(self, kernel):
        """All processes below the kernel."""
        found, left = [], [kernel.process]
        while left:
            below = children(left.pop())
            found += below
            left += below
        return found


class Stops(KernelCase):
    """Of a call in C, in a full session."""

    def stopped(self):
        self.gate = gate.Gate(self.folder)
        k = self.kernel(*gate.OPTIONS, "--workdir", self.folder)
        k.run("x = 42")
        request = k.client.execute(gate.CELL)
        self.assertEqual(k.wait_for("stream")["text"], "there\n")
        self.gate.wait()
        k.control("interrupt_request")
        self.assertIn("Another stop, or its time limit, ends the session and its names", k.wait_for("stream")["text"])
        return k, request

    def test_it_is_waited_for(self):
        k, request = self.stopped()
        self.gate.open()
        self.assertEqual(k.reply_to(request)["content"]["ename"], "KeyboardInterrupt")
        self.assertEqual(k.value("x"), "42")

    def test_a_second_stop_does_not_wait(self):
        k, request = self.stopped()
        k.control("interrupt_request")
        reply = k.reply_to(request)["content"]
        self.assertEqual(reply["ename"], "KeyboardInterrupt")
        self.assertIn("lost with all its names", reply["traceback"][-1])
        self.assertEqual(k.run("x")[0]["ename"], "NameError")


class Installed(KernelCase):
    def test_kernels_are_installed_listed_and_removed(self):
        from driver import snug
        env = environment(JUPYTER_DATA_DIR=self.folder, VIRTUAL_ENV="")
        done = snug("kernel", "install", "--user", "--name", "lab", "--display-name", "Lab", "--isolation",
                    "worker", "--timeout", "5m", env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(os.path.join(self.folder, "kernels", "lab", "kernel.json")) as file:
            spec = json.load(file)
        self.assertEqual(spec["argv"], [SNUG, "kernel", "-f", "{connection_file}", "--isolation", "worker",
                                        "--timeout", "5m"])
        self.assertEqual((spec["display_name"], spec["language"], spec["interrupt_mode"]),
                         ("Lab", "python", "message"))
        self.assertIn("lab", snug("kernel", "list", "--user", env=env).stdout)
        self.assertEqual(snug("kernel", "uninstall", "lab", "--user", env=env).returncode, 0)
        self.assertEqual(os.listdir(os.path.join(self.folder, "kernels")), [])
        self.refused("kernel", "uninstall", "lab", "--user", env=env, says='no kernel "lab" of snug')

    def test_they_are_found_where_jupyter_looks(self):
        from driver import snug
        places = [os.path.join(self.folder, name) for name in ("user", "venv/share/jupyter")]
        for place in places:
            env = environment(JUPYTER_DATA_DIR=place, VIRTUAL_ENV="")
            self.assertEqual(snug("kernel", "install", "--user", "--name", "lab", env=env).returncode, 0)
        env = environment(JUPYTER_DATA_DIR=places[0], VIRTUAL_ENV=os.path.join(self.folder, "venv"))
        listed = snug("kernel", "list", env=env).stdout.splitlines()
        self.assertEqual([line.split()[-1] for line in listed if self.folder in line],
                         [os.path.join(place, "kernels", "lab") for place in places])
        self.assertEqual(snug("kernel", "uninstall", "lab", env=env).returncode, 0)
        for place in places:
            self.assertEqual(os.listdir(os.path.join(place, "kernels")), [])

    def test_kernels_of_others_stay(self):
        folder = os.path.join(self.folder, "kernels", "other")
        os.makedirs(folder)
        with open(os.path.join(folder, "kernel.json"), "w") as file:
            file.write('{"argv": ["other"], "display_name": "Other", "language": "python"}')
        self.refused("kernel", "uninstall", "other", "--user", env=environment(JUPYTER_DATA_DIR=self.folder),
                     says='no kernel "other" of snug')
        self.assertTrue(os.path.exists(folder))

    def test_what_cannot_be_installed_says_why(self):
        env = environment(JUPYTER_DATA_DIR=self.folder, VIRTUAL_ENV="", CONDA_PREFIX="")
        for words, says in ((["--name", "a/b", "--user"], 'expected letters, digits'),
                            (["--user", "--sys-prefix"], "exclude each other"),
                            (["--sys-prefix"], "no virtual environment is active"),
                            (["more"], 'takes no argument, but "more" was given')):
            self.refused("kernel", "install", *words, env=env, says=says)


if __name__ == "__main__":
    main()
