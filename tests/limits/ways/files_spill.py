# Makes files by printing too much, in hundreds of cells.
# limit: disk_files
# forms: local worker full bash
# rounds: 70
import sys
print('x' * 20_000)
print('y' * 20_000, file=sys.stderr)
