# Waits for nothing in select, through the module that asyncio left in sys.modules.
# expect: rung 1 or denied or error
# state: kept
# when: run
import asyncio, sys
sys.modules["select"].select([], [], [])
