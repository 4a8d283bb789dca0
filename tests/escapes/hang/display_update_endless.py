# A display that is shown again without end.
# expect: rung 1
# when: display
try:
    handle = display("first", display_id=True)
except NameError:
    class Handle:
        def update(self, value): pass
    handle = Handle()
n = 0
while True:
    n += 1
    handle.update(n)
