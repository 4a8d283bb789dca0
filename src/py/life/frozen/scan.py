"""Finds the imports and the forbidden calls in a syntax tree, for scan_source.c.

Knows no policy: what may be imported and called is asked of the callables that
C passes in. Follows names through imports, plain assignments and scopes; what a
value is at run time it does not know. Nothing here recurses, since the source
chooses the depth of its tree.
"""
import ast
import builtins
import warnings

# What the parser warns of would go to the host's stderr.
warnings.simplefilter("ignore")

BUILTINS = frozenset(dir(builtins))
IMPORTERS = frozenset(("builtins.__import__", "builtins.__lazy_import__", "importlib.import_module",
                       "importlib.__import__"))
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Expressions that can stand for a module or one of its functions.
VALUES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.IfExp, ast.BoolOp, ast.NamedExpr)
USES = (ast.Import, ast.ImportFrom, ast.Name, ast.Attribute, ast.Subscript, ast.Call)

# Bounds on the work that a source can ask for; cells that people write stay far below.
DEPTH = 8    # components of a dotted name
STEPS = 20   # expressions looked at to resolve one
ROUNDS = 4   # passes over the assignments
NAMES = 8    # things that one name can stand for
NODES = 100_000  # of a tree that is compiled
MOST_FINDINGS = 1000


class Scope:
    """A module, function, class or comprehension and the names bound in it."""
    __slots__ = ("parent", "kind", "bound", "known", "elsewhere")

    def __init__(self, parent, kind):
        self.parent = parent
        self.kind = kind
        self.bound = set()
        self.known = {}      # name: the dotted names it can stand for
        self.elsewhere = {}  # name: the scope that global or nonlocal sends it to


