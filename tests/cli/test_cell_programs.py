import base64
import unittest

from driver import Case, Cells

GROSS = {"op": "prepare", "program": "gross", "code": "round(net * (1 + rate), 2)",
         "inputs": {"net": "double", "rate": "double"}, "output": "double"}


class Programs(Case):
    def cells(self, *args):
        cells = Cells(*args)
        self.addCleanup(cells.close)
        return cells

    def error(self, answer, says, name="SNUG_EINVAL"):
        self.assertEqual(answer["schema"], "snug.error/1")
        self.assertEqual(answer["error"]["name"], name)
        self.assertIn(says, answer["error"]["value"])

    def prepared(self, cells, code, inputs=None, output="any"):
        answer = cells.ask(session="a", op="prepare", program="p", code=code, inputs=inputs or {}, output=output)
        self.assertEqual(answer, {"schema": "snug.prepared/1", "session": "a", "program": "p", "ok": True})

    def called(self, cells, *given):
        answer = cells.ask(session="a", op="call", program="p", arguments=list(given))
        self.assertEqual((answer["schema"], answer["status"]), ("snug.answer/1", "ok"), answer)
        return answer["value"]

    def test_a_program_is_called_by_name_in_any_session(self):
        cells = self.cells()
        self.assertTrue(cells.ask(session="a", **GROSS)["ok"])
        for session in "ab":
            answer = cells.ask(session=session, op="call", program="gross", arguments={"rate": 0.07, "net": 19.99})
            self.assertEqual(answer, {"schema": "snug.answer/1", "session": session, "program": "gross",
                                      "status": "ok", "type": "double", "value": 21.39})
        self.assertEqual(cells.end(), (0, []))

    def test_every_type_of_json_goes_in_and_comes_out(self):
        cells = self.cells()
        self.prepared(cells, "x", {"x": "any"})
        for value in (None, True, 3, -0.5, "Straße", "", [1, None, {"a": "b"}], {"k": []}):
            self.assertEqual(self.called(cells, value), value)

    def test_large_integers_and_bytes_are_texts(self):
        cells = self.cells()
        self.prepared(cells, "x + 1", {"x": "int"}, "int")
        self.assertEqual(self.called(cells, "9007199254740993"), 9007199254740994)
        self.prepared(cells, "x[::-1]", {"x": "bytes"}, "bytes")
        self.assertEqual(base64.b64decode(self.called(cells, base64.b64encode(b"\xff\0a").decode())), b"a\0\xff")

    def test_lists_are_arrays(self):
        cells = self.cells()
        self.prepared(cells, "[v * sum(x) for v in x]", {"x": "doubles"}, "doubles")
        self.assertEqual(self.called(cells, [1, 2.5]), [3.5, 8.75])

    def test_code_that_does_not_pass_the_scan_has_its_findings(self):
        cells = self.cells()
        answer = cells.ask(session="a", op="prepare", program="p", code="1\nimport ctypes")
        self.assertFalse(answer["ok"])
        self.assertEqual(answer["scan"]["findings"][0]["subject"], "ctypes")
        self.error(cells.ask(session="a", op="call", program="p"), 'no program "p"', "SNUG_ENOTFOUND")

    def test_a_call_that_fails_has_a_result(self):
        cells = self.cells()
        self.prepared(cells, "print('here')\n1 / x", {"x": "int"}, "double")
        answer = cells.ask(session="a", op="call", program="p", arguments={"x": 0})
        self.assertEqual((answer["status"], answer["value"]), ("error", None))
        self.assertEqual(answer["result"]["error"]["name"], "ZeroDivisionError")
        self.assertIn('File "<program p>", line 2', answer["result"]["error"]["traceback"])
        answer = cells.ask(session="a", op="call", program="p", arguments={"x": 2})
        self.assertEqual((answer["value"], answer["result"]["stdout"]), (0.5, "here\n"))

    def test_a_call_ends_at_its_time(self):
        cells = self.cells()
        self.prepared(cells, "while True: pass")
        answer = cells.ask(session="a", op="call", program="p", timeout=0.1)
        self.assertEqual(answer["status"], "timeout")
        self.assertEqual(cells.ask(session="a", code="1")["status"], "ok")

    def test_what_does_not_fit_is_refused_by_name(self):
        cells = self.cells()
        cells.ask(session="a", **GROSS)
        for given, says in (({"net": 1}, 'lacks "rate"'), ([1], 'lacks "rate"'), ([1, 2, 3], "has 2 inputs"),
                            ({"net": "1", "rate": 0}, '"net" must be a number'), (5, "must be an object or a list")):
            self.error(cells.ask(session="a", op="call", program="gross", arguments=given), says)
        self.error(cells.ask(session="a", op="prepare", program="p", code="1", output="number"), '"output"')
        self.error(cells.ask(session="a", op="prepare", program="p", code="1", inputs={"x": "number"}), '"x"')
        self.error(cells.ask(session="a", op="call", code="1"), '"code" does not go with "call"')

    def test_a_map_has_a_column(self):
        cells = self.cells()
        cells.ask(session="a", **GROSS)
        answer = cells.ask(session="a", op="map", program="gross", columns={"net": [1, 2.5], "rate": [0.07, 0.2]})
        self.assertEqual(answer, {"schema": "snug.mapped/1", "session": "a", "program": "gross", "status": "ok",
                                  "row_count": 2, "column": [1.07, 3]})
        self.prepared(cells, "x and x.upper()", {"x": "text"}, "text")
        answer = cells.ask(session="a", op="map", program="p", columns=[["a", None, "", "bc"]])
        self.assertEqual(answer["column"], ["A", None, "", "BC"])
        self.error(cells.ask(session="a", op="map", program="gross", columns=[[1], [1, 2]]), "number of rows")

    def test_a_row_that_fails_is_the_count(self):
        cells = self.cells()
        self.prepared(cells, "6 // x", {"x": "int"}, "int")
        answer = cells.ask(session="a", op="map", program="p", columns=[[1, 2, 0, 3]])
        self.assertEqual((answer["status"], answer["row_count"], answer["column"]), ("error", 2, [6, 3]))
        self.assertEqual(answer["result"]["error"]["name"], "ZeroDivisionError")

    def test_sessions_open_from_a_template(self):
        cells = self.cells()
        cells.ask(session="a", code="rate = 0.19\nrows = (n for n in ())")
        saved = cells.ask(session="a", op="template", template="base")
        self.assertEqual([row["name"] for row in saved["saved"]], ["rate"])
        self.assertEqual([row["name"] for row in saved["skipped"]], ["rows"])
        opened = cells.ask(session="b", op="open", template="base")
        self.assertEqual([row["name"] for row in opened["restored"]], ["rate"])
        self.assertEqual(cells.ask(session="b", code="rate")["value"]["text"], "0.19")
        self.error(cells.ask(session="b", op="open", template="base"), "is open already", "SNUG_EBUSY")
        self.error(cells.ask(session="c", op="open", template="other"), 'no template "other"', "SNUG_ENOTFOUND")


if __name__ == "__main__":
    unittest.main()
