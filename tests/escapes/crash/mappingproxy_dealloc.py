# A view of a view of a dict is freed.
# expect: ok or crash or memory
# state: any
# when: finalizer
import types
view = {"x": 1}
for _ in range(1_000_000):
    view = types.MappingProxyType(view)
del view
