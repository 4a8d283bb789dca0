# Displays that are each a byte below the limit.
# limit: displays
# forms: local worker full
for i in range(10):
    display({"text/plain": "x" * (256 * 1024 - 1)}, raw=True)
