# Each class derives from the one before: orders of resolution of quadratic size.
# expect: memory or rung 2
# limit-ms: 3000
last = object
while True:
    last = type("Class", (last,), {})
