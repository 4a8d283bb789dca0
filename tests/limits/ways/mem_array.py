# Grows arrays, bytearrays and a BytesIO by their own methods.
# limit: memory
# forms: local worker full bash
import array, io
b = io.BytesIO()
a = array.array("d", [1.0])
while True:
    b.write(b"x" * (1 << 20))
    a.extend(a[:100_000])
    a *= 2
