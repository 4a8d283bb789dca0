# str of an integer of millions of digits, the limit of digits taken off.
# expect: rung 1 or denied or error
# expect short 3.11: hang
# expect short 3.13: rung 4 or denied or error
# state short 3.13: any
import sys
sys.set_int_max_str_digits(0)
# 3.13 converts by decimal first, which is quick; the format of C is not.
"%d" % (1 << 8_000_000)
while True:
    str((1 << 30_000_000) - 1)
