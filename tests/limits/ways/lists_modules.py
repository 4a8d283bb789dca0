# Modules under long names.
# limit: lists answer
import math
globals().update({'m' * 1000 + str(i): math for i in range(2000)})
# %% send {"session": session, "op": "vars"}
# %% complete m
