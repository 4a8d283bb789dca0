"""The public headers stand alone, their names follow one rule, and what they refer to exists.

headers.py SOURCE_DIR CC [CXX]
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
CC = sys.argv[2]
CXX = next((found for name in (*sys.argv[3:], "c++", "g++", "clang++") if (found := shutil.which(name))), None)
HEADERS = sorted((SOURCE / "include/snug").glob("*.h"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in HEADERS}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]

# How the names of a header begin, without snug_.
BEGINNINGS = {
    "agent.h": ("agent", "reply"),
    "library.h": ("library",),
    "program.h": ("program", "type", "value", "input", "answer", "column", "mapped", "template",
                  "session_open_from"),
    "task.h": ("task", "session_start", "session_wait", "session_activity", "host_fd", "host_dispatch",
               "activity"),
    "supervisor.h": ("supervisor", "served", "lease", "arrival", "origin"),
    "worker.h": ("worker",),
}


def code(text):
    text = re.sub(r"/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)
    return re.sub(r'"(\\.|[^"\\])*"', '""', text)


def comments(text):
    return re.findall(r"/\*.*?\*/", text, flags=re.DOTALL)


def types(text):
    return set(re.findall(r"^typedef (?:struct|enum) (\w+)", text, re.MULTILINE))


def functions(text):
    return set(re.findall(r"^SNUG_EXTERN\b[^;(]*?(\w+)\(", text, re.MULTILINE))


def enumerations(text):
    """{"snug_status": ["SNUG_STATUS_OK", ...]}"""
    return {name: re.findall(r"\b(SNUG_\w+)\b(?=\s*(?:=[^,}]*)?[,}])", body + "}")
            for name, body in re.findall(r"^typedef enum (\w+) \{(.*?)\}", text, re.MULTILINE | re.DOTALL)}


def macros(text):
    return set(re.findall(r"^#define (\w+)", text, re.MULTILINE))


def names(text):
    return types(text) | functions(text) | macros(text) | {
        word for words in enumerations(text).values() for word in words}


CODE = {name: code(text) for name, text in TEXTS.items()}
NAMES = set().union(*map(names, CODE.values()))
# Members, which comments name too: snug_limits.threads.
MEMBERS = {word for text in CODE.values() for body in re.findall(r"\{(.*?)\}", text, re.DOTALL)
           for word in re.findall(r"\b(\w+)\b", body)}


class Headers(unittest.TestCase):
    maxDiff = None

    def test_there_are_seven(self):
        self.assertEqual(sorted(TEXTS), ["agent.h", "library.h", "program.h", "snug.h", "supervisor.h",
                                         "task.h", "worker.h"])

    # ---- alone ----

    def compile(self, name, compiler, ending, *flags):
        """The header alone, with a variable from each of its _INIT macros."""
        wanted = sorted(word for word in macros(CODE[name]) if word.endswith("_INIT"))
        lines = [f"#include <snug/{name}>", "int main(void)", "{"]
        for at, word in enumerate(wanted):
            kind = word.removesuffix("_INIT").lower()
            lines += [f"    {kind} v{at} = {word};", f"    if (v{at}.size != sizeof(v{at}))", "        return 1;"]
        lines += ["    return 0;", "}", ""]
        with tempfile.TemporaryDirectory(prefix="snug-headers-") as folder:
            path = pathlib.Path(folder) / f"alone.{ending}"
            path.write_text("\n".join(lines), encoding="utf-8")
            done = subprocess.run([compiler, *flags, *WARNINGS, "-fsyntax-only", "-I", SOURCE / "include", path],
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_compiles_alone_as_c(self):
        for name in TEXTS:
            for standard in ("c99", "c11", "c17"):
                with self.subTest(name, standard=standard):
                    self.compile(name, CC, "c", f"-std={standard}", "-Wstrict-prototypes", "-Wc++-compat")

    def test_each_compiles_alone_as_cpp(self):
        if not CXX:
            self.skipTest("there is no C++ compiler")
        for name in TEXTS:
            for standard in ("c++11", "c++20"):
                with self.subTest(name, standard=standard):
                    self.compile(name, CXX, "cpp", f"-std={standard}")

    # ---- names ----

    def test_all_names_are_snugs(self):
        for name, text in CODE.items():
            for word in names(text):
                with self.subTest(name, word=word):
                    self.assertRegex(word, r"^(snug_|SNUG_)")

    def test_names_of_a_header_begin_with_its_subject(self):
        for name, beginnings in BEGINNINGS.items():
            for word in names(CODE[name]):
                with self.subTest(name, word=word):
                    self.assertTrue(word.lower().startswith(tuple(f"snug_{one}" for one in beginnings)), word)

    def test_enumerators_begin_with_their_type(self):
        seen = 0
        for name, text in CODE.items():
            for kind, words in enumerations(text).items():
                # Errors are as those of errno. "kind" and "format" add nothing to what is before.
                beginning = "snug" if kind == "snug_error" else re.sub(r"(?<=_)(.+)_(kind|format)$", r"\1", kind)
                self.assertTrue(words, kind)
                for word in words:
                    seen += 1
                    with self.subTest(name, word=word):
                        self.assertTrue(word.startswith(f"{beginning.upper()}_"), beginning)
        self.assertGreater(seen, 50)

    def test_lists_are_asked_for_in_one_way(self):
        counted = {word.removesuffix("_count") for text in CODE.values() for word in functions(text)
                   if word.endswith("_count") and not word.endswith("execution_count")}
        self.assertGreater(len(counted), 5)
        for one in counted - {"snug_reply_attempt", "snug_saved_file"}:  # which are only counted
            with self.subTest(one):
                found = [re.search(rf"SNUG_EXTERN const [\w ]+\*{one}\(const \w+ \*\w+,\s*size_t index\);", text)
                         for text in CODE.values()]
                self.assertTrue(any(found))

    # ---- a manual ----

    def test_each_function_has_its_sentence(self):
        seen = 0
        for name, text in TEXTS.items():
            lines = text.split("\n")
            for at, line in enumerate(lines):
                if line.startswith("SNUG_EXTERN"):
                    seen += 1
                    with self.subTest(name, line=line):
                        self.assertRegex(lines[at - 1], r"[.}\]] ?\*/$")
        self.assertGreater(seen, 100)

    def test_what_comments_name_exists(self):
        seen = 0
        for name, text in TEXTS.items():
            for comment in comments(text):
                for word in re.findall(r"\b(?:snug_[a-z_]+|SNUG_[A-Z_]+)\b(?!\.\.\.|\*)", comment):
                    seen += 1
                    with self.subTest(name, word=word):
                        # SNUG_HOST_... are several; SNUG_MODEL and SNUG_TMPDIR would be variables.
                        several = word.endswith("_") and any(one.startswith(word) for one in NAMES)
                        self.assertTrue(several or word in NAMES or self.is_variable(word), word)
        self.assertGreater(seen, 100)

    @staticmethod
    def is_variable(word):
        """Of the environment: read by getenv somewhere."""
        return word.isupper() and any(f'getenv("{word}")' in path.read_text(encoding="utf-8")
                                      for path in (SOURCE / "src").rglob("*.c"))

    def test_files_and_sections_that_are_named_exist(self):
        seen = 0
        for name, text in TEXTS.items():
            for comment in comments(text):
                flat = re.sub(r"\s*\n \*\s*", " ", comment)
                for file in re.findall(r"(?<![\w./])((?:docs/)?[\w-]+\.(?:md|h))\b", flat):
                    seen += 1
                    with self.subTest(name, file=file):
                        base = SOURCE / "include/snug" if file.endswith(".h") else SOURCE
                        self.assertTrue((base / file).exists(), file)
                for file, section in re.findall(r'([\w/-]+\.md)[^"]{0,30} under "([^"]+)"', flat):
                    seen += 1
                    with self.subTest(name, file=file, section=section):
                        self.assertRegex((SOURCE / file).read_text(encoding="utf-8"), rf"(?m)^#+ {section}$")
        self.assertGreater(seen, 10)

    def test_the_english_is_plain(self):
        for name, text in TEXTS.items():
            for comment in comments(text):
                flat = re.sub(r"\s*\n \*\s*", " ", comment)
                with self.subTest(name, comment=flat):
                    self.assertNotRegex(flat, r"\b(can not|(?<!there )is no [a-z]+|anew|likewise|(is|are) told)\b")

    def test_no_line_has_a_scar_of_an_earlier_wrap(self):
        for name, text in TEXTS.items():
            for line in text.split("\n"):
                with self.subTest(name, line=line):
                    self.assertLessEqual(len(line), 100)
                    self.assertNotRegex(line.partition("/*")[2] or (line if line.startswith(" *") else ""),
                                        r"[a-z,;]   *[a-zA-Z]+.*[a-z]")


unittest.main(argv=sys.argv[:1])
