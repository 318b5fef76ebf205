"""The page in headless Chromium: charts drawn, nothing fetched, readable on a phone, in light and dark."""

import shutil

import pandas as pd
import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here (Debian: apt-get install chromium)")


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def fetched(url):
    return not url.startswith(("file:", "data:"))


@pytest.fixture
def opened(browser, made):
    """A function that opens the page; what went wrong in it is asserted empty at the end."""
    problems, pages = [], []

    def open_page(*, width=1280, scheme="light"):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        pages.append(page)
        page.set_default_timeout(120_000)  # a busy machine may start a browser slowly
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(request.url))
        page.on("request", lambda request: problems.extend([request.url] if fetched(request.url) else []))
        page.goto((made.folder / "reports" / "index.html").as_uri())
        page.wait_for_function("document.documentElement.dataset.drawn")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert problems == []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn_and_the_page_never_scrolls_sideways(opened, width, scheme):
    page = opened(width=width, scheme=scheme)

    sizes = page.evaluate(
        "() => [...document.querySelectorAll('.chart')].map(place => {"
        " const svg = place.querySelector('svg'); const box = svg && svg.getBoundingClientRect();"
        " return svg && [box.width, box.height, svg.querySelectorAll('path').length, box.right]; })"
    )
    assert len(sizes) > 15
    assert all(size and size[0] > 100 and size[1] > 50 and size[2] > 3 for size in sizes)
    assert all(size[3] <= width for size in sizes)
    page.evaluate("() => document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("chart", ["tiers-chart", "comparisons-chart", "best_of_all-chart", "routers-chart"])
def test_no_label_of_a_row_is_crossed_by_a_mark_or_a_grid(opened, width, chart):
    page = opened(width=width)
    words, marks = page.evaluate(
        "id => { const box = each => { const b = each.getBoundingClientRect();"
        " return [b.left, b.top, b.right, b.bottom]; };"
        " const all = query => [...document.querySelectorAll('#' + id + ' ' + query)].map(box);"
        " return [all('.mark-text.role-mark text'),"
        " all(':is(.role-mark:not(.mark-text), .role-axis-grid) :is(path, line, rect)')]; }",
        chart,
    )
    crossed = [
        (word, mark)
        for word in words
        for mark in marks
        if word[0] < mark[2] and mark[0] < word[2] and word[1] < mark[3] and mark[1] < word[3]
    ]
    assert len(words) > 4 and len(marks) > 8
    assert crossed == []


def test_charts_follow_the_scheme_when_it_changes(opened):
    page = opened()
    colour = "getComputedStyle(document.querySelector('#held-out-chart .role-axis-label text')).fill"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{colour} !== '{light}'")
    assert page.evaluate(colour) == "rgb(230, 233, 236)"


def test_charts_have_names_for_those_who_cannot_see_them(opened):
    page = opened()
    unnamed = page.evaluate(
        "() => [...document.querySelectorAll('.chart')].filter(place => !place.getAttribute('aria-label')"
        " || place.getAttribute('role') !== 'graphics-document').length"
    )
    assert unnamed == 0


def test_the_table_of_questions_counts_wins_as_the_ladder_does(opened, made):
    page = opened()
    ladder = pd.read_csv(made.folder / "reports" / "tables" / "ladder.csv")
    row = ladder[(ladder["planner"] == "sft+hybrid_anchor") & (ladder["tier"] == "rerank")].iloc[0]
    page.select_option("#control", label="rerank")
    page.select_option("#outcome", "win")

    assert page.locator("#drill-table tbody tr").count() == row["wins"] > 0
    assert f"{row['wins']} wins, {row['losses']} losses, {row['ties']} ties" in page.inner_text("#drill-summary")


def test_a_question_s_letters_are_shown_for_every_policy_by_keyboard(opened):
    page = opened()
    page.fill("#search", "q000")
    page.focus("#drill-table button")
    page.keyboard.press("Enter")

    assert page.locator("#drill-detail tbody tr").count() == 13
    assert "no letter (unparsable)" in page.inner_text("#drill-detail")
