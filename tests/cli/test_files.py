import base64
import os

from driver import Case, Cells
import unittests

# Hashes the same tuples again and again, in C.
HANG = "t = ()\nfor i in range(60): t = slice(t, t) if slice.__hash__ else (t, t)\nhash(t)"


class Files(Case):
    def cells(self, *args):
        cells = Cells(*args)
        self.addCleanup(cells.close)
        return cells

    def refusal(self, answer):
        self.assertEqual(answer["schema"], "snug.error/1")
        return answer["error"]["name"], answer["error"]["value"]

    def test_a_text_is_put_and_got(self):
        cells = self.cells()
        self.assertEqual(cells.ask(session="a", id=1, op="put", path="in/a.csv", data="x,é\n"),
                         {"schema": "snug.put/1", "session": "a", "id": 1, "path": "in/a.csv"})
        self.assertEqual(cells.ask(session="a", code="open('in/a.csv').read()")["value"]["json"], "x,é\n")
        self.assertEqual(cells.ask(session="a", id=2, op="get", path="in/a.csv"),
                         {"schema": "snug.file/1", "session": "a", "id": 2, "path": "in/a.csv",
                          "mime": "text/csv", "bytes": 5, "data": "x,é\n"})

    def test_bytes_go_as_base64(self):
        cells = self.cells()
        data = bytes(range(256))
        cells.ask(session="a", op="put", path="a", data_base64=base64.b64encode(data).decode())
        answer = cells.ask(session="a", op="get", path="a")
        self.assertNotIn("data", answer)
        self.assertEqual(base64.b64decode(answer["data_base64"]), data)

    def test_an_empty_file_is_put(self):
        cells = self.cells()
        cells.ask(session="a", op="put", path="a", data="")
        cells.ask(session="a", op="put", path="b", data_base64="")
        self.assertEqual(cells.ask(session="a", op="get", path="a")["data"], "")
        self.assertEqual(cells.ask(session="a", op="get", path="b")["bytes"], 0)

    def test_files_are_listed_and_removed(self):
        cells = self.cells()
        cells.ask(session="a", op="put", path="d/a.txt", data="abc")
        answer = cells.ask(session="a", op="files")
        self.assertEqual((answer["schema"], answer["is_whole"]), ("snug.files/1", True))
        self.assertEqual([(f["path"], f["kind"], f["bytes"]) for f in answer["files"]],
                         [("d", "folder", 0), ("d/a.txt", "file", 3)])
        self.assertGreater(answer["files"][1]["modified"], 1.7e9)
        self.assertEqual(cells.ask(session="a", op="remove", path="d"),
                         {"schema": "snug.removed/1", "session": "a", "path": "d"})
        self.assertEqual(cells.ask(session="a", op="files")["files"], [])

    def test_what_can_not_be_is_said(self):
        cells = self.cells("--disk", "100")
        for name, says, fields in (
                ("SNUG_EINVAL", '"path" is missing', {"op": "put", "data": "x"}),
                ("SNUG_EINVAL", '"data" or "data_base64" is missing', {"op": "put", "path": "a"}),
                ("SNUG_EINVAL", "do not go together", {"op": "put", "path": "a", "data": "", "data_base64": ""}),
                ("SNUG_EINVAL", '"data_base64" is not base64', {"op": "put", "path": "a", "data_base64": "?"}),
                ("SNUG_EINVAL", '"max_bytes" must be', {"op": "get", "path": "a", "max_bytes": 0}),
                ("SNUG_EINVAL", '"path" does not go with "files"', {"op": "files", "path": "a"}),
                ("SNUG_EINVAL", "a NUL", {"op": "get", "path": "a\0b"}),
                ("SNUG_EINVAL", "relative", {"op": "get", "path": "/etc/passwd"}),
                ("SNUG_EINVAL", "is not the name of a file", {"op": "remove", "path": "../a"}),
                ("SNUG_ENOTFOUND", 'no file "a"', {"op": "get", "path": "a"}),
                ("SNUG_ENOTFOUND", 'no file "a"', {"op": "remove", "path": "a"}),
                ("SNUG_ESYSTEM", "disk_bytes, 100", {"op": "put", "path": "a", "data": "x" * 101})):
            with self.subTest(fields):
                error, value = self.refusal(cells.ask(session="a", **fields))
                self.assertEqual(error, name)
                self.assertIn(says, value)

    def test_a_file_is_got_up_to_so_many_bytes(self):
        cells = self.cells()
        cells.ask(session="a", op="put", path="a", data="12345")
        self.assertEqual(cells.ask(session="a", op="get", path="a", max_bytes=5)["data"], "12345")
        self.assertIn("it has 5 bytes", self.refusal(cells.ask(session="a", op="get", path="a", max_bytes=4))[1])

    def test_a_lost_session_has_its_files_still(self):
        cells = self.cells()
        answer = cells.ask(session="a", code="f = open('a.txt', 'w'); f.write('kept'); f.close()")
        self.assertEqual(answer["status"], "ok")
        answer = cells.ask(session="a", code=HANG, timeout=0.2)
        if answer["state"] == "kept":
            self.skipTest("there is no rung 3 here")
        self.assertEqual(cells.ask(session="a", op="get", path="a.txt")["data"], "kept")
        self.assertEqual([f["path"] for f in cells.ask(session="a", op="files")["files"]], ["a.txt"])
        self.assertEqual(self.refusal(cells.ask(session="a", op="put", path="b", data="x"))[0], "SNUG_EDEAD")
        self.assertEqual(cells.ask(session="a", op="remove", path="a.txt")["schema"], "snug.removed/1")
        self.assertEqual(cells.ask(session="a", reset=True, code="1")["status"], "ok")
        self.assertEqual(cells.ask(session="a", op="put", path="b", data="x")["schema"], "snug.put/1")

    def test_a_database_that_is_written_to_in_a_later_cell_is_an_artifact(self):
        cells = self.cells("--profile", "data")
        made = cells.ask(session="a", code="import sqlite3\ndb = sqlite3.connect('a.db')\n"
                                           "_ = db.execute('create table t (x)')")
        if made["status"] == "denied":
            self.skipTest("there is no file of SQLite's here")
        self.assertEqual([a["path"] for a in made["artifacts"]], ["a.db"])
        written = cells.ask(session="a", code="_ = db.execute('insert into t values (1)'); db.commit()")
        self.assertEqual([a["mime"] for a in written["artifacts"]], ["application/vnd.sqlite3"])

    def test_what_is_in_a_mount_is_not_reached(self):
        self.file("secret", "x")
        cells = self.cells("--mount", self.folder + ":data:rw")
        for op in {"op": "get"}, {"op": "put", "data": "y"}, {"op": "remove"}:
            self.assertIn("data is a mount", self.refusal(cells.ask(session="a", path="data/secret", **op))[1])
        self.assertEqual(os.listdir(self.folder), ["secret"])


unittests.main()
