# Arguments say by __class__ that they are JSON's types, and are not; and the other way round.
# expect: ok
# tools: yes
def liar(base, *others):
    return type("Liar", others, {"__class__": base, "__len__": lambda self: -1,
                                 "__iter__": lambda self: iter([1]), "items": lambda self: 1})()
refused = 0
for base in (dict, list, str, int, float, bool, type(None)):
    try:
        echo(x=liar(base))
    except TypeError:
        refused += 1
assert refused == 7
for base in (dict, list, str, int, float):
    assert echo(x=liar(set, base)) == {"x": base()}
# %%
echo(x=1)
