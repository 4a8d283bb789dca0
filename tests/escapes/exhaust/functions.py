# Compiles and keeps functions.
# expect: memory
functions = []
while True:
    names = {}
    exec("def f(a, b=" + repr("x" * 20_000 + str(len(functions))) + "):\n return a + b", names)
    functions.append(names["f"])
