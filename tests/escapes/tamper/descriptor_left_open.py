# os.open of a file of the work directory leaves one.
# breach: setting
import os
os.open("x.txt", os.O_RDWR | os.O_CREAT)
