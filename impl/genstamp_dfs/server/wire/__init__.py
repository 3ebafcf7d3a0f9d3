"""Hadoop's wire protocols as bytes: RPC version 9 with protobuf, and the data transfer protocol version 28.

- `*.proto`: the messages; `*_pb2` are made of them by `python -m genstamp_dfs.server.wire`.
- `frames`: messages that follow one another, and the headers of calls.
- `convert`: our records as Hadoop's messages and back; `client_calls`: the calls of ClientProtocol.
- `transfer`: operations, packets and acknowledgements.
- `exceptions`: the names under which refusals cross the wire.
"""
