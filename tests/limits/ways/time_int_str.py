# An integer's digits.
# limit: wall cpu
# forms: local worker full bash
import sys
getattr(sys, "set_int_max_str_digits", print)(0)
str(3 ** 5_000_000)
