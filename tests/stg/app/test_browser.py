"""The page in a real browser: Debian's chromium, or another that STG_BROWSER names. Skipped where there is none.

`make pictures` runs these tests and keeps their screenshots in docs/images.
"""

import os
import re
import shutil
from pathlib import Path

import pytest

from modeling_stg.game import read_games
from modeling_stg.game_facts import GameFacts
from stg.app.page import recap_page
from stg.app.service import App
from tests.stg.app.conftest import running


pytestmark = [pytest.mark.browser, pytest.mark.slow]
BROWSER = os.environ.get("STG_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
WRONG = (
    "The Milwaukee Bucks edged the New York Knicks, 105-104, on Thursday. Giannis Antetokounmpo had 27 points and 14 "
    "rebounds, and Jabari Parker came off the bench for 15 points. The Knicks used a 12-2 run. It was a fine night."
)
FIRST_COLUMNS = ("PTS", "REB", "AST", "STL", "BLK")
DESKTOP, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
WRITING = 900_000  # milliseconds in which a busy machine writes a recap


@pytest.fixture(scope="module")
def address():
    """The page with the released model."""
    if BROWSER is None:
        pytest.skip("no browser: install chromium, or set STG_BROWSER to the path of one")
    pytest.importorskip("playwright", reason="playwright is not installed: pip install -e '.[dev]'")
    for server in running(App("modeling_stg", None)):
        yield f"http://127.0.0.1:{server.server_address[1]}"


@pytest.fixture(scope="module")
def browser(address):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, address):
    """Opens the page; afterwards, nothing may have failed in it."""
    complaints = []

    def visit(size=DESKTOP, colours="light", url=address):
        context = browser.new_context(viewport=size, color_scheme=colours, has_touch=size == PHONE)
        context.set_default_timeout(120_000)
        if url.startswith("http"):
            context.grant_permissions(["clipboard-read", "clipboard-write"], origin=url)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(url)
        page.locator(".box h2").wait_for()
        return page

    yield visit
    expected = (
        "Failed to load resource: the server responded with a status of 4"  # a mistake of ours, said on the page
    )
    assert not [complaint for complaint in complaints if not complaint.startswith(expected)]


@pytest.fixture
def picture(tmp_path):
    """Takes a screenshot, in docs/images if STG_PICTURES names that folder."""
    folder = Path(os.environ.get("STG_PICTURES", tmp_path))
    return lambda page, name: page.screenshot(path=folder / f"{name}.png", animations="disabled")


def check(page, text):
    page.get_by_text("Check a recap", exact=True).click()
    page.get_by_label("Recap to check").fill(text)
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".verdict").wait_for()


def lit(page) -> set[str]:
    """The texts of the cells that are lit."""
    return set(page.locator(".box .lit").all_text_contents())


def test_write_compare_and_write_again(visit, picture):
    """Sentences as they come, the verdict, facts linked both ways, and a second press gives another text."""
    page = visit()
    page.get_by_label("Style").select_option("story")
    page.get_by_role("button", name="Write", exact=True).click()
    page.locator(".text mark").nth(10).wait_for(timeout=WRITING)
    assert re.search(r"Sentence \d+: choosing one of 32 candidates", page.locator(".progress").inner_text())
    page.locator(".verdict").wait_for(timeout=WRITING)
    assert page.locator(".verdict").inner_text().startswith("Nothing refuted, and every number is a fact.")
    assert page.get_by_role("status").inner_text().startswith("Nothing refuted"), "said to screen readers"

    page.locator("mark", has_text=re.compile("^27$")).last.hover()
    assert page.get_by_role("tooltip").inner_text() == "Giannis Antetokounmpo · points: 27" and lit(page) == {"27"}
    page.locator(".players .stated", has_text=re.compile("^27$")).hover()
    words = page.locator("mark.lit").all_text_contents()
    assert "27" in words and len(words) < 5, "from the cell to the words, too"
    computed = page.locator("mark[data-from]").last
    computed.hover()
    assert len(lit(page)) > 1 and " · " in page.get_by_role("tooltip").inner_text()
    page.locator("mark", has_text=re.compile("^27$")).last.hover()
    picture(page, "page")
    page.mouse.move(0, 0)
    page.emulate_media(color_scheme="dark")
    picture(page, "page_dark")

    first = page.locator(".text").inner_text()
    page.get_by_label("Compare with").select_option("players")
    page.get_by_role("button", name="Write", exact=True).click()
    page.locator(".verdict").nth(1).wait_for(timeout=WRITING)
    assert page.locator(".recap h2").all_text_contents() == ["story, version 2", "players"]
    second, players = page.locator(".text").all_inner_texts()
    assert first not in (second, players) and second != players
    left, right = (page.locator(".recap").nth(index).bounding_box() for index in (0, 1))
    assert left["y"] == right["y"] and left["x"] + left["width"] < right["x"], "side by side"
    page.get_by_role("button", name="Copy").first.click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == second
    page.get_by_role("button", name="Another version").first.click()
    page.locator(".recap h2", has_text="story, version 3").wait_for(timeout=WRITING)  # its first sentence is there
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for()
    assert page.locator(".recap").first.get_attribute("aria-busy") == "false"
    assert page.get_by_role("button", name="Write", exact=True).is_enabled()


