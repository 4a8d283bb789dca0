"""What the drivers of this folder share: the library as it is installed, compilers, and why a test is skipped.

The environment names the build (SNUG_BUILD) and the compilers (CC, CXX). Programs are built against the
prefix that prefix.py has laid down in the build, by pkg-config and nothing else, as strangers build them.
"""
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("SNUG_BUILD", HERE.parent.parent / "build/dev")).resolve()
PLACE = BUILD / "hosts"
PREFIX = PLACE / "prefix"
CC = os.environ.get("CC") or "cc"
CXX = os.environ.get("CXX") or "c++"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SECONDS = 600  # in which whatever is waited for has come; only what hangs takes longer


def skip(why):
    """Ends a driver whose runtime is not here."""
    print("skipped:", why)
    sys.exit(77)


def needed(program, package):
    """The program's path; without it the test is skipped."""
    found = shutil.which(program)
    return found or skip(f"{program} is not here (Debian: {package})")


def command(*words, **options):
    """Runs a command to its end and returns what it says; where it fails, that is the reason."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL, "text": True,
               "timeout": SECONDS, **options}
    done = subprocess.run([str(word) for word in words], **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


@functools.cache
def libdir():
    library, = PREFIX.rglob("libsnug.so")
    return library.parent


def environment(**more):
    """One in which pkg-config finds the library first."""
    path = os.pathsep.join(filter(None, (str(libdir() / "pkgconfig"), os.environ.get("PKG_CONFIG_PATH"))))
    return {**os.environ, "PKG_CONFIG_PATH": path, **more}


def flags(*packages):
    """What a compiler is told of these packages; the programs find the library where it is."""
    words = command("pkg-config", "--cflags", "--libs", *packages, env=environment()).split()
    return [*words, f"-Wl,-rpath,{libdir()}"]


def has_package(name):
    done = subprocess.run(["pkg-config", "--exists", name], env=environment())
    return done.returncode == 0


def built(name, source, *words, packages=("snug",), compiler=None):
    """The program NAME, of one source; words are further arguments of the compiler."""
    PLACE.mkdir(exist_ok=True)
    program = PLACE / name
    command(compiler or CC, "-D_GNU_SOURCE", "-g", *WARNINGS, *words, source, "-o", program, "-pthread",
            *flags(*packages))
    return program


def quantile(values, share):
    """Of a list, the value below which that share lies; of none, nan."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def main():
    unittest.main(verbosity=2)
