"""What is sent to a model besides the talk, and which model it is sent to."""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agent"))
from driver import SECONDS, SNUG, Case, environment, snug
from endpoint import Endpoint

CODE = {"content": "```python\nprint(6 * 7)\n```", "usage": {"input": 1000, "output": 100}}
PASS = {"content": '{"verdict": "pass", "reason": "", "answer": "It is 42."}',
        "usage": {"input": 500, "output": 50}}
SECRET = "sekrit-of-the-gateway-4711"
REFUSED = {"status": 400, "body": json.dumps({"error": {"message": f"no header {SECRET}, no luck"}})}
GONE = {"status": 503, "headers": {"Retry-After": "0"}, "body": '{"error": {"message": "overloaded"}}'}
RESULT = ["--answer", "result", "--no-evaluation"]


class Models(Case):
    """A model answers by a list, each of its own where a script is a dict."""

    def ask(self, script, *options, env={}, model="openai:m", question="What is six times seven?"):
        scripts = {name: iter(answers) for name, answers in
                   (script if isinstance(script, dict) else {None: script}).items()}
        self.requests, self.headers = [], []

        def answer(request, headers):
            self.requests.append(request)
            self.headers.append(headers)
            name = request["model"] if request["model"] in scripts else None
            return next(scripts.get(name, iter([])), {"status": 404, "body": '{"error": {"message": "no more"}}'})

        endpoint = Endpoint(answer)
        self.addCleanup(endpoint.close)
        variables = {name: value.replace("URL", endpoint.url) for name, value in {
            "OPENAI_BASE_URL": "URL/v1", "OPENAI_API_KEY": "none-0123456789", "ANTHROPIC_BASE_URL": "URL",
            "ANTHROPIC_API_KEY": "none-0123456789", "OLLAMA_HOST": "URL", **env}.items()}
        return subprocess.run([SNUG, "ask", "--model", model, *options, question], cwd=self.folder,
                              env=environment(HOME=self.folder, **variables), capture_output=True,
                              encoding="utf-8", timeout=SECONDS, stdin=subprocess.DEVNULL)

    def reply(self, script, *options, **more):
        done = self.ask(script, "--format", "json", "--quiet", *options, **more)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)


class Fields(Models):
    def test_further_fields_are_sent_to_every_model_of_the_provider(self):
        reply = self.reply([CODE, PASS], "--request-field", "reasoning_effort=low", "--request-field",
                           "seed=7", "--request-field", "top_p=0.9", "evaluation.model=openai:judge")
        self.assertEqual(reply["answer"], "It is 42.")
        self.assertEqual([request["model"] for request in self.requests], ["m", "judge"])
        for request in self.requests:
            self.assertEqual((request["reasoning_effort"], request["seed"], request["top_p"]), ("low", 7, 0.9))

    def test_a_model_of_another_provider_has_none_of_them(self):
        self.reply([CODE, PASS], "--request-field", "seed=7", "--header", "X-Team: blue-team",
                   "evaluation.model=anthropic:judge")
        self.assertEqual(["seed" in request for request in self.requests], [True, False])
        self.assertEqual(["X-Team" in headers for headers in self.headers], [True, False])

    def test_the_configuration_has_them_too(self):
        path = self.file("c.yaml", "generation:\n  request: [seed=7, options.a=1]\n  headers: ['X-Team: blue-team']\n")
        self.reply([CODE], "--config", path, *RESULT)
        self.assertEqual((self.requests[0]["seed"], self.requests[0]["options"]), (7, {"a": 1}))
        self.assertEqual(self.headers[0]["X-Team"], "blue-team")

    def test_a_field_of_snugs_own_is_refused_with_its_option(self):
        done = self.ask([], "--request-field", "max_tokens=7")
        self.assertEqual((done.returncode, self.requests), (2, []))
        self.assertIn('the request field "max_tokens" is set by --reply-tokens', done.stderr)