class Names:
    """What the names of a module can stand for: "os.system", and "pathlib.Path()" for
    an object of a class."""

    def __init__(self, trees, rule):
        self.rule = rule
        self.module = Scope(None, "module")
        self.assigned = []    # (table, name, a dotted name or (expression, scope)), as in the source
        self.attributes = {}  # "self.run": the dotted names assigned to it, in any scope
        self.anywhere = {}    # name: the dotted names it stands for in some scope
        self.stars = []       # modules of `from x import *`
        self.homes = {}       # (scope, name): the scope that binds it
        self.uses = list(self.collect(trees))
        self.settle()

    def collect(self, trees):
        """Binds every name of the trees; yields (node, scope) of what can be a finding."""
        todo = [(tree, self.module) for tree in reversed(trees)]
        while todo:
            node, scope = todo.pop()
            if isinstance(node, USES):
                yield node, scope
            todo.extend(reversed(list(self.enter(node, scope))))

    def enter(self, node, scope):
        """Binds what node binds; yields its children with the scope that each is evaluated in."""
        if isinstance(node, FUNCTIONS + (ast.Lambda,)):
            yield from self.enter_function(node, scope)
            return
        if isinstance(node, COMPREHENSIONS):
            inner = Scope(scope, "comprehension")
            yield node.generators[0].iter, scope
            for child in ast.iter_child_nodes(node):
                if child is node.generators[0]:
                    yield child.target, inner
                    yield from ((test, inner) for test in child.ifs)
                else:
                    yield child, inner
            return
        if isinstance(node, ast.ClassDef):
            self.bind(node.name, scope)
            inner = Scope(scope, "class")
            body = set(map(id, node.body))
            for child in ast.iter_child_nodes(node):
                yield child, inner if id(child) in body else scope
            return
        if isinstance(node, ast.NamedExpr):
            outer = scope
            while outer.kind == "comprehension":
                outer = outer.parent
            self.bind(node.target.id, outer, node.value, scope)
            yield node.value, scope
            return
        self.bind_node(node, scope)
        for child in ast.iter_child_nodes(node):
            yield child, scope

    def enter_function(self, node, scope):
        inner = Scope(scope, "function")
        if not isinstance(node, ast.Lambda):
            self.bind(node.name, scope)
            yield from ((decorator, scope) for decorator in node.decorator_list)
            yield from ((parameter, inner) for parameter in getattr(node, "type_params", ()))
            if node.returns:
                yield node.returns, scope
        args = node.args
        plain = args.posonlyargs + args.args
        defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
        for arg, default in zip(plain + args.kwonlyargs, defaults + args.kw_defaults):
            self.bind(arg.arg, inner, default, scope)
            if default:
                yield default, scope
        for arg in (args.vararg, args.kwarg):
            if arg:
                self.bind(arg.arg, inner)
        for arg in plain + args.kwonlyargs + [args.vararg, args.kwarg]:
            if arg and arg.annotation:
                yield arg.annotation, scope
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        yield from ((statement, inner) for statement in body)

    def bind_node(self, node, scope):
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                self.bind(node.id, scope)
        elif kind is ast.Assign:
            for target in node.targets:
                self.assign(target, node.value, scope)
        elif kind is ast.AnnAssign:
            if node.value:
                self.assign(node.target, node.value, scope)
        elif kind is ast.Import:
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                self.bind(name, scope, alias.name if alias.asname else name)
        elif kind is ast.ImportFrom:
            for alias in node.names:
                if node.level:
                    self.bind(alias.asname or alias.name, scope)
                elif alias.name == "*":
                    self.stars.append(node.module)
                else:
                    self.bind(alias.asname or alias.name, scope, f"{node.module}.{alias.name}")
        elif kind is ast.Global:
            scope.elsewhere.update(dict.fromkeys(node.names, self.module))
        elif kind is ast.Nonlocal:
            for name in node.names:
                scope.elsewhere[name] = enclosing(name, scope)
        elif kind is ast.MatchMapping:
            if node.rest:
                self.bind(node.rest, scope)
        elif not isinstance(node, ast.alias) and isinstance(getattr(node, "name", None), str):
            self.bind(node.name, scope)  # except ... as, case ... as, type parameters

    def bind(self, name, scope, value=None, evaluated_in=None):
        """value: None if it is the user's own, a dotted name, or an expression."""
        scope = scope.elsewhere.get(name, scope)
        scope.bound.add(name)
        if isinstance(value, str):
            self.assigned.append((scope.known, name, value))
        elif isinstance(value, VALUES):
            self.assigned.append((scope.known, name, (value, evaluated_in or scope)))

    def assign(self, target, value, scope):
        todo = [(target, value)]
        while todo:
            target, value = todo.pop()
            if isinstance(target, ast.Name):
                self.bind(target.id, scope, value, scope)
            elif isinstance(target, ast.Attribute):
                name = spelled(target)
                if name and isinstance(value, VALUES):
                    self.assigned.append((self.attributes, name, (value, scope)))
            elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
                if len(target.elts) == len(value.elts):
                    todo.extend(zip(target.elts, value.elts))

    def settle(self):
        """Resolves the assignments until nothing new is learnt."""
        for _ in range(ROUNDS):
            learnt = False
            for table, name, value in self.assigned:
                found = [value] if isinstance(value, str) else self.resolve(*value)
                for dotted in found:
                    known = table.setdefault(name, set())
                    if dotted not in known and len(known) < NAMES:
                        known.add(dotted)
                        learnt = True
                        if table is not self.attributes:
                            self.anywhere.setdefault(name, set()).add(dotted)
            if not learnt:
                break

    def resolve(self, expression, scope):
        """The dotted names that the expression can stand for."""
        found = set()
        todo = [(expression, ())]
        for _ in range(STEPS):
            if not todo:
                break
            node, path = todo.pop()
            kind = type(node)
            if kind is ast.Name:
                found.update(self.named(node.id, path, scope))
            elif kind is ast.Attribute:
                todo.append((node.value, (node.attr, *path)[:DEPTH]))
            elif kind is ast.Subscript:
                key = text(node.slice)
                if key:
                    todo.append((node.value, ("[" + key, *path)[:DEPTH]))
            elif kind is ast.Call:
                for function in self.called(node, scope):
                    if function == "builtins.getattr" and len(node.args) > 1 and text(node.args[1]):
                        todo.append((node.args[0], (text(node.args[1]), *path)[:DEPTH]))
                    elif function == "builtins.vars" and len(node.args) == 1:
                        todo.append((node.args[0], ("__dict__", *path)[:DEPTH]))
                    elif function.rpartition(".")[2][0].isupper():
                        found.add(follow(function + "()", path))
                module = self.imported(node, scope)
                if module:
                    found.add(follow(module, path))
            elif kind is ast.NamedExpr:
                todo.append((node.value, path))
            elif kind is ast.IfExp:
                todo += (node.body, path), (node.orelse, path)
            elif kind is ast.BoolOp:
                todo += ((value, path) for value in node.values)
        found.discard(None)
        return found

    def named(self, name, path, scope):
        """Of a name and the attributes after it."""
        for dotted in self.lookup(name, scope):
            yield follow(dotted, path)
        if self.attributes:
            for i, step in enumerate(path, 1):
                name += "." + step
                for dotted in self.attributes.get(name, ()):
                    yield follow(dotted, path[i:])

    def lookup(self, name, scope):
        if name in self.anywhere or name in BUILTINS or name == "__builtins__" or self.stars:
            if (scope, name) not in self.homes:
                self.homes[scope, name] = home(name, scope)
            scope = self.homes[scope, name]
            if scope:
                return scope.known.get(name, ())
            if name == "__builtins__":
                return ("builtins",)
            if name in BUILTINS:
                return ("builtins." + name,)
            return (*self.anywhere.get(name, ()), *self.starred(name))
        return ()

    def foreign(self, node, scope):
        """The name as it is spelled, where nothing of the source binds it: one of an earlier cell,
        or a function of the host."""
        name = spelled(node)
        if not name or home(name.partition(".")[0], scope):
            return None
        return name

    def starred(self, name):
        """Which forbidden names it can be through `from x import *`. Where all of x is
        forbidden, the import says so, and any name would be one."""
        for module in self.stars:
            rule = self.rule(f"{module}.{name}")
            if rule and rule[0] != module + ".*":
                yield f"{module}.{name}"

    def called(self, call, scope):
        """The dotted names of the function, if it is a name or a dotted one."""
        path = ()
        node = call.func
        while type(node) is ast.Attribute and len(path) < DEPTH:
            path = (node.attr, *path)
            node = node.value
        if type(node) is not ast.Name:
            return set()
        return set(self.named(node.id, path, scope))

    def imported(self, call, scope, whole=False):
        """The module that __import__("x") or import_module("x") gives, or with whole
        the one that it loads; None for other calls."""
        importers = IMPORTERS & self.called(call, scope)
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        name = text(call.args[0] if call.args else named.get("name"))
        if not importers or not name:
            return None
        if whole or "importlib.import_module" in importers:
            return name
        if len(call.args) > 3 or "fromlist" in named:
            return name
        return name.partition(".")[0]


