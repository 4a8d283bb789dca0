# range.index of something that is not an integer.
# expect: rung 2
range(10**15).index(1.5)
