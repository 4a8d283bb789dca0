# A list doubles itself.
# expect: memory
items = [0]
while True:
    items += items
