# Compiles functions and classes and keeps their code.
# limit: memory
# forms: local worker full bash
keep = []
source = "\n".join(f"def f{i}(a, b=1): return a + b * {i} + {i}.5" for i in range(2000))
while True:
    keep.append(compile(source, "x", "exec"))
