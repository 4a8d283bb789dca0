# Warns thousands of times.
# limit: output
# forms: local worker full bash
import warnings
warnings.simplefilter("always")
for i in range(5000):
    warnings.warn("w" * 500)
