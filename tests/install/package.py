"""What is installed is a package: others find it, link it, read it, and take it away again.

package.py BUILD_DIR SOURCE_DIR CC             the package
package.py BUILD_DIR SOURCE_DIR CC --sources   snug's sources within another project: minutes
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import unittests
from prefix import command, installed

BUILD, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
COMPILER = sys.argv[3]
# Nothing that tells a program where libraries are.
BARE = {name: value for name, value in os.environ.items() if name not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}

# A function of each library that no other one has; only these two depend on libsnug.
ONLY = {"snug-agent": ("agent.h", "snug_agent_close(NULL)"),
        "snug-supervisor": ("supervisor.h", "snug_supervisor_close(NULL)")}

# What find_package is asked for: whether it finds it, and what it says.
COMPONENTS = [
    ("REQUIRED", "yes", ""),
    ("0.1 REQUIRED COMPONENTS supervisor agent", "yes", ""),
    ("QUIET OPTIONAL_COMPONENTS agent toaster", "yes", ""),
    ("OPTIONAL_COMPONENTS toaster", "yes", 'snug has no component "toaster": there are agent'),
    ("COMPONENTS toaster", "no", 'snug has no component "toaster": there are agent'),
    ("0.2", "no", "version: 0.1"),
]

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(stranger LANGUAGES C)
find_package(snug {words})
if(snug_FOUND)
    message(STATUS "FOUND yes; agent ${{snug_agent_FOUND}}; toaster ${{snug_toaster_FOUND}}")
    add_executable(program program.c)
    target_link_libraries(program PRIVATE snug::snug)
    foreach(component IN ITEMS agent supervisor)
        if(snug_${{component}}_FOUND)
            target_link_libraries(program PRIVATE snug::${{component}} snug::snug-${{component}})
        endif()
    endforeach()
else()
    message(STATUS "FOUND no; ${{snug_NOT_FOUND_MESSAGE}}")
endif()
"""


# What a library of sessions has no use for: there is no such thing on this machine.
PKG_CONFIG = """#!/bin/sh
for word; do
    case $word in libcurl*|yaml-0.1*) echo "$word" >>"$0.asked"; exit 1;; esac
done
exec pkg-config "$@"
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def check_ladder(test, program):
    said = command(program, env=BARE).splitlines()
    test.assertEqual(said[0], "ladder: full: interrupt, starve, jump, give up; faults contained")
    test.assertEqual(said[1], "ok, the state is kept: ")
    test.assertTrue(said[2].startswith("timeout, "), said)


class Package(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="snug-package-")
        cls.scratch = pathlib.Path(cls.folder.name)
        cls.prefix = installed(BUILD, SOURCE, cls.scratch)
        library, = cls.prefix.rglob("libsnug.so")
        cls.libraries = library.parent

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compile(self, source, *flags):
        program = source.with_suffix("")
        command(COMPILER, source, "-o", program, *flags)
        return program

    def flags(self, package):
        words = ["pkg-config", "--cflags", "--libs", package]
        return command(*words, env={**BARE, "PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}).split()

    # ---- linking ----

    def test_a_library_finds_libsnug_beside_itself(self):
        """Many compilers leave out a library that a program does not call itself."""
        for package, (header, call) in ONLY.items():
            with self.subTest(package):
                source = write(self.scratch / package / "only.c",
                               f"#include <snug/{header}>\nint main(void) {{ {call}; return 0; }}\n")
                program = self.compile(source, "-Wl,--as-needed", *self.flags(package),
                                       f"-Wl,-rpath,{self.libraries}")
                needed = re.findall(r"NEEDED.*\[(.*)\]", command("readelf", "-d", program))
                self.assertFalse([name for name in needed if name.startswith("libsnug.so")], needed)
                command(program, env=BARE)

    # ---- find_package ----

    def configure(self, name, words):
        project = self.scratch / name
        write(project / "program.c", "#include <snug/snug.h>\nint main(void) { return !*snug_version(); }\n")
        write(project / "CMakeLists.txt", PROJECT.format(words=words))
        return subprocess.run(["cmake", "-G", "Ninja", "-S", project, "-B", project / "build",
                               f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={COMPILER}"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=BARE)

    def test_components_are_found_or_it_is_said_why_not(self):
        for i, (words, found, said) in enumerate(COMPONENTS):
            with self.subTest(words):
                done = self.configure(f"find{i}", words)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertIn(f"-- FOUND {found}", done.stdout)
                self.assertIn(" ".join(said.split()), " ".join(done.stdout.split()))

    def test_what_is_required_and_not_there_fails_with_its_reason(self):
        done = self.configure("required", "REQUIRED COMPONENTS agent toaster")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('snug has no component "toaster": there are agent', " ".join(done.stdout.split()))

    def test_a_program_of_components_is_linked_without_another_package(self):
        done = self.configure("linked", "0.1 REQUIRED COMPONENTS agent supervisor")
        self.assertEqual(done.returncode, 0, done.stdout)
        command("cmake", "--build", self.scratch / "linked/build")
        command(self.scratch / "linked/build/program", env=BARE)
        for file in (self.libraries / "cmake/snug").glob("*.cmake"):
            self.assertNotIn("Python3::", file.read_text(encoding="utf-8"), file.name)

    # ---- programs that carry the full ladder ----

    def test_a_program_carries_the_full_ladder_by_find_package(self):
        if not (self.libraries / "libsnug-program.a").exists():
            self.skipTest("this build has no archive of libpython")
        build = self.scratch / "embedding"
        command("cmake", "-G", "Ninja", "-S", SOURCE / "examples/embedding", "-B", build,
                f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={COMPILER}")
        command("cmake", "--build", build)
        check_ladder(self, build / "ladder")

    def test_a_program_carries_the_full_ladder_by_pkg_config(self):
        if not (self.libraries / "libsnug-program.a").exists():
            self.skipTest("this build has no archive of libpython")
        source = shutil.copy(SOURCE / "examples/embedding/ladder.c", self.scratch)
        check_ladder(self, self.compile(pathlib.Path(source), *self.flags("snug-program")))

    def test_names_of_a_program_do_not_meet_those_within(self):
        """The layers of snug have functions of such names."""
        if not (self.libraries / "libsnug-program.a").exists():
            self.skipTest("this build has no archive of libpython")
        names = ("str_add", "error_set", "array_grow", "hash_bytes", "watchdog_arm")
        source = write(self.scratch / "names.c", "#include <snug/snug.h>\n" + "".join(
            f"int {name}(void);\nint {name}(void) {{ return 1; }}\n" for name in names) +
            "int main(void) { return !*snug_version() + " + " + ".join(f"{name}()" for name in names) + "; }\n")
        done = subprocess.run([self.compile(source, *self.flags("snug-program"))])
        self.assertEqual(done.returncode, len(names))

    # ---- the worker ----

    def test_a_worker_that_is_not_there_is_told_with_the_places(self):
        place = self.scratch / "alone/lib"
        shutil.copytree(self.libraries, place, symlinks=True)
        source = write(self.scratch / "alone/missing.c", """#include <snug/snug.h>
