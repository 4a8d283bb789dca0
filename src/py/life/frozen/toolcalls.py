"""Finds calls of the host's functions that cannot be right, for scan.py.

Its head, as a .pyi file has it behind "def", says what a function takes:
"github.search(query: str, limit: int = 10) -> dict". Only what is sure is found: names that the
source binds itself are its own, what it expects to fail may, and of an argument only a literal has
a type here.
"""
import ast

MOST_HINT = 300
MOST_SHOWN = 60  # of a value

JSON_LISTS = (list, tuple, set)
# What a literal may be for an annotation. Others fit everything.
TYPES = {"str": (str,), "int": (int, float), "float": (int, float), "bool": (bool, int),
         "list": JSON_LISTS, "tuple": JSON_LISTS, "set": JSON_LISTS, "dict": (dict,), "None": (type(None),)}
DISPLAYS = {ast.List: list, ast.ListComp: list, ast.Tuple: tuple, ast.Set: set, ast.SetComp: set,
            ast.Dict: dict, ast.DictComp: dict, ast.JoinedStr: str}
INDEXED = ("list", "dict", "Literal")
ALTERNATIVES = 32  # of a union; one of more fits everything

# By these a source gives names a meaning that its tree does not show.
BINDERS = frozenset(("exec", "globals", "locals", "vars"))
PROBES = frozenset(("hasattr", "dir"))  # of what a server has
CHANGERS = frozenset(("setattr", "delattr"))
TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))
WITH_STATEMENTS = (ast.With, ast.AsyncWith)
MAGIC = "__snug_magic__"  # as scan.py has it
LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def listed(words, last):
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def cut(text, most):
    return text if len(text) <= most else text[:most - 4] + " ..."


# ---- values ----

def literal(node):
    """The (type, value) of a literal; of a display (type, None); None where running would tell."""
    if type(node) is ast.UnaryOp and type(node.op) is ast.USub:
        node = node.operand
        if type(node) is not ast.Constant or type(node.value) not in (int, float):
            return None
        return type(node.value), -node.value
    if type(node) is ast.Constant:
        return type(node.value), node.value
    kind = DISPLAYS.get(type(node))
    return kind and (kind, None)


def alternatives(annotation):
    """Those of a union, "int | None"; none where they are too many."""
    todo, found = [annotation], []
    while todo:
        node = todo.pop()
        if type(node) is ast.BinOp and type(node.op) is ast.BitOr:
            todo += node.right, node.left
        else:
            found.append(node)
    return found if len(found) <= ALTERNATIVES else []


def name_of(annotation):
    node = annotation.value if type(annotation) is ast.Subscript else annotation
    if type(node) is ast.Constant and node.value is None:
        return "None"
    return node.id if type(node) is ast.Name else ""


def choices(annotation):
    """The values of Literal[...]."""
    node = annotation.slice
    found = [literal(item) for item in (node.elts if type(node) is ast.Tuple else [node])]
    return None if None in found else found


def is_same(one, other):
    """Of (type, value): 1 and 1.0 are the same in JSON, 1 and true are not."""
    return one[1] == other[1] and (one[0] is bool) == (other[0] is bool)


def of_choices(annotation, node):
    wanted, found = choices(annotation), literal(node)
    if type(node) is ast.JoinedStr:  # any text
        return not wanted or any(kind is str for kind, _ in wanted)
    return not wanted or any(is_same(found, one) for one in wanted)


def inner(annotation, node):
    """(the annotation of each part, the parts) of a display whose type says what is in it."""
    name, index = name_of(annotation), annotation.slice
    if name == "list" and type(node) in (ast.List, ast.Tuple, ast.Set):
        return index, node.elts
    if name == "dict" and type(node) is ast.Dict and type(index) is ast.Tuple and len(index.elts) == 2:
        return index.elts[1], [value for key, value in zip(node.keys, node.values) if key]
    return None, ()


