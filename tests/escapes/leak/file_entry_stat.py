# os.DirEntry follows a symbolic link that leads out of a mount.
# breach: setting inode
import os
for entry in os.scandir("data"):
    try:
        print(entry.name, entry.is_file(), entry.is_dir(), entry.stat())
    except OSError as error:
        print(error)
