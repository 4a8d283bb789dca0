# The entries of a folder that was given as a descriptor follow links by that.
# breach: setting size
import os
descriptor = os.open("data", os.O_RDONLY)
for entry in os.scandir(descriptor):
    try:
        print(entry.stat().st_size)
    except OSError as error:
        print(error)
os.close(descriptor)
