# sys.set_int_max_str_digits.
# breach: setting
# state: kept
import sys
sys.set_int_max_str_digits(0)
