"""What src/py/life/frozen/toolcalls.py finds in calls of the host's functions.

usage: test_toolcalls.py

A case is a sentence, a source and the findings as "line:column message", columns in bytes from 1.
"""
import ast
import importlib.util
import pathlib
import re
import sys
import unittest

FROZEN = pathlib.Path(__file__).resolve().parents[2] / "src/py/life/frozen"

HEADS = [
    "github.search(query: str, state: Literal['open', 'closed'] = 'open', *, labels: list[str] = ..., "
    "limit: int = ...) -> list[dict]",
    "github.get(number: int) -> dict",
    "fetch(url: str, headers: dict[str, str] = None, timeout: float | None = None) -> dict",
    "anything(**arguments: Any) -> Any",
    "rest(first, *others: str)",
    "only(a, /, b: bool = False)",
    "exact(choice: Literal[1, True, None, -2])",
    "many(one: " + " | ".join(f"Literal['c{i}']" for i in range(40)) + ")",
    "odd(when: datetime, what: tuple[int, ...] = (), free=1)",
]
STATES = "github.search: state must be 'open' or 'closed'"

CASES = [
    # Names
    ("a function that is there is fine", "github.search('x')", []),
    ("one that is not is found, called or not", "github.find('x')\nf = github.serch",
     ["1:1 github has no function find", "2:5 github has no function serch"]),
    ("attributes of an answer are nobody's", "github.get(1).title.upper()\ngithub.get(1)['x'].y()", []),
    ("what the source binds is its own", "github = Github()\ngithub.find()\nfetch = 1\nfetch()", []),
    ("so is what it binds in a function", "def f(github):\n    github.find()\ngithub.find()",
     ["3:1 github has no function find"]),
    ("so is what it imports", "import github\ngithub.find()", []),
    ("so may be all behind a star import", "from math import *\ngithub.find()", []),
    ("so is what it deletes", "del github\ngithub.find()", []),
    ("names with an underscore are Python's", "github.__class__\ngithub._x", []),
    ("other names are not judged", "gitlab.find()\nfetched()\nx.github.find()", []),
    ("storing into it is not a call", "github.find = 1", []),
    ("one that is asked for first is nobody's fault",
     "if hasattr(github, 'find'):\n    github.find()\nif 'serch' in dir(github): github.serch()", []),
    ("so is one whose error is expected",
     "try:\n    github.find()\nexcept (AttributeError, KeyError):\n    github.serch()",
     ["4:5 github has no function serch"]),
    ("so are arguments", "with suppress(TypeError):\n    fetch()\n    github.find()\nfetch()",
     ["3:5 github has no function find", "4:1 fetch needs url"]),
    ("so is what a test raises", "class T(TestCase):\n    def test(self):\n        with self.assertRaises(TypeError):\n"
     "            fetch()", []),
    ("a handler of every error expects none", "try:\n    github.find()\nexcept Exception as e:\n    print(e)",
     ["2:5 github has no function find"]),
    ("a function in a try is called later", "try:\n    def f(): fetch()\nexcept TypeError:\n    pass",
     ["2:14 fetch needs url"]),
    ("what is stored into a server is its own", "github.find = f\ngithub.find(1)\ngithub.get()", []),
    ("so is what setattr stores", "setattr(github, 'find', f)\ngithub.find()", []),
    ("behind exec and globals any name may be another", "exec(text)\ngithub.find()", []),
    ("so may it behind globals", "globals().update(made)\nfetch()", []),
    ("vars of an object binds nothing", "vars(x)\nfetch()", ["2:1 fetch needs url"]),
    ("a program that another file has may bind it", "__snug_magic__('run', 'a.py')\nfetch()", []),

    # Arguments
    ("one that is missing is found", "github.search()\ngithub.get(*[])\ngithub.get(**{})",
     ["1:1 github.search needs query"]),
    ("an unknown one is found", "github.search('x', stat='open')", ["1:20 github.search has no argument stat"]),
    ("any name is fine where names are taken", "anything(a=1, b=2)", []),
    ("no place is fine where only names are taken", "anything(1)",
     ["1:10 anything takes no arguments without a name, not 1"]),
    ("too many are found", "github.get(1, 2)\ngithub.search('x', 'open', [], 1)",
     ["1:15 github.get takes 1 argument without a name, not 2",
      "2:28 github.search takes 2 arguments without a name, not 4"]),
    ("any number is fine where that is taken", "rest(1, 'a', 'b')\nrest()", ["2:1 rest needs first"]),
    ("one that is given twice is found", "github.search('x', query='y')",
     ["1:20 github.search: query is given twice"]),
    ("one that has no name by name is unknown", "only(a=1)", ["1:6 only has no argument a", "1:1 only needs a"]),
    ("what is unpacked is not sure", "github.search(*args)\ngithub.search(**more)\nfetch('x', **more)", []),
    ("the others are judged all the same", "github.search(*args, stat=1)",
     ["1:22 github.search has no argument stat"]),

    # Values
    ("a literal of another type is found", "github.search(1)\ngithub.get('1')\ngithub.get(1.5)",
     ["1:15 github.search: query must be str, not 1", "2:12 github.get: number must be int, not '1'",
      "3:12 github.get: number must be int, not 1.5"]),
    ("numbers that are the same in JSON are fine", "github.get(1.0)\ngithub.get(-1)\nfetch('x', timeout=2)", []),
    ("what is computed is not judged", "github.search(x)\ngithub.get(int('1'))\ngithub.get(x + 'y')", []),
    ("a choice that there is not is found", "github.search('x', 'opened')", [f"1:20 {STATES}, not 'opened'"]),
    ("one that there is, is fine", "github.search('x', state='closed')", []),
    ("what is left out may be None", "github.search('x', None, labels=None)", []),
    ("what is needed may not", "github.search(None)", ["1:15 github.search: query must be str, not None"]),
    ("items are judged", "github.search('x', labels=['a', 1])\ngithub.search('x', labels='a')",
     ["1:27 github.search: labels must be list[str]", "2:27 github.search: labels must be list[str], not 'a'"]),
    ("so are values of a dict", "fetch('x', headers={'a': 1, **more})\nfetch('x', headers={'a': 'b'})",
     ["1:20 fetch: headers must be dict[str, str]"]),
    ("one of a union fits", "fetch('x', timeout='1')", ["1:20 fetch: timeout must be float | None, not '1'"]),
    ("an f-string is a string", "github.search(f'{x}')\ngithub.get(f'{x}')",
     ["2:12 github.get: number must be int, not a str"]),
    ("choices are of their own types", "exact(1)\nexact(True)\nexact(None)\nexact(-2)\nexact(2)",
     ["5:7 exact: choice must be 1, True, None or -2, not 2"]),
    ("a type that nobody knows fits everything", "odd(1, (1, 'x'), free=[])\nodd('x', what=[1, 'a'])", []),
    ("a long value is cut", f"github.get('{'x' * 100}')",
     [f"1:12 github.get: number must be int, not '{'x' * 55} ..."]),
    ("an f-string may be any choice that is a text", "github.search('x', f'{x}')\nfetch('x', f'{x}')\nexact(f'{x}')",
     ["2:12 fetch: headers must be dict[str, str], not a str", "3:7 exact: choice must be 1, True, None or -2, not a str"]),
    ("a choice that is the same number in JSON is fine", "exact(1.0)\nexact(-2.0)\nexact(1.5)",
     ["3:7 exact: choice must be 1, True, None or -2, not 1.5"]),
    ("what is unpacked into a dict is no value of it", "fetch('x', headers={**{'a': 'b'}})", []),
    ("one of very many alternatives fits", "many('c39')\nmany(1)", []),
    ("a call within a call is judged", "github.search(fetch())", ["1:15 fetch needs url"]),
]

