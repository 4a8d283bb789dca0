# The builtins of a library function's frame are everybody's.
# breach: neighbour
import json
json.loads.__builtins__["len"] = lambda thing, real=len: real(thing) + 1
