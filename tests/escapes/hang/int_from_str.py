# int of a text of millions of digits, the limit of digits taken off.
# expect: rung 1 or denied or error
# expect 3.11: denied or error or rung 3 the conversion's own multiplication: PyLong_FromString
# expect short 3.11: hang
# state 3.11: any
import sys
sys.set_int_max_str_digits(0)
while True:
    int("7" * 3_000_000)
