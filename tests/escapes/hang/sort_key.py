# A key function that loops while the list is being sorted and looks empty.
# expect: rung 1
# when: sort key
numbers = [3, 1, 2]
def key(n):
    while True:
        pass
numbers.sort(key=key)
# %%
sorted(numbers) == [1, 2, 3]
