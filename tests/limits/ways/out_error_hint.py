# Errors whose hint has to look at names that are long and many.
# limit: answer wall
for i in range(20_000):
    globals()["name" * 20 + str(i)] = 1
print(namename)
