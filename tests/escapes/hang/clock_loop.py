# Polls the clock for a time that never comes.
# expect: rung 1
# state: kept
# when: run
import datetime, time
end = datetime.datetime.max
while datetime.datetime.now() < end and time.monotonic() < 1e12:
    pass