def home(name, scope):
    """The scope whose name it is, seen from scope; None if nothing binds it."""
    inner = scope
    while scope:
        scope = scope.elsewhere.get(name, scope)
        if name in scope.bound and (scope is inner or scope.kind != "class"):
            return scope
        scope = scope.parent
    return None


def enclosing(name, scope):
    """The scope that `nonlocal name` means; the scope itself where the compiler will
    refuse it."""
    functions = []
    outer = scope.parent
    while outer:
        if outer.kind == "function":
            if name in outer.bound:
                return outer
            functions.append(outer)
        outer = outer.parent
    return functions[0] if functions else scope


def text(node):
    """The string that the expression is, if it could be a name or a dotted one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if all(map(str.isidentifier, node.value.split("."))):
            return node.value
    return None


def spelled(node):
    """ "self.run" of such an expression, None of others."""
    path = []
    while type(node) is ast.Attribute and len(path) < DEPTH:
        path.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(path)]) if type(node) is ast.Name else None


def follow(dotted, path):
    """The dotted name that is reached from one by attributes and ["keys"]; None if it
    is not known."""
    for step in path:
        if dotted.count(".") >= DEPTH:
            break
        if step[0] != "[":
            dotted = f"{dotted}.{step}"
        elif dotted == "sys.modules":
            dotted = step[1:]
        elif dotted == "builtins":
            dotted = f"builtins.{step[1:]}"
        elif dotted.endswith(".__dict__"):
            dotted = dotted.removesuffix("__dict__") + step[1:]
        else:
            return None
    return dotted


def compiled(tree):
    return compile(tree, "<scan>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def refused(tree, questions):
    """What the compiler, which sees more than the parser, finds wrong ('return' outside
    function). Changes the tree."""
    nodes = list(ast.walk(tree))
    if len(nodes) > NODES:
        return None
    for node in nodes:
        # The compiler writes a finally block once for each way out of its try: a few
        # nested ones take all memory. For their syntax they can stand in the try itself.
        if getattr(node, "finalbody", None):
            node.body += node.finalbody
            node.finalbody = []
            if not node.handlers:
                node.handlers.append(ast.ExceptHandler(body=[ast.Pass()]))
                ast.copy_location(node.handlers[0], node)
                ast.copy_location(node.handlers[0].body[0], node)
    try:
        questions.compile(tree)
    except SyntaxError as error:
        # Unlike the parser's, this offset is counted in bytes.
        return (error.lineno or 0, (error.offset or 1) - 1, "syntax", type(error).__name__, error.msg,
                questions.hint(error))
    except RecursionError:
        return 0, 0, "syntax", "SyntaxError", "too deeply nested", ""
    except ValueError as error:
        # 3.13 refuses a docstring with a lone surrogate with a UnicodeEncodeError.
        return 0, 0, "syntax", "SyntaxError", str(error), ""
    return None


# ---- imports that may fail ----

TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))
BRANCHES = FUNCTIONS + TRIES + (ast.Lambda, ast.If, ast.IfExp, ast.While, ast.BoolOp, ast.Match)
IMPORT_ERRORS = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))
ENDS = frozenset(("exit", "quit", "sys.exit", "os._exit"))


def inside(nodes):
    """The nodes and what stands in them, but not what functions among them do when called."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, FUNCTIONS + (ast.Lambda,)):
            todo.extend(ast.iter_child_nodes(node))


