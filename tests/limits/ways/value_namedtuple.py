# Named tuples with long names.
# limit: value
import collections
N = collections.namedtuple("N" * 5000, ["f" * 5000 + str(i) for i in range(100)])
[N(*range(100))] * 20
