# Arrays, and numpy's where they are.
# limit: value
import array
array.array("d", [1.5] * 300_000)
# %% cell
import datetime
[datetime.datetime(2000, 1, 1)] * 20_000
