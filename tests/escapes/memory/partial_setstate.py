# A functools.partial gets fewer arguments while it is shown: it went on behind the end of the tuple.
# expect: ok
import functools
class Value:
    def __repr__(self):
        global refused
        try:
            partial.__setstate__((print, ("one",), {}, None))
        except RuntimeError:
            refused += 1
        return "value"
refused = 0
partial = functools.partial(print, *[Value()] * 5)
assert repr(partial).count("value") == refused == 5
partial = functools.partial(print)
partial.__setstate__((print, ("one",), {"end": ""}, None))
assert partial.args == ("one",) and partial.keywords == {"end": ""}
