# A decimal's power and logarithm to millions of digits, in libmpdec.
# limit: wall cpu
# forms: local worker full bash
import decimal
c = decimal.Context(prec=2_000_000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
c.ln(decimal.Decimal(7))
