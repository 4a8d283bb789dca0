# json of lists in lists, deeper than the stack.
# expect: recursion
# only: 3.14+
import json
json.loads("[" * 10_000_000)
