"""snug mcp with --journal and --replay: a client that does the same has the same answers."""
import json
import os
import unittest

from speaking import LEGACY, MODERN, ServerCase, main


class Replay(ServerCase):
    def talk(self, *options, era):
        """What three cells in two sessions have come to; how the server has ended."""
        s = self.server(*options, era=era, state=os.path.join(self.folder, "state" + str(len(os.listdir(self.folder)))))
        one = s.tool("run_python", code="x = upper(text='one'); x")["structuredContent"]
        two = s.tool("run_python", code="upper(text='two')", session="new")["structuredContent"]
        last = s.tool("run_python", code="[x, upper(text='three')]", session=one["session"])["structuredContent"]
        said = s.close()
        return [(result["session"], result["value"]["json"]) for result in (one, two, last)], said, s.process.returncode

    def test_sessions_have_their_names_and_answers_again(self):
        for era in (MODERN, LEGACY):
            journal = os.path.join(self.folder, era + ".jsonl")
            first, said, status = self.talk("--tool", "upper=tr a-z A-Z", "--journal", journal, era=era)
            self.assertEqual((said, status), ("", 0))
            self.assertEqual([value for _, value in first], [{"TEXT": "ONE"}, {"TEXT": "TWO"}, [{"TEXT": "ONE"}, {"TEXT": "THREE"}]])
            with open(journal, encoding="utf-8") as file:
                schemas = [json.loads(line)["schema"] for line in file]
            self.assertEqual(schemas.count("snug.session/1"), 2)
            self.assertEqual(self.talk("--replay", journal, era=era), (first, "", 0))

    def test_what_a_client_did_not_ask_for_is_told_at_the_end(self):
        journal = os.path.join(self.folder, "j.jsonl")
        self.talk("--tool", "upper=tr a-z A-Z", "--journal", journal, era=MODERN)
        s = self.server("--replay", journal)
        self.assertTrue(s.tool("run_python", code="upper(text='else')")["isError"])
        said = s.close()
        self.assertIn("its argument text is \"else\", and was \"one\"", said)
        self.assertEqual(s.process.returncode, 1)


if __name__ == "__main__":
    main()
