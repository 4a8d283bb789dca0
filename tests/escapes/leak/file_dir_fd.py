# A descriptor of the folder's parent, and a path beneath it.
# breach: secret
import os
root = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
number = os.open(SECRET_FILE[1:], os.O_RDONLY, dir_fd=root)
got = os.read(number, 100)
os.close(number)
os.close(root)
got
