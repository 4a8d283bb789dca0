# An exception as a value, with long arguments.
# limit: value
ValueError(*["a" * 100_000] * 20)
