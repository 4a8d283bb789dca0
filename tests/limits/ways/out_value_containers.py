# A value with a long repr in many parts.
# limit: value
[{i: "x" * 100 for i in range(100)} for j in range(300)]
