import http.server
import json
import sqlite3
import threading
import unittest

from asking import PASS, Asking, Endpoint, program
from driver import SECONDS, environment, snug


class Embeddings:
    """An endpoint whose vectors count which of a few words a text has."""

    words = [("car", "automobile", "vehicle"), ("bread", "oven", "flour"), ("sea", "ship")]

    def __init__(self, status=200):
        """status: 0: no answer comes."""
        outer = self
        self.asked = []
        self.ended = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *ignored):
                pass

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append((self.path, request))
                if not status:
                    outer.ended.wait(SECONDS)
                    return
                data = [{"index": i, "embedding": outer.vector(text)}
                        for i, text in enumerate(request["input"])]
                body = {"data": data} if status == 200 else {"error": {"message": "out of order"}}
                body = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def vector(self, text):
        return [float(sum(word in text.lower() for word in row)) for row in self.words] + [0.001]

    def environment(self):
        return {"VLLM_BASE_URL": f"http://127.0.0.1:{self.server.server_port}/v1",
                "no_proxy": "127.0.0.1"}

    def close(self):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()


class Library(Asking):
    def library(self, *args, status=0, **env):
        done = snug("library", *args, cwd=self.folder,
                    env=environment(XDG_STATE_HOME=self.folder, **env))
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def found(self, *words, **env):
        done = snug("library", "search", "--json", *words, cwd=self.folder,
                    env=environment(XDG_STATE_HOME=self.folder, **env))
        return [json.loads(line)["name"] for line in done.stdout.splitlines()]

    def fill(self):
        self.file("bread.md", "# Baking\n\nBread needs flour, water and an oven.\n")
        self.file("ship.md", "# Ships\n\nA ship crosses the sea; the Titanic did not.\n")
        self.file("interest.py", "# compound interest\ndef interest(p, r, n):\n    return p * (1 + r) ** n\n")
        self.library("add", "bread.md", "ship.md", "interest.py")

    def test_what_was_added_is_listed_and_found(self):
        self.fill()
        self.assertEqual(self.library("list").stdout,
                         "bread.md  (document, 48 bytes)  Baking\n"
                         "interest.py  (snippet, 71 bytes)  compound interest\n"
                         "ship.md  (document, 54 bytes)  Ships\n")
        self.assertEqual(self.found("how do I bake with flour?"), ["bread.md"])
        self.assertEqual(self.found("compound INTEREST of 5 years"), ["interest.py"])
        self.assertEqual(self.found("the capital of France"), [])

    def test_what_is_in_it_is_shown_whole(self):
        long = "".join(f"Line {number} of a text that is cut into passages, été.\n" for number in range(500))
        self.fill()
        self.file("long.md", long)
        self.library("add", "long.md")
        self.assertEqual(self.library("show", "long.md").stdout, long)
        self.assertEqual(self.library("show", "bread.md", "interest.py").stdout,
                         "# Baking\n\nBread needs flour, water and an oven.\n"
                         "# compound interest\ndef interest(p, r, n):\n    return p * (1 + r) ** n\n")
        shown = json.loads(self.library("show", "--json", "long.md").stdout)
        self.assertEqual((shown["name"], shown["text"]), ("long.md", long))

    def test_a_name_that_is_not_there_says_which_is(self):
        self.fill()
        for verb in "show", "remove":
            self.assertRegex(self.library(verb, "interset.py", status=2).stderr,
                             r"^snug: the library \S+ has nothing of the name interset.py; did you mean interest.py\?\n$")
            self.assertRegex(self.library(verb, "x", status=2).stderr, r"; snug library list says what there is\n$")
            self.assertRegex(self.library(verb, status=2).stderr, r"nothing is named; snug library list says what there is\n$")

    def test_a_program_is_shown_with_colours_on_a_terminal(self):
        self.fill()
        shown = self.library("show", "--color", "always", "interest.py").stdout
        self.assertIn("\x1b[1;35mdef\x1b[0m", shown)

    def test_what_is_in_it_has_no_control_over_the_terminal(self):
        self.file("a.md", "\ufeff# Red \x1b[31m \u009b31m \x7f\nmore \u009b31m\n")
        self.library("add", "a.md")
        for args in ("list",), ("search", "red"):
            shown = self.library(*args).stdout
            self.assertIn("  Red ", shown)
            self.assertNotRegex(shown, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_the_beginning_of_the_last_word_is_enough(self):
        self.fill()
        self.assertEqual(self.found("tita"), ["ship.md"])

    def test_any_text_is_a_query(self):
        self.fill()
        for words in ('"', "flour AND (", "NEAR(", "a* b:c -d ^e", "' or 1 = 1 --", "😀", "{}[]\\"):
            done = snug("library", "search", words, env=environment(XDG_STATE_HOME=self.folder))
            self.assertIn((done.returncode, done.stderr), ((0, ""), (1, "")), words)

    def test_accents_and_other_scripts_are_found(self):
        self.file("cafe.md", "Le café de la gare ferme à midi.")
        self.file("beijing.md", "北京是中国的首都，人口两千多万。")
        self.file("tokyo.md", "東京の人口は千四百万人です。")
        self.library("add", "cafe.md", "beijing.md", "tokyo.md")
        self.assertEqual(self.found("cafe"), ["cafe.md"])
        self.assertEqual(self.found("北京的人口是多少？")[0], "beijing.md")
        self.assertEqual(self.found("東京")[0], "tokyo.md")
        self.assertEqual(self.found("上海"), [])

    def test_the_passage_of_a_long_document_is_told(self):
        parts = [f"Chapter {n}.\n" + "Words of no weight. " * 80 + "\n\n" for n in range(20)]
        parts[13] += "The password of the lighthouse is seagull.\n\n"
        self.file("long.txt", "".join(parts))
        self.library("add", "long.txt")
        text = json.loads(self.library("search", "--json", "lighthouse password").stdout)["text"]
        self.assertIn("seagull", text)
        self.assertLess(len(text), 2100)

    def test_a_name_that_is_there_is_replaced_and_removed(self):
        self.fill()
        self.file("bread.md", "Rye.")
        self.library("add", "--title", "New", "bread.md")
        self.assertEqual((self.found("flour"), self.found("rye")), ([], ["bread.md"]))
        self.library("remove", "bread.md")
        self.assertEqual(self.found("rye"), [])
        done = self.library("remove", "bread.md", status=2)
        self.assertIn("has nothing of the name bread.md", done.stderr)

    def test_what_is_no_text_is_refused(self):
        for name, text, says in (("a", b"\xff\xfe", "is not UTF-8"), ("b", b"", "has no text"),
                                 ("c", b"x\0y", "has a NUL byte"), ("d", b"x" * (1 << 21), "d")):
            self.file(name, text)
            done = self.library("add", name, status=2)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("did you mean search", self.library("serch", status=2).stderr)

    def test_damage_is_told_in_one_sentence(self):
        self.fill()
        path = self.state("library.db")
        with open(path, "rb") as file:
            whole = file.read()
        told = set()
        for at in range(0, len(whole), len(whole) // 24):
            with open(path, "wb") as out:
                out.write(whole[:at] + bytes(b ^ 0xaa for b in whole[at:at + 512]) + whole[at + 512:])
            done = snug("library", "search", "flour", env=environment(XDG_STATE_HOME=self.folder))
            self.assertIn(done.returncode, (0, 1, 2), (at, done.stderr))
            self.assertLessEqual(done.stderr.count("\n"), 1)
            told.add(done.returncode)
        self.assertIn(2, told)

    # ---- by meaning ----

    def test_words_with_the_same_meaning_are_found(self):
        endpoint = Embeddings()
        self.addCleanup(endpoint.close)
        self.fill()
        self.file("auto.md", "An automobile has four wheels.")
        model = ("--embedding-model", "vllm:e")
        self.library("add", *model, "auto.md", **endpoint.environment())
        self.assertEqual(self.found("vehicle"), [])
        self.assertEqual(self.found(*model, "vehicle", **endpoint.environment())[0], "auto.md")
        path, request = endpoint.asked[0]
        self.assertEqual((path, request["model"]), ("/v1/embeddings", "e"))
        # Those that were added without it have vectors now, and none is asked for twice.
        self.assertEqual(sum(len(r["input"]) for _, r in endpoint.asked), 4 + 1)

    def test_an_endpoint_that_fails_costs_the_meaning_only(self):
        endpoint = Embeddings(status=500)
        self.addCleanup(endpoint.close)
        self.fill()
        done = self.library("search", "--embedding-model", "vllm:e", "flour",
                            **endpoint.environment())
        self.assertIn("bread.md", done.stdout)
        self.assertEqual(done.stderr, "snug: vllm:e gave no embeddings: it answered 500: out of "
                         "order; words are used\n")
        self.assertEqual(len(endpoint.asked), 1)

    def test_a_provider_without_embeddings_is_told(self):
        done = self.library("search", "--embedding-model", "anthropic:x", "a", status=2)
        self.assertIn("no library", done.stderr)
        self.fill()
        done = self.library("search", "--embedding-model", "anthropic:x", "a", status=2)
        self.assertIn("anthropic has no embeddings", done.stderr)

    # ---- in questions ----

    def test_an_endpoint_that_hangs_leaves_time_for_the_answer(self):
        endpoint = Embeddings(status=0)
        self.addCleanup(endpoint.close)
        self.fill()
        self.endpoint.environment.update(endpoint.environment())
        events, reply = self.events([("flour", program("7")), ("Judge whether", PASS % "7")], "--library", "default",
                                    "--embedding-model", "vllm:e", "--max-seconds", "4", "how much flour?")
        self.assertEqual((reply["answer"], [m["name"] for m in reply["retrieved"]]), ("7", ["bread.md"]))
        self.assertEqual([(e["about"], e["message"]) for e in events if e["event"] == "without"],
                         [("embeddings", "vllm:e gave no embeddings: its time was up")])
        self.assertEqual(len(endpoint.asked), 1)

    def test_what_is_found_is_in_the_prompt_and_the_reply(self):
        self.fill()
        events, reply = self.events(
            [('[snippet "interest.py": compound interest]\n# compound interest\ndef interest',
              program("1.05 ** 2")), ("Judge whether", PASS % "1.1025")],
            "--library", "default", "What is compound interest at 5 %?")
        self.assertEqual([m["name"] for m in reply["retrieved"]], ["interest.py"])
        self.assertEqual([e["matches"] for e in events if e["event"] == "retrieve"],
                         [reply["retrieved"]])

    def test_a_miss_is_told_and_no_library_is_null(self):
        self.fill()
        rules = [("Question:\nWhat", program("7")), ("Judge whether", PASS % "7")]
        self.assertEqual(self.reply(rules, "--library", "default", "What is 7?")["retrieved"], [])
        self.assertIsNone(self.reply(rules, "What is 7?")["retrieved"])

    def test_a_program_that_passed_is_found_again(self):
        rules = [("Question:\nSum", program("sum(range(101))")), ("Judge whether", PASS % "5050")]
        reply = self.reply(rules, "--keep-snippets", "Sum the numbers up to 100")
        self.assertTrue(reply["snippet"].startswith("sum-the-numbers-up-to-100-"), reply["snippet"])
        rules = [("sum(range(101))", program("sum(range(201))")), ("Judge whether", PASS % "20100")]
        reply = self.reply(rules, "--library", "default", "Sum the numbers up to 200")
        self.assertEqual(len(reply["retrieved"]), 1)
        self.assertIsNone(reply["snippet"])

    def test_a_program_that_failed_is_not_kept(self):
        done = self.ask([("Question:\nfail", program("1/0"))], "--keep-snippets", "--mode", "chain",
                        "--format", "json", "fail")
        self.assertIsNone(json.loads(done.stdout)["snippet"])
        self.assertEqual(self.library("list").stdout, "")

    def test_a_library_that_fails_meanwhile_costs_its_material(self):
        self.fill()
        with sqlite3.connect(self.state("library.db")) as db:
            db.execute("drop table words")
        db.close()
        events, reply = self.events([("Question:\nflour", program("7")), ("Judge whether", PASS % "7")],
                                    "--library", "default", "flour")
        self.assertEqual(reply["answer"], "7")
        self.assertEqual([e["about"] for e in events if e["event"] == "without"], ["library"])


if __name__ == "__main__":
    unittest.main()
