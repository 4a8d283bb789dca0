# Renames what it has made so that a count by name would take them for the same.
# limit: disk_files
# forms: local worker full bash
import os
done = 0
try:
    os.mkdir("d")
    for i in range(1000):
        with open("a", "w") as f:
            f.write("1")
        os.replace("a", f"d/{i}")
        done += 1
except OSError as error:
    print(error)
print(done)
