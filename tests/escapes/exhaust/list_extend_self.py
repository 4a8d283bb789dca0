# A list doubles itself.
# expect: memory
# state: kept
# when: run
items = [0]
while True:
    items += items
