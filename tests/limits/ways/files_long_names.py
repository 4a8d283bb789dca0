# Makes files with names as long as they may be, and paths that grow to the limit of the system.
# limit: disk_files
# forms: local worker full bash
done = 0
for i in range(2000):
    try:
        open("n" * 240 + str(i), "w").close()
        done += 1
    except OSError:
        break
import os
path = "p" * 200
try:
    for i in range(30):
        os.mkdir(path)
        path += "/" + "p" * 200
        done += 1
except OSError as error:
    print(error)
print(done)
