# Saves a session whose state is made while it is saved.
# limit: memory
class Big:
    def __getstate__(self):
        return {"a": "x" * (50 << 20)}
    def __reduce__(self):
        return (str, ("y" * (60 << 20),))
xs = [Big() for _ in range(20)]
# %% send {"session": session, "op": "save", "path": folder + "/save.snug"}
