# A keyword that is a subclass of str: dir_fd, to the function only.
# breach: setting inode
import os
class Name(str):
    def __hash__(self):
        return hash("dir_fd")
    def __eq__(self, other):
        return other == "dir_fd"
os.stat(os.path.basename(SECRET_FILE), **{Name("dir_fd"): FOLDER_FD}).st_ino
