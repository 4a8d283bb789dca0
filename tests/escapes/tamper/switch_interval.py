# sys.setswitchinterval belongs to the whole process on 3.11.
# breach: setting
import sys
sys.setswitchinterval(2.0)
