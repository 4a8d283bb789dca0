"""Make libsnug-program.a: all that the CMake target snug_program_python brings, in one archive.

usage: program_archive.py AR NM OBJCOPY READELF PYTHON_ARCHIVE OUTPUT LINKER... -- OBJECT...

LINKER... is the compiler with the options that join objects into one. They have to stay together:
what takes the place of malloc and of CPython's functions must be in the program whatever it calls.
The names that the layers share are made local, so that they meet no name of the program's own.
PYTHON_ARCHIVE is the copy that archive.py made; its table of built-in modules is ours.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def undefined(nm, archive):
    listing = subprocess.run([nm, "-u", "--format=posix", archive], check=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    return {row[0] for row in rows if row[1:2] == ["U"]}


def hidden(readelf, member):
    """Names that the object defines for its own layers: NUM: VALUE SIZE TYPE BIND VIS NDX NAME."""
    listing = subprocess.run([readelf, "-sW", member], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    return {row[7] for row in rows if len(row) == 8 and row[4] in ("GLOBAL", "WEAK")
            and row[5] == "HIDDEN" and row[6] != "UND"}


def main(ar, nm, objcopy, readelf, archive, output, *words):
    at = words.index("--")
    linker, objects = words[:at], words[at + 1:]
    with tempfile.TemporaryDirectory() as folder:
        whole, names = pathlib.Path(folder, "snug.o"), pathlib.Path(folder, "names")
        subprocess.run([*linker, "-o", whole, *objects], check=True)
        own = hidden(readelf, whole) - undefined(nm, archive)
        names.write_text("\n".join(sorted(own)) + "\n")
        subprocess.run([objcopy, f"--localize-symbols={names}", whole], check=True)

        made = pathlib.Path(folder, "made.a")
        shutil.copyfile(archive, made)
        subprocess.run([ar, "d", made, "config.o"], check=True)
        subprocess.run([ar, "r", made, whole], check=True)
        shutil.move(made, output)


main(*sys.argv[1:])
