# Has the C library start threads that no Python knows.
# limit: tasks
# forms: full bash
# quick:
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
started = ctypes.c_ulong()
sleep = ctypes.cast(libc.sleep, ctypes.c_void_p)
done = 0
for i in range(500):
    if libc.pthread_create(ctypes.byref(started), None, sleep, ctypes.c_void_p(2)):
        break
    done += 1
print(done)
time.sleep(0.5)
