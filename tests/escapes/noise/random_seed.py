# Seeds random, sets the decimal context and changes module constants.
# expect: ok
import decimal, json, math, random, re
random.seed(1)
decimal.getcontext().prec = 1
math.pi = 3
json.dumps = json.loads = None
re.findall = None
