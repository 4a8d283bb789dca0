# Adds decimals whose exponents are far apart.
# expect: memory
import decimal
context = decimal.getcontext()
context.prec, context.Emax, context.Emin = 10**9, 10**10, -(10**10)
decimal.Decimal("1e900000000") + 1
