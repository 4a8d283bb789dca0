# Clones itself by system calls: fork, vfork, clone with and without threads' flags, clone3.
# limit: tasks
# forms: full bash
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
mother = os.getpid()
done = 0
for number, *rest in ((57,), (58,), (56, 17, 0, 0, 0, 0), (56, 0, 0, 0, 0, 0), (435, 0, 88)):
    for i in range(60):
        r = libc.syscall(number, *[ctypes.c_long(x) for x in rest])
        if r == 0:
            libc.syscall(35, (ctypes.c_long * 2)(2, 0), 0)
            libc.syscall(60, 0)
        if r < 0:
            break
        done += 1
print(done)
