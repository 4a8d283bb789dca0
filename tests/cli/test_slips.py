"""First questions as people type them, with their slips: each ends in an answer, or in a sentence that says what to do.

What a terminal shows of them is slips.txt. After a change that is meant: test_slips.py --write
"""
import os
import pathlib
import re
import sys
import unittest

from talking import Talk, Talking, program

EXPECTED = pathlib.Path(__file__).parent / "slips.txt"
ANSWER = ("--no-evaluation", "--answer", "result", "--quiet")


class Slips(Talking):
    def setUp(self):
        super().setUp()
        self.endpoint.answer = self.reply
        self.file("sales.csv", "region,units\nnorth,3\nsouth,5\n")
        self.shown = []

    def reply(self, request, headers):
        """Of a model that counts the files that it was given, and else knows the answer."""
        if request["model"] == "gpt-0":
            return {"status": 404, "body": '{"error": {"message": "The model `gpt-0` does not exist"}}'}
        if "region,units" in str(request["messages"]):
            return program("sum(1 for _ in open('sales.csv')) - 1")
        return program("2 + 2")

    def command(self, who, *words, **changes):
        """A command line, which ends by itself."""
        talk = Talk(self.folder, *words[1:], env=self.env(**changes), command=words[0])
        self.addCleanup(talk.close)
        status = talk.end()
        quoted = " ".join(f'"{word}"' if set(" ?") & set(word) else word for word in words)
        self.shown.append(f"# {who}\n$ snug {quoted}\n{self.clean(talk)}[status {status}]\n")

    def conversation(self, who, *lines):
        talk = self.talk()
        talk.ready()
        for typed in lines:
            talk.say(typed)
        self.show_conversation(who, talk)

    def conversation_with_steps(self, who, *lines):
        """On a terminal that does no more than lines."""
        talk = self.talk(plain=("--no-evaluation", "--answer", "result"), TERM="dumb")
        for typed in lines:
            talk.wait("ask> ")
            talk.type(typed + "\n")
        talk.wait("ask> ")
        self.show_conversation(who, talk)

    def show_conversation(self, who, talk):
        status = talk.leave()
        self.shown.append(f"# {who}\n$ snug ask\n{self.clean(talk)}[status {status}]\n")

    def clean(self, talk):
        text = talk.shown().replace(self.endpoint.url.removeprefix("http://"), "127.0.0.1:80").replace(self.folder, "~")
        text = re.sub(r"\d+(\.\d+)? (m?s\b|tokens|out\b)", r"N \2", text)
        # By the version of libcurl:
        text = text.replace("Could not connect to server", "Couldn't connect to server")
        text = text.replace("Failed to connect to 127.0.0.1:1 ", "Failed to connect to 127.0.0.1 port 1 ")
        return text if not text or text.endswith("\n") else text + "\n"

    def test_nine_first_questions_are_as_they_are_written_down(self):
        self.command("1. An option mistyped.", "ask", "--modle", "openai:test", "What is 2 + 2?")
        self.command("2. No quotes.", "ask", *ANSWER, "what", "is", "2+2")
        self.command("3. The command left out.", "What is 2 + 2?")
        self.command("4. No key, and no server.", "ask", "What is 2 + 2?", SNUG_MODEL=None, OPENAI_API_KEY=None, ANTHROPIC_API_KEY=None,
                     GEMINI_API_KEY=None, OPENROUTER_API_KEY=None, OPENAI_BASE_URL=None, OLLAMA_HOST="127.0.0.1:1")
        self.command("5. A model that nobody has.", "ask", *ANSWER, "--model", "openai:gpt-0", "--retries", "0", "What is 2 + 2?")
        self.command("6. A provider mistyped.", "ask", *ANSWER, "--model", "opneai:gpt-5", "What is 2 + 2?")
        self.conversation_with_steps("7. A file that is there.", "How many rows has sales.csv?")
        self.conversation("8. Words of the prompt, mistyped or not of this one.", "/halp", "/exit please", "help", "/undo")
        self.conversation("9. Lines that were pasted.", "\x1b[200~Here are two numbers:\r2\r2\rWhat is their sum?\r\x1b[201~",
                          "What is 2 + 2, \\\rin one line?")
        found = "\n".join(self.shown)
        if os.environ.get("SNUG_WRITE_SLIPS"):
            EXPECTED.write_text(found)
        self.assertEqual(found, EXPECTED.read_text())


if __name__ == "__main__":
    if "--write" in sys.argv:
        sys.argv.remove("--write")
        os.environ["SNUG_WRITE_SLIPS"] = "1"
    unittest.main()
