"""The client core: files written through pipelines that are mended while they stream, and read while they grow.

- `dfs_client`: a client and its calls.
- `output_stream`: what an application writes to; cuts it into packets.
- `data_streamer`: sends the packets of a block, and mends its pipeline; `pipeline` sets one up; `responder` hears the
  acknowledgements.
- `lease_renewer`: tells the namenode that the client lives.
- `input_stream`: reads.
"""

from genstamp_dfs.hdfs.client.configuration import ClientConfiguration, ReplacePolicy
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.client.input_stream import DFSInputStream
from genstamp_dfs.hdfs.client.output_stream import DFSOutputStream

__all__ = ["DFSClient", "DFSOutputStream", "DFSInputStream", "ClientConfiguration", "ReplacePolicy"]
