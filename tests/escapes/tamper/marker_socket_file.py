# A socket bound to a path outside.
# breach: marker
import asyncio
socket = asyncio.base_events.socket
socket.socket(socket.AF_UNIX).bind(MARKER_FILE)