class Headers(Models):
    def test_a_header_is_sent_and_its_value_is_nowhere_else(self):
        config = self.file("c.yaml", f"generation: {{headers: ['X-Gateway: {SECRET}']}}\n")
        trace = os.path.join(self.folder, "trace.jsonl")
        echo = {"content": f"```python\nprint('{SECRET}')\n```"}
        for script in ([REFUSED], [echo], [{**CODE, "content": f"I have {SECRET}."}] * 3):
            for format in (["--format", "json"], ["--format", "markdown", "-v"], ["--json", "-v"],
                           ["--json", "-v", "--no-stream"]):
                with self.subTest(script=script[0], format=format):
                    done = self.ask(script, "--config", config, "--trace-file", trace, "--trace-content",
                                    *format, "--no-evaluation", "--answer", "result", "--max-attempts", "1")
                    self.assertEqual(self.headers[0]["X-Gateway"], SECRET)
                    self.assertIn("[key]" if script[0] in (REFUSED, echo) else "", done.stdout + done.stderr)
                    self.assertNotIn(SECRET, done.stdout + done.stderr)
        self.assertNotIn(SECRET, pathlib.Path(trace).read_text())

    def test_a_redirect_carries_none(self):
        self.reply([{"status": 307, "location": "URL/elsewhere", "body": ""}, CODE], "--header", f"X-Gateway: {SECRET}")
        self.assertEqual(len(self.requests), 1)

    def test_a_value_may_be_that_of_a_variable(self):
        self.reply([CODE], "--header", "X-Gateway: $GATEWAY", *RESULT, env={"GATEWAY": SECRET})
        self.assertEqual(self.headers[0]["X-Gateway"], SECRET)
        done = self.ask([], "--header", "X-Gateway: $NOBODY_HAS_SET_THIS")
        self.assertIn("the header X-Gateway: the variable NOBODY_HAS_SET_THIS is not set", done.stderr)

    def test_one_takes_the_place_of_the_key(self):
        self.reply([CODE], "--header", f"Authorization: Bearer {SECRET}", *RESULT)
        self.assertEqual(self.headers[0]["Authorization"], f"Bearer {SECRET}")

    def test_the_configuration_shows_its_name_only(self):
        path = self.file("c.yaml", f"generation: {{headers: ['X-Gateway: {SECRET}']}}\n")
        for options in ([], ["--json"]):
            done = snug("config", "show", "--config", path, *options, env=environment(HOME=self.folder))
            self.assertIn("X-Gateway", done.stdout)
            self.assertNotIn("sekrit", done.stdout)
        done = self.ask([], "--header", SECRET)
        self.assertNotIn("sekrit", done.stdout + done.stderr)


class Providers(Models):
    def test_azure_is_asked_for_a_deployment_with_its_key(self):
        env = {"AZURE_OPENAI_ENDPOINT": "URL", "AZURE_OPENAI_API_KEY": "azure-0123456789"}
        reply = self.reply({None: [CODE]}, *RESULT, model="azure:my-gpt", env=env)
        self.assertEqual(reply["answer"], "42")
        headers = self.headers[0]
        self.assertEqual(headers[":path"],
                         "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21")
        self.assertEqual(headers["api-key"], "azure-0123456789")
        self.assertNotIn("Authorization", headers)

    def test_openrouter_and_gemini_are_asked_at_their_addresses(self):
        for name, path in ("openrouter", "/api/v1"), ("gemini", "/v1beta/openai"):
            env = {f"{name.upper()}_BASE_URL": "URL" + path, f"{name.upper()}_API_KEY": "other-0123456789"}
            reply = self.reply({None: [CODE]}, *RESULT, model=f"{name}:a/b", env=env)
            self.assertEqual(reply["answer"], "42")
            self.assertEqual(self.headers[0][":path"], path + "/chat/completions")
            self.assertEqual(self.headers[0]["Authorization"], "Bearer other-0123456789")
            self.assertEqual(self.requests[0]["model"], "a/b")


class Fallback(Models):
    FELL = ["generation.fallback=openai:other", "--retries", "1"]

    def test_it_takes_the_place_of_a_model_that_is_overloaded_for_the_whole_question(self):
        script = {"m": [GONE, GONE], "other": [CODE, PASS]}
        reply = self.reply(script, *self.FELL)
        self.assertEqual((reply["status"], reply["answer"]), ("answered", "It is 42."))
        self.assertEqual([request["model"] for request in self.requests], ["m", "m", "other", "other"])
        self.assertEqual(reply["fallback_model"]["model"], "openai:other")
        self.assertIn("openai:m answered 503: overloaded (request 2 of 2)", reply["fallback_model"]["reason"])
        self.assertIsNone(reply["error"])

    def test_the_steps_tell_it(self):
        done = self.ask({"m": [GONE, GONE], "other": [CODE]}, *self.FELL, *RESULT)
        self.assertEqual((done.stdout, done.returncode), ("42\n", 0))
        self.assertIn("- instead by openai:other: openai:m answered 503: overloaded", done.stderr)

    def test_it_answers_one_request_for_a_model_that_refuses(self):
        refusal = {"content": "I would rather not.", "reason": "content_filter"}
        reply = self.reply({"m": [refusal, PASS], "other": [CODE]}, *self.FELL)
        self.assertEqual(reply["answer"], "It is 42.")
        self.assertEqual([request["model"] for request in self.requests], ["m", "other", "m"])
        self.assertIn("the model refuses: I would rather not.", reply["fallback_model"]["reason"])

    def test_it_is_not_asked_where_the_first_answers(self):
        reply = self.reply({"m": [CODE, PASS]}, *self.FELL)
        self.assertIsNone(reply["fallback_model"])
        self.assertEqual([request["model"] for request in self.requests], ["m", "m"])

    def test_where_it_cannot_be_had_either_its_error_is_the_questions(self):
        reply = self.reply({"m": [GONE, GONE], "other": [GONE, GONE]}, *self.FELL)
        self.assertEqual(reply["status"], "terminal_error")
        self.assertIn("openai:other answered 503", reply["error"])

    def test_time_that_is_up_is_no_reason_for_it(self):
        reply = self.reply({"m": [{"silent": True}], "other": [CODE]}, "--max-seconds", "0.5", *self.FELL)
        self.assertEqual(reply["status"], "budget")
        self.assertEqual([request["model"] for request in self.requests], ["m"])


