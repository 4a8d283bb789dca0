# Hands a tool arguments that are as large as they may be, some at once.
# limit: memory tool_calls
# options: --tool echo=cat
import json
text = "x" * (15 << 20)
keep = []
for i in range(12):
    try:
        keep.append(echo(text=text))
    except Exception as error:
        keep.append(str(error)[:100])
