"""Five MCP servers on stdio, one in a process, with the data of world.py.

usage: double.py shop|people|weather|tickets|misc
"""
import inspect
import json
import sys
import threading
import time

import world

TOOLS = {}
LOCK = threading.Lock()
TYPES = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}


class Failure(Exception):
    pass


def tool(server):
    """Of that server. Its docstring is the description, its annotations the schema."""
    def add(function):
        parameters = inspect.signature(function).parameters.values()
        properties = {p.name: {"type": TYPES[p.annotation], **({} if p.default is p.empty else {"default": p.default})}
                      for p in parameters}
        schema = {"type": "object", "properties": properties, "required": [p.name for p in parameters if p.default is p.empty]}
        TOOLS.setdefault(server, {})[function.__name__] = (function, schema)
        return function
    return add


# ---- shop ----

STOCK = {p["id"]: p["stock"] for p in world.PRODUCTS}


@tool("shop")
def list_orders(cursor: str = "", limit: int = 20):
    """Orders in the order of their ids, at most 20 at a time. next is the cursor of the next page, null at the end."""
    at, count = int(cursor or 0), min(limit, 20)
    rest = at + count < len(world.ORDERS)
    return {"orders": world.ORDERS[at:at + count], "next": str(at + count) if rest else None}


@tool("shop")
def newest_orders(page: int):
    """Ten ids of orders a page, newest first. Orders come in meanwhile, so pages overlap."""
    ids = sorted(world.ORDERS, key=lambda o: (o["date"], o["id"]), reverse=True)
    begin = max(page * 10 - page, 0)
    return {"ids": [o["id"] for o in ids[begin:begin + 10]]}


@tool("shop")
def get_customer(id: str):
    """A customer: id, name, country."""
    return dict(next((c for c in world.CUSTOMERS if c["id"] == id), None) or fail(f"there is no customer {id}"))


@tool("shop")
def list_products():
    """All products: id, name, price (a decimal number as text), stock, reorder (the stock below which more is ordered), supplier."""
    return {"products": [{**p, "stock": STOCK[p["id"]]} for p in world.PRODUCTS]}


@tool("shop")
def set_stock(id: str, stock: int):
    """Sets the stock of a product, and answers with what it was."""
    if stock < 0:
        fail("a stock is not negative")
    before = STOCK[id]
    STOCK[id] = stock
    return {"before": before}


# ---- people ----

@tool("people")
def get_person(id: int):
    """A person: id, name, boss (an id or null), team, started (a date), salary."""
    return world.PEOPLE[id] if 0 <= id < len(world.PEOPLE) else fail(f"nobody has the number {id}")


@tool("people")
def list_reports(id: int):
    """The ids of those whose boss that is."""
    return {"ids": [p["id"] for p in world.PEOPLE if p["boss"] == id]}


@tool("people")
def list_people(team: str = ""):
    """All people, or those of a team."""
    return {"people": [p for p in world.PEOPLE if team in ("", p["team"])]}


@tool("people")
def list_holidays(year: int):
    """Public holidays of a year."""
    return {"days": [d for d in world.HOLIDAYS if d.startswith(str(year))]}


@tool("people")
def list_leaves():
    """Leaves: first and last day of each."""
    return {"leaves": world.LEAVES}


@tool("people")
def list_meetings():
    """Meetings: name, local time of the beginning, time zone, minutes."""
    return {"meetings": world.MEETINGS}


# ---- weather ----

RUNNING, MOST = [0], [0]


@tool("weather")
def list_readings(station: str):
    """Temperatures of a day: hour, value, unit (C, F or K); is_bad where the sensor was at fault."""
    return {"readings": [r for r in world.READINGS if r["station"] == station] or fail(f"there is no station {station}")}


@tool("weather")
def temperature(city: str):
    """Degrees Celsius in a city now. It takes a moment."""
    with LOCK:
        RUNNING[0] += 1
        MOST[0] = max(MOST[0], RUNNING[0])
    time.sleep(0.02)
    with LOCK:
        RUNNING[0] -= 1
    return {"celsius": sum(map(ord, city)) % 35 - 4}


@tool("weather")
def most_at_once():
    """How many calls of temperature have been under way at once, since this was asked last."""
    most, MOST[0] = MOST[0], 0
    return {"most": most}


# ---- tickets ----

TRIES, TOKENS = {}, {}


@tool("tickets")
def get_ticket(id: int):
    """A ticket. Where the server is busy, ask again."""
    TRIES[id] = TRIES.get(id, 0) + 1
    if id in world.BROKEN or not 0 <= id < len(world.TICKETS):
        fail(f"not found: {id}")
    if TRIES[id] <= world.BUSY.get(id, 0):
        fail("busy")
    TRIES[id] = 0
    return world.TICKETS[id]


@tool("tickets")
def export(token: str = ""):
    """All tickets as JSON, in a text. It wants a token, and the error without one says which."""
    if token != "t-4711":
        fail("unauthorised: ask again with token=t-4711")
    return json.dumps(world.TICKETS)


@tool("tickets")
def get_thread():
    """The comments of the ticket, nested."""
    return world.THREAD


# ---- misc ----

@tool("misc")
def get(what: str):
    """Data by name: PARCELS, RATES, EXPENSES, CONTACTS, TYPED, CITIES, BUILD, ROADS, EVENTS, LARGE, SERIES."""
    return {"data": getattr(world, what)}


@tool("misc")
def text(what: str):
    """Texts by name: LOG, CSV, LETTER, PACKED (of base64 and gzip)."""
    return getattr(world, what)


@tool("misc")
def picture():
    """A picture."""
    return [{"type": "text", "text": "A picture:"}, {"type": "image", "data": world.PICTURE, "mimeType": "image/png"}]


def add_drawers():
    """Forty tools, of which one is of use."""
    for n in range(40):
        def drawer(n=n):
            return {"found": "the spare key" if n == 27 else "nothing"}
        description = "Looks for the key of the boat house." if n == 27 else f"Opens drawer {n}, with paper of sort {n % 7}."
        TOOLS["misc"][f"drawer_{n}"] = (drawer, {"type": "object", "properties": {}}, description)


# ---- the protocol ----

def fail(why):
    raise Failure(why)


def call(tools, number, name, arguments):
    try:
        answer = tools[name][0](**arguments)
    except Failure as why:
        return say(number, {"content": [{"type": "text", "text": str(why)}], "isError": True})
    if isinstance(answer, dict):
        return say(number, {"content": [{"type": "text", "text": json.dumps(answer)}], "structuredContent": answer})
    return say(number, {"content": answer if isinstance(answer, list) else [{"type": "text", "text": answer}]})


def say(number, result):
    line = json.dumps({"jsonrpc": "2.0", "id": number, "result": result}) + "\n"
    with LOCK:
        sys.stdout.write(line)
        sys.stdout.flush()


def main():
    add_drawers()
    tools = TOOLS[sys.argv[1]]
    for line in sys.stdin:
        message = json.loads(line)
        number, method, params = message.get("id"), message.get("method"), message.get("params", {})
        if method == "initialize":
            say(number, {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                         "serverInfo": {"name": sys.argv[1], "version": "1"}})
        elif method == "tools/list":
            say(number, {"tools": [{"name": name, "description": (rest or [function.__doc__])[0], "inputSchema": schema}
                                   for name, (function, schema, *rest) in tools.items()]})
        elif method == "tools/call":
            threading.Thread(target=call, args=(tools, number, params["name"], params["arguments"])).start()


main()
