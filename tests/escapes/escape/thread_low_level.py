# A thread of _thread opens the file.
# breach: secret
import sys, time
found = []
def read():
    with open(SECRET_FILE) as file:
        found.append(file.read())
sys.modules["_thread"].start_new_thread(read, ())
for i in range(200):
    if found:
        break
    time.sleep(0.01)
found
