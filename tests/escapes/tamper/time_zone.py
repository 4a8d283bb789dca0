# time.tzset after a change of the environment.
# breach: setting
import os, time
os.environ["TZ"] = "XYZ-5"
time.tzset()
