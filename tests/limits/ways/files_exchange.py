# Swaps folders with many files between places, deep and shallow ones.
# limit: disk_files
# forms: local worker full bash
import os
done = 0
try:
    for i in range(40):
        os.makedirs(f"t{i}/u")
        for j in range(20):
            open(f"t{i}/u/{j}", "w").close()
            done += 1
        os.rename(f"t{i}/u", f"u{i}")
        os.rmdir(f"t{i}")
except OSError as error:
    print(error)
print(done)
