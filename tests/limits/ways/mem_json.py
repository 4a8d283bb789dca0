# Reads a list of lists from JSON, which is forty times as large as its text.
# limit: memory
# forms: local worker full bash
import json
text = "[" + ",".join(["{}"] * 3_000_000) + "]"
keep = [json.loads(text) for _ in range(10)]
