"""The word `talk` of scenarios: it holds for the messages that it lists, and for no others."""
import json
import pathlib
import tempfile
import unittest

import scenariofile
import talks

SYSTEM = "You answer questions by writing Python programs."
FAILED = "Your program failed. The next one is attempt 2 of 3.\nNameError: name 'six' is not defined"
LINES = """
O1 = 42
1: system python | user Q1
2: all 1 | assistant P1 | user repair 2/3 NameError
3: talk 2 | assistant P1b | user evaluate Q1 O1
"""
SCENARIO = """
== a talk
-- ask What is six times seven (Q1)?
-- code
six * 7  # P1
-- code
6 * 7  # P1b
-- pass It is A1.
-- talk
"""


def openai(*messages):
    return {"messages": [{"role": role, "content": text} for role, text in messages]}


def anthropic(*messages):
    return {"system": [{"type": "text", "text": messages[0][1]}],
            "messages": [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in messages[1:]]}


def requests(dialect=openai):
    """As they should come."""
    first = [("system", SYSTEM), ("user", "Question:\nWhat is six times seven (Q1)?")]
    second = first + [("assistant", "six * 7  # P1"), ("user", FAILED)]
    third = second[1:] + [("assistant", "6 * 7  # P1b"), ("user", "Judge whether Q1 is answered by 42.")]
    return [dialect(*first), dialect(*second), openai(*third)]


