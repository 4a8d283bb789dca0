"""An empty prefix with a build in it, for the tests of what is installed."""
import os
import subprocess
import sys


def command(*words, **options):
    """Runs a command and returns its output; its words are shown where it fails."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def installed(build, source, scratch):
    """A prefix with the build in it, at another place than it was installed to."""
    first, prefix = scratch / "first", scratch / "moved"
    command("cmake", "--install", build, "--prefix", first)
    first.rename(prefix)
    for path in ["include/snug/snug.h", "bin/snug"]:
        if not (prefix / path).exists():
            sys.exit(f"not installed: {path}")
    for profile in (source / "stdlib_allowlist").glob("*.txt"):
        if not (prefix / "share/snug/stdlib_allowlist" / profile.name).exists():
            sys.exit(f"not installed: {profile.name}")
    return prefix


def library_path(prefix):
    """An environment in which programs find the library of the prefix."""
    library, = prefix.rglob("libsnug.so")
    return dict(os.environ, LD_LIBRARY_PATH=str(library.parent))