WRONG_HEADS = ["", "f", "a.b.c(x)", "1(x)", "f(x", "f(x): pass\ndef g(y", "f(1)", "f(x) -> int: 1\nimport os\nif 1", "(x)",
               "f(a, a)\0", "f(" + "(" * 5000]


def load(name):
    spec = importlib.util.spec_from_file_location(name, FROZEN / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


scan, toolcalls = load("scan"), load("toolcalls")


class Magics:
    """Any that a cell likes, none of which has a program in it."""
    @staticmethod
    def refusal(name):
        return None

    @staticmethod
    def python_in(name, args, is_cell):
        return ""


def findings(source, heads=HEADS):
    asked = scan.Questions(lambda name: True, str, lambda name: None)
    return scan.scan(ast.parse(source), asked, magics=Magics, tools=toolcalls.Tools(heads))


class ToolCalls(unittest.TestCase):
    maxDiff = None

    def test_a_hint_shows_what_the_function_takes_or_which_one_is_close(self):
        [found] = findings("fetch()")
        self.assertEqual(found[5], "It is " + HEADS[2])
        self.assertEqual(findings("github.serch()")[0][5], "Did you mean github.search?")
        self.assertEqual(findings("github.zzz()")[0][5], "It has search and get")

    def test_the_rule_and_the_subject_are_told(self):
        self.assertEqual([found[2:4] for found in findings("github.zzz()\ngithub.get()")],
                         [("tool", "github.zzz"), ("tool", "github.get")])

    def test_a_head_that_is_none_is_refused(self):
        for head in WRONG_HEADS:
            with self.subTest(head[:40]), self.assertRaises(ValueError):
                toolcalls.Function(head)

    def test_a_value_as_deep_as_it_likes_is_judged(self):
        deep = ast.parse("github.search('x', labels=[" + "[" * 90 + "]" * 90 + "])")
        asked = scan.Questions(lambda name: True, str, lambda name: None)
        self.assertEqual(len(scan.scan(deep, asked, tools=toolcalls.Tools(HEADS))), 1)

    def test_without_functions_nothing_is_judged(self):
        self.assertEqual(findings("github.find()", []), [])


def test_of(source, expected):
    def test(self):
        self.assertEqual(sorted(f"{found[0]}:{found[1] + 1} {found[4]}" for found in findings(source)), sorted(expected))
    return test


for sentence, source, expected in CASES:
    name = "test_" + re.sub(r"\W+", "_", sentence)
    assert not hasattr(ToolCalls, name), sentence
    setattr(ToolCalls, name, test_of(source, expected))

if __name__ == "__main__":
    sys.setrecursionlimit(1000)
    unittest.main()
