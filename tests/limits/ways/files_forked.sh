# Makes them from a program that forks for each.
# limit: disk_files
python3 -c '
import os
for i in range(30):
    if os.fork() == 0:
        for j in range(300):
            open(f"k{i}-{j}", "w").close()
        os._exit(0)
for i in range(30):
    os.wait()'
