# A hundred thousand names are made, every second is deleted, and all stand in another order.
# expect: ok
globals().update({f"name_{i}": [i] for i in range(100_000)})
# %%
for i in range(0, 100_000, 2):
    del globals()[f"name_{i}"]
# %%
def turn():
    names = globals()
    kept = dict(names)
    names.clear()
    names.update(reversed(kept.items()))
turn()
# %%
for name in [name for name in globals() if name.startswith("name_")]:
    del globals()[name]
