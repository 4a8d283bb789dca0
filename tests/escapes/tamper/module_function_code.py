# The code of a function of the standard library is replaced.
# breach: neighbour
import json
def loads(text, **more):
    return "escaped"
json.loads.__code__ = loads.__code__
