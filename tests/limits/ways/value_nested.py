# Lists in each other, as deep as repr goes, and beyond.
# limit: value
x = []
for i in range(100_000):
    x = [x, i]
x
# %% cell
y = {}
for i in range(300):
    y = {"k" * 1000: y}
y
