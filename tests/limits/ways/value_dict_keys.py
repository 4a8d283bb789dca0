# Keys that are long, as dictionaries, views and items.
# limit: value
d = {"k" * 1000 + str(i): i for i in range(3000)}
d
# %% cell
d.keys()
# %% cell
list(d.items())
