"""Which calls of a cell are awaited: those whose answer comes to an await, or to asyncio, as it is or
by a name.

Loaded when a tool is called by code that awaits. Calls are known by where they end.
"""
_TAKERS = {"as_completed", "create_task", "ensure_future", "gather", "run", "run_coroutine_threadsafe",
           "run_until_complete", "shield", "wait", "wait_for"}
_KEEPERS = {"add", "append", "extend", "insert", "put", "put_nowait"}
_COPIERS = {"dict", "enumerate", "iter", "list", "map", "reversed", "set", "tuple", "zip"}
_PARTS = ("value", "elt", "elts", "values", "body", "orelse", "left", "right")


def _nodes(tree):
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += node
        elif hasattr(node, "_fields"):
            yield type(node).__name__, node
            todo += [getattr(node, field, None) for field in node._fields]


def _keep(flows, target, value):
    """The value comes to the names of the target, or into what they name."""
    todo = [target]
    while todo:
        target = todo.pop()
        if hasattr(target, "id"):
            flows.setdefault(target.id, []).append(value)
        else:
            todo += getattr(target, "elts", None) or [one for one in [getattr(target, "value", None)]
                                                      if hasattr(one, "_fields")]


def find(tree):
    """{(line, column in bytes)}"""
    todo, calls, flows, parameters = [], [], {}, {}
    for kind, node in _nodes(tree):
        if kind == "Call":
            calls.append(node)
        elif kind == "Await":
            todo.append(node.value)
        elif kind == "Assign":
            for target in node.targets:
                _keep(flows, target, node.value)
        elif kind in ("AnnAssign", "AugAssign", "NamedExpr"):
            _keep(flows, node.target, node.value)
        elif kind in ("For", "AsyncFor", "comprehension"):
            _keep(flows, node.target, node.iter)
        elif kind in ("FunctionDef", "AsyncFunctionDef"):
            parameters[node.name] = [one.arg for one in node.args.posonlyargs + node.args.args]

    for call in calls:
        name = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
        given = call.args + [keyword.value for keyword in call.keywords]
        if name in _TAKERS:
            todo += given
        elif name in _KEEPERS:
            for value in given:
                _keep(flows, call.func, value)
        known = parameters.get(name, ())
        for parameter, value in [*zip(known, call.args), *((one.arg, one.value) for one in call.keywords)]:
            if parameter in known:
                flows.setdefault(parameter, []).append(value)

    found, names = set(), set()
    while todo:
        node = todo.pop()
        kind = type(node).__name__
        if isinstance(node, list):
            todo += node
        elif kind == "Call":
            found.add((node.end_lineno, node.end_col_offset))
            todo.append(node.func)
            if getattr(node.func, "id", None) in _COPIERS:
                todo += node.args
        elif kind == "Name" and node.id not in names:
            names.add(node.id)
            todo += flows.get(node.id, ())
        elif hasattr(node, "_fields") and kind != "Lambda":
            todo += [getattr(node, part, None) for part in _PARTS]
    return found
