# Compares two long texts that share every line: quadratic and worse, in Python.
# expect: rung 1
import difflib
a = [str(i % 7) for i in range(3000)]
b = [str(i % 11) for i in range(3000)]
difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
