"""What upstream servers say of the keys that they were given reaches no cell, file or screen."""
import base64
import json
import os
import subprocess
import sys
import unittest

from driver import Case, environment, snug

HERE = os.path.dirname(os.path.abspath(__file__))
KEY = "tok/en.with+all_kinds-of=7"
WAYS = ("text", "slashes", "base64", "nested", "picture", "resource", "structured", "fail", "refuse")
CELL = """
import json
for way in %r:
    try:
        answer = web.leak(text=way)
    except ToolError as error:
        answer = str(error)
    print(way, answer)
web.leak.__doc__
""" % (WAYS,)


def pieces(key):
    """What of it would be told."""
    yield key[3:13]
    yield json.dumps(key)[4:16]
    for before in range(3):
        yield base64.b64encode(b"x" * before + key.encode()).decode()[8:24]


class Keys(Case):
    def web(self, *words, headers=None, key=KEY):
        server = subprocess.Popen([sys.executable, os.path.join(HERE, "mcp_web_server.py"), "key=" + key, *words],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.communicate)
        return self.file("config.json", json.dumps({"mcpServers": {"web": {
            "url": f"http://127.0.0.1:{int(server.stdout.readline())}/mcp", "headers": headers or {"X-Key": "${KEY_OF_WEB}"}}}}))

    def stdio(self, **more):
        return self.file("config.json", json.dumps({"mcpServers": {"own": {
            "command": sys.executable, "args": [os.path.join(HERE, "mcp_server.py"), "also-getenv"], **more}}}))

    def run_cells(self, *cells, options, **variables):
        return snug("run", "--json", "--keep-going", *options, *(word for cell in cells for word in ("-c", cell)),
                    env=environment(KEY_OF_WEB=KEY, **variables))

    def values(self, *cells, options, **variables):
        done = self.run_cells(*cells, options=options, **variables)
        return [result["value"]["json"] if result["value"] else result["error"]["value"] for result in map(json.loads, done.stdout.splitlines())]

    def check(self, text, count=None):
        for piece in pieces(KEY):
            self.assertNotIn(piece, text)
        if count is not None:
            self.assertGreaterEqual(text.count("[key]"), count)

    def test_no_way_to_say_a_header_reaches_the_cell(self):
        for words in ([], ["old"], ["sse"], ["old", "sse"]):
            with self.subTest(words):
                done = self.run_cells(CELL, options=["--upstream-config", self.web(*words)])
                result = json.loads(done.stdout)
                self.assertEqual(result["status"], "ok", result["error"])
                self.assertEqual([line.split()[0] for line in result["stdout"].splitlines()], list(WAYS))
                for line in result["stdout"].splitlines():
                    self.assertIn("[key]", line)
                self.assertIn("Tells [key].", result["value"]["json"])
                self.check(done.stdout + done.stderr)

    def test_nor_a_journal_a_list_or_what_a_replay_says(self):
        path, config = os.path.join(self.folder, "journal"), self.web()
        first = self.run_cells(CELL, options=["--upstream-config", config, "--journal", path])
        again = self.run_cells(CELL, options=["--replay", path])
        first, again = json.loads(first.stdout), json.loads(again.stdout)
        self.assertEqual((first["stdout"], first["value"]), (again["stdout"], again["value"]))
        with open(path, encoding="utf-8") as file:
            self.check(file.read(), len(WAYS))
        listed = snug("tools", "--upstream-config", config, env=environment(KEY_OF_WEB=KEY))
        self.check(listed.stdout + listed.stderr)
        self.assertIn("Tells [key].", listed.stdout)

    def test_nor_the_client_of_snug_mcp(self):
        asked = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                              "clientInfo": {"name": "t", "version": "1"}}},
                 {"id": 2, "method": "tools/list"},
                 {"id": 3, "method": "tools/call", "params": {"name": "run_python", "arguments": {"code": CELL}}}]
        done = snug("mcp", "--state", os.path.join(self.folder, "state"), "--upstream-config", self.web(), env=environment(KEY_OF_WEB=KEY),
                    stdin="".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in asked))
        self.check(done.stdout + done.stderr, len(WAYS))

    def test_the_password_of_basic_authentication_is_a_key_too(self):
        login = base64.b64encode(f"user:{KEY}".encode()).decode()
        config = self.web(headers={"X-Key": KEY + "x", "Authorization": "Basic " + login}, key=KEY + "x")
        says = self.values("web.echo(text='user:' + %r + ' ' + %r + ' or ' + %r)" % (KEY, KEY, login), options=["--upstream-config", config])
        self.assertEqual(says, ['{"text": "[key] [key] or [key]"}'])

    def test_a_variable_that_is_called_a_token_is_a_key_and_others_are_not(self):
        config = self.stdio(env={"MY_TOKEN": "sesame-sesame", "NODE_ENV": "production", "LAST_TOKEN": "${OTHER_SECRET}"})
        says = self.values("own.getenv(value='MY_TOKEN')", "own.getenv(value='NODE_ENV')", "own.die()",
                           options=["--upstream-config", config], OTHER_SECRET="not-to-be-said")
        self.assertEqual(says[:2], ["[key]", "production"])
        self.assertIn("last words [key]", says[2])

    def test_a_secret_of_the_environment_is_a_key_wherever_the_file_takes_it(self):
        config = self.stdio(env={"PLAIN": "x${OTHER_SECRET}y"})
        self.assertEqual(self.values("own.getenv(value='PLAIN')", options=["--upstream-config", config], OTHER_SECRET="not-to-be-said"), ["x[key]y"])

    def test_words_of_the_protocol_in_headers_are_no_keys(self):
        config = self.web(headers={"X-Key": KEY, "Accept": "application/json", "User-Agent": "mine/production"})
        self.assertEqual(self.values("[web.echo(text='application/json'), web.echo(text='mine/production')]", options=["--upstream-config", config]),
                         [['{"text": "application/json"}', '{"text": "mine/production"}']])

    def test_keys_of_the_environment_and_of_fetch_are_in_no_answer(self):
        servers = ["--upstream", f"own=exec '{sys.executable}' '{HERE}/mcp_server.py' also-getenv", "--tool", "mine=echo \"$MY_API_KEY\"",
                   "--tool", "plain=printf '%s and\\nmore' \"$HUB\"", "--fetch", "example.org", "--fetch-secret", "hub=example.org:HUB"]
        self.assertEqual(self.values("[own.getenv(value='MY_API_KEY'), own.getenv(value='HUB'), mine(), plain()]", options=servers,
                                     MY_API_KEY="sk-0123456789", HUB="ghp-0123456789"), [["[key]", "[key]", "[key]", "[key] and\nmore"]])


if __name__ == "__main__":
    unittest.main()