#include <stdio.h>
int main(void)
{
    snug_host *host;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    int error = snug_host_open(&host, &options);
    puts(error ? snug_error_message() : "found");
    return 0;
}
""")
        program = self.compile(source, *self.flags("snug"), f"-Wl,-rpath,{place}")
        said = command(program, env=BARE)
        if said == "found\n":
            self.skipTest("a snug-worker is installed at the prefix of this build")
        for path in (place, place / "../bin"):
            self.assertIn(f"{path}/snug-worker", said)
        self.assertRegex(said, r"/snug-worker: build or install it there, or name it by .* worker_path")

    # ---- pages, notices, manuals ----

    def pages(self):
        readme, = self.prefix.rglob("share/doc/*/README.md")
        return readme.parent

    def test_links_of_the_installed_pages_lead_to_what_is_installed(self):
        pages = sorted(self.pages().rglob("*.md"))
        wanted = {path.name for path in (SOURCE / "docs").glob("*.md")}
        self.assertLessEqual(wanted | {"CONTRIBUTING.md", "SECURITY.md"}, {path.name for path in pages})
        count = 0
        for page in pages:
            text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            for link in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text):
                count += 1
                with self.subTest(page=str(page.relative_to(self.prefix)), link=link):
                    target = (page.parent / link).resolve()
                    self.assertTrue(target.exists())
                    self.assertTrue(target.is_relative_to(self.prefix.resolve()))
        self.assertGreater(count, 100)
        self.assertTrue((self.pages() / "examples/hello.c").exists())
        self.assertTrue((self.pages() / "docs/pictures/layers.svg").exists())

    def test_what_is_linked_in_and_loaded_is_in_the_notices(self):
        notice = (self.pages() / "NOTICE").read_text(encoding="utf-8")
        table = notice.partition("=" * 78)[0]
        files = [path for path in [*self.libraries.glob("libsnug*.so"), *(self.prefix / "bin").iterdir()]
                 if not path.is_symlink() or path.suffix == ".so"]
        for path in files:
            for name in re.findall(r"NEEDED.*\[(.*)\]", command("readelf", "-d", path)):
                if not name.startswith(("libsnug", "ld-linux")):
                    self.assertRegex(table, rf"(?m)^{re.escape(name)} .*\n(?: .*\n)*?    is loaded by: .*\b{path.name}\b")
        # SQLite is within the agent's library and the program, and asks for nothing.
        self.assertRegex(table, r"(?m)^libsqlite3\.a .*\n    is part of: .*\bsnug\b")
        if (self.libraries / "libsnug-program.a").exists():
            self.assertRegex(table, r"(?m)^libpython3\.\d+\.a .*\n    is part of: .*\blibsnug-program\.a\b")
        if pathlib.Path("/usr/share/doc/libcjson1/copyright").exists():
            for words in ("PYTHON SOFTWARE FOUNDATION LICENSE", "Dave Gamble", "LGPL-2.1", "public-domain"):
                self.assertIn(words, notice)

    def test_every_function_has_a_page_of_the_manual(self):
        folder = self.prefix / "share/man/man3"
        for header in (self.prefix / "include/snug").glob("*.h"):
            text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
            for name in re.findall(r"^SNUG_EXTERN\b[^;(]*?(\w+)\s*\(", text, re.MULTILINE):
                with self.subTest(name):
                    page = (folder / f"{name}.3").read_text(encoding="utf-8")
                    if page.startswith(".so "):
                        page = (folder.parent / page.split()[1]).read_text(encoding="utf-8")
                    self.assertIn(name, page.partition(".SH SYNOPSIS")[0])
                    self.assertRegex(page.partition(".SH DESCRIPTION")[0], rf"\b{name}\(")

    def test_manuals_are_formatted_without_a_warning(self):
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        for page in sorted((self.prefix / "share/man").glob("*/*")):
            if not page.read_text(encoding="utf-8").startswith(".so "):
                done = subprocess.run(["man", "--warnings", "-l", page], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True, env={**BARE, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
                self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)
                self.assertGreater(len(done.stdout), 500, page.name)

    # ---- uninstall ----

    def test_uninstall_leaves_what_others_have_put_there(self):
        # A copy of the manifest: another test may install the same build meanwhile.
        prefix, manifest = self.scratch / "taken", self.scratch / "manifest.txt"
        while not manifest.exists() or str(prefix) not in manifest.read_text(encoding="utf-8"):
            command("cmake", "--install", BUILD, "--prefix", prefix)
            shutil.copy(BUILD / "install_manifest.txt", manifest)
        laid = {path for path in prefix.rglob("*") if not path.is_dir() or path.is_symlink()}
        self.assertGreater(len(laid), 50)
        others = [write(prefix / name, "mine\n") for name in
                  ("bin/other", "share/snug/stdlib_allowlist/mine.txt", "include/other.h")]

        rule = next(line for line in (BUILD / "build.ninja").read_text(encoding="utf-8").splitlines()
                    if "-P" in line and "uninstall.cmake" in line)
        rule = rule.partition("COMMAND = ")[2].replace(str(BUILD / "install_manifest.txt"), str(manifest))
        command("sh", "-c", rule)
        left = {path for path in prefix.rglob("*") if not path.is_dir() or path.is_symlink()}
        self.assertEqual(left, set(others))
        self.assertTrue((prefix / "share/snug/stdlib_allowlist").is_dir())
        self.assertFalse((prefix / "include/snug").exists())
        self.assertFalse((prefix / "share/doc/snug").exists())


class Sources(unittest.TestCase):
    def test_within_another_project_it_wants_no_curl_yaml_or_editor(self):
        with tempfile.TemporaryDirectory(prefix="snug-sources-") as folder:
            build = pathlib.Path(folder, "build")
            wrapper = write(pathlib.Path(folder, "pkg-config"), PKG_CONFIG)
            wrapper.chmod(0o755)
            command("cmake", "-G", "Ninja", "-S", SOURCE / "examples/embedding", "-B", build,
                    f"-DSNUG_SOURCE={SOURCE}", f"-DPKG_CONFIG_EXECUTABLE={wrapper}", f"-DCMAKE_C_COMPILER={COMPILER}",
                    "-DCMAKE_FIND_LIBRARY_SUFFIXES=.so")
            self.assertFalse(pathlib.Path(folder, "pkg-config.asked").exists())
            command("cmake", "--build", build, "--parallel", "2")
            check_ladder(self, build / "ladder")


unittests.main(argv=[sys.argv[0], "Sources" if sys.argv[4:] == ["--sources"] else "Package"])
