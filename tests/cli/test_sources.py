"""Which models there are, and which one is asked where nobody names one."""
import http.server
import json
import os
import re
import subprocess
import threading
import unittest

from driver import SNUG, Case, environment, snug
from asking import PASS, program
from endpoint import Endpoint, Rules

KEY = "sk-nobodys-key-0815"


class Server:
    """Answers a GET of /v1/models by models, a list of names, or by (status, type, body)."""

    def __init__(self, models, port=0):
        outer, self.headers = self, []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *ignored):
                pass

            def do_GET(self):
                outer.headers.append(dict(self.headers, path=self.path))
                answer = outer.models
                if isinstance(answer, list):
                    answer = 200, "application/json", json.dumps({"data": [{"id": name} for name in answer]})
                status, kind, body = answer
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

        self.models = models
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.address}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class SourceCase(Case):
    def serve(self, models, port=0):
        server = Server(models, port)
        self.addCleanup(server.close)
        return server

    def run_snug(self, *words, **variables):
        # Nobody is asked whom this machine has.
        nobody = {name: "http://127.0.0.1:9" for name in
                  ("OLLAMA_HOST", "VLLM_BASE_URL", "LLAMACPP_BASE_URL", "LMSTUDIO_BASE_URL")}
        return snug(*words, env=environment(**{**nobody, "no_proxy": "127.0.0.1", **variables}))


class Sources(SourceCase):
    def sources(self, **variables):
        done = self.run_snug("models", "--json", **variables)
        self.assertEqual(done.stderr, "")
        told = [json.loads(line) for line in done.stdout.splitlines()]
        return {one["provider"]: one for one in told}

    def test_a_key_is_enough_to_be_asked(self):
        server = self.serve(["text-embedding-3-small", "gpt-5-mini-2025-08-07", "gpt-4o-mini", "gpt-5-mini-search"])
        one = self.sources(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.url)["openai"]
        self.assertEqual(one["models"], ["openai:" + name for name in server.models])
        self.assertEqual((one["choice"], one["found_by"], one["fault"], one["address"]),
                         ("openai:gpt-5-mini-2025-08-07", "OPENAI_API_KEY", None, server.address))
        self.assertEqual(server.headers[0]["Authorization"], "Bearer " + KEY)
        self.assertEqual(server.headers[0]["path"], "/v1/models")

    def test_the_other_dialect_has_its_own_headers(self):
        server = self.serve(["claude-haiku-4-5-20251001", "claude-sonnet-4-5-20250929"])
        one = self.sources(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url)["anthropic"]
        self.assertEqual(one["choice"], "anthropic:claude-sonnet-4-5-20250929")
        headers = {name.lower(): value for name, value in server.headers[0].items()}
        self.assertEqual(headers["x-api-key"], KEY)
        self.assertIn("anthropic-version", headers)

    def test_a_server_of_ones_own_has_what_it_has(self):
        server = self.serve(["nomic-embed-text:latest", "qwen3:8b", "llama3:8b"])
        one = self.sources(OLLAMA_HOST=server.address)["ollama"]
        self.assertEqual((one["choice"], len(one["models"])), ("ollama:qwen3:8b", 3))

    def test_one_at_its_usual_port_is_found_by_itself(self):
        try:
            server = self.serve(["qwen3:8b"], port=11434)
        except OSError:
            self.skipTest("port 11434 is somebody's")
        one = self.sources(OLLAMA_HOST="")["ollama"]
        self.assertEqual((one["found_by"], one["choice"]), (None, "ollama:qwen3:8b"))
        self.assertEqual(one["address"], "localhost:11434")
        self.assertTrue(server.headers)

    def test_what_is_wrong_is_said_in_a_sentence(self):
        refused = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}})
        for answer, words in (
                ((401, "application/json", refused), "it does not accept the key of OPENAI_API_KEY: Incorrect API key "
                                                     "provided: [key]"),
                ((200, "text/html", "<html>welcome</html>"), "it answers with something that is not JSON"),
                ((200, "application/json", "[]"), "it answers with something else than a list of models"),
                ((200, "application/json", "[" * (5 << 20)), "its list of models has more than 4194304 bytes"),
                ((500, "text/plain", "oops"), "it gives no list of its models: it answered 500")):
            with self.subTest(words):
                server = self.serve(answer)
                one = self.sources(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.url)["openai"]
                self.assertIn(words, one["fault"])
                self.assertNotIn(KEY, json.dumps(one))
                self.assertIsNone(one["choice"])

    def test_a_name_that_does_something_to_a_terminal_or_a_list_is_none(self):
        server = self.serve(["qwen3:8b", "\x1b]0;title\x07", "a\n  openai:b", "\u009b31m", "\u6a21\u578b"])
        done = self.run_snug("models", OLLAMA_HOST=server.address)
        lines = [line for line in done.stdout.splitlines() if line.startswith("  ollama:")]
        self.assertEqual(lines, ["  ollama:qwen3:8b  (is asked where none is named)", "  ollama:\u6a21\u578b"])
        self.assertNotRegex(done.stdout, "[\x00-\x09\x0b-\x1f\x7f-\x9f]|openai:b")

    def test_one_that_does_not_answer_is_waited_for_a_moment(self):
        listener = http.server.HTTPServer(("127.0.0.1", 0), None)  # which accepts and is silent
        self.addCleanup(listener.server_close)
        one = self.sources(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=f"http://127.0.0.1:{listener.server_port}")["openai"]
        self.assertIn("its time was up", one["fault"])

    def test_words_choose_among_them(self):
        server = self.serve(["gpt-5-mini", "gpt-4o", "o3"])
        done = self.run_snug("models", "gpt", "5", OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.url)
        lines = [line for line in done.stdout.splitlines() if line.startswith("  ")]
        self.assertEqual(lines, ["  openai:gpt-5-mini  (is asked where none is named)"])
        self.assertEqual(done.returncode, 0)

    def test_without_any_it_says_what_is_needed(self):
        local = {name: "" for name in ("OLLAMA_HOST", "VLLM_BASE_URL", "LLAMACPP_BASE_URL", "LMSTUDIO_BASE_URL")}
        if self.run_snug("models", **local).returncode == 0:
            self.skipTest("this machine has a server of models")
        for words in (["models"], ["ask", "how many?"]):
            with self.subTest(words):
                done = self.run_snug(*words, **local)
                self.assertIn(done.returncode, (1, 2))
                self.assertIn("Set the key of a provider, as OPENAI_API_KEY", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)


