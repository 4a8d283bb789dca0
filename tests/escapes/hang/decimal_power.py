# A power of decimals with two million digits.
# expect: rung 3 number theoretic transforms of libmpdec: _mpd_fntmul
# state: any
import decimal
decimal.getcontext().prec = 2_000_000
decimal.Decimal(2) ** decimal.Decimal("0.7")
