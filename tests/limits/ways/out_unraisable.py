# Raises in thousands of finalizers.
# limit: output
# forms: local worker full bash
class D:
    def __del__(self):
        raise ValueError("d" * 1000)
for i in range(5000):
    D()
