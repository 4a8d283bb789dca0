# os.open beneath a folder's descriptor.
# breach: secret
import os
number = os.open("secret.txt", os.O_RDONLY, dir_fd=FOLDER_FD)
got = os.read(number, 100)
os.close(number)
got
