# An exception as a value, with long arguments.
# limit: value
# forms: local worker full
ValueError(*["a" * 100_000] * 20)
