# Makes files by printing too much, in hundreds of cells.
# limit: disk_files
# forms: local worker full bash
# rounds: 20
# options: --disk-files 20
# quick:
import sys
print('x' * 20_000)
print('y' * 20_000, file=sys.stderr)
