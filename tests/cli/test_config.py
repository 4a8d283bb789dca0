import json
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "endpoint"))
from driver import Case, environment, snug
from endpoint import Endpoint

ROOT = pathlib.Path(__file__).resolve().parents[2]

# As in the documents of the flows that people come from.
WHOLE = """\
generation:  {model: openai:gpt-4o-mini, temperature: 0.7, max_tokens: 2000, timeout: 60, language: auto}
execution:   {environment: local, timeout: 120, memory_limit: 256MB, cpu_limit: 120, network: false, max_retries: 3,
              local_fallback: false, worker_command: null, work_dir: null, allow: [], mounts: [], packages: null}
improvement: {enabled: true, max_attempts: 3, model: null, focus: fix_errors, debug: false}
evaluation:  {enabled: true, model: null, checks: []}
response:    {format: markdown, include_improvement_history: true, show_performance_metrics: true, show_debug_info: false}
limits:      {max_cost: 0.10, max_code_lines: 100, max_steps: 12, max_tokens: 100000, max_seconds: 300}
"""

SANDBOX = ("every program runs in a sandbox; what it needs of this machine is given by --mount, --full, --docker or "
           "--worker-command")
WRONG = [  # the file, the line that is named, what is said behind the key
    ("improvment: {max_attempts: 3}", 1, "improvment: unknown section; did you mean improvement?"),
    ("improvement:\n  max_atempts: 3", 2,
     "improvement.max_atempts: unknown key; did you mean improvement.max_attempts?"),
    ("limits:\n  max_steps: 3\n  max_attempts: 5", 3,
     "limits.max_attempts: unknown key; did you mean improvement.max_attempts?"),
    ("max_attempts: 5", 1, "max_attempts: unknown key; did you mean improvement.max_attempts?"),
    ("execution: {xyzzyxyzzy: 1}", 1,
     "execution.xyzzyxyzzy: unknown key; snug config show lists all keys"),
    ("xyzzyxyzzy:", 1, "xyzzyxyzzy: unknown key; snug config show lists all keys"),
    ("use_docker: true", 1, "use_docker: unknown key; did you mean execution.use_docker?"),
    ("use_jupyter: true", 1, "use_jupyter: unknown key; did you mean execution.use_jupyter?"),
    ("execution: {use_jupyter: true}", 1, 'execution.use_jupyter "true": expected false; another value is not in this '
     "version: snug keeps sessions itself, and execution.environment says where they live"),
    ("execution: {sandbox: false}", 1, f"execution.sandbox: {SANDBOX}"),
    ("execution:\n  unsafe: true", 2, f"execution.unsafe: {SANDBOX}"),
    ("use_sandbox: no", 1, f"use_sandbox: {SANDBOX}"),
    ("execution: {environment: host}", 1, 'execution.environment "host": expected local|worker|full|bash; '
     f"{SANDBOX}"),
    ("execution: {environment: moon}", 1, 'execution.environment "moon": expected local|worker|full|bash'),
    ("execution: {network: true}", 1, 'execution.network "true": expected false; another value is '
     "not in this version: cells have no network"),
    ("execution: {local_fallback: perhaps}", 1,
     'execution.local_fallback "perhaps": expected true or false'),
    ("execution: {max_retries: many}", 1,
     'execution.max_retries "many": expected a whole number from 0 to 999'),
    ("execution: {memory_limit: 1k}", 1, 'execution.memory_limit "1k": expected 16 MiB or more'),
    ("execution: {timeout: soon}", 1, 'execution.timeout "soon": expected a time such as 2, 0.5, '
     "30s, 200ms or 2m, more than 0, or none"),
    ("execution: {mounts: [x]}", 1, 'execution.mounts "x": expected PATH:NAME[:ro|rw]'),
    ("generation: {temperature: 3}", 1, 'generation.temperature "3": expected a number from 0 to 2'),
    ("generation: {language: ruby}", 1, 'generation.language "ruby": expected auto|python|bash'),
    ('generation: {model: ""}', 1, 'generation.model "": expected PROVIDER:MODEL'),
    ("improvement: {max_attempts: 0}", 1,
     'improvement.max_attempts "0": expected a whole number, more than 0'),
    ("limits: {max_steps: 1.5}", 1, 'limits.max_steps "1.5": expected a whole number, more than 0'),
    ("generation: {temperature: 0x1}", 1, 'generation.temperature "0x1": expected a number from 0 to 2'),
    ("generation: {temperature: ' 1'}", 1, 'generation.temperature " 1": expected a number from 0 to 2'),
    ("limits: {max_cost: 0x1}", 1, 'limits.max_cost "0x1": expected dollars such as 0.10, more than 0, '
     "or none"),
    ("generation: {base_url: 'https://me:sekrit@a.example/v1'}", 1, "generation.base_url: the address has a "
     "user name in it; a key is given by its variable or a file"),
    ("trace: {url: 'https://a.example/?key=sekrit'}", 1, 'trace.url: the address has a "?" in it'),
    ("limits: {max_cost: free}", 1, 'limits.max_cost "free": expected dollars such as 0.10, more than 0, '
     "or none"),
    ("limits: {max_steps: [1, 2]}", 1,
     "limits.max_steps: expected one value, and a list of 2 was given"),
    ("limits:\n  max_steps:\n    a: 1", 2, "limits.max_steps is one value or a list, not a mapping"),
    ("generation: {headers: {a: b}}", 1, "generation.headers is one value or a list, not a mapping"),
    ("generation: {request: {a: b}}", 1, "generation.request is one value or a list, not a mapping"),
    ("limits: 5", 1, "limits: expected the keys of this section, a line each"),
    ("limits: [1]", 1, "limits: expected the keys of this section, a line each"),
    ("evaluation: {enabled: maybe}", 1, 'evaluation.enabled "maybe": expected true or false'),
    ("evaluation: {checks: [[a]]}", 1, "evaluation.checks has a list within its list"),
    ("limits:\n  max_steps: 3\n  max_steps: 4", 3,
     "limits.max_steps is given twice, first in line 2"),
    ("limits: {max_steps: *a}", 1, "limits.max_steps refers to another value by *, which is not taken here"),
    ("limits: {max_steps: 1}\n---\nlimits: {}", 2, "a second document begins here"),
    ("enabled: perhaps", 1, 'enabled "perhaps": expected true or false'),
    ("enable: true", 1, "enable: unknown section; did you mean enabled?"),
    ("question: What?", 1, 'question: a question is an argument: snug ask question="...", or "..." alone'),
    ("flows:\n  code_execution:\n    generation: {modle: x}", 3,
     "generation.modle: unknown key; did you mean generation.model?"),
    ("flows:\n  code_exection: {enabled: true}", 2, "flows.code_exection is not a flow that snug has: "
     "code_execution is"),
    ("flows:\n  chat:\n    enabled: true", 2, "flows.chat is not a flow that snug has: code_execution is"),
    ("flows: {chat: 5}", 1, "flows.chat is not a flow that snug has: code_execution is"),
    ("flows: 5", 1, "flows: expected the keys of this section, a line each"),
    ("flow: {code_execution: 5}", 1, "flow: unknown section; did you mean flows?"),
    ("limits: {max_steps: 1}\nflows:\n  code_execution: {limits: {max_steps: 2}}", 3,
     "limits is given twice, first in line 1"),
    ("- 1", 1, 'sections such as "limits:" are expected, and no list'),
    ("just text", 1, 'sections such as "limits:" are expected'),
    ("a: b: c", 1, "not YAML: mapping values are not allowed in this context"),
    ('limits: {"max steps": 1}', 1, "a key is one word"),
]


