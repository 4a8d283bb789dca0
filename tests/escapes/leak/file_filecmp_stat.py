# Path.samefile of two spellings, by the file's own numbers.
# breach: setting inode
import os, pathlib
path = pathlib.PurePosixPath(SECRET_FILE)
pathlib.Path(path.parent, ".", path.name).lstat().st_ino
