# A tree deeper than any path, put together from short ones, stays behind when the session closes.
# breach: marker
import os
def chain(name):
    path = name
    os.mkdir(name)
    for _ in range(99):
        path += "/d"
        os.mkdir(path)
    return path
ends = [chain(f"chain{number}") for number in range(30)]
for number in range(29):
    os.rename(f"chain{number}", ends[number + 1] + "/d")
