# Names without end in the namespace, each of which is a change to tell.
# expect: memory or rung 2
n = 0
while True:
    globals().update({f"name_{n + i}": i for i in range(10_000)})
    n += 10_000
