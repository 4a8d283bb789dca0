"""Of what a kernel's memory is made: proportional set size by what is mapped, after sixty cells.

usage: kernel_maps.py [KERNEL_COMMAND...]     (build/release/src/snug kernel -f {connection_file})
"""
import os
import re
import subprocess
import sys

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SNUG = [os.path.join(ROOT, "build", "release", "src", "snug"), "kernel", "-f", "{connection_file}"]
MAPPING = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \d+ *(.*)$")


def needed_by(library):
    """Names of what a library is linked with, itself among it."""
    found = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    path = re.search(rf"{re.escape(library)}.* => (\S+)", found)
    if not path:
        return set()
    linked = subprocess.run(["ldd", path[1]], capture_output=True, text=True).stdout
    return {os.path.basename(word) for word in re.findall(r"=> (/\S+)", linked)} | {library}


def kind_of(path, access, program, curl, zmq):
    name = os.path.basename(path)
    if path == program:
        return "the program: what it writes to" if "w" in access else "the program: code and constants"
    if not path or path.startswith("["):
        return "allocated: objects of Python, the heap, stacks"
    soname = next((one for one in curl | zmq if name.startswith(one.partition(".so")[0] + ".so")
                   or name.startswith(one.partition(".so")[0] + "-")), name)
    if soname in zmq:
        return "libzmq and what it needs"
    if soname in curl:
        return "libcurl and what it needs, unless libzmq does"
    return "other libraries"


def read_maps(process):
    """-> KiB by kind, and their sum."""
    base = {"libc.so.6", "ld-linux-x86-64.so.2", "libm.so.6", "libcrypto.so.3", "libnettle.so.8", "libz.so.1", "libgcc_s.so.1"}
    curl, zmq = needed_by("libcurl.so.4") - base, needed_by("libzmq.so.5") - base
    program, kinds, kind = os.readlink(f"/proc/{process}/exe"), {}, None
    with open(f"/proc/{process}/smaps") as lines:
        for line in lines:
            mapping = MAPPING.match(line)
            if mapping:
                kind = kind_of(mapping[2], mapping[1], program, curl, zmq)
            elif line.startswith("Pss:"):
                kinds[kind] = kinds.get(kind, 0) + int(line.split()[1])
    return kinds


def main():
    manager = KernelManager(kernel_name="any")
    manager._kernel_spec = KernelSpec(argv=sys.argv[1:] or SNUG, display_name="any", language="python",
                                      interrupt_mode="message")
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    for number in range(60):
        client.execute_interactive(f"x = {number}\nx + 1", output_hook=lambda message: None, timeout=60)
    kinds = read_maps(manager.provisioner.pid)
    print("| mapped | MiB |\n|---|---:|")
    for kind, kib in sorted(kinds.items(), key=lambda row: -row[1]):
        print(f"| {kind} | {kib / 1024:.1f} |")
    print(f"| in all | {sum(kinds.values()) / 1024:.1f} |")
    client.stop_channels()
    manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    main()
