# json.dumps of a list of ten thousand lists of ten thousand.
# expect: memory
# state: kept
# when: run
# limit-ms: 25000
import json
row = [1.2345] * 10_000
json.dumps([row] * 10_000)
