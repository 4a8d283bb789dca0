# An integer that grows bit by bit, each value kept.
# expect: memory
values = [1 << 100_000]
while True:
    values.append(values[-1] << 1000)
