"""Many tools: snug tools prints their stubs, and cells find them by find_tools()."""
import ast
import json
import os
import shutil
import sys
import tempfile
import unittest

from driver import Case, environment, snug

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_server.py")


def command(*words):
    return " ".join([f"exec '{sys.executable}' '{SERVER}'", *words])


MANY = ["--upstream", "a=" + command(), "--upstream", "b=" + command("also-print")]  # 17 and 18


class Stubs(Case):
    def stubs(self, *options):
        done = snug("tools", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def value(self, source, *options):
        done = snug("run", "--json", *options, "-c", source, env=environment())
        result = json.loads(done.stdout)
        self.assertEqual(result["status"], "ok", result["error"])
        return result["value"]["json"]

    def test_all_that_cells_can_call_is_printed_as_a_file_of_stubs(self):
        text = self.stubs("--upstream", "notes=" + command(), "--mcp", command("also-flat"), "--tool", "upper=tr a-z A-Z",
                          "--fetch", "example.org")
        names = {node.name: node for node in ast.parse(text).body if not isinstance(node, ast.ImportFrom)}
        self.assertIsInstance(names["notes"], ast.ClassDef)
        for function in "flat", "upper", "fetch":
            self.assertIsInstance(names[function], ast.FunctionDef)
        self.assertIn("    @staticmethod\n    def echo(text: str, limit: int = ...) -> Any:\n        \"\"\"Say it again.\n", text)
        self.assertIn("def upper(**arguments: Any) -> Any: ...", text)

    def test_a_search_prints_the_best_only(self):
        text = self.stubs(*MANY, "--search", "say again")
        self.assertEqual([node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)], ["echo", "echo"])
        done = snug("tools", *MANY, "--search", "zebra")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn('no tool has a word of "zebra"', done.stderr)

    def test_keys_are_hidden(self):
        server = self.offering([{"name": "a", "description": "It is sk-secret-1234."}])
        done = snug("tools", *server, env=environment(SOME_API_KEY="sk-secret-1234"))
        self.assertIn("It is [key].", done.stdout)
        self.assertNotIn("sk-secret-1234", done.stdout)

    def test_without_tools_it_says_which_options_give_some(self):
        self.refused("tools", says="--upstream, --upstream-config, --mcp, --tool and --fetch give some")
        self.refused("tools", "more", says="takes no argument")
        self.refused("tools", "--upstream", "a=false", says="MCP server a")

    def offering(self, tools):
        """Options for a server with these tools."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "tools.json")
        with open(path, "w") as file:
            json.dump(tools, file)
        return ["--upstream", f"many=exec '{sys.executable}' '{os.path.join(os.path.dirname(SERVER), 'tools_server.py')}' '{path}'"]

    def test_of_very_many_tools_the_first_are_taken_and_the_others_told(self):
        done = snug("tools", *self.offering([{"name": f"t{i}"} for i in range(1100)]))
        self.assertEqual((done.returncode, done.stdout.count("def ")), (0, 1000))
        self.assertEqual(done.stderr, "snug: the MCP server many has more than 1000 tools: the others are left out\n")

    def test_references_of_schemas_are_followed(self):
        # As pydantic writes a model, and zod a type with a name.
        pydantic = {"$defs": {"Color": {"enum": ["red", "green"], "title": "Color", "type": "string"},
                              "Node": {"properties": {"name": {"type": "string"}, "children": {
                                  "default": [], "items": {"$ref": "#/$defs/Node"}, "type": "array"}},
                                  "required": ["name"], "title": "Node", "type": "object"}},
                    "properties": {"color": {"$ref": "#/$defs/Color"}, "tree": {"$ref": "#/$defs/Node"},
                                   "others": {"anyOf": [{"items": {"$ref": "#/$defs/Color"}, "type": "array"}, {"type": "null"}],
                                              "default": None}},
                    "required": ["color", "tree"], "title": "paintArguments", "type": "object"}
        zod = {"$ref": "#/definitions/Move", "$schema": "http://json-schema.org/draft-07/schema#",
               "definitions": {"Move": {"type": "object", "properties": {"by": {"type": "integer"}}, "required": ["by"],
                                        "additionalProperties": False}}}
        options = self.offering([{"name": "paint", "description": "Paint it.", "inputSchema": pydantic,
                                  "outputSchema": {"$ref": "#/$defs/Node", "$defs": pydantic["$defs"]}},
                                 {"name": "move", "inputSchema": zod}])
        text = self.stubs(*options)
        color = 'Literal["red", "green"]'
        self.assertIn(f"def paint(color: {color}, tree: dict, others: list[{color}] | None = ...) -> dict:", text)
        self.assertIn('        tree: ({"name": str, "children"?: list[dict]})\n', text)
        self.assertIn('Returns: {"name": str, "children"?: list[dict]}', text)
        self.assertIn("def move(by: int) -> Any: ...", text)
        self.assertIn(f"def paint(color: {color}", self.stubs(*options, "--search", "paint"))
        done = snug("check", *options, "-", stdin="many.paint(color='blue', tree={})\nmany.move()\nmany.move(by='x', to=1)\nmany.move(by=1)")
        self.assertEqual([line.split(": ", 2)[2] for line in done.stdout.splitlines() if "tool: " in line],
                         ["many.paint: color must be 'red' or 'green', not 'blue'", "many.move needs by",
                          "many.move: by must be int, not 'x'", "many.move has no argument to"])

    def test_a_terminal_sequence_of_a_server_stays_text(self):
        text = self.stubs("--tool", "a=true", "--mcp", command("also-strange"))
        self.assertNotIn("\x1b", text)
        self.assertIn("\\x1b[31mred", text)


class Find(Case):
    value = Stubs.value

    def test_cells_with_many_tools_find_them_by_words(self):
        text = self.value("find_tools('say it again', limit=1)", *MANY)
        self.assertTrue(text.startswith("class a:\n    @staticmethod\n    def echo(text: str"), text)
        self.assertEqual(text.count("def "), 1)

    def test_what_is_not_found_names_what_there_is(self):
        self.assertEqual(self.value("find_tools('zebra')", *MANY, "--tool", "c=true"),
                         "No function has these words. There are: a (17 functions), b (18 functions), without a server (1 function).\n")

    def test_it_works_in_workers_and_is_a_call_like_others(self):
        done = snug("run", "--json", *MANY, "--isolation", "worker", "-c", "find_tools('echo')", env=environment())
        result = json.loads(done.stdout)
        self.assertIn("def echo", result["value"]["json"])
        self.assertEqual([call["name"] for call in result["tool_calls"]], ["find_tools"])

    def test_few_tools_need_no_search(self):
        self.assertFalse(self.value("'find_tools' in globals()", "--upstream", "a=" + command()))

    def test_a_tool_of_the_users_of_that_name_stays(self):
        self.assertEqual(self.value("find_tools()", *MANY, "--tool", "find_tools=echo mine"), "mine")

    def test_what_is_no_text_or_number_of_a_search_is_taken_well(self):
        self.assertEqual(self.value("len([find_tools('echo', limit=n) for n in (-1, 0, 10 ** 30, None, True, 1.5)])", *MANY), 6)
        self.assertIn("query must be a string", self.value("try:\n    find_tools(3)\nexcept ToolError as e:\n    said = str(e)\nsaid", *MANY))


if __name__ == "__main__":
    unittest.main()
