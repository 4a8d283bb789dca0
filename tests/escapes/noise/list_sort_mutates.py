# The key function of a sort changes the list that is being sorted.
# expect: error
# when: sort key
items = list(range(1000))
items.sort(key=lambda n: items.append(n) or -n)
