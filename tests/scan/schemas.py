"""Random tools with JSON schemas, and random calls of them: a call that a validator of JSON Schema takes is no finding of
snug check, and no TypeError of the function. What snug tools prints is right for mypy.

usage: SNUG=PROGRAM schemas.py [--count TOOLS] [--seed N]

Judged by python3-jsonschema; skipped, status 77, without it. Of names that no schema has only those are given that one
allows in so many words: snug's functions take what is described.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not here")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.path.join(HERE, "..", "cli", "tools_server.py")
SNUG = os.path.abspath(os.environ["SNUG"])
SECONDS = 600
CALLS = 8  # of each tool
A_SERVER = 200  # tools of one

TEXTS = ["", "a", "b", "open", "closed", "int", "Any", "x\"y", "back\\slash", "\u00e9", "\U0001f600", "line\nend", "None", "1"]
NUMBERS = [0, 1, 2, -1, -0.0, 1.0, 1.5, 2.0, -3, 1e10, 2 ** 63, 10 ** 30]
PLACES = ["A", "B", "C", "D", "a/b", "c~d", "e f", "\u00e9", "L[int]", "p%q", "0", "q\"r"]
MEMBERS = ["a", "b", "c", "str", "from", "a-b", "list", "__x", "self", "\u00e9"]
OLD = "http://json-schema.org/draft-07/schema#"
NEW = "https://json-schema.org/draft/2020-12/schema"


class Maker:
    """Of the schemas of one tool."""

    def __init__(self, rng):
        self.rng = rng
        self.dialect = rng.choice([OLD, NEW, None])
        self.folder = "definitions" if self.dialect == OLD else "$defs"
        self.names = rng.sample(PLACES, rng.randint(1, 5))

    def pointer(self, name):
        text = name.replace("~", "~0").replace("/", "~1").replace("%", "%25").replace('"', "%22")
        if self.rng.random() < 0.3:
            text = "".join(f"%{byte:02x}" if self.rng.random() < 0.5 or byte > 127 else chr(byte) for byte in text.encode())
        return f"#/{self.folder}/" + (text if "%" in text else text.replace(" ", "%20"))

    def value(self, depth=2):
        kind = self.rng.randrange(7 if depth else 5)
        if kind == 5:
            return [self.value(depth - 1) for _ in range(self.rng.randrange(3))]
        if kind == 6:
            return {name: self.value(depth - 1) for name in self.rng.sample(MEMBERS, self.rng.randrange(3))}
        return [None, self.rng.random() < 0.5, self.rng.choice(TEXTS), self.rng.choice(TEXTS), self.rng.choice(NUMBERS)][kind]

    def reference(self):
        rng, where = self.rng, rng_choice(self.rng, ((8, "definition"), (1, "root"), (1, "deep")))
        if where == "root":
            return "#"
        pointer = self.pointer(rng.choice(self.names))
        return pointer + rng.choice(["/items", "/anyOf/0", "/properties/a", "/allOf/1"]) if where == "deep" else pointer

    def schema(self, depth):
        rng = self.rng
        if rng.random() < 0.06:
            return rng.choice([True, {}, {"description": "Anything."}])
        made = {}
        kind = rng_choice(rng, ((5, "type"), (5, "reference"), (2, "choice"), (2, "union"), (2, "all"), (1, "several"), (1, "older")))
        if depth <= 0 and kind in ("union", "all", "older"):
            kind = "type"
        if kind == "type":
            self.add_type(made, depth)
        elif kind == "reference":
            made["$ref"] = self.reference()
            if rng.random() < 0.2:
                self.add_type(made, depth)
        elif kind == "choice":
            made["enum"] = [self.value(0 if rng.random() < 0.8 else 1) for _ in range(rng.randint(1, 4))]
            if rng.random() < 0.3:
                made = {"const": made["enum"][0]}
            if rng.random() < 0.3:
                self.add_type(made, depth)
        elif kind == "union":
            made[rng.choice(["anyOf", "oneOf"])] = [self.schema(depth - 1) for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.2:
                self.add_type(made, depth)
        elif kind == "all":
            made["allOf"] = [self.schema(depth - 1) for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.3:
                self.add_type(made, depth)
        elif kind == "several":
            made["type"] = rng.sample(["string", "integer", "number", "boolean", "null", "array", "object"], rng.randint(1, 3))
        else:
            made["not"] = self.schema(depth - 1)
        if rng.random() < 0.1:
            made["nullable"] = True
        if rng.random() < 0.2:
            made["description"] = rng.choice(["Of it.", 'A "quoted" \\ word.', "Two\nlines."])
        return made

    def add_type(self, made, depth):
        rng = self.rng
        made["type"] = rng.choice(["string", "integer", "number", "boolean", "null", "array", "object", "object", "array"])
        if depth <= 0:
            return
        if made["type"] == "array":
            if rng.random() < 0.8:
                made["items"] = self.schema(depth - 1)
            if rng.random() < 0.1:
                made.update({"items": [self.schema(0)]} if self.dialect == OLD else {"prefixItems": [self.schema(0)]})
        if made["type"] == "object":
            if rng.random() < 0.7:
                self.add_members(made, depth, MEMBERS)
            if rng.random() < 0.3:
                made["additionalProperties"] = self.schema(depth - 1)
            if rng.random() < 0.1:
                made["patternProperties"] = {"^b": self.schema(0)}

    def add_members(self, made, depth, names, most=3):
        names = self.rng.sample(names, self.rng.randint(0, most))
        made["properties"] = {name: self.schema(depth - 1) for name in names}
        if names and self.rng.random() < 0.5:
            made["required"] = self.rng.sample(names, self.rng.randint(1, len(names)))

    def arguments(self, depth=3):
        """A schema of arguments: as they are, or behind references."""
        made = {"type": "object"}
        self.add_members(made, depth, MEMBERS, 5)
        if self.rng.random() < 0.2:
            made["additionalProperties"] = self.rng.choice([True, False, {}, {"type": "integer"}])
        if self.rng.random() < 0.15:
            made[self.rng.choice(["anyOf", "oneOf"])] = [
                {"required": [self.rng.choice(MEMBERS)]}, self.rng.choice([{}, {"properties": {"z": {}}}, {"$ref": self.reference()}])]
        return made

    def root(self):
        definitions = {name: self.schema(3) for name in self.names}
        made = self.arguments()
        behind = self.rng.random()
        if behind < 0.3:
            name = self.rng.choice(self.names)
            definitions[name], made = made, {"$ref": self.pointer(name)}
            if behind < 0.1:
                made = {"allOf": [made, self.arguments(1)]}
        made[self.folder] = definitions
        if self.dialect:
            made["$schema"] = self.dialect
        return made


def rng_choice(rng, weighted):
    return rng.choices([what for _, what in weighted], [weight for weight, _ in weighted])[0]


# ---- values that a schema may like ----

def resolved(root, reference):
    """Where it leads, by the validator's own hand; None: nowhere."""
    try:
        return jsonschema.RefResolver("", root).resolve(reference)[1]
    except jsonschema.RefResolutionError:
        return None


