# Raises KeyboardInterrupt by hand, thousands of times.
# expect: error
# state: kept
# when: run
for _ in range(10_000):
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
raise KeyboardInterrupt
