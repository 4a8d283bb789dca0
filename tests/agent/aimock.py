"""aimock, a server that pretends to be a model's provider: installed into a folder, and run."""
import json
import pathlib
import re
import subprocess
import sys
import threading
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "npm"))
import npm

HERE = pathlib.Path(__file__).parent
SECONDS = 600


def install(folder):
    return npm.install(HERE, folder, "aimock")


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
        """The bodies of all requests, in the order in which they came."""
        with urllib.request.urlopen(self.url + "/__aimock/journal?limit=100000") as got:
            entries = json.load(got)
        return [entry["body"] for entry in entries if entry["body"]]

    def close(self):
        self.process.terminate()
        self.process.wait(SECONDS)
        self.reader.join()
        self.process.stdout.close()
        self.log.close()
