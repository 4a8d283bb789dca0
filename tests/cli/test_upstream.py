"""Upstream servers: MCP servers with a name, from the command line and from files of other programs."""
import json
import os
import sys
import unittest

from driver import Case, environment, snug

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_server.py")


def command(*words):
    return " ".join([f"exec '{sys.executable}' '{SERVER}'", *words])


class Upstream(Case):
    def cells(self, *sources, options=(), stderr="", **variables):
        done = snug("run", "--json", "--keep-going", *options, *(word for source in sources for word in ("-c", source)),
                    env=environment(**variables))
        self.assertEqual(done.stderr, stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def value(self, source, *options, **variables):
        result, = self.cells(source, options=options, **variables)
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"]["json"]

    def config(self, servers, key="mcpServers"):
        return self.file("config.json", json.dumps({"other": 1, key: servers}))

    def wrong(self, says, *options):
        self.refused("run", *options, "-c", "1", says=says)

    def test_tools_are_called_under_the_name_of_their_server(self):
        result, = self.cells("notes.echo(text='x')", options=["--upstream", "notes=" + command()])
        self.assertEqual([call["name"] for call in result["tool_calls"]], ["notes.echo"])
        self.assertEqual(result["status"], "ok")

    def test_two_servers_have_tools_of_one_name(self):
        self.assertEqual(self.value("[callable(a.echo), callable(b.echo), a.echo is b.echo]",
                                    "--upstream", "a=" + command(), "--upstream", "b=" + command()), [True, True, False])

    def test_a_tool_may_have_the_name_of_a_built_in_behind_the_dot(self):
        self.assertEqual(self.value("print('x', sum([1, 2])); a.print.__qualname__",
                                    "--upstream", "a=" + command("also-print", "also-sum")), "a.print")

    def test_a_server_lives_in_workers_too(self):
        self.assertTrue(self.value("callable(a.echo)", "--upstream", "a=" + command(), "--isolation", "worker"))

    def test_the_servers_of_another_programs_file_are_taken(self):
        path = self.config({"my-notes": {"command": sys.executable, "args": [SERVER, "also-it's"], "env": {"LOG": "${HERE}/log"}},
                            "off": {"command": "false", "disabled": True}})
        self.assertTrue(self.value("callable(my_notes.echo)", "--upstream-config", path, HERE=self.folder))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "log")))

    def test_the_servers_of_vs_code_are_taken(self):
        path = self.config({"a": {"type": "stdio", "command": sys.executable, "args": [SERVER]}}, "servers")
        self.assertTrue(self.value("callable(a.echo)", "--upstream-config", path))

    def test_a_secret_of_a_file_is_in_no_message(self):
        path = self.config({"a": {"command": "false", "env": {"TOKEN": "sesame-sesame"}}})
        done = snug("run", "--upstream-config", path, "-c", "1")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("sesame", done.stdout + done.stderr)
        self.assertIn("MCP server a", done.stderr)

    def test_what_is_wrong_with_a_file_is_said(self):
        for text, says in (("{", "at byte"), ("[]", "has no mcpServers"), ('{"mcpServers": {"a": {}}}', "a: it has no command, nor a url"),
                           ('{"mcpServers": {"a": {"url": "ftp://x"}}}', "url is one of http or https"),
                           ('{"mcpServers": {"a": {"url": "http://u:p@x"}}}', "a user or a password"),
                           ('{"mcpServers": {"a": {"url": "http://x", "type": "sse"}}}', "before streamable HTTP"),
                           ('{"mcpServers": {"a": {"url": "http://x", "headers": []}}}', "headers is an object"),
                           ('{"mcpServers": {"a": {"url": "http://x", "headers": {"A": "a\\nb"}}}}', "has what is none"),
                           ('{"mcpServers": {"a": {"url": "http://x", "headers": {"A": "${input:k}"}}}}', "VS Code's"),
                           ('{"mcpServers": {"a": {"command": "x", "args": [1]}}}', "are strings"),
                           ('{"mcpServers": {"a": {"command": "x", "env": {"A B": "1"}}}}', "no variable has"),
                           ('{"mcpServers": {"a": {"command": "x", "env": {"1A": "1"}}}}', "no variable has"),
                           ('{"mcpServers": {"a": {"command": "x", "env": {"": "1"}}}}', "no variable has"),
                           ('{"mcpServers": {"1": {"command": "x"}}}', "begins with a letter"),
                           ('{"mcpServers": {"class": {"command": "x"}}}', "upstream class: the name is a keyword of Python"),
                           ('{"mcpServers": {"json": {"command": "x"}}}', "choose another name"),
                           ('{"mcpServers": {"a-b": {"command": "x"}, "a_b": {"command": "x"}}}', "two of that name")):
            with self.subTest(text=text):
                self.wrong(says, "--upstream-config", self.file("config.json", text))
        self.wrong("nothing-here", "--upstream-config", os.path.join(self.folder, "nothing-here"))
        self.wrong("the MCP server a, server/discover: localhost: ", "--upstream", "a=http://localhost:1/mcp")


if __name__ == "__main__":
    unittest.main()
