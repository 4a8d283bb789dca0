"""aimock, a server that pretends to be a model's provider: installed into a folder, and run."""
import fcntl
import filecmp
import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import urllib.request

HERE = pathlib.Path(__file__).parent
SECONDS = 60


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def install(folder):
    """Node.js, when aimock is in the folder as package-lock.json has it; else the test is skipped."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        skip("there is no npm here")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    if int((re.match(r"v(\d+)", version) or [0, 0])[1]) < 20:
        skip(f"Node.js is {version}, and aimock wants 20")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:  # two tests may want it
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "installed.json"
        if done.exists() and filecmp.cmp(HERE / "package-lock.json", done, shallow=False):
            return node
        for name in "package.json", "package-lock.json", ".npmrc":
            shutil.copy(HERE / name, folder)
        ended = subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                               capture_output=True, text=True, timeout=600)
        if ended.returncode:
            skip("npm could not install aimock: " + ended.stderr.strip()[-300:])
        shutil.copy(HERE / "package-lock.json", done)
    return node


class Aimock:
    """One that runs until close; its files in the folder have the name in theirs."""

    def __init__(self, folder, name, fixtures):
        node = install(folder)
        path = folder / f"{name}.json"
        path.write_text(json.dumps({"fixtures": fixtures}))
        program = folder / "node_modules/@copilotkit/aimock/dist/cli.js"
        self.log = open(folder / f"{name}.log", "w+")
        self.process = subprocess.Popen(
            [node, program, "-p", "0", "-f", path, "--journal-max", "0"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if found := re.search(r"listening on (http://\S+)", line):
                self.url = found[1]
                break
        else:
            self.log.seek(0)
            raise SystemExit("aimock does not start: " + self.log.read()[-1000:])
        self.reader = threading.Thread(target=self.process.stdout.read, daemon=True)
        self.reader.start()

    def requests(self):
        """The bodies of all requests, by the model."""
        with urllib.request.urlopen(self.url + "/__aimock/journal?limit=100000") as got:
            entries = json.load(got)
        out = {}
        for entry in entries:
            if entry["body"]:
                out.setdefault(entry["body"].get("model"), []).append(entry["body"])
        return out

    def close(self):
        self.process.terminate()
        self.process.wait(SECONDS)
        self.reader.join()
        self.process.stdout.close()
        self.log.close()
