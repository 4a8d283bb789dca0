# The same as fast as can be, by forks of one that has it already.
# limit: memory
python3 -c '
import os, time
b = bytearray(b"x" * (30 << 20))
for i in range(30):
    if os.fork() == 0:
        for j in range(0, len(b), 4096):
            b[j] = 1
        time.sleep(2)
        os._exit(0)
time.sleep(2)'
