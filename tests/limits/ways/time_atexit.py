# Functions for the end that do not end.
# limit: wall cpu
# forms: local worker full bash
import atexit, time
@atexit.register
def f():
    while True:
        try:
            time.sleep(100)
        except BaseException:
            pass
# %% reset
# %% cell
1
# %% close