class Prices(Models):
    MINI = "openai:gpt-4o-mini"  # 0.15 and 0.60 dollars for a million tokens

    def test_common_models_have_prices_without_a_table(self):
        reply = self.reply([CODE, PASS], model=self.MINI)
        self.assertAlmostEqual(reply["usage"]["cost_usd"], (1500 * 0.15 + 150 * 0.6) / 1e6, 9)

    def test_a_limit_of_cost_needs_no_table_for_them(self):
        reply = self.reply([CODE], "--max-cost", "0.0002", model=self.MINI)
        self.assertEqual(reply["status"], "budget")
        self.assertIn("--max-cost allows more", reply["error"])

    def test_the_callers_price_wins(self):
        self.file("p.json", json.dumps({self.MINI: {"input_per_mtok": 1000, "output_per_mtok": 0}}))
        reply = self.reply([CODE], "--prices", "p.json", *RESULT, model=self.MINI)
        self.assertAlmostEqual(reply["usage"]["cost_usd"], 1.0, 6)

    def test_a_model_without_one_has_no_cost(self):
        self.assertIsNone(self.reply([CODE], *RESULT)["usage"]["cost_usd"])
        done = self.ask([], "--max-cost", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a limit of cost needs a price for openai:m: none is built in", done.stderr)

    def test_the_last_step_is_what_it_was_in_all_and_times_stand_behind_it(self):
        done = self.ask([CODE, PASS], model=self.MINI)
        self.assertRegex(done.stderr, r"(?m)^- in all: 2 requests, 1500 tokens in, 150 out, \d+\.\d s, "
                                      r"0\.000315 US dollars\n(- Success.*\n)?- times: generation .*\n\Z")
        done = self.ask([CODE], *RESULT)
        self.assertRegex(done.stderr, r"(?m)^- in all: 1 request, 1000 tokens in, 100 out, \d+\.\d s$")


VERDICT = {"verdict": "pass", "reason": "", "answer": "It is 42."}


def refusal(message):
    return {"status": 400, "body": json.dumps({"error": {"type": "invalid_request_error", "message": message}})}


class Shapes(Models):
    """A judgement and a plan are asked for as JSON of a schema."""

    def test_openai_is_asked_by_the_format_of_the_response(self):
        plan = {"content": '{"steps": ["Show 42"]}'}
        reply = self.reply([plan, CODE, PASS, PASS], "--mode", "plan")
        self.assertEqual(reply["status"], "answered", reply["error"])
        named = [(request.get("response_format") or {}).get("json_schema", {}).get("name")
                 for request in self.requests]
        self.assertEqual(named[:3], ["plan", None, "verdict"])
        schema = self.requests[2]["response_format"]["json_schema"]
        self.assertEqual(schema["schema"]["properties"]["verdict"]["enum"], ["pass", "fail", "unsure"])
        self.assertTrue(schema["strict"])

    def test_anthropic_is_asked_by_a_tool_that_must_be_called(self):
        for manner in [], ["--no-stream"]:
            verdict = {"calls": [{"name": "verdict", "arguments": VERDICT}]}
            reply = self.reply([CODE, verdict], *manner, model="anthropic:m")
            self.assertEqual((reply["answer"], reply["evaluation"]["verdict"]), ("It is 42.", "pass"))
            self.assertEqual(self.requests[1]["tool_choice"], {"type": "tool", "name": "verdict"})
            self.assertNotIn("tools", self.requests[0])

    def test_a_plan_may_come_as_a_call_too(self):
        plan = {"calls": [{"name": "plan", "arguments": {"steps": ["Show 6 * 7", "Show it again"]}}]}
        reply = self.reply([plan, CODE, PASS, CODE, PASS, PASS], "--mode", "plan", model="anthropic:m")
        self.assertEqual((reply["status"], len(reply["attempts"])), ("answered", 2))

    def test_who_refuses_it_is_asked_without_at_once_and_from_then_on(self):
        for model, says in (("openai:m", "Invalid parameter: 'response_format' of type 'json_schema' is not there."),
                            ("openai:m", "what is this?"),
                            ("anthropic:m", "tool_choice: forced tool use is an error with this model")):
            with self.subTest(says):
                done = self.ask([CODE, refusal(says), PASS, CODE, PASS], "--json", "What is six times nine?", model=model)
                lines = [json.loads(line) for line in done.stdout.splitlines()]
                replies = [line for line in lines if "schema" in line]
                self.assertEqual([reply["answer"] for reply in replies], ["It is 42."] * 2)
                self.assertEqual([line for line in lines if line.get("event") == "retry"], [])
                asked = ["response_format" in request or "tool_choice" in request for request in self.requests]
                self.assertEqual(asked, [False, True, False, False, False])

    def test_a_request_that_is_wrong_otherwise_stays_an_error(self):
        reply = self.reply([CODE, refusal("too long"), refusal("too long")])
        self.assertIn("openai:m answered 400: too long", reply["error"])
        self.assertEqual(len(self.requests), 3)


class Caching(Models):
    EPHEMERAL = {"type": "ephemeral"}

    def test_anthropic_keeps_the_system_prompt_and_a_talk_that_goes_on(self):
        script = [{"content": "```python\nx = 6\n```"}, {"content": "```python\nfinal_answer(x * 7)\n```"}]
        reply = self.reply(script, "--mode", "act", "--no-evaluation", model="anthropic:m")
        self.assertEqual(reply["answer"], "42")
        for request in self.requests:
            self.assertEqual(request["system"][-1]["cache_control"], self.EPHEMERAL)
        blocks = [message["content"][-1] for request in self.requests for message in request["messages"]]
        self.assertEqual(["cache_control" in block for block in blocks], [False, False, False, True])

    def test_a_server_that_does_not_know_it_is_asked_without(self):
        reply = self.reply([refusal("system.0.cache_control: Extra inputs are not permitted"), CODE], *RESULT,
                           model="anthropic:m")
        self.assertEqual(reply["answer"], "42")
        self.assertIsInstance(self.requests[1]["system"], str)

    def test_cached_tokens_have_their_price(self):
        usage = {"input": 1000, "output": 100, "read": 8000, "written": 2000}
        reply = self.reply([{**CODE, "usage": usage}], *RESULT, model="anthropic:claude-haiku-4-5")
        self.assertEqual((reply["usage"]["input_tokens"], reply["usage"]["cached"]), (11000, 8000))
        self.assertAlmostEqual(reply["usage"]["cost_usd"],
                               (1000 * 1 + 8000 * 0.1 + 2000 * 1.25 + 100 * 5) / 1e6, 9)


PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
PICTURES = [("a.png", PNG, "image/png"), ("b.jpg", b"\xff\xd8\xff\xe0" + b"\0" * 9, "image/jpeg"),
            ("c.gif", b"GIF89a" + b"\0" * 9, "image/gif"), ("d.webp", b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp")]


class Images(Models):
    def test_openai_has_them_as_addresses(self):
        for name, data, _ in PICTURES:
            self.file(name, data)
        options = [word for name, *_ in PICTURES for word in ("--image", name)]
        self.reply([CODE, PASS], *options)
        for request in self.requests:
            message = next(one for one in request["messages"] if one["role"] == "user")
            urls = [part["image_url"]["url"] for part in message["content"] if part["type"] == "image_url"]
            self.assertEqual(urls, [f"data:{kind};base64," + base64.b64encode(data).decode()
                                    for _, data, kind in PICTURES])

    def test_anthropic_has_them_as_blocks_before_the_text(self):
        for name, data, kind in PICTURES:
            path = self.file(name, data)
            self.reply([CODE], "--image", path, *RESULT, model="anthropic:m")
            first, second = self.requests[0]["messages"][0]["content"]
            self.assertEqual(first, {"type": "image", "source": {
                "type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()}})
            self.assertIn("six times seven", second["text"])

    def test_only_the_first_question_has_them_and_the_prompt_says_so(self):
        self.file("a.png", PNG)
        self.ask([CODE, CODE], "--image", "a.png", "And six times eight?", *RESULT)
        texts = [json.dumps(request["messages"]) for request in self.requests]
        self.assertEqual(["image_url" in text for text in texts], [True, False])
        self.assertEqual(["Pictures with the question" in text for text in texts], [True, False])

    def test_what_is_no_image_or_too_large_is_one_sentence(self):
        self.file("a.txt", "text")
        self.file("big.png", PNG + b"\0" * 5_000_000)
        for path, says in (("a.txt", "image a.txt is not a PNG, JPEG, GIF or WebP"),
                           ("big.png", "big.png has more than 5000000 bytes"), ("none.png", "none.png")):
            with self.subTest(path):
                done = self.ask([], "--image", path)
                self.assertEqual((done.returncode, done.stdout, self.requests), (2, "", []))
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
