# A file is made by a keyword that is a subclass of str.
# breach: marker
import os
class Name(str):
    def __hash__(self):
        return hash("dir_fd")
    def __eq__(self, other):
        return other == "dir_fd"
os.close(os.open(os.path.basename(MARKER_FILE), os.O_CREAT | os.O_WRONLY, **{Name("dir_fd"): FOLDER_FD}))
