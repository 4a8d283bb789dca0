"""A session of snug cells, and one of snug mcp, for tables of programs that call the tools of MCP servers."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from speaking import Server
from driver import Cells


class CellsFront:
    def __init__(self, folder, *options):
        self.cells = Cells(*options)

    def run(self, code):
        return self.cells.ask(session="a", code=code)

    def end(self):
        """Its status."""
        try:
            return self.cells.end()[0]
        finally:
            self.cells.close()


class McpFront:
    def __init__(self, folder, *options):
        self.server = Server(*options, state=os.path.join(folder, "state"))
        self.session = {}

    def run(self, code):
        result = self.server.tool("run_python", code=code, **self.session)["structuredContent"]
        self.session = {"session": result["session"]}
        return result

    def end(self):
        try:
            self.server.close()
            return self.server.process.returncode
        finally:
            self.server.end()


class Upstreams:
    """Beside unittest.TestCase."""
    front, options = None, ()

    @classmethod
    def temporary(cls):
        return cls.enterClassContext(tempfile.TemporaryDirectory(prefix="snug-test-"))

    @classmethod
    def open_front(cls, *words):
        front = cls.front(cls.temporary(), *words, *cls.options)
        cls.addClassCleanup(cls.end_front, front)
        return front

    @staticmethod
    def end_front(front):
        status = front.end()
        if status != 0:
            raise AssertionError(f"it ended with {status}")

    @classmethod
    def add_tests(cls, rows):
        """A row is a test, which check() makes."""
        for number, row in enumerate(rows):
            def test(self, row=row):
                self.check(row)
            words = "".join(letter if letter.isalnum() else "_" for letter in row.says)
            setattr(cls, f"test_{number:02}_{words}", test)

    def value(self, result):
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"]["json"]

    def failure(self, result):
        self.assertEqual((result["status"], result["state"]), ("error", "kept"), result["value"])
        return [result["error"]["name"], result["error"]["value"]]
