"""Bash sessions of the built program, for the tests beside this file."""
import atexit
import json
import os
import pwd
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))
import driver  # noqa: E402
from share import Loader  # noqa: E402

BASH = ("--isolation", "bash")


def run_in_sandbox(code, *options):
    """The answer of one cell."""
    done = driver.snug("cells", *BASH, *options, stdin=json.dumps({"session": "a", "code": code}) + "\n")
    if done.stderr:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def refusal():
    """Why no session opens here; None."""
    done = driver.snug("run", *BASH, "-c", "true")
    return done.stderr.strip() if done.returncode == 2 and "bubblewrap" in done.stderr else None


def become_nobody():
    """The rest of this process is that user's, with the programs where that user can go."""
    folder = tempfile.mkdtemp(prefix="snug-programs-", dir="/tmp")
    os.chmod(folder, 0o755)
    for path in (driver.SNUG, driver.WORKER):
        shutil.copy(path, folder)
    child = os.fork()
    if child:  # which removes the folder that is not that user's
        atexit.register(shutil.rmtree, folder)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    driver.SNUG = os.environ["SNUG"] = os.path.join(folder, "snug")
    driver.WORKER = os.path.join(folder, "snug-worker")
    user = pwd.getpwnam("nobody")
    os.chdir("/")
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    os.environ.update(HOME="/", TMPDIR="/tmp")


def main():
    """With --as-nobody as that user, which only root can become."""
    if "--as-nobody" in sys.argv:
        sys.argv.remove("--as-nobody")
        if os.getuid() != 0:
            print("skipped: only root becomes another user")
            sys.exit(77)
        become_nobody()
    why = refusal()
    if why:
        print("skipped:", why)
        sys.exit(77)
    unittest.main(testLoader=Loader())
