# Puts data into attributes of files.
# limit: disk_bytes memory
# forms: local worker full bash
import os
count = 0
try:
    for i in range(90):
        with open(f"x{i}", "wb"):
            pass
        for j in range(8):
            os.setxattr(f"x{i}", f"user.a{j}", b"v" * 60_000)
            count += 1
except (OSError, AttributeError) as error:
    print(error)
print(count)
