# /proc/self/task/THREAD/environ.
# breach: secret
import os
task = os.listdir("/proc/self/task")[-1]
with open(f"/proc/self/task/{task}/environ", "rb") as file:
    data = file.read()
data
