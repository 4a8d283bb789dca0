# os.sendfile into a file of the work directory.
# breach: secret
import os
with open("got.txt", "w") as file:
    os.sendfile(file.fileno(), SECRET_FD, 0, 100)
with open("got.txt") as file:
    got = file.read()
got
