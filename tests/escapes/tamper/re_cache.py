# The cache of re answers another pattern.
# breach: neighbour
import re
class Pattern:
    def sub(self, *arguments):
        return "escaped"
for cache in (re._cache, getattr(re, "_cache2", {})):
    cache[str, "a+", 0] = Pattern()
