# Takes the limit of digits off and converts long numbers.
# expect: ok or denied or error
import sys
sys.set_int_max_str_digits(0)
len(str(1 << 400_000))
