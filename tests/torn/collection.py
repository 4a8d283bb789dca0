# A session that is torn in the middle of a collection: on 3.11 the next interpreter drops what the
# process has of it, which the collector had in its hands. Apart from the others, for it needs room.
# expect: rung 3 a collection looks for no signal
# expect short: hang
# state: any
many = [[]] * 60_000_000
kept = []
while True:
    kept.append([[] for _ in range(1000)])