def liked(rng, maker, root, schema, depth=6):
    """A value that is often right."""
    if not isinstance(schema, dict) or depth == 0 or rng.random() < 0.07:
        return maker.value()
    go = lambda one: liked(rng, maker, root, one, depth - 1)
    if "$ref" in schema:
        return go(resolved(root, schema["$ref"]))
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else rng.choice(schema["enum"])
    for word in "anyOf", "oneOf":
        if schema.get(word):
            return go(rng.choice(schema[word]))
    if schema.get("allOf"):
        values = [go(part) for part in schema["allOf"]]
        merged = {}
        for value in values:
            merged.update(value if isinstance(value, dict) else {})
        return merged if all(isinstance(value, dict) for value in values) else values[0]
    kind = schema.get("type")
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "array":
        return [go(schema.get("items")) for _ in range(rng.randrange(3))]
    if kind == "object":
        names = [name for name in schema.get("properties", {}) if name in schema.get("required", ()) or rng.random() < 0.5]
        value = {name: go(schema["properties"][name]) for name in names}
        if isinstance(schema.get("additionalProperties"), dict) and rng.random() < 0.7:
            value["more"] = go(schema["additionalProperties"])
        return value
    simple = {"string": TEXTS, "integer": [one for one in NUMBERS if one == int(one)], "number": NUMBERS, "boolean": [True, False],
              "null": [None]}
    return rng.choice(simple[kind]) if kind in simple else maker.value()


def parts(root, schema, seen=()):
    """The schemas that hold together for the arguments."""
    if not isinstance(schema, dict) or any(schema is one for one in seen):
        return []
    found, seen = [schema], (*seen, schema)
    if "$ref" in schema:
        found += parts(root, resolved(root, schema["$ref"]), seen)
    for one in schema.get("allOf", ()):
        found += parts(root, one, seen)
    return found


def described(root):
    """The names that arguments may have, and whether any may."""
    named, is_open = set(), False
    for part in parts(root, root):
        named |= set(part.get("properties", ()))
        is_open |= part.get("additionalProperties", False) is not False
        for branch in [*part.get("anyOf", ()), *part.get("oneOf", ())]:
            for one in parts(root, branch):
                named |= set(one.get("properties", ()))
    return named, is_open


