# Makes empty files in /dev/shm and /tmp, which take inodes of the kernel's.
# limit: memory
# forms: bash
import os, time
count, end = 0, time.time() + 4
try:
    while time.time() < end:
        os.close(os.open(f"/dev/shm/{count}", os.O_CREAT | os.O_WRONLY))
        os.close(os.open(f"/tmp/{count}", os.O_CREAT | os.O_WRONLY))
        count += 1
except OSError as error:
    print(error)
print(count)
# %% wait 1
