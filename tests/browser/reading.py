"""What the page shows, read as numbers."""

from __future__ import annotations

from typing import Any

EXPLORER = "#explore-verification"


def threshold(page: Any, explorer: str = EXPLORER) -> float:
    """The exact threshold behind the one shown."""
    return float(page.locator(f"{explorer} .threshold").get_attribute("data-value"))


def live(page: Any, name: str, explorer: str = EXPLORER) -> float:
    """The exact value of a live number."""
    return float(page.locator(f'{explorer} [data-number="{name}"]').get_attribute("data-value"))


def live_text(page: Any, name: str, explorer: str = EXPLORER) -> str:
    """A live number as a person reads it, with what stands behind it."""
    return " ".join(page.locator(f'{explorer} [data-number="{name}"]').inner_text().replace("\u00a0", " ").split())


def row(page: Any, system: int, name: str, explorer: str = EXPLORER) -> float:
    """The exact value of a live number in the table of all systems; "threshold" is one of them."""
    cells = page.locator(f'{explorer} .live-table [data-row="{system}"]')
    cell = cells.locator("td").first if name == "threshold" else cells.locator(f'[data-live="{name}"]')
    return float(cell.get_attribute("data-value"))


def press(page: Any, key: str, times: int = 1, explorer: str = EXPLORER) -> None:
    """Press a key on the slider."""
    page.locator(f"{explorer} .slider").focus()
    for _ in range(times):
        page.keyboard.press(key)


def handle(page: Any, part: str, explorer: str = EXPLORER) -> float:
    """Where the threshold line of a chart stands, from 0 at the left end of its axis to 1 at the right."""
    script = """(figure) => {
        const at = Number(figure.querySelector(".handle-grip").getAttribute("cx"));
        const edge = figure.querySelector(".edge").getAttribute("d").match(/M(\\S+) .*H(\\S+)/);
        return (at - Number(edge[1])) / (Number(edge[2]) - Number(edge[1]));
    }"""
    return float(page.locator(f'{explorer} [data-part="{part}"]').evaluate(script))


def box_of(page: Any, part: str, explorer: str = EXPLORER) -> dict[str, float]:
    """Where a chart lies in the window, once it is there."""
    chart = page.locator(f'{explorer} [data-part="{part}"] svg.draggable')
    chart.evaluate("(svg) => svg.scrollIntoView({block: 'center'})")
    return chart.bounding_box()


def drag(page: Any, part: str, start: float, end: float, explorer: str = EXPLORER) -> None:
    """Drag from one share of a chart's width to another, halfway up."""
    box = box_of(page, part, explorer)
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + (start + end) / 2 * box["width"], y, steps=3)
    page.mouse.move(box["x"] + end * box["width"], y, steps=3)
    page.mouse.up()


def overflowing(page: Any) -> list[str]:
    """What sticks out of the window to the right, unless it lies in a part that scrolls by itself."""
    return page.evaluate("""() => [...document.querySelectorAll("body *")]
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, .unseen, .skip"))
        .filter((one) => !one.closest("svg") || one.tagName === "svg")
        .map((one) => `${one.tagName}.${one.className}`)""")
