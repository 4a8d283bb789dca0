# A module with a long name, and a type alias with long parts.
# limit: value
import types
types.ModuleType("m" * 3_000_000)
# %% cell
types.SimpleNamespace(**{"n" * 1000 + str(i): 1 for i in range(2000)})
# %% cell
dict[tuple(type("T" * 10_000, (), {}) for _ in range(100))]
