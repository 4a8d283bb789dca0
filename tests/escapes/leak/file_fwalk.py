# os.fwalk of a folder outside.
# breach: setting inode
import os
for folder, folders, names, descriptor in os.fwalk(OUTSIDE):
    for name in names:
        if os.path.join(folder, name) == SECRET_FILE:
            print(os.stat(name, dir_fd=descriptor).st_ino)
