# Makes sets of semaphores of System V.
# limit: memory
# forms: full bash
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
count = 0
while count < 32000 and libc.semget(0, 32000, 0o1600) >= 0:
    count += 1
print(count)
# %% wait 1
