# Calls by copies of the function.
# limit: tool_calls
# options: --tool "echo=cat"
import copy
calls = [copy.copy(echo), copy.deepcopy(echo), echo]
for i in range(50):
    try:
        calls[i % 3](x=i)
    except Exception:
        pass
