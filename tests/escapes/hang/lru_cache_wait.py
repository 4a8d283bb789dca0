# functools.cache below a dict whose keys compare for ever.
# expect: rung 1
import functools
class Key:
    def __hash__(self):
        return 7
    def __eq__(self, other):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
@functools.cache
def f(key):
    return 1
f(Key())
f(Key())
