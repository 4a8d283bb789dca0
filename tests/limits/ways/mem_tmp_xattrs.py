# Gives files in /dev/shm attributes of 64 KiB each.
# limit: memory
# forms: bash
import os
count = 0
try:
    for i in range(3000):
        os.close(os.open(f"/dev/shm/x{i}", os.O_CREAT | os.O_WRONLY))
        for j in range(8):
            os.setxattr(f"/dev/shm/x{i}", f"user.a{j}", bytes(60000))
            count += 1
except OSError as error:
    print(error)
print(count)
