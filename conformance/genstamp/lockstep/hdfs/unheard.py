"""Calls that change nothing that a system on blocks or leases mentions, each with others about the same."""

from typing import Final

ASKING: Final = (
    "get_server_defaults",
    "is_file_closed",
    "get_file_info",
    "get_listing",
    "get_block_locations",
    "get_content_summary",
    "get_fs_stats",
    "get_datanode_report",
    "list_open_files",
)
"""They ask and change nothing."""

OF_DATANODES: Final = ("version_request", "register_datanode", "send_heartbeat", "error_report")
"""Datanodes come, say that they are there, and that their disk has failed."""

OF_ATTRIBUTES: Final = ("mkdirs", "set_replication", "set_permission", "set_owner", "set_times")
"""Directories, and what files have beside blocks."""

REPORTING_NOTHING_FINAL: Final = ("block_receiving", "block_deleted", "report_bad_blocks", "report_bad_replicas")
"""Reports of replicas that are written, gone or spoiled."""
