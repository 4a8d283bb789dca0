# Prints what is large with pprint, and help.
# limit: output
# forms: local worker full bash
import pprint
pprint.pprint({i: list(range(50)) for i in range(2000)})
