# The same with bz2, and with what is hard to sort.
# limit: wall cpu
# forms: local worker full bash
# after: 3
import bz2
bz2.compress((b"ab" * 400_000 + b"c") * 24, 9)
