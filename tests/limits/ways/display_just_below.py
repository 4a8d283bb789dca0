# Displays that are each a byte below the limit.
# limit: displays
for i in range(10):
    display({"text/plain": "x" * (256 * 1024 - 1)}, raw=True)