class Compared(unittest.TestCase):
    def compare(self, change=lambda came: None, lines=LINES):
        came = requests()
        change(came)
        return talks.Talk(lines.split("\n")).compare(came)

    def assert_told(self, what, change):
        self.assertIn(what, (self.compare(change) or "nothing").split("\n")[0])

    def test_what_comes_as_it_is_listed_is_right(self):
        self.assertIsNone(self.compare())

    def test_both_dialects_are_the_same_talk(self):
        self.assertIsNone(talks.Talk(LINES.split("\n")).compare(requests(anthropic)))

    def test_a_message_that_is_missing_fails(self):
        self.assert_told("request 2 has 3 messages", lambda came: came[1]["messages"].pop())
        self.assert_told("request 3, message 1: assistant P1", lambda came: came[2]["messages"].pop(0))

    def test_a_message_too_many_fails(self):
        more = {"role": "user", "content": "nothing of note"}
        self.assert_told("request 1 has 3 messages", lambda came: came[0]["messages"].append(more))
        self.assert_told("request 3, message 2: user", lambda came: came[2]["messages"].insert(1, more))

    def test_another_role_fails(self):
        self.assert_told("request 2, message 3: user P1", lambda came: came[1]["messages"][2].update(role="user"))

    def test_a_mark_too_many_fails(self):
        def add(text):
            return lambda came: came[1]["messages"][3].update(content=FAILED + text)

        self.assert_told("user repair 2/3 NameError Q1", add(" Q1"))
        self.assert_told("user repair 2/3 NameError NameError", add(" NameError"))
        self.assert_told("user repair 2/3 NameError O1", add(" 42"))
        self.assert_told("user repair 2/3 NameError history", add("The conversation so far:"))
        self.assert_told("user repair 2/3 NameError repeats", add("This error has come 2 times in a row"))
        self.assert_told("user repair 2/3 NameError 11_left", add("Cells left: 11. Go on."))

    def test_an_id_that_ends_in_a_word_of_the_talk_is_no_mark(self):
        call = '{"id": "call_8P-V4", "type": "function", "function": {"arguments": "V4 {\\"code\\": \\"P4\\"}"}}'
        self.assertEqual(talks.Talk(["P4 = 4.5"]).marks_in("assistant", call), ["call", "V4", "P4"])

    def test_a_mark_that_is_missing_fails(self):
        self.assert_told("user evaluate Q1", lambda came: came[2]["messages"][4].update(content="Judge whether Q1"))
        self.assert_told("user repair NameError",
                         lambda came: came[1]["messages"][3].update(content="Your program failed. NameError"))

    def test_marks_in_another_order_fail(self):
        self.assert_told("user evaluate O1 Q1",
                         lambda came: came[2]["messages"][4].update(content="Judge whether 42 answers Q1"))

    def test_a_message_that_changes_in_a_later_request_fails(self):
        self.assert_told("request 2, message 2: not what it was in request 1",
                         lambda came: came[1]["messages"][1].update(content="Question:\nWhat is Q1?"))

    def test_fewer_requests_than_lines_fail(self):
        self.assert_told("2 requests came", lambda came: came.pop())

    def test_more_requests_than_lines_fail(self):
        self.assert_told("4 requests came", lambda came: came.append(came[0]))

    def test_a_part_of_a_longer_word_or_number_is_not_a_mark(self):
        other = {"role": "assistant", "content": "P1 xP1 P12 P1bc 142 42.5 421 # P1_"}

        def put(came):
            came[1]["messages"][2] = came[2]["messages"][1] = other

        self.assertIsNone(self.compare(put))

    def test_a_mark_may_come_several_times_or_not_at_all_where_that_is_said(self):
        for marks, text, holds in (("Q1+ Q2", "Q1 Q1 Q2", True), ("Q1+ Q2", "Q2", False), ("Q1+ Q2", "Q1 Q2 Q1", False),
                                   ("Q1? Q2", "Q2", True), ("Q1? Q2", "Q1 Q2", True), ("Q1? Q2", "Q1 Q1 Q2", False)):
            came = [{"messages": [{"role": "user", "content": text}]}]
            self.assertEqual(talks.Talk(["1: user " + marks]).compare(came) is None, holds, (marks, text))

    def test_calls_and_their_results_are_the_same_in_both_dialects(self):
        lines = ["1: user Q1 | assistant call P1 | tool gave | user image Q2"]
        code = json.dumps({"code": "x = 1\n# P1"})
        self.assertIsNone(talks.Talk(lines).compare([{"messages": [
            {"role": "user", "content": "Q1"},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "run_python", "arguments": code}}]},
            {"role": "tool", "tool_call_id": "1", "content": "The cell gave: 1"},
            {"role": "user", "content": [{"type": "text", "text": "Q2"},
                                         {"type": "image_url", "image_url": {"url": "data:"}}]}]}]))
        self.assertIsNone(talks.Talk(lines).compare([{"messages": [
            {"role": "user", "content": "Q1"},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "1", "name": "run_python", "input": {"code": "x = 1\n# P1"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "The cell gave: 1"},
                                         {"type": "text", "text": "Q2"},
                                         {"type": "image", "source": {"type": "base64", "data": ""}}]}]}]))


class Written(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.ask")
            path.write_text(text)
            return scenariofile.read(path)

    def assert_malformed(self, what, text):
        with self.assertRaisesRegex(scenariofile.Malformed, what):
            self.read(text)

    def test_a_talk_is_read(self):
        self.assertEqual(len(self.read(SCENARIO + LINES)), 1)

    def test_each_question_and_reply_has_a_mark_of_its_own(self):
        for without in (" (Q1)", "  # P1b", "A1"):
            self.assert_malformed("no mark of its own", SCENARIO.replace(without, "") + LINES)
        self.assert_malformed("no mark of its own", SCENARIO.replace("P1b", "P1") + LINES)

    def test_a_question_that_is_in_no_line_is_an_error(self):
        two = SCENARIO.replace("-- code", "-- ask And Q2?\n-- code", 1)
        self.assert_malformed("the talk does not have it", two + LINES)

    def test_lines_that_are_not_right_are_errors(self):
        for line, what in (("2: user Q1", "request 1 is missing before 2"), ("1: teacher Q1", "not a role: teacher"),
                           ("1: all 1", "there is no request 1 before"), ("Q1", "not a line of a talk: Q1")):
            self.assert_malformed(what, SCENARIO + line)


if __name__ == "__main__":
    unittest.main()
