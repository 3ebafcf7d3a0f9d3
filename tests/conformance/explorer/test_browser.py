"""The explorer's page in a headless Chromium."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.conformance.explorer.browser import DRIVER, PROGRAM, Browser, browsing
from tests.conformance.explorer.pictures import BUG, STEPS, link
from tests.conformance.explorer.served import Served, served

from genstamp.explorer import Explored
from genstamp.explorer.moments import told_run
from genstamp.explorer.page import file
from genstamp.explorer.runs import Run, walked
from genstamp.systems import system_named
from genstamp.verify.agreeing import REQUIRED

pytestmark = pytest.mark.skipif(
    os.environ.get(REQUIRED) != "1" and None in (PROGRAM, DRIVER), reason="chromium or chromedriver is not there"
)


@pytest.fixture(scope="module")
def explored() -> Explored:
    return Explored(system_named("hdfs.lease"), {})


@pytest.fixture(scope="module")
def explorer(explored: Explored) -> Iterator[Served]:
    with served(explored, BUG) as running:
        yield running


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def browser(window: Browser, explorer: Served) -> Iterator[Browser]:
    """A browser; in the end, it has asked no other host, and nothing was blocked or went wrong."""
    window.asked()
    yield window
    asked = window.asked()
    assert [one for one in asked if not one.startswith((explorer.address, "data:", "blob:", "file:"))] == []
    assert window.complaints() == []


@pytest.mark.slow
def test_a_bug_is_walked_to_its_violation_by_keys(browser: Browser, explorer: Served) -> None:
    browser.open(explorer.address)
    for step in STEPS:
        browser.take(step)
    assert browser.text(".violation h2") == "violated: fenced_client_changes_nothing"
    assert "block'[file] is committed" in browser.texts(".violation .values li")
    assert browser.texts(".row.new dt") == ["changed_by", "block"]
    assert browser.texts(".row.new ins") == ["client1", "committed"]
    browser.press(Keys.BACKSPACE)
    browser.wait_for("#run [aria-current] .number", "4")
    assert browser.texts(".violation") == []
    browser.press(Keys.ARROW_RIGHT)
    browser.wait_for("#run [aria-current] .number", "5")
    assert len(browser.texts(".violation")) == 2


@pytest.mark.slow
def test_the_check_is_read_that_refuses_a_step(browser: Browser, explorer: Served) -> None:
    browser.open(explorer.address + link(*STEPS[:2]))
    browser.wait_for("#run [aria-current]", "add_block")
    browser.press("/", "create_waits(client client1")
    browser.press(Keys.ESCAPE, "j")
    told = browser.driver.switch_to.active_element.text
    assert told.startswith(
        "create_waits(client client1, file file1)\nneeds that the caller does not hold the file's lease"
    )
    assert "spec/genstamp_spec/hdfs/parts/namenode_leases.py:" in told


@pytest.mark.slow
def test_a_shared_link_opens_the_same_state(browser: Browser, explorer: Served) -> None:
    browser.open(explorer.address)
    browser.take(STEPS[0])
    shared, state = browser.driver.current_url, browser.text("#cards")
    browser.open(shared)
    browser.wait_for("#run [aria-current]", "create")
    assert browser.text("#cards") == state
    browser.open(explorer.address + link("fly()"))
    browser.wait_for("#notice.error", "'fly()', is no step of hdfs.lease here")


@pytest.mark.slow
def test_a_file_is_loaded_and_walked(browser: Browser, explorer: Served, tmp_path: Path) -> None:
    _, trace = explorer.ask("file", bugs=[BUG], steps=STEPS)
    (tmp_path / "trace.itf.json").write_text(json.dumps(trace))
    browser.open(explorer.address)
    browser.driver.find_element(By.ID, "file").send_keys(str(tmp_path / "trace.itf.json"))
    browser.wait_for("#run li", "complete_under_recovery")
    browser.press(*[Keys.ARROW_RIGHT] * len(STEPS))
    browser.wait_for(".violation", "fenced_client_changes_nothing")
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "#lanes rect:not(.later)")) == len(STEPS)


@pytest.mark.slow
def test_one_file_opens_from_disk(browser: Browser, explored: Explored, tmp_path: Path) -> None:
    setup = explored.setup(bugs=(BUG,))
    path = walked(explored.evaluator(setup), 0, STEPS)
    run = told_run(explored.evaluator(setup), setup, Run(path, "fenced_client_changes_nothing is violated"))
    (tmp_path / "run.html").write_text(file(explored, run, path.to_itf()))
    browser.open(f"file://{tmp_path}/run.html")
    browser.press(Keys.END, Keys.ARROW_LEFT)
    browser.wait_for("#run [aria-current] .number", "4")
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "#lanes rect.later")) == 1
    browser.press("l")
    browser.wait_for(".violation", "fenced_client_changes_nothing")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 400])
def test_no_text_leaves_its_box(browser: Browser, explorer: Served, width: int) -> None:
    browser.open(explorer.address + link(*STEPS), width=width)
    browser.wait_for(".violation")
    assert browser.spills() == []
    browser.press("c")
    assert browser.spills() == []
    browser.press("?")
    assert browser.driver.find_element(By.ID, "help").is_displayed()
    assert browser.spills() == []
