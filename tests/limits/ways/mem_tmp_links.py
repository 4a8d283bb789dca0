# Makes links with long targets, and many folders in each other, in /dev/shm.
# limit: memory
# forms: bash
import os, time
os.chdir("/dev/shm")
count, end = 0, time.time() + 4
try:
    while time.time() < end:
        os.symlink("t" * 4000, f"l{count}")
        os.mkdir("d" * 200 + str(count))
        count += 1
except OSError as error:
    print(error)
print(count)