def fits_one(annotation, node):
    found, name = literal(node), name_of(annotation)
    if type(annotation) is ast.Subscript and name in INDEXED and found:
        if name == "Literal":
            return of_choices(annotation, node)
        part, parts = inner(annotation, node)
        return found[0] in TYPES[name] and all(fits(part, item) for item in parts)
    if not found or name not in TYPES:
        return True
    kind, value = found
    if name == "int" and kind is float:
        return value.is_integer()
    return kind in TYPES[name] or (kind is bool and name in ("int", "float"))


def fits(annotation, node):
    """Whether the value could be what the annotation says. As deep as the annotation, no deeper."""
    some = alternatives(annotation)
    return not some or any(fits_one(one, node) for one in some)


def is_within(annotation, node):
    """Whether it is a part of the value that does not fit."""
    return type(node) in DISPLAYS and any(literal(node)[0] in TYPES.get(name_of(one), ())
                                          for one in alternatives(annotation))


def wanted(annotation):
    if type(annotation) is ast.Subscript and name_of(annotation) == "Literal" and choices(annotation):
        return listed([repr(value) for _, value in choices(annotation)], "or")
    return ast.unparse(annotation)


def shown(node):
    kind, value = literal(node)
    return cut(repr(value), MOST_SHOWN) if type(node) not in DISPLAYS else "a " + kind.__name__


# ---- what the source expects ----

def exceptions(node):
    """The names of the exceptions that end in the statement, if it is a try or a with: those of its
    handlers, of suppress(...) or of assertRaises(...)."""
    if isinstance(node, TRIES):
        kinds = [handler.type for handler in node.handlers]
    elif isinstance(node, WITH_STATEMENTS):
        calls = [item.context_expr for item in node.items]
        kinds = [arg for call in calls if type(call) is ast.Call for arg in call.args]
    else:
        return frozenset()
    some = [one for kind in kinds for one in (kind.elts if type(kind) is ast.Tuple else [kind])]
    return frozenset(one.id for one in some if type(one) is ast.Name)


def expected(trees):
    """{id(node): the exceptions that may come of it} of what stands in such statements."""
    found, todo = {}, [(tree, frozenset()) for tree in trees]
    while todo:
        node, names = todo.pop()
        if names:
            found[id(node)] = names
        if isinstance(node, LATER):
            names = frozenset()
        more = exceptions(node)
        body = set(map(id, node.body)) if more else ()
        todo.extend((child, names | more if id(child) in body else names)
                    for child in ast.iter_child_nodes(node))
    return found


# ---- functions ----

class Function:
    """A function of the host, of its head."""

    def __init__(self, head):
        self.head = head
        self.name, bracket, rest = head.partition("(")
        if not bracket or not all(part.isidentifier() for part in self.name.split(".", 1)):
            raise ValueError(f"{head!r} is not NAME(PARAMETERS)")
        try:
            [made] = ast.parse(f"def f({rest}: pass").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f"{head!r} has no parameters of Python") from None
        args = made.args
        self.positional = args.posonlyargs + args.args
        self.named = {arg.arg: arg for arg in args.args + args.kwonlyargs}
        self.takes_more, self.takes_names = args.vararg, args.kwarg
        needed = len(self.positional) - len(args.defaults)
        self.required = [arg.arg for arg in self.positional[:needed]]
        self.required += [arg.arg for arg, default in zip(args.kwonlyargs, args.kw_defaults) if not default]

    def value(self, arg, node):
        """Of one argument: (where, message) if its value cannot be right."""
        is_left_out = type(node) is ast.Constant and node.value is None and arg.arg not in self.required
        if not arg.annotation or is_left_out or fits(arg.annotation, node):
            return None
        message = f"{self.name}: {arg.arg} must be {wanted(arg.annotation)}"
        return node, message if is_within(arg.annotation, node) else f"{message}, not {shown(node)}"

    def places(self, call):
        """(where, message) of the arguments without a name, None for those that are fine."""
        for arg, node in zip(self.positional, call.args):
            yield self.value(arg, node)
        more = call.args[len(self.positional):]
        if more and not self.takes_more:
            most, count = len(self.positional), len(call.args)
            yield more[0], f"{self.name} takes {most or 'no'} argument{'s' * (most != 1)} without a name, not {count}"

    def keyword(self, keyword, given):
        if keyword.arg in self.named:
            if keyword.arg in given:
                return keyword, f"{self.name}: {keyword.arg} is given twice"
            return self.value(self.named[keyword.arg], keyword.value)
        if not self.takes_names:
            return keyword, f"{self.name} has no argument {keyword.arg}"
        return None

    def faults(self, call):
        """(where, message) of what is wrong with its arguments; None among them."""
        is_open = any(type(arg) is ast.Starred for arg in call.args)
        given = set()
        if not is_open:
            given.update(arg.arg for arg, _ in zip(self.positional, call.args))
            yield from self.places(call)
        for keyword in call.keywords:
            if keyword.arg:
                yield self.keyword(keyword, given)
        given |= self.named.keys() & {keyword.arg for keyword in call.keywords}
        is_open |= any(not keyword.arg for keyword in call.keywords)
        missing = [name for name in self.required if name not in given]
        if missing and not is_open:
            yield call, f"{self.name} needs {listed(missing, 'and')}"