# ---- calls ----

def call_text(name, arguments):
    plain = [f"{one}={value!r}" for one, value in arguments.items() if re.fullmatch(r"(?!__)[a-z_]+", one) and one != "from"]
    other = {one: value for one, value in arguments.items() if not re.fullmatch(r"(?!__)[a-z_]+", one) or one == "from"}
    return f"{name}({', '.join(plain + ([f'**{other!r}'] if other else []))})"


def verdict(validator, arguments):
    """Whether they are right; None where the schema itself is not."""
    try:
        return validator.is_valid(arguments)
    except (jsonschema.RefResolutionError, RecursionError):
        return None


def calls_of(rng, name, maker, root):
    """(text, whether it is right) each."""
    kind = jsonschema.Draft7Validator if maker.dialect == OLD else jsonschema.Draft202012Validator
    validator = kind(root)
    named, is_open = described(root)
    for _ in range(CALLS):
        arguments = liked(rng, maker, root, root)
        if not isinstance(arguments, dict):
            arguments = {}
        if rng.random() < 0.2:
            arguments["extra"] = maker.value()
        if not is_open:
            arguments = {one: value for one, value in arguments.items() if one in named or rng.random() < 0.1}
        right = verdict(validator, arguments)
        if right and not is_open and not set(arguments) <= named:
            right = None
        yield call_text(name, arguments), right


def run(*words, said=(0, 1)):
    done = subprocess.run([SNUG, *words], capture_output=True, encoding="utf-8", timeout=SECONDS)
    if done.returncode not in said:
        sys.exit(f"snug {words[0]}: status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def failures_of(folder, options, tools, calls):
    """Of one server: lines that say what is wrong; and how many wrong calls were found."""
    program = os.path.join(folder, "program.py")
    with open(program, "w", encoding="utf-8") as file:
        file.writelines(text + "\n" for text, _ in calls)
    found = {}
    for line in run("check", *options, program).splitlines():
        match = re.match(re.escape(program) + r":(\d+):\d+: (.*)", line)
        if match:
            found[int(match[1])] = match[2]
    for number, (text, right) in enumerate(calls, 1):
        if right and number in found:
            yield f"{text}: {found[number]}"
    with open(program, "w", encoding="utf-8") as file:
        file.writelines(f"try: {text}\nexcept TypeError as e: print('refused', {number}, e)\n"
                        for number, (text, right) in enumerate(calls) if right)
    for line in run("run", *options, program).splitlines():
        if line.startswith("refused "):
            yield f"{calls[int(line.split()[1])][0]}: {line}"
    failures_of.found += sum(not right and number in found for number, (_, right) in enumerate(calls, 1))
    yield from stub_faults(folder, run("tools", *options))


failures_of.found = 0


def stub_faults(folder, text):
    if not shutil.which("mypy"):
        return
    path = os.path.join(folder, "stubs.pyi")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(["mypy", "--config-file=", "--cache-dir=" + os.path.join(folder, "cache"), path], capture_output=True,
                          encoding="utf-8", timeout=SECONDS)
    if done.returncode:
        yield f"mypy: {done.stdout[:1000]}{done.stderr[-1000:]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    failures, right, wrong = [], 0, 0
    for first in range(0, asked.count, A_SERVER):
        tools, calls, roots = [], [], {}
        for number in range(first, min(first + A_SERVER, asked.count)):
            rng = random.Random(f"{asked.seed} {number}")
            maker = Maker(rng)
            root = maker.root()
            name = f"t{number}"
            roots[name] = root
            tools.append({"name": name, "inputSchema": root, "outputSchema": maker.schema(3) if rng.random() < 0.3 else {}})
            calls += calls_of(rng, "random_tools." + name, maker, root)
        right += sum(one is True for _, one in calls)
        wrong += sum(one is False for _, one in calls)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tools.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(tools, file)
            options = ["--upstream", f"random_tools=exec '{sys.executable}' '{SERVER}' '{path}'"]
            for failure in failures_of(folder, options, tools, calls):
                failures.append(failure)
                name = re.match(r"random_tools\.(t\d+)", failure)
                print(failure, *([f"  of {json.dumps(roots[name[1]])}"] if name else []), sep="\n")
    print(f"{asked.count} tools, {right} right calls, of {wrong} wrong ones {failures_of.found} found; {len(failures)} failures")
    if right < asked.count or failures_of.found < asked.count / 2:
        sys.exit("the calls are not what they should be: too few are right, or found")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
