"""The escapes in somebody else's program: against the installed, shared library.

escapes.py BUILD_DIR SOURCE_DIR CC

tests/escapes/driver.c is built as a CMake project of its own by find_package(snug), and runs the
files that need neither a jump nor a limit of memory or stack: libsnug has the shorter ladder.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from prefix import command, installed, library_path

LEAST = 150  # files that have to be among those; there were 240 when this was written


def built(prefix, source, scratch, compiler):
    project, build = pathlib.Path(__file__).parent / "escapes", scratch / "build"
    command("cmake", "-G", "Ninja", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={compiler}", f"-DESCAPES={source / 'tests/escapes'}")
    command("cmake", "--build", build)
    return build / "escapes"


def main():
    build, source, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory(prefix="snug-escapes-") as folder:
        scratch = pathlib.Path(folder)
        prefix = installed(build, source, scratch)
        program = built(prefix, source, scratch, compiler)
        environment = library_path(prefix)
        linked = command("ldd", program, env=environment)
        if str(prefix) not in linked:
            sys.exit(f"the driver does not use the installed library:\n{linked}")
        done = subprocess.run([sys.executable, source / "tests/escapes/batches.py", program, "--short", "--gentle",
                               source / "tests/escapes"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL, env=environment)
        print(done.stdout)
        passed = re.search(r"^(\d+) passed, 0 failed$", done.stdout, re.MULTILINE)
        if done.returncode != 0 or not passed:
            sys.exit(f"status {done.returncode}")
        if int(passed[1]) < LEAST:
            sys.exit("too few files are left: what does --gentle leave out?")


main()
