# The size of what a link in a mount leads to, by an entry whose folder was given as bytes.
# breach: setting size
import os
for entry in os.scandir(b"data"):
    try:
        print(entry.stat(follow_symlinks=True).st_size)
    except OSError as error:
        print(error)
