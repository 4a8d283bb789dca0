# json.dumps of a list of ten thousand lists of a thousand texts.
# expect: memory
# limit-ms: 25000
import json
row = ["text" * 100] * 1_000
json.dumps([row] * 10_000)
