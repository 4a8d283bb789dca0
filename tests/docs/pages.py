"""The pages of the project name what exists: links, headings, files and functions.

pages.py SOURCE_DIR
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])
ROOMS = ("src", "tests", "include", "docs", "scripts", "examples", "benchmarks", "cmake", "stdlib_allowlist",
         ".github")
# Folders that are made by a build or by npm, or hold what fuzzers found.
NOT_OURS = {"build", "node_modules", ".git", "corpus"}
PAGES = sorted(path for path in SOURCE.rglob("*.md")
               if not NOT_OURS & set(path.relative_to(SOURCE).parts))
# Programs, targets of CMake, and a pattern of names.
NOT_FUNCTIONS = {"snug_object_verb", "snug_program_python", "snug_bench", "snug_agent_loop", "snug_sessions"}
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def read(path):
    return path.read_text(encoding="utf-8")


def prose(path):
    """Without code between fences and without comments."""
    return re.sub(r"<!--.*?-->", "", FENCE.sub("", read(path)), flags=re.DOTALL)


def anchors(path):
    """As forges make them of headings: lower case, no punctuation, hyphens for spaces."""
    heads = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def defines(path, function):
    """A line that begins with the function's type and name; a table's member is (*name)."""
    text = read(path)
    return re.search(rf"^(?:[a-z][\w \*]*[ \*]|\s+\w+ \(\*){function}\)?\(", text, re.MULTILINE) or (
        path.suffix == ".h" and re.search(rf"\b{function}\b", text))


class Pages(unittest.TestCase):
    maxDiff = None

    def each(self, pattern):
        found = 0
        for page in PAGES:
            for match in re.finditer(pattern, prose(page)):
                found += 1
                yield page, match[1]
        self.assertGreater(found, 20)

    def test_every_link_leads_to_a_file_and_a_heading(self):
        for page, link in self.each(r"\]\((?!https?:|mailto:)([^)\s]+)\)"):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            with self.subTest(page=str(page.relative_to(SOURCE)), link=link):
                self.assertTrue(target.exists())
                if anchor:
                    self.assertIn(anchor, anchors(target))

    def test_every_path_between_backticks_exists(self):
        for page, path in self.each(rf"`((?:{'|'.join(map(re.escape, ROOMS))})/[\w./*{{}},-]*)`"):
            with self.subTest(page=str(page.relative_to(SOURCE)), path=path):
                names = [path]
                if braces := re.match(r"(.*)\{(.*)\}(.*)", path):
                    names = [braces[1] + word + braces[3] for word in braces[2].split(",")]
                for name in names:
                    self.assertTrue(any(SOURCE.glob(name.rstrip("/"))), name)


    def test_every_function_between_backticks_is_in_a_header(self):
        headers = "".join(read(path) for path in SOURCE.glob("include/snug/*.h"))
        known = set(re.findall(r"\bsnug_\w+", headers)) | NOT_FUNCTIONS
        for page, name in self.each(r"`(snug_\w+)(?:\(\))?`"):
            with self.subTest(page=str(page.relative_to(SOURCE)), name=name):
                self.assertTrue(name in known, f"no header has {name}")


class Walk(unittest.TestCase):
    """docs/architecture.md: from snug_session_run to a value and back."""

    def setUp(self):
        text = read(SOURCE / "docs/architecture.md")
        self.walk = text.partition("<!-- walk -->")[2].partition("<!-- -->")[0]
        self.after = text.partition("<!-- -->")[2].partition("\n## ")[0]
        self.steps = re.findall(r"^\d+\. `([^`]+)`(?:, `(\w+)\(\)`)?: (\*again\*)?", self.walk, re.MULTILINE)
        self.assertGreater(len(self.steps), 15)
        self.assertEqual(len(self.steps), len(re.findall(r"^\d+\. ", self.walk, re.MULTILINE)))

    def test_every_function_is_in_its_file(self):
        for path, function, _ in self.steps:
            with self.subTest(path=path, function=function):
                self.assertTrue((SOURCE / path).is_file())
                if function:
                    self.assertTrue(defines(SOURCE / path, function))

    def test_a_file_is_named_once_or_its_return_is_explained(self):
        seen = set()
        for path, function, again in self.steps:
            with self.subTest(path=path, function=function):
                self.assertEqual(bool(again), path in seen)
            seen.add(path)
        returns = {path for path, _, again in self.steps if again}
        explained = re.search(r"files? (?:is|are) entered more than once.*?\n\n", self.after, re.DOTALL)
        named = set(re.findall(r"`(src/[^`]+)`", explained[0])) if explained else set()
        self.assertEqual(returns, named)


CLASSES = "syntax|runtime|logical|environment|import"


def sources(pattern):
    """The texts of those that have to do with categories of errors."""
    return [text for path in SOURCE.glob(pattern) if "category" in (text := read(path))]


class Categories(unittest.TestCase):
    """docs/errors.md: the table of error.category."""

    def setUp(self):
        table = read(SOURCE / "docs/errors.md").partition("## Categories")[2].partition("\n## ")[0]
        rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
        self.listed = [word for row in rows for word in re.findall(r"`(\w+)`", row)]

    def test_it_lists_what_results_can_have(self):
        """In the code a category stands before its class, in tables and calls, or is assigned."""
        given = set()
        for text in [text for room in ("py", "session", "worker", "bash") for text in sources(f"src/{room}/**/*.c")]:
            given |= set(re.findall(rf'"([a-z]+)",\s*"(?:{CLASSES})"', text))
            for statement in re.findall(r"\bcategory = ([^;]*);", text):
                given |= set(re.findall(r'"([a-z]+)"', statement))
        self.assertEqual(sorted(self.listed), sorted(given))

    def test_attempts_of_the_agent_have_no_others(self):
        calls = [call for path in (SOURCE / "src/agent/loop").glob("*.c")
                 for call in re.findall(r"\b(?:run_fail|fail_logically)\(r,[^;]*;", read(path))]
        given = {word for call in calls for word in re.findall(r'"(\w+)"\)', call)}
        self.assertGreater(len(given), 2)
        self.assertLessEqual(given, set(self.listed))


unittest.main(argv=sys.argv[:1])
