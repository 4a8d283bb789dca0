# A value with millions of digits.
# limit: value answer
import sys
getattr(sys, "set_int_max_str_digits", print)(0)
1 << 200_000
