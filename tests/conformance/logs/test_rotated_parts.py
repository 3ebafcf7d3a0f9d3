"""Parts of a log that log4j or logrotate left are read as one log, in the order of their times."""

from pathlib import Path

import pytest
from tests.conformance.logs.test_log_lines import BLOCK, POOL, datanode, namenode

from genstamp.logs import reading
from genstamp.logs.alone import check_alone
from genstamp.logs.local import check_locally
from genstamp.logs.run import Options
from genstamp.logs.units import HEAD, find_units

ALLOCATE = f"BLOCK* allocate {BLOCK}, replicas=127.0.0.1:40019 for /f"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("nn.log.1", "nn.log"),
        ("nn.log.10", "nn.log.9"),
        ("nn.log.2024-02-29", "nn.log"),
        ("nn.log.2024-03-01-10", "nn.log.2024-03-01-11"),
        ("nn.log.2024-03-01.1", "nn.log.2024-03-01.2"),
        ("nn.log-20240229", "nn.log-20240301"),
        ("nn.log-2024030110", "nn.log"),
        ("nn.log-20240301-1709287200", "nn.log"),
        ("nn.log.20240229", "nn.log"),
        ("nn-2024-03-01-1.log", "nn-2024-03-01-2.log"),
        ("nn-03-01-2024-1.log", "nn.log"),
        ("nn_20240229.out", "nn_20240301.out"),
    ],
)
def test_parts_that_rotation_left_are_one_log(tmp_path: Path, first: str, second: str) -> None:
    (tmp_path / first).write_text(namenode(ALLOCATE), encoding="utf-8")
    update = namenode(f"updatePipeline({BLOCK} => blk_1073741825_1002) success").replace("2022", "2023", 1)
    (tmp_path / second).write_text(update, encoding="utf-8")
    (unit,) = find_units([str(tmp_path)]).units
    assert [Path(file).name for file in unit.files] == [first, second]
    assert check_alone([tmp_path], Options(complete=True)).safety == "conformant"


@pytest.mark.parametrize(
    "names", [("dn-1.log", "dn-2.log"), ("dn-10.0.0.1.log", "dn-10.0.0.2.log"), ("a.log", "b.log")]
)
def test_logs_of_several_servers_are_not_one(tmp_path: Path, names: tuple[str, str]) -> None:
    for year, name in enumerate(names, 2022):
        (tmp_path / name).write_text(namenode(ALLOCATE).replace("2022", str(year), 1))
    assert len(find_units([str(tmp_path)]).units) == 2


UPDATE = f"updatePipeline({BLOCK} => blk_1073741825_1002) success"
HOST = "STARTUP_MSG:   host = {}/10.0.0.1"


def _parts(place: Path, *parts: tuple[str, str]) -> None:
    """Logs of one minute each, one after another."""
    for minute, (name, text) in enumerate(parts):
        (place / name).write_text(text.replace(" 17:28", f" 17:3{minute}"), encoding="utf-8")


@pytest.mark.parametrize(
    ("first", "second"),
    [("nn-1.log", "nn-2.log"), ("nn-2.log", "nn-1.log"), ("nn.log.old", "nn.log"), ("xaa", "xab"), ("b.txt", "a.txt")],
)
@pytest.mark.parametrize("pool", ["", namenode(f"of {POOL}")])
def test_parts_whose_names_do_not_say_so_are_one_log(tmp_path: Path, first: str, second: str, pool: str) -> None:
    created = "allowed=true\tugi=me\tip=/1\tcmd=create\tsrc=/f\tdst=null\tperm=null"
    closed = "DIR* completeFile: /f is closed by DFSClient_1"
    _parts(
        tmp_path,
        (first, pool + namenode(created) + namenode(ALLOCATE)),
        (second, pool + namenode(UPDATE) + namenode(closed)),
    )
    report = check_alone([tmp_path], Options(complete=True))
    assert (report.safety, report.completion) == ("conformant", "complete")
    assert (str(tmp_path / second), f"read as what follows {tmp_path / first}") in report.notes


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (namenode(ALLOCATE), namenode(ALLOCATE)),
        (namenode(HOST.format("nn1")) + namenode(ALLOCATE), namenode(HOST.format("nn2")) + namenode(UPDATE)),
        (namenode(ALLOCATE), datanode(f"Receiving {POOL}:{BLOCK} src: /10.0.0.8:4 dest: /10.0.0.1:9866")),
        tuple(datanode(f"Receiving {POOL}:{BLOCK} src: /10.0.0.8:4 dest: /10.0.0.{n}:9866") for n in (1, 2)),
    ],
    ids=["gives out the same block", "another host", "another sort of server", "another datanode"],
)
def test_log_of_another_server_goes_on_with_none(tmp_path: Path, first: str, second: str) -> None:
    _parts(tmp_path, ("a.log", first), ("b.log", second))
    found = find_units([str(tmp_path)], complete=True)
    assert (len(found.units), found.perhaps) == (2, set())


