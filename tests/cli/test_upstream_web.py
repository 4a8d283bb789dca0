"""Upstream servers by streamable HTTP, of both eras of the protocol."""
import json
import os
import subprocess
import sys
import unittest

from driver import Case, environment, snug

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_web_server.py")
BOTH = ([], ["old"], ["sse"], ["old", "sse"])


class Web(Case):
    def start(self, *words):
        self.log_file = os.path.join(self.folder, "log")
        if os.path.exists(self.log_file):
            os.unlink(self.log_file)
        server = subprocess.Popen([sys.executable, SERVER, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  env=environment(LOG=self.log_file))
        self.addCleanup(server.communicate)
        return f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"

    def cells(self, url, *sources, options=(), **variables):
        done = snug("run", "--json", "--keep-going", "--upstream", "web=" + url, *options,
                    *(word for source in sources for word in ("-c", source)), env=environment(**variables))
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(results), len(sources), done.stderr)
        return results

    def value(self, url, source, **more):
        result, = self.cells(url, source, **more)
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"]["json"]

    def failure(self, url, source, **more):
        result, = self.cells(url, source, **more)
        self.assertEqual(result["error"]["name"], "ToolError", result)
        return result["error"]["value"]

    def requests(self):
        with open(self.log_file, encoding="utf-8") as log:
            return [json.loads(line) for line in log]

    def methods(self):
        return [r["body"].get("method") if r["body"] else r["verb"] for r in self.requests()]

    def test_tools_are_called_in_both_eras_with_events_and_without(self):
        for words in BOTH:
            with self.subTest(words):
                self.assertEqual(self.value(self.start(*words), "[web.echo(text='a'), web.structured()['n'] > 1e22]"), ['{"text": "a"}', True])

    def test_a_server_of_a_newer_era_has_no_session(self):
        self.value(self.start(), "web.echo(text='a')")
        self.assertEqual(set(self.methods()), {"server/discover", "tools/list", "tools/call"})
        call = next(r for r in self.requests() if r["body"]["method"] == "tools/call")
        self.assertEqual(call["headers"]["Accept"], "application/json, text/event-stream")
        self.assertEqual(call["headers"]["MCP-Protocol-Version"], "2026-07-28")

    def test_a_session_of_an_older_era_is_kept_and_ended(self):
        self.value(self.start("old"), "web.echo(text='a')")
        self.assertEqual(self.methods()[:2], ["server/discover", "initialize"])
        self.assertEqual(self.methods()[-1], "DELETE")
        later = [r for r in self.requests() if r["body"] and r["body"].get("method", "").startswith("tools/")]
        self.assertEqual({r["headers"]["MCP-Protocol-Version"] for r in later}, {"2025-11-25"})
        self.assertEqual(len({r["headers"]["Mcp-Session-Id"] for r in later}), 1)

    def test_a_session_that_the_server_forgot_is_begun_again_once(self):
        results = self.cells(self.start("old"), "web.forget()", "web.echo(text='a')")
        self.assertEqual([r["status"] for r in results], ["ok", "ok"])
        self.assertEqual(self.methods().count("initialize"), 2)

    def test_a_call_that_a_server_may_have_made_is_not_made_again(self):
        first, second = self.cells(self.start("old"), "web.acts()", "web.echo()")
        self.assertIn("HTTP 400; its session is begun again, but not this call, which it may have made", first["error"]["value"])
        self.assertEqual(second["status"], "ok")
        self.assertEqual((self.methods().count("initialize"), self.methods().count("tools/call")), (2, 2))

    def test_an_answer_with_a_lost_session_is_the_answer(self):
        first, second = self.cells(self.start("old"), "web.gone()", "web.echo()")
        self.assertEqual((first["error"]["value"], second["status"]), ("it is gone", "ok"))
        self.assertEqual((self.methods().count("initialize"), self.methods().count("tools/call")), (2, 3))

    def test_a_stream_that_breaks_is_an_error_and_the_call_is_made_once(self):
        for words in ([], ["old"]):
            with self.subTest(words):
                first, second = self.cells(self.start(*words), "web.half()", "web.echo()")
                self.assertIn("ended the stream without an answer", first["error"]["value"])
                self.assertEqual(second["status"], "ok")
                self.assertEqual(self.methods().count("tools/call"), 2)

    def test_redirects_are_followed_within_the_server_alone(self):
        self.assertEqual(self.value(self.start("moves"), "web.echo()"), "{}")
        self.refused("run", "--upstream", "web=" + self.start("elsewhere"), "-c", "1", says="redirects to another address")
        self.assertIn("redirects to another address", self.failure(self.start(), "web.away()"))

    def test_errors_are_exceptions(self):
        for words in BOTH:
            with self.subTest(words):
                results = self.cells(self.start(*words), "web.fail()", "web.refuse()")
                self.assertEqual([r["error"]["value"] for r in results], ["it went wrong", "no such thing"])

    def test_hostile_answers_are_errors_and_the_next_call_is_fine(self):
        for source, says in (("web.wrong_id()", "another request than was made"), ("web.huge()", "more than 32 MiB"),
                             ("web.flood()", "more than 32 MiB"), ("web.half()", "ended the stream without an answer"),
                             ("web.garbage()", "not JSON-RPC"), ("web.html()", "not JSON-RPC"), ("web.packed()", "not JSON-RPC"),
                             ("web.status()", "HTTP 503"), ("web.more()", "wants more before more answers, which snug does not give")):
            with self.subTest(source):
                first, second = self.cells(self.start(), source, "web.echo()")
                self.assertEqual(first["error"]["name"], "ToolError")
                self.assertIn(says, first["error"]["value"])
                self.assertNotIn("sesame", first["error"]["value"])
                self.assertEqual(second["status"], "ok")

    def test_a_server_of_an_older_era_that_asks_is_answered_that_nobody_does(self):
        self.assertEqual(self.failure(self.start("old"), "web.asks()"), "nobody answers")

    def test_a_stream_that_stays_open_behind_its_answer_is_not_waited_for(self):
        self.assertEqual(self.value(self.start(), "[web.stays_open(), web.echo()]"), ["open", "{}"])

    def test_a_call_past_its_time_is_given_up(self):
        for words in ([], ["old"]):
            with self.subTest(words):
                first, second = self.cells(self.start(*words), "web.never()", "web.echo()", options=["--tool-timeout", "1s"])
                self.assertEqual((first["error"]["name"], second["status"]), ("ToolTimeout", "ok"))
                self.assertEqual("notifications/cancelled" in self.methods(), bool(words))

    def test_calls_run_side_by_side(self):
        result, = self.cells(self.start(), "import asyncio\nlen(await asyncio.gather(*[web.busy() for _ in range(8)]))")
        self.assertEqual(result["value"] and result["value"]["json"], 8, result["error"])

    def test_headers_of_a_file_say_who_asks_and_are_in_no_message(self):
        url = self.start("key=open-sesame-sesame")
        path = self.file("config.json", json.dumps({"mcpServers": {"web": {"type": "http", "url": url, "headers": {
            "X-Key": "${KEY_OF_WEB}"}}}}))
        done = snug("run", "--json", "--upstream-config", path, "-c", "web.headers()", env=environment(KEY_OF_WEB="open-sesame-sesame"))
        self.assertEqual(json.loads(json.loads(done.stdout)["value"]["json"])["X-Key"], "[key]")
        done = snug("run", "--upstream-config", path, "-c", "1", env=environment(KEY_OF_WEB="wrong-sesame-sesame"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("refuses who asks (HTTP 401)", done.stderr)
        self.assertNotIn("sesame", done.stderr)

    def test_a_server_lives_in_workers_too(self):
        self.assertEqual(self.value(self.start(), "import asyncio\n[await web.echo(text='a'), *await asyncio.gather(web.echo())]",
                                    options=["--isolation", "worker"]), ['{"text": "a"}', "{}"])


if __name__ == "__main__":
    unittest.main()
