"""Are there processes whose program lies in the build folder, or was copied from there?

usage: leftover.py BUILD_DIR [SECONDS]

A zygote and its workers run a copy without a name, in memory, which is known by what is in it. Those
that are about to end have that many seconds for it (5).
"""
import glob
import os
import sys
import time


def is_copy(link, path):
    """Of a program of the build: its first bytes, as many as the copy has."""
    try:
        with open(link, "rb") as copy, open(path, "rb") as program:
            while piece := copy.read(1 << 20):
                if piece != program.read(len(piece)):
                    return False
        return True
    except OSError:
        return False


def left(build):
    programs = glob.glob(build + "/*/src/snug-worker")
    for pid in filter(str.isdigit, os.listdir("/proc")):
        link = f"/proc/{pid}/exe"
        try:
            path = os.readlink(link)
            with open(f"/proc/{pid}/cmdline") as words:
                command = words.read().replace("\0", " ").strip()
        except OSError:  # another user's, or gone
            continue
        if path.startswith(build + "/") or (path.startswith("/memfd:snug") and
                                            any(is_copy(link, program) for program in programs)):
            yield f"{pid}: {command} ({path})"


def main():
    build = os.path.realpath(sys.argv[1])
    until = time.monotonic() + float(sys.argv[2] if len(sys.argv) > 2 else 5)
    while (found := list(left(build))) and time.monotonic() < until:
        time.sleep(0.1)
    for line in found:
        print("left behind:", line)
    sys.exit(bool(found))


main()
