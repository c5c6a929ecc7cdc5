"""Draws the panels of a world into one PNG. matplotlib (the extra ``worldgen[plots]``) is imported when one is drawn.

The colours are those of Okabe and Ito, which people with colour-blindness tell apart. The file holds neither a date nor
the version of what drew it, so that the same world gives the same bytes wherever matplotlib is the same.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any

import numpy as np

from worldgen.errors import CallerError
from worldgen.gallery.panels import Bars, Course, Panels, Scatter
from worldgen.gallery.quantities import Numbers, Quantity, skewed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

EXTRA = "worldgen[plots]"
DPI = 80
SIZE = (12.0, 9.5)  # inches
COLUMNS = 3
PALETTE = 48  # colours in the file
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#B8B8B8"
_STYLE = {"font.size": 8.5, "axes.titlesize": 9, "axes.spines.top": False, "axes.spines.right": False}
_WRAP = 40


def draw(panels: Panels, path: Path) -> None:
    """Write the figure.

    Raises:
        CallerError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
        from PIL import Image  # matplotlib's own dependency
    except ImportError as error:
        raise CallerError(
            "gallery.not-installed", "the package 'matplotlib' is not installed", fix=f"pip install '{EXTRA}'"
        ) from error
    drawn = len(panels.histograms) + len(panels.scatters) + (panels.course is not None) + (panels.bars is not None)
    # The reader's own settings of matplotlib change nothing.
    settings: dict[Any, Any] = dict(mpl.rcParamsDefault)
    settings.update(_STYLE, backend="agg")
    with mpl.rc_context(settings):
        figure = Figure(figsize=SIZE, dpi=DPI, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
        axes = iter(figure.subplots(-(-drawn // COLUMNS), COLUMNS, squeeze=False).flat)
        for one in panels.histograms:
            _histogram(next(axes), one)
        for pair in panels.scatters:
            _scatter(next(axes), pair)
        if panels.course is not None:
            _course(next(axes), panels.course)
        if panels.bars is not None:
            _bars(next(axes), panels.bars)
        for empty in axes:
            empty.set_axis_off()
        drawing = BytesIO()
        figure.savefig(drawing, format="png", metadata={"Software": None})
    # A palette makes the file a third as large; without dithering no area gets speckled.
    Image.open(drawing).convert("RGB").quantize(PALETTE, dither=Image.Dither.NONE).save(path, "PNG", optimize=True)


def _histogram(axes: Axes, shown: Quantity) -> None:
    values = shown.known
    count = int(np.clip(round(np.sqrt(values.size) * 1.4), 8, 24))
    if skewed(values):
        edges = np.geomspace(values.min(), values.max(), count + 1)
        _logarithmic(axes.xaxis, values)
    else:
        edges = _whole(values, count)
    axes.hist(values, bins=edges.tolist(), color=BLUE, edgecolor="white", linewidth=0.5)
    axes.axvline(float(np.median(values)), color=ORANGE, linestyle="--", linewidth=1.2)
    _plain(axes.xaxis, shown)
    _counting(axes.yaxis)
    _entitle(axes, f"{shown.rows}: {shown.label}")
    axes.set_xlabel(shown.axis)
    axes.set_ylabel(f"number of {shown.rows}")


def _whole(values: Numbers, count: int) -> Numbers:
    """Edges of bins; of whole numbers no bin takes in more of them than another."""
    low, high = float(values.min()), float(values.max())
    if not np.all(values == np.round(values)) or high - low > 400:
        return np.linspace(low, high, count + 1)
    step = max(1, int(np.ceil((high - low + 1) / count)))
    return np.arange(low - 0.5, high + step, step)


def _scatter(axes: Axes, pair: Scatter) -> None:
    axes.scatter(pair.x.values, pair.y.values, s=14, color=BLUE, alpha=0.65, linewidths=0)
    for axis, shown in ((axes.xaxis, pair.x), (axes.yaxis, pair.y)):
        if skewed(shown.known):
            _logarithmic(axis, shown.known)
        _plain(axis, shown)
    _entitle(axes, f"{pair.x.rows}: rank correlation\N{NO-BREAK SPACE}{pair.correlation:.2f}")
    axes.set_xlabel(pair.x.axis)
    axes.set_ylabel(fill(pair.y.axis, 34))


def _course(axes: Axes, course: Course) -> None:
    when = np.arange(len(course.periods))
    if skewed(course.observed.known):
        _logarithmic(axes.yaxis, course.observed.known)
    for line in course.lines:
        axes.plot(when, line, color=GREY, linewidth=0.7)
    for (name, row), color in zip(course.named.items(), (ORANGE, BLUE, GREEN), strict=False):
        axes.plot(
            when,
            course.lines[row],
            color=color,
            linewidth=1.8,
            marker="o",
            markersize=3,
            label=shorten(name, 40, placeholder=" …"),
        )
    step = -(-len(when) // 5)
    axes.set_xticks(when[::step], course.periods[::step])
    _plain(axes.yaxis, course.observed)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(0, -0.1), frameon=False, labelspacing=0.2)
    _entitle(axes, f"{course.observed.rows}: {course.observed.label}")
    axes.set_ylabel(fill(course.observed.axis, 34))


def _bars(axes: Axes, bars: Bars) -> None:
    names = [fill(name, 20) for name in bars.counts]
    drawn = axes.barh(names, list(bars.counts.values()), color=GREEN)
    axes.bar_label(drawn, padding=2, fontsize=7.5)
    axes.invert_yaxis()
    axes.margins(x=0.1)
    _counting(axes.xaxis)
    _entitle(axes, f"{bars.rows}: {bars.label}")
    axes.set_xlabel(f"number of {bars.rows}")


def _entitle(axes: Axes, text: str) -> None:
    axes.set_title(fill(text, _WRAP), loc="left", fontweight="bold")


def _logarithmic(axis: Axis, values: Numbers) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    if axis is axis.axes.xaxis:
        axis.axes.set_xscale("log")
    else:
        axis.axes.set_yscale("log")
    decades = np.log10(values.max() / values.min())
    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0) if decades < 2.2 else (1.0,), numticks=12))
    axis.set_minor_formatter(NullFormatter())


def _counting(axis: Axis) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True))


def _plain(axis: Axis, shown: Quantity) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if axis.get_scale() != "log":
        whole = bool(np.all(shown.known == np.round(shown.known)))
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10], integer=whole))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}" if shown.is_year else short(value)))


def short(value: float) -> str:
    """A number for an axis.

    >>> short(1500), short(2_000_000), short(0.25), short(-40)
    ('1.5k', '2M', '0.25', '-40')
    """
    for size, sign in ((1e12, "tn"), (1e9, "bn"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{sign}"
    return f"{value:g}"
