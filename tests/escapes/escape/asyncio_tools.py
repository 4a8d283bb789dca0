# asyncio.tools has what reads another process.
# breach: secret
# state: kept
# only: 3.14+
import asyncio.tools
asyncio.tools.get_all_awaited_by(1)
