# JSON of a display that is nested deep, and one that holds itself.
# expect: ok or error or recursion
# when: display
deep = []
for n in range(100_000):
    deep = [deep]
itself = {}
itself["itself"] = itself
class Value:
    def __init__(self, data): self.data = data
    def _repr_json_(self): return self.data
    def __repr__(self): return "Value()"
import json
for data in (deep, itself):
    try:
        display(Value(data))
    except (TypeError, RecursionError):
        pass
    except NameError:
        json.dumps(data)
# %%
1 + 1
