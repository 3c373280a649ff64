"""The studio with a million rows, in a real browser.

    python -m benchmarks.studio [--rows 1000000] [--browser /usr/bin/chromium]

Seconds are of the clock, as someone in front of the screen feels them: from the command to the
first page, from the end of the upload to rows on the screen, for CSV and Parquet. Scrolling is a
hundred jumps over the whole table and a minute's worth of steady wheel turns: how long until rows
are there, and how long the longest frame takes. The page's memory is that of its JavaScript heap
before and after all that. Goals: 6 s, 3 s, and a heap that does not grow with the table.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks import measure
from benchmarks.shoal import hard
from shoal.adapters import files

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
GRID = ".ag-body-viewport"
FRAMES = """() => new Promise((done) => {
  const view = document.querySelector('.ag-body-viewport'), times = [];
  let last = performance.now(), left = 300;
  const step = (now) => {
    times.push(now - last); last = now; view.scrollTop += 90;
    if (left-- > 0) requestAnimationFrame(step); else done(times);
  };
  requestAnimationFrame(step);
})"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--browser", default=shutil.which("chromium"))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = hard(asked.rows)
        home = Path(folder)
        sources = [home / "people.csv", home / "people.parquet"]
        for source in sources:
            files.write(table, source)
        lines = [line for source in sources for line in tried(source, asked.rows, asked.browser)]
    print(measure.markdown(f"The studio, {asked.rows:,} rows", ["what", "measured", "goal"], lines))


def tried(source: Path, rows: int, browser: str) -> list[list[str]]:
    begun = time.perf_counter()
    command = [sys.executable, "-c", "from shoal.cli import main; main()", "studio", "--no-browser"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert running.stdout
        address = running.stdout.readline().strip()
        said = time.perf_counter() - begun
        with sync_playwright() as playwright:
            page = playwright.chromium.launch(executable_path=browser, args=FLAGS).new_page()
            begun = time.perf_counter()
            page.goto(address)
            page.get_by_test_id("demo").wait_for()
            lines = [
                [
                    f"{source.suffix}: command to first page",
                    f"{said + time.perf_counter() - begun:.1f} s",
                    "6 s",
                ]
            ]
            return [*lines, *_looked_at(page, source, rows)]
    finally:
        running.terminate()
        running.wait(30)


def _looked_at(page: Page, source: Path, rows: int) -> list[list[str]]:
    kind = source.suffix
    size = f"{source.stat().st_size / 1e6:,.0f} MB"
    sent: list[float] = []
    page.on(
        "response",
        lambda answer: (
            sent.append(time.perf_counter()) if answer.request.method in ("PUT", "POST") else None
        ),
    )
    begun = time.perf_counter()
    page.locator("input[type=file]").first.set_input_files(str(source))
    page.wait_for_function(
        "document.querySelector('.ag-row [col-id=c0]')?.textContent?.length > 0", timeout=120_000
    )
    there = time.perf_counter()
    uploaded = next(at for at in sent if at > begun)
    before = _heap(page)
    waits = [_jumped(page, rows * step // 100, rows) for step in range(1, 100)]
    frames: list[float] = page.evaluate(FRAMES)
    after = _heap(page)
    return [
        [f"{kind}: upload of {size}", f"{uploaded - begun:.1f} s", ""],
        [f"{kind}: upload's end to rows on the screen", f"{there - uploaded:.1f} s", "3 s"],
        [
            f"{kind}: jump to any row, median and longest",
            f"{statistics.median(waits):.2f} s, {max(waits):.2f} s",
            "",
        ],
        [
            f"{kind}: frames while scrolling, median and 95 %",
            f"{statistics.median(frames):.0f} ms, {_high(frames):.0f} ms",
            "",
        ],
        [f"{kind}: page's heap before and after", f"{before:.0f} MB, {after:.0f} MB", "flat"],
    ]


def _jumped(page: Page, row: int, rows: int) -> float:
    begun = time.perf_counter()
    page.evaluate(
        f"() => {{ const v = document.querySelector('{GRID}'); v.scrollTop = "
        f"v.scrollHeight * {row / rows}; }}"
    )
    loaded = """() => {
      const rows = [...document.querySelectorAll('.ag-center-cols-container .ag-row')];
      const filled = (row) => row.querySelector('[col-id=c0]')?.textContent;
      return rows.length > 3 && rows.every(filled);
    }"""
    page.wait_for_function(loaded, timeout=30_000, polling=20)
    return time.perf_counter() - begun


def _heap(page: Page) -> float:
    session: Any = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def _high(times: list[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


if __name__ == "__main__":
    main()
