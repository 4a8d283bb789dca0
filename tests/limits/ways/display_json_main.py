# JSON as the value: the text, the data and the value's own JSON.
# limit: displays answer
class J:
    def _repr_json_(self):
        return {"k" * 1000 + str(i): ["v" * 1000] * 3 for i in range(1000)}
J()
# %% cell
list(range(100_000))
