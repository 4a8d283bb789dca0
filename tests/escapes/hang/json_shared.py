# json.dumps of nested lists that share their parts.
# expect: rung 2 or memory
import json
t = []
for _ in range(60):
    t = [t, t]
json.dumps(t)
