"""Programs with a sanitizer in them, in front of the library as it is built.

sanitizers.py SOURCE_DIR LIBRARY

sanitizers.c is compiled by gcc and clang, where they are, for each sanitizer that they can link, and
run in each of its ways. Skipped (status 77) where no compiler can.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE, LIBRARY = (pathlib.Path(word).resolve() for word in sys.argv[1:])
COMPILERS, SANITIZERS, WAYS = ("gcc", "clang"), ("address", "thread", "undefined"), ("plain", "signals")
SKIPPED, SECONDS = 77, 600


def crash():
    """A cell that faults, as a string of C."""
    text = (SOURCE / "tests/escapes/crash/half_made_objects.py").read_text(encoding="utf-8")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def compiled(compiler, sanitizer, folder):
    """The program; None where the compiler has no such runtime."""
    program, empty = folder / f"{compiler}-{sanitizer}", folder / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    (folder / "crash.h").write_text(f"#define CRASH {crash()}\n")
    flags = [compiler, f"-fsanitize={sanitizer}", "-g", "-o", str(program)]
    if subprocess.run([*flags, str(empty)], capture_output=True, check=False).returncode:
        return None
    subprocess.run([*flags, "-Wall", "-Wextra", "-Werror", f"-I{SOURCE / 'include'}", "-include",
                    str(folder / "crash.h"), str(SOURCE / "tests/hosts/sanitizers.c"), str(LIBRARY),
                    f"-Wl,-rpath,{LIBRARY.parent}"], check=True)
    return program


def run(program, way):
    """What is wrong; None: nothing."""
    # What CPython keeps until the end of the process is no leak of the program's, and ThreadSanitizer
    # does not see how a library that is not compiled with it keeps its threads apart.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0",
                   "TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}
    done = subprocess.run([str(program), way], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=SECONDS, check=False, env=environment)
    if done.returncode == 0 and done.stdout == "fine\n":
        return None
    return f"{program.name} {way}: status {done.returncode}\n{done.stdout}{done.stderr[-4000:]}"


def main():
    failures, runs = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for compiler in filter(shutil.which, COMPILERS):
            for sanitizer in SANITIZERS:
                program = compiled(compiler, sanitizer, pathlib.Path(folder))
                if not program:
                    print(f"{compiler} has no runtime for {sanitizer}")
                    continue
                for way in WAYS:
                    runs += 1
                    failures += filter(None, [run(program, way)])
    print(*failures, sep="\n")
    if not runs:
        sys.exit(SKIPPED)
    print(f"{runs} runs, {len(failures)} of them failed")
    sys.exit(bool(failures))


main()
