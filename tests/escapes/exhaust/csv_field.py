# A csv field of a hundred megabytes, written again and again.
# expect: memory
import csv, io
out = io.StringIO()
writer = csv.writer(out)
while True:
    writer.writerow(['"' * 1_000_000])
