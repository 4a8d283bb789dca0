"""Installs a build into an empty prefix, moves it, and uses it as other programs would.

run.py BUILD_DIR SOURCE_DIR CC

Every program in examples/ is built twice, by find_package and by pkg-config, run, and its output
compared. The prefix is moved before it is used: nothing installed may know where it was put.
"""
import os
import pathlib
import shutil
import sys
import tempfile

from prefix import command, installed, library_path

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "endpoint"))
import example
from endpoint import Endpoint

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]

# Lines that the output must hold, in this order; other lines may stand between.
EXPECTED = {
    "hello": ["42"],
    "conversation": [
        "In [1]", "status  ok, the state is kept", "output  4 heights",
        "In [2]", "value   1.715",
        "In [3]", "status  error, the state is kept",
        "error   NameError: name 'height' is not defined",
        "In [4]", "value   1.72",
        "In [5]", "status  timeout, the state is kept",
        "In [6]", "status  ok, the state is kept", "value   'still 4 heights'",
    ],
    "server": [],
    "agent": example.LINES,
    "loop": ["s3: timeout "],  # the others end before it, in any order
    "program": ["call    book 21.39", "row     10.70", "row     23.80", "row     32.10", "call    toy 5.95"],
    "supervisor": [
        "ada/talk 1 is new: {'tea': 4.5}", "bob/talk 1 is new: False", "ada/talk 1 is open: 2",
        "ada/talk 1 is restored: 5.75", "ada/talk 2 is new: False",
    ],
    "tools": [
        "value   {'tea': 4.5, 'milk': 1.25}", "call    price ok", "call    price ok",
        "value   [{'city': 'Lima', 'degrees': 18}, {'city': 'Oslo', 'degrees': -3}]",
        "call    weather ok", "call    weather ok",
        "value   'no order: the shop is closed'", "call    order error",
        "error   ToolError: the shop is closed (tool)", "call    order error",
    ],
}
# Those with a library of their own.
PACKAGES = {"agent": "snug-agent", "supervisor": "snug-supervisor"}
# The two sessions of server.c run at once: each one's lines are in order, not both together.
SERVER = {
    "ada": ["[ada] at 0", "[ada] at 1", "[ada] at 2", "<ada> ok ", "<ada> ok 3"],
    "bob": ["[bob] 6 words", "<bob> ok ", "<bob> ok (False, ['be', 'not', 'or', 'to'])"],
}


def by_find_package(prefix, source, scratch, compiler):
    """The examples as a CMake project of somebody else's."""
    project, build = scratch / "project", scratch / "project-build"
    shutil.copytree(source / "examples", project)
    command("cmake", "-G", "Ninja", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_C_FLAGS={' '.join(WARNINGS)}")
    command("cmake", "--build", build)
    return {name: build / name for name in EXPECTED}


def by_pkg_config(prefix, source, scratch, compiler):
    """The examples as docs/library.md builds them: cc FILE $(pkg-config --cflags --libs snug)."""
    folder, = prefix.rglob("pkgconfig")
    environment = dict(os.environ, PKG_CONFIG_PATH=str(folder))
    programs = {}
    for name in EXPECTED:
        package = PACKAGES.get(name, "snug")
        flags = command("pkg-config", "--cflags", "--libs", package, env=environment).split()
        programs[name] = scratch / f"{name}-pkg-config"
        command(compiler, *WARNINGS, "-pthread", source / "examples" / f"{name}.c",
                "-o", programs[name], *flags)
    return programs


def by_manual(prefix, source, scratch):
    """hello.c by the lines of docs/library.md, in a shell, with PREFIX filled in."""
    lines = [line.strip() for line in (source / "docs/library.md").read_text(encoding="utf-8").splitlines()]
    at = next(i for i, line in enumerate(lines) if line.startswith("cc hello.c "))
    script = "\n".join(lines[at - 1:at + 1]).replace("PREFIX", str(prefix))
    folder = scratch / "manual"
    folder.mkdir()
    shutil.copy(source / "examples/hello.c", folder)
    bare = {k: v for k, v in os.environ.items() if k not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}
    check("a.out", command("sh", "-ec", script + "\n./a.out", cwd=folder, env=bare), ["42"])
    print("by_manual: hello is as expected")


def check(program, output, wanted):
    """wanted are lines of output, in this order."""
    lines = iter(line.rstrip("\n") for line in output.splitlines())
    for line in wanted:
        if line not in lines:
            sys.exit(f"{program}: no line \"{line}\", or not in its place, in\n{output}")


def main():
    build, source, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    missing = {path.stem for path in (source / "examples").glob("*.c")} ^ EXPECTED.keys()
    if missing:
        sys.exit(f"in examples/ or in this test, but not in both: {', '.join(sorted(missing))}")

    with tempfile.TemporaryDirectory(prefix="snug-install-") as folder:
        scratch = pathlib.Path(folder)
        prefix = installed(build, source, scratch)
        environment = library_path(prefix)
        for built in (by_find_package, by_pkg_config):
            for name, program in built(prefix, source, scratch, compiler).items():
                # The folder in which it keeps its sessions.
                words = [scratch / f"state-{built.__name__}"] if name == "supervisor" else []
                with Endpoint(example.RULES) as endpoint:
                    output = command(program, *words, env={**environment, **endpoint.environment})
                for wanted in SERVER.values() if name == "server" else [EXPECTED[name]]:
                    check(program, output, wanted)
                print(f"{built.__name__}: {name} is as expected")
        by_manual(prefix, source, scratch)
        print(command(prefix / "bin/snug", "--version").strip())


main()
