# Divides decimals with the largest precision there is.
# expect: memory
import decimal
context = decimal.getcontext()
context.prec, context.Emax, context.Emin = decimal.MAX_PREC, decimal.MAX_EMAX, decimal.MIN_EMIN
decimal.Decimal(1) / 3
