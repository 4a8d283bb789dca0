# Fills message queues of System V, which stay when their process has ended.
# limit: memory
# forms: full bash
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(8192 + 8)
ctypes.c_long.from_buffer(buffer).value = 1
queues, sent = 0, 0
while queues < 32000:
    q = libc.msgget(0, 0o1600)
    if q < 0:
        break
    queues += 1
    while libc.msgsnd(q, buffer, 8192, 0o4000) == 0:
        sent += 8192
print(queues, sent >> 20)
# %% wait 1