def takes_import_error(kinds):
    """Whether one of the expressions names what a failed import raises, or what that is."""
    return any((spelled(node) or "").rpartition(".")[2] in IMPORT_ERRORS for kind in kinds
               for node in (kind.elts if isinstance(kind, ast.Tuple) else (kind,)))


def goes_on(handler):
    """Whether the program goes on behind the handler."""
    return not any(isinstance(node, ast.Raise) or
                   (isinstance(node, ast.Call) and spelled(node.func) in ENDS)
                   for node in inside(handler.body))


def fallback(node):
    """None where a failed import within the node ends the program, else the statements that come in
    its place."""
    if isinstance(node, TRIES):
        for handler in node.handlers:
            if handler.type is None or takes_import_error([handler.type]):
                return handler.body if goes_on(handler) else None
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        for call in (item.context_expr for item in node.items):
            if isinstance(call, ast.Call) and takes_import_error(call.args):
                if (spelled(call.func) or "").rpartition(".")[2] == "suppress":
                    return []
    return None


def replaced(statements):
    """The names that the statements give another meaning than None."""
    for node in inside(statements):
        if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from imported_names(node)
        elif isinstance(node, ast.Assign):
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def imported_names(node):
    for alias in node.names:
        yield alias.asname or alias.name.partition(".")[0]


