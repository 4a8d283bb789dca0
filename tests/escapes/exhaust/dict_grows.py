# A dict with ever more keys.
# expect: memory
table = {}
n = 0
while True:
    table[n] = n
    n += 1
