# Halves of characters, by turns with whole ones.
# limit: output
# forms: local worker full bash
import sys
for i in range(5000):
    try:
        sys.stdout.write("\ud83d" * 100 + "\ude00" * 100)
    except UnicodeError:
        pass
