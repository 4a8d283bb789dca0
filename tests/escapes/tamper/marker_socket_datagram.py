# A datagram to a port of the host.
# breach: marker
import asyncio
socket = asyncio.base_events.socket
socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", SECRET_PORT))