class Questions(SourceCase):
    def test_a_question_without_a_model_asks_the_one_that_is_there(self):
        with Endpoint([("seven", program("6 * 7")), ("42", PASS % "It is 42.")]) as endpoint:
            handler = endpoint.server.RequestHandlerClass

            class Listing(handler):
                def do_GET(self):
                    self.answer(200, "application/json", b'{"data": [{"id": "gpt-5-mini"}]}')

            endpoint.server.RequestHandlerClass = Listing
            done = self.run_snug("ask", "What is six times seven?", OPENAI_API_KEY=KEY,
                                 OPENAI_BASE_URL=endpoint.url, XDG_STATE_HOME=self.folder)
            self.assertEqual((done.returncode, done.stdout), (0, "It is 42.\n"), done.stderr)
            self.assertIn("openai:gpt-5-mini is asked, which was found by OPENAI_API_KEY", done.stderr)
            endpoint.server.rules = Rules([("seven", program("6 * 7")), ("42", PASS % "It is 42.")])
            done = self.run_snug("ask", "--quiet", "What is six times seven?", OPENAI_API_KEY=KEY,
                                 OPENAI_BASE_URL=endpoint.url, XDG_STATE_HOME=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_model_is_found_by_its_name_alone(self):
        server = self.serve(["gpt-5-mini", "qwen3:8b"])
        for name, wanted in (("gpt-5-mini", "openai:gpt-5-mini"), ("qwen3:8b", "openai:qwen3:8b")):
            done = self.run_snug("ask", "--retries", "0", "--model", name, "x", OPENAI_API_KEY=KEY,
                                 OPENAI_BASE_URL=server.url)
            self.assertIn(wanted, done.stderr)
            self.assertNotIn("there is no provider", done.stderr)
        done = self.run_snug("ask", "--model", "gpt-7", "x", OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.url)
        self.assertIn('model "gpt-7" has no provider', done.stderr)
        done = self.run_snug("ask", "--retries", "0", "--model", "mine", "--base-url", server.url, "x")
        self.assertIn("openai:mine", done.stderr)

    def test_the_doctor_asks_a_model_for_a_few_tokens(self):
        with Endpoint([("yes", "Yes.")]) as endpoint:
            variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.url}
            done = self.run_snug("doctor", "--model", "openai:m", **variables)
            self.assertRegex(done.stdout, r"\nModel:\n  openai:m +answers, after \d+\.\d s\n$")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = self.run_snug("doctor", "--model", "openai:m", **variables)  # which has no more to say
            self.assertRegex(done.stdout, r"openai:m +does not answer: .*no rule for: Say yes")
            self.assertEqual(done.returncode, 1)
            self.assertNotIn(KEY, done.stdout + done.stderr)
            without = {**variables, "OPENAI_BASE_URL": endpoint.url.removesuffix("/v1")}
            endpoint.server.rules = Rules([("yes", "Yes.")])
            self.assertIn("answers, after", self.run_snug("doctor", "--model", "openai:m", **without).stdout)
        done = self.run_snug("doctor", "--json", "--model", "opnai:m", **variables)
        self.assertIn('is it "openai"', json.loads(done.stdout)["model"]["fault"])
        page = self.serve((200, "text/html", "<html>welcome</html>"))
        done = self.run_snug("doctor", "--model", "openai:m", "--base-url", page.url)
        self.assertIn("does not answer", done.stdout)

    def test_without_libcurl_only_models_cannot_be_asked(self):
        known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
        library = os.path.realpath(re.search(r"libcurl\.so\.4 .* => (\S+)", known)[1])
        run = ["unshare", "-m", "sh", "-c", f"mount --bind /dev/null {library} && exec \"$@\"", "sh"]
        if subprocess.run([*run, "true"], capture_output=True).returncode:
            self.skipTest("nothing can be mounted here")
        done = subprocess.run([*run, SNUG, "run", "-c", "print(6 * 7)"], capture_output=True, text=True, env=environment())
        self.assertEqual((done.returncode, done.stdout), (0, "In [1]: print(6 * 7)\n42\n\n"))
        done = subprocess.run([*run, SNUG, "models"], capture_output=True, text=True, env=environment())
        self.assertEqual(done.returncode, 127)
        self.assertRegex(done.stderr, r"^snug: models are asked through libcurl, which cannot be loaded .*libcurl4\): .*\n$")

    def test_a_question_with_a_fault_in_its_place_says_which(self):
        server = self.serve((401, "application/json", "{}"))
        done = self.run_snug("ask", "x", OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.url)
        self.assertEqual(done.returncode, 2)
        self.assertIn("openai (OPENAI_API_KEY): it does not accept the key of OPENAI_API_KEY", done.stderr)


if __name__ == "__main__":
    unittest.main()
