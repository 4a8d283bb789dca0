# Multiplies decimals of millions of digits.
# limit: memory
# forms: local worker full bash
import decimal
decimal.setcontext(decimal.Context(prec=10 ** 8, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN))
keep = []
x = decimal.Decimal(7) ** 300_000
while True:
    x = x * x
    keep.append(x)