class OptionalImports:
    """The imports of a program that it can do without, since it handles that one fails and does
    not use the name whatever came of it."""

    def __init__(self, trees):
        self.nodes = {}      # id(import or call that is handled): its names that nothing replaces
        self.needed = set()  # names that are used where no branch was taken
        self.tested = set()  # names that a branch depends on
        todo = [(tree, None, False) for tree in trees]
        while todo:
            node, kept, is_branch = todo.pop()
            self.note(node, kept, is_branch)
            todo.extend(self.enter(node, kept, is_branch))

    def enter(self, node, kept, is_branch):
        """Children, with the names that fallbacks give them, None: nothing handles that they fail."""
        if isinstance(node, FUNCTIONS + (ast.Lambda,)):
            kept = None
        statements = fallback(node)
        body, kept_within = (), kept
        if statements is not None:
            body, kept_within = set(map(id, node.body)), {*(kept or ()), *replaced(statements)}
        is_branch = is_branch or statements is not None or isinstance(node, BRANCHES)
        for child in ast.iter_child_nodes(node):
            yield child, kept_within if id(child) in body else kept, is_branch

    def note(self, node, kept, is_branch):
        if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            self.tested |= {name.id for name in inside([node.test]) if isinstance(name, ast.Name)}
        if kept is not None and isinstance(node, (ast.Import, ast.ImportFrom, ast.Call)):
            names = () if isinstance(node, ast.Call) else imported_names(node)
            self.nodes[id(node)] = set(names) - kept
        used = getattr(node, {ast.Attribute: "value", ast.Call: "func"}.get(type(node), ""), None)
        if isinstance(used, ast.Name) and not is_branch:
            self.needed.add(used.id)

    def has(self, node):
        names = self.nodes.get(id(node))
        return names is not None and not names & (self.needed - self.tested)


MAGIC = "__snug_magic__"  # what py/cell/magic.c makes of a line with a magic


def magic_calls(tree, cell):
    """(where, name, arguments, whether it is a cell's) of each magic."""
    if cell:
        name, args, line = cell
        where = ast.Constant(None, lineno=line, col_offset=0)
        yield where, name, args, True
    for node in ast.walk(tree):
        if type(node) is ast.Call and type(node.func) is ast.Name and node.func.id == MAGIC:
            words = [arg.value for arg in node.args
                     if type(arg) is ast.Constant and isinstance(arg.value, str)]
            if len(words) == len(node.args) == 2:
                yield node, *words, False


