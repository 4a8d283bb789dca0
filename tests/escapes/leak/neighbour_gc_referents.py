# gc.get_referents leads from all classes to all namespaces.
# breach: neighbour
import timeit
gc = timeit.gc
seen, todo, found = set(), [object.__subclasses__()], []
while todo and not found:
    thing = todo.pop()
    for part in gc.get_referents(thing):
        if id(part) not in seen:
            seen.add(id(part))
            todo.append(part)
            if type(part) is dict and "vault" in part:
                found.append(part["vault"])
found
