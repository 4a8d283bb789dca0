# exp and ln of decimals with a hundred thousand digits, again and again.
# expect: rung 3 number theoretic transforms of libmpdec: _mpd_fntmul
# state: any
import decimal
decimal.getcontext().prec = 1_000_000
decimal.Decimal("1.234567").ln().exp()