def program_at(where, source):
    """The tree of a program that stands at one place of another; None if it is none."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # which running tells
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno, node.col_offset = where.lineno, where.col_offset
    return tree


def remembered(function):
    answers = {}

    def ask(name):
        if name not in answers:
            answers[name] = function(name)
        return answers[name]
    return ask


class Questions:
    """What is asked of policy; C has the answers."""

    def __init__(self, allowed, explain, forbidden, stands_in=None, unwanted=None, hint=None, compiler=None):
        self.allowed, self.explain, self.forbidden = map(remembered, (allowed, explain, forbidden))
        self.stands_in = remembered(stands_in or (lambda name: False))
        self.unwanted = remembered(unwanted or (lambda name: None))
        self.hint = hint or (lambda error: "")
        self.compile = compiler or compiled


class Judge:
    """The findings of one source."""

    def __init__(self, questions, tools=None):
        self.ask = questions
        self.tools = tools
        self.findings = {}
        self.optional = None
        self.is_optional = False  # the import that is looked at may fail
        self.absent = set()       # modules that such an import does not give

    def add(self, node, rule, subject, message, hint=""):
        # One thing at one place is one finding: os.system and os.system.__call__ are the same.
        key = node.lineno, node.col_offset, rule, subject.partition(".")[0]
        self.findings.setdefault(key, (node.lineno, node.col_offset, rule, subject, message, hint))

    def sorted(self):
        return sorted(self.findings.values(), key=lambda finding: finding[:2])[:MOST_FINDINGS]

    def judge_magics(self, tree, cell, magics):
        """The programs within the arguments of magics; findings are the magics that there are not."""
        programs = []
        for where, name, args, is_cell in magic_calls(tree, cell):
            error = None if is_cell else magics.refusal(name)
            if error:
                self.add(where, "call", "%" + name, str(error), self.ask.hint(error))
            programs.append(program_at(where, magics.python_in(name, args, is_cell)))
        return list(filter(None, programs))

    def is_unwanted(self, node, name):
        """Whether a pattern of the caller's forbids the name, or one that it stands below."""
        pattern = self.ask.unwanted(name)
        if pattern:
            self.add(node, "forbid", name, f"{name} is forbidden here, by the pattern {pattern}")
        return bool(pattern)

    def module(self, node, name):
        """Whether it may be imported."""
        if self.is_unwanted(node, name):
            return False
        is_fine = self.ask.allowed(name) or self.ask.stands_in(name)
        if not is_fine and self.is_optional:
            self.absent.add(name)
        elif not is_fine:
            self.add(node, "import", name, self.ask.explain(name))
        return is_fine

    def from_import(self, node):
        if node.level:
            subject = "." * node.level + (node.module or "")
            self.add(node, "import", subject, "relative import: a cell is not a package")
            return
        allowed = self.ask.allowed
        is_stand_in = not allowed(node.module) and self.ask.stands_in(node.module)
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            # A submodule can have a line of its own in the profile, either way.
            if not is_stand_in and alias.name != "*" and allowed(name) != allowed(node.module):
                is_fine = self.module(alias, name)
            else:
                is_fine = self.module(node, node.module)
            if is_fine:
                self.reference(alias, [name])

    def reference(self, node, dotted_names):
        for dotted in sorted(dotted_names):
            if self.is_unwanted(node, dotted.replace("()", "").removeprefix("builtins.")):
                continue
            if self.is_absent(dotted):
                continue
            # The longest part of it that a rule knows.
            while dotted and not dotted.endswith("()"):
                subject = dotted.replace("()", "").removeprefix("builtins.")
                rule = self.ask.forbidden(subject)
                # What a whole module is forbidden for is not repeated for an object of it.
                if rule and ("()" not in dotted or not rule[0].endswith("*")):
                    self.add(node, "call", subject, f"{subject} is not allowed: {rule[1]}")
                    break
                dotted = dotted.rpartition(".")[0]

    def is_absent(self, dotted):
        """Whether it is of a module that is not there, which the program knows."""
        return any(dotted == name or dotted.startswith(name + ".") for name in self.absent)

    def use(self, node, scope, names):
        kind = type(node)
        self.is_optional = self.optional.has(node)
        if kind is ast.Import:
            for alias in node.names:
                self.module(alias, alias.name)
        elif kind is ast.ImportFrom:
            self.from_import(node)
        else:
            if kind is ast.Call:
                name = names.imported(node, scope, whole=True)
                if name:
                    self.module(node, name)
            if kind is ast.Call or type(node.ctx) is ast.Load:
                self.reference(node, names.resolve(node, scope))
                foreign = names.foreign(node, scope)
                if foreign:
                    self.is_unwanted(node, foreign)
            for where, subject, message, hint in self.tools.findings(node, scope, names) if self.tools else ():
                self.add(where, "tool", subject, message, hint)


def scan(tree, questions, cell=None, magics=None, tools=None):
    """Findings, sorted: (line, column, rule, subject, message, hint), the column in bytes from 0;
    if the compiler refuses the tree, that is the only one.

    allowed(module) is true if cells may import it, explain(module) says why not, stands_in(module)
    is true if they get another one for it; forbidden(name) is None or (pattern, reason),
    unwanted(name) None or the caller's pattern; hint(error) helps to repair. cell is the name, the
    arguments and the line of a %%magic whose body the tree is; magics is the module _snug_magics,
    needed where there are any; tools is a Tools of _snug_toolcalls.
    """
    judge = Judge(questions, tools)
    trees = [tree, *judge.judge_magics(tree, cell, magics)]
    judge.optional = OptionalImports(trees)
    names = Names(trees, questions.forbidden)
    if tools:
        tools.read(trees, names)
    for node, scope in names.uses:
        judge.use(node, scope, names)
    error = refused(tree, questions)
    return [error] if error else judge.sorted()
