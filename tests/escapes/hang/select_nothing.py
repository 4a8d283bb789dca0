# Waits for nothing in select, through the module that asyncio left in sys.modules.
# expect: rung 1 or denied or error
# expect short: rung 4 or denied or error
# state short: any
import asyncio, sys
sys.modules["select"].select([], [], [])