def test_check_shows_what_is_refuted_and_free(visit, picture):
    page = visit()
    check(page, WRONG)
    assert page.locator("mark.false").all_text_contents() == ["Thursday", "14", "off the bench"]
    assert page.locator(".text ins").all_text_contents() == ["Wednesday", "13", "started"]
    assert page.locator("mark.free").all_text_contents() == ["12", "2"]
    assert page.locator(".box .refuted", has_text="13").is_visible()
    colour = page.locator("mark.free").first.evaluate("mark => getComputedStyle(mark).backgroundColor")
    assert colour == "rgb(255, 223, 158)", "amber"
    picture(page, "page_check")
    page.get_by_role("button", name="Copy corrected").click()
    page.get_by_text("Copied.").wait_for()
    assert "on Wednesday. Giannis Antetokounmpo had 27 points and 13" in page.evaluate(
        "navigator.clipboard.readText()"
    )


def test_keyboard_steps_through_the_facts(visit):
    page = visit()
    check(page, WRONG)
    stops = page.locator(".text mark[tabindex='0']")
    assert stops.count() == 1, "a text is one tab stop"
    stops.focus()
    words = page.locator("mark").all_text_contents()
    for word in words[1:]:
        page.keyboard.press("ArrowRight")
        assert page.locator(":focus").inner_text() == word
        described = page.locator(":focus").get_attribute("aria-describedby")
        assert page.locator(f"#{described}").inner_text() == page.locator(":focus").get_attribute("data-label")
    page.keyboard.press("ArrowLeft")
    assert page.locator(":focus").inner_text() == words[-2] and page.get_by_role("tooltip").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("tooltip").is_visible() and not lit(page)


def test_paste_and_file_become_games(visit, root, tmp_path):
    page = visit()
    box = page.locator(".box h2")
    assert not page.get_by_placeholder("The box score as JSON").is_visible(), "nothing to fill in beside an example"
    league = (root / "examples" / "sample_league.json").read_text(encoding="utf-8")
    page.get_by_role("button", name="Paste").click()
    page.get_by_placeholder("The box score as JSON").fill("{")
    page.get_by_role("button", name="Show the box score").click()
    page.locator("#status.error", has_text="pasted: is not valid JSON").wait_for()
    assert box.inner_text() == "Milwaukee Bucks at New York Knicks", "a mistake loses nothing"
    page.get_by_placeholder("The box score as JSON").fill(league)
    page.get_by_role("button", name="Show the box score").click()
    page.get_by_placeholder("The box score as JSON").wait_for(state="hidden")
    assert box.inner_text() != "Milwaukee Bucks at New York Knicks"
    file = tmp_path / "last night.json"
    file.write_text((root / "examples" / "bucks_at_knicks.json").read_text(encoding="utf-8"))
    page.locator("#file").set_input_files(file)
    page.locator("optgroup[label='last night.json'] option").wait_for(state="attached")
    page.locator(".box h2", has_text="Milwaukee Bucks").wait_for()
    check(page, "The Bucks beat the Knicks 105-104.")
    assert page.locator(".verdict.good").is_visible(), "the file's game is the one that is checked"


def test_mistakes_are_said_and_escaped(visit):
    page = visit()
    page.get_by_text("Options").click()
    page.get_by_label("Must mention").fill("<img src=x onerror=alert(1)>")
    page.get_by_role("button", name="Write", exact=True).click()
    page.locator("#status.error", has_text="<img src=x onerror=alert(1)>").wait_for()
    assert page.locator("img").count() == 0
    check(page, "The <img src=x onerror=alert(1)> Bucks scored 105.")
    assert page.locator("img").count() == 0 and "<img" in page.locator(".text").inner_text()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1400 px", "390 px"])
def test_box_score_shows_what_matters_without_scrolling(visit, picture, size):
    page = visit(size)
    for column in FIRST_COLUMNS:
        place = page.get_by_role("columnheader", name=column, exact=True).first.bounding_box()
        assert 0 <= place["x"] and place["x"] + place["width"] <= size["width"], column
        assert place["y"] + place["height"] <= size["height"], column
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], (
        "the page itself never scrolls aside"
    )


def test_result_scrolls_into_view_on_a_phone(visit, picture):
    page = visit(PHONE, "dark")
    check(page, WRONG)
    page.wait_for_timeout(1000)  # smooth scrolling
    place = page.locator(".recap").bounding_box()
    assert 0 <= place["y"] < PHONE["height"] / 3
    page.locator("mark.false").nth(1).tap()
    assert "14 REB" in page.get_by_role("tooltip").inner_text()
    tip = page.get_by_role("tooltip").bounding_box()
    assert 0 <= tip["x"] and tip["x"] + tip["width"] <= PHONE["width"]
    picture(page, "page_phone")


def test_html_output_is_the_readmes_picture(visit, picture, root, tmp_path):
    """What `stg generate --format html` writes: the same look, and its own policy lets its script run."""
    from stg.cli.generate import main

    with pytest.raises(SystemExit) as done:
        main(
            ["--games", str(root / "examples" / "bucks_at_knicks.json"), "--writer", "story", "--format", "html"]
            + ["--output", str(tmp_path / "recap.html"), "--model", str(root / "modeling_stg")]
        )
    assert done.value.code == 0
    page = visit(url=(tmp_path / "recap.html").as_uri())
    page.locator("mark", has_text=re.compile("^27$")).last.hover()
    assert lit(page) == {"27"}
    picture(page, "recap")


def test_policy_of_the_html_output_stops_foreign_scripts(browser, root, tmp_path):
    """Should a text ever get past the escaping, it still cannot run."""
    [game] = read_games(root / "examples" / "bucks_at_knicks.json")
    html = recap_page([GameFacts(game)], [{"writer": "x", "text": "The Bucks won.", "tokens": []}])
    file = tmp_path / "hostile.html"
    file.write_text(html.replace("The Bucks won.", "<b id=b>Bucks</b><script>b.textContent = 'run'</script>"))
    page = browser.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(file.as_uri())
    assert (
        page.locator("#b").inner_text() == "Bucks" and "violates the following Content Security Policy" in refused[0]
    )