class Tools:
    """All functions of the host."""

    def __init__(self, heads):
        self.functions = {}
        self.servers = {}  # name: its functions
        self.expected = {}
        self.is_sure = True  # that names mean what they seem to
        self.probed, self.changed = set(), set()  # names of servers
        for function in map(Function, heads):
            self.functions[function.name] = function
            server, dot, own = function.name.partition(".")
            if dot:
                self.servers.setdefault(server, []).append(own)

    def read(self, trees, names):
        """Learns what the source itself does to names. names: as scan.py has them."""
        self.is_sure = not names.stars
        self.expected = expected(trees)
        for node, _ in names.uses:
            if type(node) is ast.Call:
                self.read_call(node)
            elif type(node) is ast.Attribute and type(node.ctx) is not ast.Load:
                self.changed.add(getattr(node.value, "id", ""))

    def read_call(self, call):
        name = getattr(call.func, "id", "")
        args = [getattr(arg, "id", getattr(arg, "value", "")) for arg in call.args]
        if name in BINDERS and (not args or name == "exec") or name == MAGIC and args[:1] == ["run"]:
            self.is_sure = False
        elif name in PROBES:
            self.probed.update(args[:1])
        elif name in CHANGERS:
            self.changed.update(args[:1])

    def unknown(self, node, name):
        """Of an attribute that a server does not have."""
        server, dot, own = name.partition(".")
        if not dot or "." in own or own.startswith("_") or own in self.servers.get(server, (own,)):
            return
        if server in self.probed or "AttributeError" in self.expected.get(id(node), ()):
            return
        import difflib
        close = difflib.get_close_matches(own, self.servers[server], 1)
        hint = f"Did you mean {server}.{close[0]}?" if close else "It has " + listed(self.servers[server], "and")
        yield node, name, f"{server} has no function {own}", cut(hint, MOST_HINT)

    def called(self, call, name):
        """Of the arguments of a call."""
        function = self.functions.get(name)
        if not function or "TypeError" in self.expected.get(id(call), ()):
            return
        for fault in function.faults(call):
            if fault:
                yield fault[0], name, fault[1], "It is " + cut(function.head, MOST_HINT)

    def findings(self, node, scope, names):
        """(where, subject, message, hint) of an expression. names: as scan.py has them."""
        if not self.is_sure:
            return
        name = names.foreign(node.func if type(node) is ast.Call else node, scope) or ""
        if name.partition(".")[0] in self.changed:
            return
        if type(node) is ast.Call:
            yield from self.called(node, name)
        elif type(node) is ast.Attribute and type(node.ctx) is ast.Load:
            yield from self.unknown(node, name)
