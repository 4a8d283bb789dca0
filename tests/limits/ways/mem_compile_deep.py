# Has the parser's arena and the compiler take memory that is not an object.
# limit: memory
# forms: local worker full bash
source = "x = [" + "1 + 2 * (3, 4), " * 400_000 + "]"
keep = []
while True:
    keep.append(compile(source, "x", "exec"))
