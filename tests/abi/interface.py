"""What the public headers declare, as a compiler lays it out: the part that binaries depend on.

As a program it compares that with what is recorded, and records it.

interface.py check INCLUDE_DIR CC RECORD
interface.py record INCLUDE_DIR CC RECORD
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Elements of arrays that callers index, or whose elements they provide: these never change.
ARRAYS = {"snug_mime", "snug_mount", "snug_agent_prompt", "snug_agent_input", "snug_agent_image",
          "snug_value", "snug_input", "snug_column"}
# Where each header's functions are.
LIBRARIES = {"snug.h": "libsnug", "program.h": "libsnug", "task.h": "libsnug", "worker.h": "libsnug",
             "agent.h": "libsnug-agent",
             "library.h": "libsnug-agent", "supervisor.h": "libsnug-supervisor"}


def stripped(text):
    """Without comments, and a line for each line of a macro."""
    return re.sub(r"\\\n\s*", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))


def spaced(text):
    return re.sub(r"\s+", " ", text).strip()


def functions(text):
    """{"snug_version": "const char *snug_version(void)"}, without the names of parameters."""
    found = re.findall(r"^SNUG_EXTERN\s+([^;(]*?)\b(\w+)\(([^;]*)\);", text, re.MULTILINE)
    return {name: f"{spaced(kind)} {name}({', '.join(map(unnamed, parameters.split(',')))})".replace("* ", "*")
            for kind, name, parameters in found}


def unnamed(parameter):
    return re.sub(r"(?<=[\s*])\w+$", "", spaced(parameter)).strip() or spaced(parameter)


def declarators(line):
    """("uint64_t", ["awake", "parked"]) of one member declaration."""
    callback = re.match(r"(.*?)\(\*(\w+)\)(\(.*\))$", line)
    if callback:
        return spaced(f"{callback[1]}(*){callback[3]}"), [callback[2]]
    first, *more = [part.strip() for part in line.split(",")]
    kind, name = re.match(r"(.*?[\s*])(\w+)$", first).groups()
    return spaced(kind), [name] + [word.lstrip("*") for word in more]


def structs(text):
    """{"snug_limits": [("wall_ms", "uint64_t"), ...]}"""
    found = re.findall(r"^typedef struct \w+ \{(.*?)\} (\w+);", text, re.MULTILINE | re.DOTALL)
    out = {}
    for body, name in found:
        members = out[name] = []
        for line in filter(None, map(spaced, body.split(";"))):
            kind, names = declarators(line)
            members += [(one, kind) for one in names]
    return out


def enumerators(text):
    found = re.findall(r"^typedef enum \w+ \{(.*?)\} (\w+);", text, re.MULTILINE | re.DOTALL)
    return {name: re.findall(r"\bSNUG_\w+\b(?=\s*(?:=[^,]*)?(?:,|\Z))", body.strip()) for body, name in found}


def laid_out(include, compiler, all_structs, all_enums):
    """{"snug_limits": (size, {"wall_ms": (offset, size)})}, {"SNUG_OK": 0}"""
    lines = ["#include <stdio.h>", *(f"#include <snug/{name}>" for name in LIBRARIES), "#include <stddef.h>",
             "int main(void)", "{"]
    for name, members in all_structs.items():
        lines.append(f'    printf("struct {name} %zu\\n", sizeof({name}));')
        lines += [f'    printf("member {name} {one} %zu %zu\\n", offsetof({name}, {one}), '
                  f'sizeof((({name} *)0)->{one}));' for one, _ in members]
    for words in all_enums.values():
        lines += [f'    printf("value {word} %d\\n", (int){word});' for word in words]
    lines += ['    printf("version %d.%d\\n", SNUG_VERSION_MAJOR, SNUG_VERSION_MINOR);', "    return 0;", "}", ""]
    with tempfile.TemporaryDirectory(prefix="snug-abi-") as folder:
        source, program = pathlib.Path(folder) / "layout.c", pathlib.Path(folder) / "layout"
        source.write_text("\n".join(lines), encoding="utf-8")
        subprocess.run([compiler, "-I", include, source, "-o", program], check=True)
        output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    sizes, values, version = {}, {}, ""
    for line in output.splitlines():
        word, *rest = line.split()
        if word == "struct":
            sizes[rest[0]] = (int(rest[1]), {})
        elif word == "member":
            sizes[rest[0]][1][rest[1]] = (int(rest[2]), int(rest[3]))
        elif word == "value":
            values[rest[0]] = int(rest[1])
        else:
            version = rest[0]
    return sizes, values, version


def described(include, compiler):
    """The lines of a record."""
    texts = {name: stripped((pathlib.Path(include) / "snug" / name).read_text(encoding="utf-8"))
             for name in LIBRARIES}
    all_structs = {name: members for text in texts.values() for name, members in structs(text).items()}
    all_enums = {name: words for text in texts.values() for name, words in enumerators(text).items()}
    sizes, values, version = laid_out(include, compiler, all_structs, all_enums)
    lines = [f"version {version}"]
    for name, library in LIBRARIES.items():
        lines += [f"function {library} {declaration}" for _, declaration in sorted(functions(texts[name]).items())]
    for name, members in sorted(all_structs.items()):
        lines.append(f"struct {name} {sizes[name][0]}")
        for one, kind in members:
            offset, size = sizes[name][1][one]
            lines.append(f"member {name} {one} {offset} {size} {kind}")
    for name, words in sorted(all_enums.items()):
        lines += [f"value {name} {word} {values[word]}" for word in words]
    return lines


def problems(lines):
    """What would make a struct that cannot grow, whatever was there before."""
    rows = [line.split(maxsplit=5) for line in lines]
    ends, firsts = {}, {}
    for row in rows:
        if row[0] == "member":
            ends[row[1]] = int(row[3]) + int(row[4])
            firsts.setdefault(row[1], (row[2], row[5]))
    for name, size in ((row[1], int(row[2])) for row in rows if row[0] == "struct"):
        is_sized = firsts[name] == ("size", "size_t")
        if is_sized and ends[name] != size:
            yield f"{name} ends in padding, where an older caller has anything and a newer member would be"
        if name.endswith(("_options", "_limits")) and not is_sized:
            yield f"{name} does not begin with its size"


def breaks(old, new):
    """Why a program that was built with the old record does not go with the new one."""
    has = set(new)
    sizes = {line.split()[1]: int(line.split()[2]) for line in new if line.startswith("struct ")}
    for line in old:
        if line in has or line.startswith("version "):
            continue
        kind, name, *rest = line.split()
        if kind == "function" and line.replace(" void snug_", " int snug_", 1) in has:
            continue  # who expects nothing does not look where an int is returned
        if kind == "struct" and name in sizes and name not in ARRAYS and sizes[name] > int(rest[0]):
            continue
        yield f"is gone or has changed: {line}"
    grown = {line.split()[1]: int(line.split()[2]) for line in old if line.startswith("struct ")}
    for line in set(new) - set(old):
        kind, name, *rest = line.split()
        if kind == "member" and name in grown and int(rest[1]) < grown[name]:
            yield f"has come where something was, or padding: {line}"


def version_of(lines):
    return lines[0].split()[1]


def main():
    action, include, compiler, path = sys.argv[1:]
    record = pathlib.Path(path)
    new = described(include, compiler)
    old = record.read_text(encoding="utf-8").splitlines() if record.exists() else new
    faults = [f"wrong: {problem}" for problem in problems(new)]
    if version_of(old) == version_of(new):
        faults += [f"breaks programs of {version_of(old)}: {problem}" for problem in breaks(old, new)]
    if action == "check" and not faults and old != new:
        faults = [f"not recorded: {line}" for line in sorted(set(new) - set(old))] or ["the order has changed"]
        faults.append(f"record it: interface.py record {include} {compiler} {path}")
    if faults:
        sys.exit("\n".join(faults))
    if action == "record":
        record.write_text("\n".join(new) + "\n", encoding="utf-8")
    print(f"{len(new)} lines of {version_of(new)} are as recorded")


if __name__ == "__main__":
    main()
