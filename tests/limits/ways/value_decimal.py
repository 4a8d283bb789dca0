# Decimals, fractions and complex numbers with many digits.
# limit: value
import decimal, fractions
decimal.Context(prec=3_000_000).divide(decimal.Decimal(1), decimal.Decimal(7))
# %% cell
fractions.Fraction(3 ** 9000, 7 ** 4000)
