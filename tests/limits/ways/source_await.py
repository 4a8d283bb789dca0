# Source with awaits, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "import asyncio\n" + "await asyncio.sleep(0)\n" * 5_000}
