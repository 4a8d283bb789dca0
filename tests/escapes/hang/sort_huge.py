# Sorts two million tuples that agree in their first ten thousand elements.
# expect: rung 3 the comparison of tuples below list.sort: unsafe_tuple_compare
# expect short 3.13: rung 4
# state: any
head = [0.0] * 20_000
items = [tuple(head) + (i * 7919 % 1009,) for i in range(500)]
items *= 2000
items.sort()
