# Makes files while a tool of the host's runs and between awaits, side by side.
# limit: disk_files
# options: --tool wait=cat
import asyncio
done = 0
async def make(k):
    global done
    for i in range(300):
        try:
            open(f"f{k}-{i}", "w").close()
            done += 1
        except OSError:
            pass
        await asyncio.sleep(0)
await asyncio.gather(*[make(k) for k in range(8)])
done
