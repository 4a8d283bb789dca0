# The value of the cell is a nested list that shares its parts: its JSON is endless.
# expect: rung 2 or memory or ok
# when: repr
t = 1
for _ in range(60):
    t = [t, t]
class Quiet(list):
    def __repr__(self):
        return "quiet"
[Quiet(t)]
