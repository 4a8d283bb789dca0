# A statement that is timed does not end.
# expect: rung 1
# when: magic
try:
    magic = __snug_magic__
except NameError:
    import timeit
    magic = lambda name, text: timeit.timeit(text)
magic("timeit", "while True: pass")
