# Writes lists of lines at once.
# limit: output
# forms: local worker full bash
import sys
sys.stdout.writelines(["w" * 1000 + "\n"] * 20_000)
sys.stderr.writelines(["e" * 1000 + "\n"] * 20_000)
