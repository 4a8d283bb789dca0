"""snug mcp with --journal: calls of tools are in the file. There is no replay: each server makes up names of its own for its sessions."""
import json
import os

from speaking import LEGACY, MODERN, ServerCase, main
from driver import snug


class Journal(ServerCase):
    def test_calls_of_all_sessions_are_in_the_file(self):
        for era in (MODERN, LEGACY):
            journal = os.path.join(self.folder, era + ".jsonl")
            s = self.server("--tool", "upper=tr a-z A-Z", "--journal", journal, era=era, state=os.path.join(self.folder, "state-" + era))
            one = s.tool("run_python", code="upper(text='one')")["structuredContent"]
            two = s.tool("run_python", code="upper(text='two')", session="new")["structuredContent"]
            self.assertEqual(s.close(), "")
            with open(journal, encoding="utf-8") as file:
                calls = [line for line in map(json.loads, file) if line["schema"] == "snug.call/1"]
            self.assertEqual([(call["session"], call["arguments"]["text"]) for call in calls],
                             [(one["session"], "one"), (two["session"], "two")])

    def test_there_is_no_replay(self):
        done = snug("mcp", "--replay", "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--replay", done.stderr)


if __name__ == "__main__":
    main()
