"""Copy libpython's archive, so that a program can take the place of some functions and can
tell where some code lies.

usage: archive.py AR NM OBJCOPY OBJDUMP ARCHIVE COPY NAME=ORIGINAL... NAME+ORIGINAL... OBJECT/NAME=OURS... OBJECT:SECTION...

NAME=ORIGINAL: the object that defines the function NAME defines ORIGINAL instead. All other
objects, and extension modules, still refer to NAME, which the program defines and exports.
NAME+ORIGINAL: the same, for calls from within that object too: NAME is weak there, and ORIGINAL
its second name.
OBJECT/NAME=OURS: that object alone calls OURS in NAME's place.
OBJECT:SECTION: the object's code goes to a section of that name, so that the linker defines
__start_SECTION and __stop_SECTION.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def member_that_defines(name, listing):
    for line in listing.splitlines():
        place, _, symbol = line.rpartition(":")
        if symbol.split()[1:] == ["T", name]:
            return place.rpartition(":")[2]
    sys.exit(f"archive.py: no object defines {name}")


def code_sections(member, objdump):
    """Names of the sections with code, from objdump -h: each has a line of flags below."""
    listing = subprocess.run([objdump, "-h", member], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = listing.splitlines()
    return [above.split()[1] for above, flags in zip(lines, lines[1:]) if "CODE" in flags]


def place_of(name, member, objdump):
    """SECTION:OFFSET of a function, from objdump -t: VALUE FLAGS SECTION SIZE [.hidden] NAME."""
    listing = subprocess.run([objdump, "-t", member], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in listing.splitlines():
        words = line.split()
        if words and words[-1] == name:
            section = next(word for word in words if word.startswith("."))
            return f"{section}:0x{words[0]}"
    sys.exit(f"archive.py: {member} has no symbol {name}")


def main(ar, nm, objcopy, objdump, archive, copy, *changes):
    names = subprocess.run([nm, "-A", "--defined-only", archive], check=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    with tempfile.TemporaryDirectory() as directory:
        def run(*command):
            subprocess.run(command, cwd=directory, check=True)

        changed = pathlib.Path(directory, "copy.a")
        shutil.copyfile(archive, changed)
        for change in changes:
            sign = next(sign for sign in "=+:" if sign in change)
            if "/" in change:
                member, _, change = change.partition("/")
                name, _, original = change.partition(sign)
            elif sign != ":":
                name, _, original = change.partition(sign)
                member = member_that_defines(name, names)
            else:
                member, _, section = change.partition(":")
            # Out of the copy: an object may be changed more than once.
            run(ar, "x", "copy.a", member)
            if sign == "+":
                place = place_of(name, pathlib.Path(directory, member), objdump)
                options = [f"--weaken-symbol={name}", f"--add-symbol={original}={place},function,global"]
            elif sign == "=":
                options = [f"--redefine-sym={name}={original}"]
            else:
                found = code_sections(pathlib.Path(directory, member), objdump)
                options = [f"--rename-section={code}={section}" for code in found]
            run(objcopy, *options, member)
            run(ar, "r", "copy.a", member)
        shutil.move(changed, copy)


main(*sys.argv[1:])
