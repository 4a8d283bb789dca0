# A float with a thousand million digits behind the point.
# expect: memory
f"{1 / 3:.1000000000f}"
