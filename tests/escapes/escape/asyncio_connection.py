# asyncio opens a connection to a port of the host.
# breach: marker
import asyncio
reader, writer = await asyncio.open_connection("127.0.0.1", SECRET_PORT)
writer.close()
