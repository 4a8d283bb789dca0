"""Packages of npm that tests need, installed as a package-lock.json has them."""
import fcntl
import filecmp
import re
import shutil
import subprocess
import sys


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def install(source, folder, what):
    """Node.js, when what is in the folder as package-lock.json of source has it; else the test is
    skipped."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        skip("there is no npm here")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    if int((re.match(r"v(\d+)", version) or [0, 0])[1]) < 20:
        skip(f"Node.js is {version}, and {what} wants 20")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:  # two tests may want it
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "installed.json"
        if done.exists() and filecmp.cmp(source / "package-lock.json", done, shallow=False):
            return node
        for name in "package.json", "package-lock.json", ".npmrc":
            shutil.copy(source / name, folder)
        ended = subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                               cwd=folder, capture_output=True, text=True, timeout=600)
        if ended.returncode:
            skip(f"npm could not install {what}: " + ended.stderr.strip()[-300:])
        shutil.copy(source / "package-lock.json", done)
    return node
