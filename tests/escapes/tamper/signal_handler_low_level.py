# _signal.signal.
# breach: setting
# state: kept
import sys, asyncio
sys.modules["_signal"].signal(1, sys.modules["_signal"].SIG_IGN)
