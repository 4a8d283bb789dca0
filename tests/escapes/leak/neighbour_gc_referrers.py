# gc.get_referrers of what a neighbour uses too.
# breach: neighbour
import json, timeit
[names["vault"] for names in timeit.gc.get_referrers(type(json), json, len)
 if type(names) is dict and "vault" in names]
