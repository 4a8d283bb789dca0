# A thread that goes on after the cell.
# breach: setting
import asyncio, time
threading = asyncio.base_events.threading
threading.Thread(target=time.sleep, args=[3], daemon=True).start()
