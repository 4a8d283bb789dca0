# Walks all days of ten thousand years again and again.
# expect: rung 1
import calendar
while True:
    for year in range(1, 9999):
        calendar.Calendar().yeardatescalendar(year)
