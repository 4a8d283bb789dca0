"""The event loop of a session: timers and a ready queue, without descriptors.

Imported when asyncio is. asyncio's own loops want a selector and a pair of sockets to
wake it; here the wait is one of C, which a stop of the cell or a host tool's answer ends.
"""
import asyncio.base_events
import asyncio.events
import concurrent.futures
import sys
import threading
from asyncio.events import _set_running_loop

import _snug


class _Wait:
    """What BaseEventLoop takes for its selector: nothing is ever ready but time."""

    def __init__(self):
        self.bell = _snug.bell()

    def select(self, timeout):
        _snug.wait(self.bell, None if timeout is None else max(timeout, 0))
        self.bell = _snug.bell()
        return ()


class EventLoop(asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = _Wait()
        self._turning = 0

    def time(self):
        """How often the loop itself looks depends on when answers come, which is not to be seen
        by a session's own clock: it stands then."""
        if self._turning:
            now = _snug.standing()
            if self._turning == 2:
                self._turning = 0
            if now is not None:
                return now
        return super().time()

    def _run_once(self):
        self._turning = 1  # it may ask for the time once, and once behind what is ready
        super()._run_once()

    def _process_events(self, event_list):
        for number in _snug.ended():
            future = _calls.pop(number, None)
            if future is not None:
                _wake(future, self)
        self._turning = 2

    def _write_to_self(self):
        _snug.wake()

    def run_in_executor(self, executor, func, *args):
        """Without threads, the function runs here, when the loop gets to it."""
        if executor is None and _snug.threads() and self._default_executor is None:
            self._default_executor = concurrent.futures.ThreadPoolExecutor(
                _snug.threads(), "asyncio")
        if executor is not None or self._default_executor is not None:
            return super().run_in_executor(executor, func, *args)
        self._check_closed()
        future = self.create_future()

        def call():
            if future.cancelled():
                return
            try:
                result = func(*args)
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        self.call_soon(call)
        return future

    async def shutdown_default_executor(self, timeout=None):
        """Here: there may be no place left for the thread that asyncio would wait in."""
        self._executor_shutdown_called = True
        self.end_pool(wait=True)

    def end_pool(self, wait=False):
        """A cell ends when its threads have, and those of a pool wait for work."""
        if self._default_executor is not None:
            self._default_executor.shutdown(wait)
            self._default_executor = None


# 3.14 says that policies will go, and has them under these names for itself.
_events = vars(asyncio.events)
_Policy = _events.get("_BaseDefaultEventLoopPolicy") or _events["BaseDefaultEventLoopPolicy"]
_set_policy = _events.get("_set_event_loop_policy") or _events["set_event_loop_policy"]


class EventLoopPolicy(_Policy):
    _loop_factory = EventLoop

    def get_event_loop(self):
        """The cells' loop where nobody set another: what is gathered while no loop runs
        can be awaited in a later cell."""
        loop = self._local._loop
        if loop is None and (not _snug.threads()
                             or threading.current_thread() is threading.main_thread()):
            return _cells_loop()
        return super().get_event_loop() if loop is None else loop


# The futures of calls of the host's tools, by the number of the call.
_calls = {}


def _set(future):
    if not future.done():
        future.set_result(None)


def _wake(future, here):
    """Another thread of the cell may have a loop of its own."""
    loop = future.get_loop()
    if loop is here:
        _set(future)
    elif not loop.is_closed():
        loop.call_soon_threadsafe(_set, future)


async def await_call(prepared):
    """A call of a host's tool: others go on until it is over."""
    number = None
    try:
        future = asyncio.events.get_running_loop().create_future()
        number = _snug.begin(prepared)
        _calls[number] = future
        await future
        return _snug.end(prepared)
    finally:
        _calls.pop(number, None)
        _snug.drop(prepared)


_CO_COROUTINE = 0x80
_loop = None
_task = None


async def _run_code(code):
    result = _snug.evaluate(code)
    if code.co_flags & _CO_COROUTINE:
        await result


def _cells_loop():
    global _loop
    if _loop is None or _loop.is_closed():
        _loop = EventLoop()
    return _loop


def _close(task):
    task._log_destroy_pending = False
    try:
        task.get_coro().close()
    except BaseException:  # what its cleanup raises is nobody's; a stop of this cell comes again
        pass


def _say_nothing(unraisable):
    pass


def _mend():
    """A stop may have hit the loop at any moment: nothing of that one can be relied on,
    and it goes with all its tasks. Their coroutines are closed while it still counts as
    running: one that catches everything and waits again would find no loop to wait in, and
    do so for ever."""
    global _loop, _task
    if _task is None:
        return
    hook = getattr(sys, "unraisablehook", sys.__unraisablehook__)
    sys.unraisablehook = _say_nothing
    _set_running_loop(_loop)
    try:
        for task in {_task, *asyncio.tasks.all_tasks(_loop)}:
            _close(task)
        _task = task = None
    finally:
        _set_running_loop(None)
        sys.unraisablehook = hook
    _loop = None


def run(code):
    """Run a cell that awaits. Tasks that it started go on in the next such cell, unless
    it was stopped."""
    global _task
    _mend()
    loop = _cells_loop()
    _task = loop.create_task(_run_code(code))
    try:
        return loop.run_until_complete(_task)
    finally:
        if _task.done():
            _task = None
        loop.end_pool()


_set_policy(EventLoopPolicy())
