# Reads and writes JSON of one piece for long.
# limit: wall cpu
# forms: local worker full bash
import json
x = "[" * 900 + "]" * 900
while True:
    try:
        json.loads(x)
    except BaseException:
        pass
