# A group of thousands of exceptions, in groups.
# limit: answer
# forms: local worker full bash
g = [ValueError("v" * 1000) for _ in range(1000)]
for i in range(5):
    g = [ExceptionGroup("g" * 100_000, g) for _ in range(3)]
raise g[0]
