# A connection to a port of the host.
# breach: marker
import asyncio
asyncio.base_events.socket.create_connection(("127.0.0.1", SECRET_PORT)).close()
