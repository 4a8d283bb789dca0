"""The shared library exports the functions of its public headers, and nothing else.

symbols.py HEADER... LIBRARY
"""
import re
import subprocess
import sys

# What the compiler adds to a library built with sanitizers.
INSTRUMENTATION = ("__odr_asan", "__asan_", "__ubsan_", "__tsan_", "__sancov_")


def declared(header):
    """The names of what is marked SNUG_EXTERN."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    return set(re.findall(r"SNUG_EXTERN\b[^;(=]*?(\w+)\s*[(=]", text))


def exported(library):
    """The names of the dynamic symbols that the library defines."""
    listing = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", library],
                             check=True, capture_output=True, text=True).stdout
    names = {line.split()[0].split("@")[0] for line in listing.splitlines()}
    return {name for name in names if not name.startswith(INSTRUMENTATION)}


def main():
    *headers, library = sys.argv[1:]
    wanted, found = set().union(*map(declared, headers)), exported(library)
    if not wanted:
        sys.exit(f"{headers}: no SNUG_EXTERN function was read")
    for name in sorted(wanted - found):
        print(f"declared in the header and not exported: {name}")
    for name in sorted(found - wanted):
        print(f"exported and not declared in the header: {name}")
    if wanted != found:
        sys.exit(1)
    print(f"{len(found)} functions are exported, as declared")


main()
