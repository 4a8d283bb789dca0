# Displays until the time is over, and a value then.
# limit: displays
# options: --timeout 1s
while True:
    display({"text/plain": "t" * 1000}, raw=True)
