# Polls the clock for a time that never comes.
# expect: rung 1
import datetime, time
end = datetime.datetime.max
while datetime.datetime.now() < end and time.monotonic() < 1e12:
    pass
