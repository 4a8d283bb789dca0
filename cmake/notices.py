"""Make NOTICE: what the files of an installation hold or load besides snug's own code, and under
which terms.

usage: notices.py OUTPUT FILE[+ARCHIVE...]...

FILE is a program or library that was built, and each ARCHIVE what was linked into it; what it loads when it
is started is read from it. Terms are quoted as the distribution has them, in the file `copyright` of each
package; what no package owns is named, and nothing is said of its terms but where they may be.
"""
import collections
import pathlib
import re
import subprocess
import sys

DOC = pathlib.Path("/usr/share/doc")
# The C library and the compiler's own: they are named, and their terms are those of any program here.
NOT_QUOTED = {"libc6", "libgcc-s1"}


def output_of(*words):
    try:
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def loaded(path):
    """{"libz.so.1": its file}: what the dynamic linker is asked for by the file itself."""
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", path))
    places = dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", path), re.MULTILINE))
    return {name: places.get(name, "") for name in names if not name.startswith(("libsnug", "ld-linux"))}


def packages_of(places):
    """{file: (package, version)} of those that a package owns; asked at once, for each question takes long."""
    names = {}
    for place in filter(None, places):
        real = str(pathlib.Path(place).resolve())
        names |= {real: place, real.removeprefix("/usr"): place}
    # Its status says that some are of nobody, as half of these names are.
    try:
        listing = subprocess.run(["dpkg-query", "-S", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True).stdout
    except OSError:
        return {}
    owners = {names[path]: owner for owner, path in re.findall(r"^(\S+?)(?::\S+)?: (/.*)$", listing, re.MULTILINE)}
    versions = output_of("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *set(owners.values()))
    versions = dict(line.split() for line in versions.splitlines())
    return {place: (owner, versions.get(owner, "")) for place, owner in owners.items()}


def terms(package, path):
    """Where the terms are written down."""
    places = [DOC / package / "copyright"] if package else []
    # Python's own folder has them where nobody has packed it.
    places += [folder / "LICENSE.txt" for folder in pathlib.Path(path or "/").parents if folder.name.startswith("python")]
    return next((place for place in places if place.is_file()), None)


def main(output, *files):
    uses, places = collections.defaultdict(lambda: ([], [])), {}
    for word in files:
        file, *archives = word.split("+")
        name = pathlib.Path(file).name
        found = [(pathlib.Path(archive).name, archive, 0) for archive in archives]
        found += [(library, place, 1) for library, place in loaded(file).items()]
        for library, place, how in found:
            uses[library][how].append(name)
            places[library] = place
    packages = packages_of(set(places.values()))

    lines = ["What this build of snug holds or loads besides its own code, which is under the MIT licence (LICENSE).",
             "Made when it was built, of the files of the machine that built it.", ""]
    quoted = {}
    for library in sorted(uses):
        place = places[library]
        package, version = packages.get(place, ("", ""))
        within, beside = uses[library]
        lines.append(f"{library}" + (f" ({package} {version})" if package else f" ({place or 'not found'})"))
        if within:
            lines.append(f"    is part of: {', '.join(within)}")
        if beside:
            lines.append(f"    is loaded by: {', '.join(beside)}")
        where = terms(package, place)
        if package in NOT_QUOTED:
            lines.append(f"    terms: {where or 'with the package'}")
        elif where:
            lines.append(f"    terms: below, as in {where}")
            quoted.setdefault(where.read_text(encoding="utf-8", errors="replace"), []).append(library)
        else:
            lines.append("    terms: with its sources; no file with them was found where this was built")
    for text, libraries in quoted.items():
        lines += ["", "=" * 78, ", ".join(libraries), "=" * 78, "", text.rstrip()]
    pathlib.Path(output).write_text("\n".join(lines) + "\n", encoding="utf-8")


main(*sys.argv[1:])
