"""Makes the program's own table of built-in modules from the archive's config.c.

usage: inittab.py CONFIG_C MINOR OUTPUT

A table of our own takes the place of the archive's config.o, so that the program
holds only the modules it wants. Left out are those that no session may have and
that nothing else needs.
"""
import pathlib
import re
import sys

LEFT_OUT = {
    "faulthandler",      # takes over the process's fault signals
    "_tracemalloc",      # hooks the allocators
    "spwd", "syslog",    # the machine's users and logs
    "xxsubtype", "_xxtestfuzz",
}
# The archives of Debian 13 and 14 lack the objects of these from that minor version on. hashlib takes
# OpenSSL's; for BLAKE2 it wants _blake2 (blake2.c).
LACK_OBJECTS = {"_sha2": 13, "_md5": 14, "_sha1": 14, "_sha3": 14}


def main():
    config, minor, output = pathlib.Path(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    rows = re.findall(r'^\s*\{"(\w+)",\s*(\w+)\}', config.read_text(), re.M)
    rows = [(name, init) for name, init in rows if name not in LEFT_OUT and
            minor < LACK_OBJECTS.get(name, sys.maxsize)]
    lines = ["/* Made by inittab.py. */", "#include <Python.h>", ""]
    lines += [f"extern PyObject *{init}(void);" for _, init in rows if init != "NULL"]
    lines += ["", "struct _inittab _PyImport_Inittab[] = {"]
    lines += [f'    {{ "{name}", {init} }},' for name, init in rows]
    lines += ["    { 0, 0 },", "};", ""]
    output.write_text("\n".join(lines))


main()
