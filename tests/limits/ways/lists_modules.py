# Modules under long names.
# limit: lists answer
# forms: local worker full
import math
globals().update({'m' * 1000 + str(i): math for i in range(2000)})
# %% send {"session": session, "op": "vars"}
# %% complete m
