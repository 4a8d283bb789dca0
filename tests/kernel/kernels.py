"""Kernels of the built program, by jupyter_client; skipped where that is not installed."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from driver import SECONDS, SNUG, Case, environment  # noqa: E402

try:
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import KernelManager
except ImportError as error:
    print(f"skipped: kernels: {error} (Debian's package python3-jupyter-client)")
    sys.exit(77)


class Kernel:
    """A kernel with a client. What it writes to stderr is in the file log."""

    def __init__(self, *options, env=None):
        self.log = tempfile.TemporaryFile("w+")
        self.manager = KernelManager(kernel_name="snug-test")
        self.manager._kernel_spec = KernelSpec(
            argv=[SNUG, "kernel", "-f", "{connection_file}", *options], display_name="snug",
            language="python", interrupt_mode="message")
        self.manager.start_kernel(env=env or environment(), stderr=self.log)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=SECONDS)

    @property
    def process(self):
        return self.manager.provisioner.pid

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def close(self):
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel()
        self.log.close()

    # ---- messages ----

    def reply_to(self, message_id, control=False):
        get = self.client.get_control_msg if control else self.client.get_shell_msg
        while True:
            message = get(timeout=SECONDS)
            if message["parent_header"].get("msg_id") == message_id:
                return message

    def told_of(self, message_id):
        """What iopub has said of a request, from busy to idle: [(type, content)]."""
        told = []
        while not told or told[-1] != ("status", {"execution_state": "idle"}):
            message = self.client.get_iopub_msg(timeout=SECONDS)
            if message["parent_header"].get("msg_id") == message_id:
                told.append((message["msg_type"], message["content"]))
        return told

    def wait_for(self, message_type):
        while True:
            message = self.client.get_iopub_msg(timeout=SECONDS)
            if message["msg_type"] == message_type:
                return message["content"]

    def run(self, code, **options):
        """The reply's content, and what was told but for statuses and the input."""
        message_id = self.client.execute(code, **options)
        told = self.told_of(message_id)
        reply = self.reply_to(message_id)["content"]
        return reply, [row for row in told if row[0] not in ("status", "execute_input")]

    def value(self, code):
        reply, told = self.run(code)
        assert reply["status"] == "ok", reply
        return told[-1][1]["data"]["text/plain"]

    def control(self, message_type, **content):
        message = self.client.session.msg(message_type, content)
        self.client.control_channel.send(message)
        return message["header"]["msg_id"]

    def shell(self, message_type, **content):
        message = self.client.session.msg(message_type, content)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]


class KernelCase(Case):
    def kernel(self, *options, **changes):
        kernel = Kernel(*options, **changes)
        self.addCleanup(kernel.close)
        return kernel


def main():
    import unittests
    unittests.main()
