# Makes folders, side by side and in each other.
# limit: disk_files
# forms: local worker full bash
import os
done = 0
for i in range(2000):
    try:
        os.mkdir(f"d{i}")
        os.makedirs(f"e{i}/f/g/h")
        done += 1
    except OSError:
        pass
print(done)
