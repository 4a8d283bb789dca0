"""ipykernel, and snug's kernel: a kernel each, asked by jupyter_client until it is idle."""
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager


class Kernel:
    command = None  # that of the specification

    def __init__(self):
        self.version = "ipykernel " + importlib.import_module("ipykernel").__version__
        self.begin()

    def begin(self):
        self.state = tempfile.mkdtemp()  # of Jupyter's
        os.environ.update(JUPYTER_RUNTIME_DIR=self.state, IPYTHONDIR=self.state,
                          PYDEVD_DISABLE_FILE_VALIDATION="1")

    def end(self):
        shutil.rmtree(self.state, ignore_errors=True)

    def open(self):
        manager = KernelManager(kernel_name="python3")
        if self.command:
            manager._kernel_spec = KernelSpec(argv=self.command, display_name="snug", language="python",
                                              interrupt_mode="message")
        manager.start_kernel()
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        return manager, client

    def run(self, session, source):
        client = session[1]
        number = client.execute(source, stop_on_error=False)  # else the next one may be dropped
        value, printed, error = None, [], None
        while True:
            message = client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != number:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                printed.append(content["text"])
            elif kind == "execute_result":
                value = content["data"]["text/plain"]
            elif kind == "error":
                error = "\n".join(content["traceback"])
            elif kind == "status" and content["execution_state"] == "idle":
                break
        while client.get_shell_msg(timeout=60)["parent_header"].get("msg_id") != number:
            pass
        return value, "".join(printed), error

    def by_client(self, turns, at_once="10"):
        """Asked by a client in C (kernel_turns.c), of which nothing is to be seen: kernels of its own."""
        command = self.command or [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        done = subprocess.run([os.environ["SNUG_KERNEL_TURNS"], self.state, turns, at_once, *command],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return json.loads(done.stdout.strip().splitlines()[-1])

    def run_to_its_end(self, session, source):
        session[1].execute(source)

    def close(self, session):
        session[1].stop_channels()
        session[0].shutdown_kernel(now=True)


class Snug(Kernel):
    version = "by jupyter_client"

    def __init__(self, program):
        self.command = [program, "kernel", "-f", "{connection_file}"]
        self.begin()


class Echo(Kernel):
    version = "runs nothing"

    def __init__(self, program):
        self.command = [program, "{connection_file}"]
        self.begin()
