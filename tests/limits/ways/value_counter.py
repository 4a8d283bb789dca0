# What collections have: counters, deques, ordered and default dictionaries.
# limit: value
import collections
collections.Counter({str(i) * 50: i for i in range(5000)})
# %% cell
collections.deque(["d" * 1000] * 5000)
# %% cell
collections.OrderedDict((str(i) * 50, i) for i in range(5000))