def test_parts_of_a_datanodes_log_are_one(tmp_path: Path) -> None:
    receiving = datanode(f"Receiving {POOL}:{BLOCK} src: /10.0.0.8:4 dest: /10.0.0.1:9866")
    _parts(tmp_path, ("a.log", receiving), ("b.log", receiving))
    assert len(find_units([str(tmp_path)]).units) == 1


@pytest.mark.parametrize("names", [("nn-1.log", "nn-2.log"), ("nn.log.1", "nn.log")], ids=["no block", "overlap"])
def test_what_only_a_whole_log_cannot_lack_is_undetermined_where_nothing_shows_it_whole(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    """The pipeline of a block that no NameNode has given out."""
    first = namenode("DIR* completeFile: /g is closed by DFSClient_1")
    if names[1] == "nn.log":
        first += namenode("something else").replace(" 17:28", " 17:39")
    _parts(tmp_path, (names[0], first), (names[1], namenode(UPDATE)))
    report = check_alone([tmp_path], Options(complete=True))
    assert report.safety == "undetermined"
    assert all("but the log may be a part of another one" in found.failed for found in report.findings)
    assert check_alone([tmp_path]).safety == "conformant"


def test_violation_of_any_log_is_one_of_a_log_that_may_be_a_part(tmp_path: Path) -> None:
    again = namenode(f"updatePipeline({BLOCK} => {BLOCK}) success")
    _parts(tmp_path, ("nn-1.log", namenode("DIR* completeFile: /f is closed by DFSClient_1")), ("nn-2.log", again))
    assert find_units([str(tmp_path)], complete=True).perhaps == {str(tmp_path / "nn-2.log")}
    assert check_alone([tmp_path], Options(complete=True)).safety == "violated"


def test_parts_that_are_cut_in_the_midst_of_a_line_are_not_read(tmp_path: Path) -> None:
    """What is left of a line may say something else, at another time."""
    text = namenode(ALLOCATE) + "".join(namenode(UPDATE).replace(" 17:28", f" 17:4{n}") for n in (6, 7))
    begins = len(namenode(ALLOCATE))
    for cut in (begins + 9, begins + 13, begins + 22, begins + 60, begins + len(namenode(UPDATE)) - 9):
        (tmp_path / "xaa").write_text(text[:cut])
        (tmp_path / "xab").write_text(text[cut:])
        report = check_alone([tmp_path], Options(complete=True))
        assert report.safety == "undetermined", text[cut:]
        assert f"ends in the midst of a line, with which {tmp_path / 'xab'} goes on" in report.rejects[0]


def test_rotated_logs_are_one_story_in_the_order_of_their_times(tmp_path: Path) -> None:
    """The file is created in the older part and closed in the newer one, whatever the names sort like."""
    audit = "allowed=true\tugi=me\tip=/1\tcmd=create\tsrc=/f\tdst=null\tperm=null"
    (tmp_path / "nn.log.1").write_text(namenode(audit), encoding="utf-8")
    later = namenode("DIR* completeFile: /f is closed by DFSClient_1").replace("2022", "2023", 1)
    (tmp_path / "nn.log").write_text(later, encoding="utf-8")
    told = check_locally([tmp_path]).events.to_pylist()
    assert [(event["event"], event["kind"], event["entity"]) for event in told] == [
        ("create", "file", "/f#1"),
        ("complete", "file", "/f#1"),
    ]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("is_rotated", [False, True])
def test_lines_before_the_first_that_names_the_pool_are_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_rotated: bool, compiled: bool
) -> None:
    """However far the log goes until then: else the recovery would begin in one namespace, and end in another."""
    monkeypatch.setattr(reading, "COMPILED_FROM", 0 if compiled else 1 << 30)
    started = (
        "DIR* NameSystem.internalReleaseLease: File /f has not been closed. Lease recovery is in progress. RecoveryId"
    )
    before = [ALLOCATE, *(f"{started} = {recovery_id} for block {BLOCK}" for recovery_id in (1002, 1003))]
    commit = f"commitBlockSynchronization(oldBlock={POOL}:{BLOCK}, file=/f, newgenerationstamp=1002, newlength=5,"
    texts = ["".join(map(namenode, before)), namenode(f"{commit} newtargets=[]) successful").replace("2022", "2023", 1)]
    if is_rotated:
        for name, text in zip(("nn.log.1", "nn.log"), texts, strict=True):
            (tmp_path / name).write_text(text)
    else:
        (tmp_path / "nn.log").write_text((namenode("something else") * (HEAD // 90)).join(texts))
    report = check_alone([tmp_path])
    assert (report.safety, {finding.key.namespace for finding in report.findings}) == ("violated", {POOL})