class Configuration(Case):
    def config(self, *args, text=None, env=None):
        if text is not None:
            args = (*args, "--config", self.file("c.yaml", text))
        return snug("config", *args, env=env or environment(HOME=self.folder, SNUG_CONFIG=""))

    def keys(self, *args, **more):
        done = self.config("show", "--json", *args, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {key["key"]: key for key in json.loads(done.stdout)["keys"]}

    def test_every_key_of_the_contract_is_known(self):
        done = self.config("check", self.file("c.yaml", WHOLE))
        self.assertEqual((done.returncode, done.stderr, done.stdout),
                         (0, "", self.folder + "/c.yaml: fine\n"))

    def test_what_is_wrong_is_one_sentence_with_the_file_and_the_line(self):
        for text, line, says in WRONG:
            with self.subTest(text):
                path = self.file("c.yaml", text)
                done = self.config("check", path)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", f"snug: {path}, line {line}: {says}\n"))

    def test_a_text_that_is_no_utf8_and_a_file_that_is_not_there_are_refused(self):
        path = self.file("c.yaml", b"limits: {}\n\xff")
        self.assertEqual(self.config("check", path).stderr,
                         f"snug: {path}, byte 12: not YAML: invalid leading UTF-8 octet\n")
        self.assertIn("/nowhere: No such file", self.config("check", self.folder + "/nowhere").stderr)
        self.refused("ask", "--config", self.folder, "?", says=self.folder)

    def test_nothing_and_null_are_the_defaults(self):
        plain = self.keys()
        for text in ("", "# none\n", "---\n", "limits:\n", "limits: {max_steps: null}\n",
                     "limits:\n  max_steps: ~\n  max_tokens:\n"):
            self.assertEqual(self.keys(text=text), plain)

    def test_options_win_over_overrides_over_the_file_over_defaults(self):
        text = "improvement:\n  max_attempts: 5\n"
        for args, value, source in (([], "5", "file"),
                                    (["improvement.max_attempts=6"], "6", "override"),
                                    (["--set", "improvement.max_attempts=6"], "6", "override"),
                                    (["improvement.max_attempts=null"], "3", "default"),
                                    (["improvement.max_attempts=6", "--max-attempts", "7"], "7", "option"),
                                    (["--max-attempts=7", "improvement.max_attempts=6"], "7", "option")):
            key = self.keys(*args, text=text)["improvement.max_attempts"]
            self.assertEqual((key["value"], key["source"]), (value, source), args)
        self.assertEqual(self.keys(text=text)["improvement.max_attempts"]["line"], 2)
        self.assertEqual(self.keys(text="")["improvement.max_attempts"]["source"], "default")

    def test_a_value_is_checked_also_where_another_takes_its_place(self):
        path = self.file("c.yaml", "improvement: {max_attempts: no}")
        self.refused("ask", "--config", path, "--max-attempts", "3", "?", says="improvement.max_attempts")

    def test_a_list_is_replaced_as_a_whole(self):
        text = "execution: {allow: [abc, zoneinfo]}"
        for args, value in (([], ["abc", "zoneinfo"]), (["execution.allow=[ast]"], ["ast"]),
                            (["execution.allow=ast"], ["ast"]), (["execution.allow=[]"], []),
                            (["--allow", "a", "--allow", "b"], ["a", "b"])):
            self.assertEqual(self.keys(*args, text=text)["execution.allow"]["value"], value)

    def test_a_flag_can_be_turned_off_again(self):
        text = "evaluation: {enabled: false}"
        for args, value in (([], "false"), (["evaluation.enabled=true"], "true"),
                            (["evaluation.enabled=true", "--no-evaluation"], "false")):
            self.assertEqual(self.keys(*args, text=text)["evaluation.enabled"]["value"], value)

    def test_where_the_file_is_looked_for(self):
        os.makedirs(self.folder + "/.config/snug")
        os.makedirs(self.folder + "/xdg/snug")
        for path, steps in (("/.config/snug/config.yaml", 1), ("/xdg/snug/config.yaml", 2),
                            ("/named", 3), ("/given", 4)):
            self.file(path[1:], "limits: {max_steps: %d}" % steps)
        home = {"HOME": self.folder, "XDG_CONFIG_HOME": "", "SNUG_CONFIG": ""}
        xdg = {**home, "XDG_CONFIG_HOME": self.folder + "/xdg"}
        named = {**xdg, "SNUG_CONFIG": self.folder + "/named"}
        for env, args, steps in ((home, [], "1"), (xdg, [], "2"), (named, [], "3"),
                                 (named, ["--config", self.folder + "/given"], "4"),
                                 (named, ["--config", "none"], "12")):
            keys = self.keys(*args, env=environment(**env))
            self.assertEqual(keys["limits.max_steps"]["value"], steps)
        done = snug("config", "show", env=environment(**home | {"HOME": "."}), cwd=self.folder)
        self.assertRegex(done.stdout, r"limits.max_steps +12\b")
        done = snug("config", "check", env=environment(**xdg))
        self.assertEqual(done.stdout, self.folder + "/xdg/snug/config.yaml: fine\n")

    def test_a_file_that_is_named_is_checked_and_not_the_one_in_force(self):
        env = environment(SNUG_CONFIG=self.file("bad", "limits: 3"))
        self.assertEqual(snug("config", "check", self.file("good", "limits:"), env=env).returncode, 0)
        self.assertEqual(snug("config", "check", env=env).returncode, 2)

    def test_the_keys_of_a_flow_are_those_of_the_file(self):
        wrapped = "flows:\n  code_execution:\n" + re.sub("(?m)^", "    ", "enabled: true\n" + WHOLE)
        plain = self.keys(text="enabled: true\n" + WHOLE)
        keys = self.keys(text=wrapped)
        self.assertEqual({k: v["value"] for k, v in keys.items()}, {k: v["value"] for k, v in plain.items()})
        self.assertEqual(keys["generation.temperature"]["line"], 4)

    def test_the_keys_of_a_flow_are_overrides(self):
        for arg in ("flows.code_execution.improvement.max_attempts=6",
                    "--set=flows.code_execution.improvement.max_attempts=6"):
            key = self.keys(arg)["improvement.max_attempts"]
            self.assertEqual((key["value"], key["source"]), ("6", "override"))
        self.assertEqual(self.keys("flows.code_execution.enabled=false")["enabled"]["value"], "false")

    def test_a_flow_that_is_not_enabled_asks_nothing(self):
        path = self.file("c.yaml", "flows: {code_execution: {enabled: false}}")
        with Endpoint([("Question:\nhow many", "```python\n6*7\n```")]) as endpoint:
            env = environment(**endpoint.environment)
            done = snug("ask", "--config", path, "how many", env=env)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"snug: {path}, line 1, has enabled: false", done.stderr)
            done = snug("ask", "--config", path, "--quiet", "--answer", "result", "--no-evaluation",
                        "enabled=true", "how many", env=env)
            self.assertEqual((done.returncode, done.stdout), (0, "42\n"))

    def test_a_question_may_be_given_by_its_key(self):
        with Endpoint([("Question:\nhow many = x.y?", "```python\n6*7\n```")]) as endpoint:
            done = snug("ask", "--quiet", "question=how many = x.y?", "response.answer=result",
                        "flows.code_execution.evaluation.enabled=false",
                        env=environment(SNUG_CONFIG="none", **endpoint.environment))
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"))

    def test_a_key_that_is_spelt_wrong_never_becomes_a_question(self):
        with Endpoint([]) as endpoint:
            env = environment(SNUG_CONFIG="none", **endpoint.environment)
            for arg, says in (
                    ("excution.timeout=3", "excution.timeout: unknown key; did you mean execution.timeout?"),
                    ("execution.timout=3", "execution.timout: unknown key; did you mean execution.timeout?"),
                    ("flows.code_execution.generation.modle=x",
                     "generation.modle: unknown key; did you mean generation.model?"),
                    ("flows.code_exection.generation.model=x", "flows.code_exection.generation.model: "
                     "flows.code_exection is not a flow that snug has: code_execution is"),
                    ("flows.chat.enabled=true", "flows.chat.enabled: flows.chat is not a flow that snug has: "
                     "code_execution is"),
                    ("flows.chat=true", "flows.chat is not a flow that snug has: code_execution is"),
                    ("flow.code_execution.limits.max_steps=3", "flow.code_execution.limits.max_steps: unknown "
                     "key; did you mean limits.max_steps?"),
                    ("moon.max_attempts=3", "moon.max_attempts: unknown key; did you mean "
                     "improvement.max_attempts?"),
                    ("max_attempts=3", "max_attempts: unknown key; did you mean improvement.max_attempts?"),
                    ("execution.use_jupyter=true", 'execution.use_jupyter "true": expected false'),
                    ("sandbox=false", f"sandbox: {SANDBOX}"),
                    ("execution.local_execution=true", f"execution.local_execution: {SANDBOX}"),
                    ("quesiton=What?", "quesiton: unknown"),
                    ("qestion=What?", "qestion: unknown key; did you mean question?")):
                done = snug("ask", arg, env=env)
                self.assertEqual((done.returncode, done.stdout), (2, ""), arg)
                self.assertIn(says, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_presets_are_found_by_name(self):
        lines = self.config("presets").stdout.splitlines()
        names = [line.split()[0] for line in lines]
        self.assertEqual(names, ["development", "fast", "production", "secure"])
        for name in names:
            done = self.config("check", "--config-name", name)
            self.assertEqual((done.returncode, done.stderr, done.stdout),
                             (0, "", f"the preset {name}: fine\n"))
        key = self.keys("--config-name", "fast")["improvement.max_attempts"]
        self.assertEqual((key["value"], key["source"]), ("2", "file"))
        self.assertRegex(self.config("show", "--config-name=fast").stdout,
                         r"(?m)^evaluation.enabled +false +the preset fast, line \d+$")
        with Endpoint([("Question:\nhow many", "```python\n6*7\n```")]) as endpoint:
            done = snug("ask", "--quiet", "--config-name", "fast", "how many",
                        env=environment(**endpoint.environment))
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"))

    def test_a_name_is_that_of_a_file_of_the_folder_before_that_of_a_preset(self):
        os.makedirs(self.folder + "/xdg/snug")
        env = environment(XDG_CONFIG_HOME=self.folder + "/xdg")
        for name, steps in (("mine", "7"), ("fast", "8")):
            self.file(f"xdg/snug/{name}.yaml", f"limits: {{max_steps: {steps}}}")
            self.assertEqual(self.keys("--config-name", name, env=env)["limits.max_steps"]["value"], steps)

    def test_a_name_of_no_preset_is_refused(self):
        for name, says in (("secur", "did you mean secure?"),
                           ("xyzzyxyzzy", "presets are development, fast, production, secure"),
                           ("a/b", "expected a name; --config takes a path")):
            self.refused("config", "show", "--config-name", name, says=says)
        self.refused("config", "show", "--config-name=fast", "--config=none",
                     says="--config and --config-name exclude each other")

    def test_a_model_without_a_provider_is_not_fine(self):
        for key in ("generation.model", "improvement.model", "evaluation.model", "library.embedding_model"):
            section, word = key.split(".")
            done = self.config("check", text=f"{section}:\n  {word}: gpt-4o\n")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f'c.yaml, line 2: {key}: model "gpt-4o" has no provider', done.stderr)
        self.assertIn('there is no provider "opnai"; is it "openai"?',
                      self.config("check", "generation.model=opnai:x").stderr)
        done = self.config("check", env=environment(SNUG_CONFIG="none", SNUG_MODEL="gpt-4o"))
        self.assertIn('SNUG_MODEL: model "gpt-4o" has no provider', done.stderr)
        self.assertEqual(self.config("check", "generation.model=openai:gpt-4o").returncode, 0)

    def test_variables_are_shown(self):
        env = environment(SNUG_CONFIG="none", SNUG_MODEL="ollama:x",
                          OTEL_EXPORTER_OTLP_ENDPOINT="http://localhost:1")
        keys = self.keys(env=env)
        self.assertEqual((keys["generation.model"]["value"], keys["generation.model"]["source"]),
                         ("ollama:x", "variable"))
        self.assertEqual(keys["trace.url"]["value"], "http://localhost:1")
        shown = self.config("show", env=env).stdout
        self.assertRegex(shown, r"(?m)^generation.model +ollama:x +the variable SNUG_MODEL$")
        self.assertRegex(shown, r"(?m)^limits.max_steps +12 +default$")

    def test_an_override_that_is_not_right_names_its_key(self):
        for arg, says in (("improvement.max_atempts=3", "improvement.max_atempts: unknown key; did you "
                           "mean improvement.max_attempts?"),
                          ("limits.max_steps=x", 'limits.max_steps "x": expected a whole number'),
                          ("execution.allow=[a", 'execution.allow "[a": expected a list')):
            self.refused("config", "show", arg, says=says)
        self.refused("config", "show", "--set", "foo=1", says="foo: unknown key")
        self.refused("config", "show", "--set", "foo", says='--set "foo": expected KEY=VALUE')
        self.refused("config", says="config: expected check [FILE], show or presets")

    def test_the_file_reaches_the_agent(self):
        rules = [("Question:\nlimits are fine", "```python\n1/0\n```")]
        with Endpoint(rules) as endpoint:
            path = self.file("c.yaml", "improvement: {enabled: false}\nresponse: {format: json}\n"
                             "generation: {model: openai:other}\nevaluation:\n  checks:\n    - assert x\n")
            done = snug("ask", "--quiet", "--config", path, "limits are fine",
                        env=environment(**endpoint.environment))
        self.assertEqual(done.returncode, 1, done.stderr)
        reply = json.loads(done.stdout)
        self.assertEqual(reply["status"], "max_attempts")
        self.assertEqual(len(reply["attempts"]), 1)

    def test_what_is_shown_to_win_wins(self):
        path = self.file("c.yaml", "improvement: {max_attempts: 4}\nevaluation: {enabled: false}\n")
        for args, attempts in (([], 4), (["improvement.max_attempts=3"], 3),
                               (["improvement.max_attempts=3", "--max-attempts", "2"], 2),
                               (["--max-attempts=2", "improvement.max_attempts=3"], 2),
                               (["improvement.max_attempts=2", "improvement.max_attempts=3"], 3),
                               (["improvement.max_attempts=null"], 3),
                               (["improvement.enabled=no"], 1),
                               (["improvement.enabled=no", "--max-attempts=2"], 2)):
            rules = [("how many", "```python\n1 / 0\n```")]
            rules += [("Your program failed", "```python\n%d / 0\n```" % n) for n in range(9)]
            with Endpoint(rules) as endpoint:
                done = snug("ask", "--quiet", "--format", "json", "--config", path, *args, "how many",
                            env=environment(**endpoint.environment))
            reply = json.loads(done.stdout)
            self.assertEqual((reply["status"], len(reply["attempts"])), ("max_attempts", attempts), args)

    def test_a_question_with_an_equals_sign_is_a_question(self):
        with Endpoint([]) as endpoint:
            for question in ("x.y=3?", "limits.max_steps", "Solve limits.a=3"):
                done = snug("ask", "--quiet", "--no-stream", question,
                            env=environment(SNUG_CONFIG="none", **endpoint.environment))
                self.assertIn("no rule for", done.stderr)
            done = snug("ask", "--quiet", "--", "limits.max_steps=3",
                        env=environment(SNUG_CONFIG="none", **endpoint.environment))
            self.assertIn("no rule for", done.stderr)

    def test_the_report_has_the_headings_that_are_asked_for(self):
        rules = [("Question:\nhow many", "```python\n6*7\n```"),
                 ("Judge whether", '{"verdict": "pass", "reason": "", "answer": "It is 42."}')]
        for args, has, lacks in (([], "## Performance", "## Debug"),
                                 (["response.show_performance_metrics=false",
                                   "response.show_debug_info=true"], "## Debug Information", "## Perf")):
            with Endpoint(rules) as endpoint:
                done = snug("ask", "--quiet", "response.format=markdown", *args, "how many",
                            env=environment(SNUG_CONFIG="none", **endpoint.environment))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(has, done.stdout)
            self.assertNotIn(lacks, done.stdout)

    def test_the_table_of_keys_in_the_manual_is_that_of_show(self):
        text = (ROOT / "docs/agent-configuration.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `([a-z_.]+)` \| (?:`([^`]+)`)? ?\| (?:`([^`]+)`)? ?\| ([^|]+) \|$", text,
                          re.MULTILINE)
        keys = self.keys(env=environment(SNUG_CONFIG="none"))
        self.assertEqual(rows, [(key["key"], key["option"] or "", key["default"] or "", key["about"])
                                for key in keys.values()])

    def test_every_example_of_the_manual_is_right(self):
        text = (ROOT / "docs/agent-configuration.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertTrue(blocks)
        for block in blocks:
            self.assertEqual(self.config("check", self.file("c.yaml", block)).stderr, "")


if __name__ == "__main__":
    unittest.main()
