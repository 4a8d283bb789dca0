# The flags of a decimal context that is gone: setting them set bits of whatever lay there then.
# In 3.14 such flags are invalid.
# expect: ok
# expect 3.14: error
# expect 3.15: error
import decimal
for turn in range(100):
    context = decimal.Context()
    flags = context.flags
    del context
    others = [decimal.Context(prec=7) for _ in range(3)]
    flags[decimal.Inexact] = flags[decimal.Clamped] = True
    assert not any(other.flags[decimal.Inexact] for other in others), turn
    assert flags[decimal.Inexact]
