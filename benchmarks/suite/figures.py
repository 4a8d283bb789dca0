"""Figures out of rounds. A row has for each program a list with one figure a round, None where a
round has none; all that is said of programs beside each other is said of the same rounds."""
import statistics

# Units and what they are shown in, the greatest first.
SCALES = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")),
    "KiB": ((1 << 20, "GiB"), (1 << 10, "MiB"), (1, "KiB")),
    "MiB": ((1, "MiB"),),
    "/s": ((1, "/s"),),
}


def known(samples):
    return [sample for sample in samples or () if sample is not None]


def middle(samples):
    """The median of the rounds; None where no round has a figure."""
    return statistics.median(known(samples)) if known(samples) else None


def spread(samples):
    """The least and the greatest of the rounds."""
    return (min(known(samples)), max(known(samples))) if known(samples) else None


def ratio(mine, others):
    """The median of the rounds' ratios of mine to the other's; None where no round has both."""
    pairs = [(a, b) for a, b in zip(mine or (), others or ()) if a is not None and b]
    return statistics.median(a / b for a, b in pairs) if pairs else None


def digits(number):
    """Three of them, without an exponent."""
    if number >= 1000:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def quantity(value, unit):
    for size, name in SCALES[unit]:
        if value >= size or name == SCALES[unit][-1][1]:
            return f"{digits(value / size)} {name}"


def span(low, high, unit):
    """Both in the unit of the greater one, named once: "7.9 to 8.3 µs"; one where they look alike,
    each in its own where they are far apart."""
    size, name = next(((size, name) for size, name in SCALES[unit] if high >= size),
                      SCALES[unit][-1])
    if low < size / 10:
        return f"{quantity(low, unit)} to {quantity(high, unit)}"
    first, last = digits(low / size), digits(high / size)
    return f"{first} {name}" if first == last else f"{first} to {last} {name}"
