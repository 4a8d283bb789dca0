# Raises KeyboardInterrupt by hand, thousands of times.
# expect: error
for _ in range(10_000):
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
raise KeyboardInterrupt
