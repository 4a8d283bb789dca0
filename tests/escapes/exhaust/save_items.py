# __reduce__ whose list of items never ends.
# expect: memory or rung 1 or ok
# limit-ms: 2000
# when: save
import itertools
class Grows(list):
    def __reduce__(self):
        return Grows, (), None, map(bytes, itertools.repeat(1000000))
grows = Grows()
