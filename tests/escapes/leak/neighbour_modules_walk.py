# Every module's namespace that any function among the subclasses leads to.
# breach: neighbour
# known 3.11: neighbour
found = []
for cls in object.__subclasses__():
    for thing in list(vars(cls).values()):
        names = getattr(thing, "__globals__", {})
        if "vault" in names:
            found.append(names["vault"])
found
