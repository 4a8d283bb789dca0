# Frozendicts, each with one name more than the one before it, all held.
# expect: memory
# only: 3.15+
held = [frozendict()]
while True:
    held.append(held[-1] | {len(held): None})
