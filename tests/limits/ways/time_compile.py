# Source that takes the compiler long.
# limit: wall cpu
# forms: local worker full bash
source = "\n".join("  " * i + "try:" for i in range(19)) + "\n" + "  " * 19 + "pass\n" + "\n".join(
    "  " * i + "finally: pass" for i in range(18, -1, -1))
while True:
    compile(source, "x", "exec")
