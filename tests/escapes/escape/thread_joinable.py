# A joinable thread of _thread, which 3.13 starts by another function.
# breach: secret
# only: 3.13
import sys
found = []
def read():
    with open(SECRET_FILE) as file:
        found.append(file.read())
sys.modules["_thread"].start_joinable_thread(read).join()
found
