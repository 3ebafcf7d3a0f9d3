"""When a datanode that failed is replaced (Hadoop: TestReplaceDatanodeOnFailure#testDefaultPolicy)."""

from itertools import product

import pytest

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.hdfs.client.configuration import ClientConfiguration, ReplacePolicy


def test_default_policy() -> None:
    client = ClientConfiguration()
    for replication, existing, is_append, is_hflushed in product(range(1, 11), range(11), (False, True), (False, True)):
        replaces = client.replaces(replication, existing, is_append=is_append, is_hflushed=is_hflushed)
        is_short = 0 < existing < replication and replication >= 3
        expected = is_short and (existing <= replication // 2 or is_append or is_hflushed)
        assert replaces == expected, (replication, existing, is_append, is_hflushed)


@pytest.mark.parametrize(
    ("policy", "expected"), [(ReplacePolicy.NEVER, False), (ReplacePolicy.DISABLE, False), (ReplacePolicy.ALWAYS, True)]
)
def test_other_policies(policy: ReplacePolicy, expected: bool) -> None:
    configuration = ClientConfiguration(replace_policy=policy)
    assert configuration.replaces(2, 1, is_append=True, is_hflushed=True) is expected
    assert not configuration.replaces(2, 2, is_append=True, is_hflushed=True)
    assert not configuration.replaces(2, 0, is_append=True, is_hflushed=True)


def test_packets_hold_whole_chunks_with_their_checksums() -> None:
    assert ClientConfiguration().packet_data_size == 126 * 512


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="packet_size is 100, accepted: 549 or more"):
        ClientConfiguration(packet_size=100)
