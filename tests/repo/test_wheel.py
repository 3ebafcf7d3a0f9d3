"""What a user of the wheel gets."""

import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from genstamp.explorer.page import SCRIPTS, STYLE

PACKAGES = {"genstamp_spec", "genstamp_model", "genstamp_dfs", "genstamp"}


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    built = next(WheelBuilder(str(repository)).build(directory=str(tmp_path_factory.mktemp("wheel"))))
    return zipfile.ZipFile(built)


@pytest.mark.slow
def test_wheel_holds_the_four_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_wheel_says_that_it_is_typed(wheel: zipfile.ZipFile) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel.namelist())


def test_wheel_brings_licence_and_command(wheel: zipfile.ZipFile) -> None:
    information = {name.partition(".dist-info/")[2]: name for name in wheel.namelist() if ".dist-info/" in name}
    assert {"licenses/LICENSE", "licenses/NOTICE"} <= set(information)
    assert "genstamp = genstamp.cli:main" in wheel.read(information["entry_points.txt"]).decode()


def test_wheel_brings_the_template_of_the_page_of_logs(wheel: zipfile.ZipFile) -> None:
    assert "genstamp/logs/templates/page.html" in wheel.namelist()


def test_wheel_brings_the_page_of_the_explorer(wheel: zipfile.ZipFile) -> None:
    wanted = {"templates/explorer.html", *(f"static/{name}" for name in (*SCRIPTS, STYLE))}
    assert {f"genstamp/explorer/{name}" for name in wanted} <= set(wheel.namelist())
