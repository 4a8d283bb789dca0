# sys.set_int_max_str_digits.
# breach: setting
import sys
sys.set_int_max_str_digits(0)
