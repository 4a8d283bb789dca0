"""snug with five real MCP servers, by npm: the rows of upstream/real.py through snug cells and snug mcp.

usage: SNUG=PROGRAM five.py BUILD_DIR

Installed into the build folder as package-lock.json has it. Exit status 77, skipped, where there is no npm, no Node.js 20, or
no registry.
"""
import json
import os
import pathlib
import shlex
import socket
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "npm"))
import npm
from fronts import CellsFront, McpFront, Upstreams
from upstream import real

FOLDER = pathlib.Path(sys.argv.pop(1), "tests/mcp")
NODE = npm.install(HERE, FOLDER, "the servers")


def servers(folder):
    """name: its words and its environment."""
    def server(name, *words, **env):
        return [NODE, str(FOLDER / "node_modules" / name / "dist/index.js"), *words], env
    official = "@modelcontextprotocol/server-"
    return {"everything": server(official + "everything", "stdio"),
            "files": server(official + "filesystem", folder),
            "memory": server(official + "memory", MEMORY_FILE_PATH=folder + "/memory.jsonl"),
            "sequential-thinking": server(official + "sequential-thinking"),
            "tasks": server("@kazuph/mcp-taskmanager", TASK_MANAGER_FILE_PATH=folder + "/tasks.json")}


def by_words(folder):
    return [word for name, (words, env) in servers(folder).items()
            for word in ("--upstream", name.replace("-", "_") + "=" + " ".join([*(f"{n}={shlex.quote(v)}" for n, v in env.items()),
                                                                                "exec", *map(shlex.quote, words)]))]


def by_file(folder):
    path = os.path.join(folder, "config.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {name: {"command": words[0], "args": words[1:], "env": env}
                                  for name, (words, env) in servers(folder).items()}}, file)
    return ["--upstream-config", path]


class Five(Upstreams):
    options = ("--threads", "8")

    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.realpath(cls.temporary())
        cls.program = cls.open_front(*cls.servers(cls.folder))

    def check(self, row):
        result = self.program.run(row.program.replace("{folder}", self.folder))
        if row.error:
            self.assertEqual(self.failure(result), [row.error[0], row.error[1].replace("{folder}", self.folder)])
        else:
            answer = row.answer.replace("{folder}", self.folder) if isinstance(row.answer, str) else row.answer
            self.assertEqual(self.value(result), answer)


class InCells(Five, unittest.TestCase):
    front, servers = CellsFront, staticmethod(by_file)


class OfAnMcpServer(Five, unittest.TestCase):
    front, servers = McpFront, staticmethod(by_words)


class EverythingByHttp(Upstreams, unittest.TestCase):
    front, options, check = CellsFront, Five.options, Five.check

    @classmethod
    def setUpClass(cls):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        (words, env), cls.folder = servers("")["everything"], ""
        server = subprocess.Popen([*words[:-1], "streamableHttp"], env={**os.environ, **env, "PORT": str(port)},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        cls.addClassCleanup(server.communicate)
        cls.addClassCleanup(server.kill)
        while b"listening" not in (line := server.stderr.readline()):
            if not line:
                raise AssertionError("the server has ended")
        cls.program = cls.open_front("--upstream", f"everything=http://127.0.0.1:{port}/mcp")


if __name__ == "__main__":
    Five.add_tests(real.ROWS)
    EverythingByHttp.add_tests([row for row in real.ROWS if row.program.count("everything.") and not
                                any(name in row.program for name in ("files.", "memory.", "tasks.", "sequential_thinking."))])
    unittest.main()
