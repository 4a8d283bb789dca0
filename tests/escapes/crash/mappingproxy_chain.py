# A view of a view of a dict, a million deep: each lookup recurses in C.
# expect: crash or recursion or memory or error or ok
# state: any
import types
view = {"x": 1}
for _ in range(1_000_000):
    view = types.MappingProxyType(view)
view["x"]
