# %% Load the file and look at it
import csv

with open("sales.csv", newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))

print(len(rows), "rows, columns:", ", ".join(rows[0]))
rows[:3]

# %% Which values are there, and which are missing?
from collections import Counter

print("blank:", {column: blank for column in rows[0]
                 if (blank := sum(not row[column].strip() for row in rows))})
print("regions:", dict(Counter(row["region"] for row in rows).most_common()))
print("products:", dict(Counter(row["product"] for row in rows).most_common()))

# %% The year's revenue
revenue = sum(float(row["units"]) * float(row["unit_price"]) for row in rows)
revenue

# %% Some rows have no number there: see all of them before deciding
def number(text):
    """The number in text, or None; "$79.00" is read as 79."""
    try:
        return float(text.strip().lstrip("$"))
    except ValueError:
        return None

broken = [(line, row) for line, row in enumerate(rows, start=2)
          if number(row["units"]) is None or number(row["unit_price"]) is None]
for line, row in broken:
    print(f"line {line}: {row['date']} {row['product']}: "
          f"units={row['units']!r} unit_price={row['unit_price']!r}")
f"{len(broken)} of {len(rows)} rows have no usable amount"

# %% One clean record a sale: regions in one spelling, dates as dates, nothing twice
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Sale:
    day: date
    region: str
    product: str
    units: int
    price: float
    rep: str

    @property
    def amount(self):
        return self.units * self.price


def clean(row):
    return Sale(date.fromisoformat(row["date"].replace("/", "-")),
                row["region"].strip().title(), row["product"], int(number(row["units"])),
                number(row["unit_price"]), row["sales_rep"].strip() or "(unknown)")


usable = [row for row in rows if number(row["units"]) and number(row["unit_price"])]
sales = sorted(dict.fromkeys(map(clean, usable)), key=lambda sale: sale.day)
print(len(rows), "rows,", len(usable), "usable,", len(sales), "after taking out repeats")
sales[0]

# %% Again: the year's revenue
revenue = sum(sale.amount for sale in sales)
round(revenue, 2)

# %% By region
from collections import defaultdict


def total_by(key):
    """Revenue for each value of key(sale), largest first."""
    totals = defaultdict(float)
    for sale in sales:
        totals[key(sale)] += sale.amount
    return dict(sorted(totals.items(), key=lambda item: -item[1]))


by_region = total_by(lambda sale: sale.region)
print(f"{'region':<8}{'sales':>7}{'revenue':>12}{'share':>8}")
for region, total in by_region.items():
    count = sum(sale.region == region for sale in sales)
    print(f"{region:<8}{count:>7}{total:>12,.2f}{total / revenue:>8.1%}")

# %% By month, with the same function
by_month = dict(sorted(total_by(lambda sale: sale.day.replace(day=1)).items()))
widest = max(by_month.values())
for month, total in by_month.items():
    print(f"{month:%b}  {total:>10,.2f}  {'#' * round(30 * total / widest)}")
max(by_month, key=by_month.get).strftime("%B")

# %% Second half of the year against the first
import math

half = {1: 0.0, 2: 0.0}
for month, total in by_month.items():
    half[1 if month.month <= 6 else 2] += total
growth = half[2] / half[1] - 1
assert math.isclose(sum(half.values()), revenue)
f"{growth:+.1%}"

# %% How large is a sale, usually?
import statistics

amounts = [sale.amount for sale in sales]
summary = {
    "mean": statistics.mean(amounts),
    "median": statistics.median(amounts),
    "stdev": statistics.stdev(amounts),
    "largest": max(amounts),
}
quartiles = statistics.quantiles(amounts, n=4)
print("quartiles:", [round(q, 2) for q in quartiles])
{name: round(value, 2) for name, value in summary.items()}

# %% Do dear things sell in smaller numbers?
prices = [sale.price for sale in sales]
units = [sale.units for sale in sales]
r = statistics.correlation(prices, units)
slope, intercept = statistics.linear_regression(prices, units)
print(f"correlation of price and units: {r:.2f}")
print(f"each 10 more in price goes with {10 * slope:.2f} units")
round(r, 3)

# %% How few products make four fifths of the revenue?
from itertools import accumulate

by_product = total_by(lambda sale: sale.product)
shares = list(accumulate(total / revenue for total in by_product.values()))
needed = next(n for n, share in enumerate(shares, start=1) if share >= 0.8)
for (product, total), share in zip(by_product.items(), shares):
    print(f"{product:<15}{total:>12,.2f}{share:>8.1%}")
needed

# %% The best seller of each region
by_rep = total_by(lambda sale: (sale.region, sale.rep))
best = {}
for (region, rep), total in by_rep.items():
    best.setdefault(region, (rep, round(total, 2)))
best

# %% The answer
first_region = next(iter(by_region))
first_product = next(iter(by_product))
print(f"""Sales of 2024 came to {revenue:,.0f}, from {len(sales)} sales ({len(broken)} rows of the file
had no usable amount and are left out). {first_region} is the largest region with
{by_region[first_region] / revenue:.0%}, and {first_product} the largest product. {needed} of {len(by_product)} products make
four fifths of the revenue. The second half of the year was {growth:+.0%} against the first. A usual
sale is worth {summary['median']:,.0f} (median); cheaper things sell in larger numbers (r = {r:.2f}).""")
