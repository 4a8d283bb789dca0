# Makes pipes and sockets with names, and devices.
# limit: disk_files
# forms: local worker full bash
import os, socket
done = 0
for i in range(2000):
    try:
        os.mkfifo(f"p{i}")
        done += 1
    except (OSError, AttributeError):
        break
for i in range(2000):
    try:
        s = socket.socket(socket.AF_UNIX)
        s.bind(f"s{i}")
        s.close()
        done += 1
    except (OSError, AttributeError):
        break
for i in range(2000):
    try:
        os.mknod(f"n{i}")
        done += 1
    except (OSError, AttributeError):
        break
print(done)
