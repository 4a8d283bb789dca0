# Builtins are others by the time of the save.
# expect: ok or rung 1
# when: save
import builtins
kept = {name: getattr(builtins, name) for name in ("compile", "type", "issubclass", "getattr", "sorted", "id")}
for name in kept:
    setattr(builtins, name, lambda *arguments: 1 / 0)
# %%
# expect: ok or error
for name in kept:
    setattr(builtins, name, kept[name])
