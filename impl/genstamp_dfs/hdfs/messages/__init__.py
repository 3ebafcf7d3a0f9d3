"""What the nodes say to each other: one record a message, the words of Hadoop's protocols.

- `base`: a request, the type of its answer, and who asks.
- `client_protocol`: what clients ask the namenode (ClientProtocol).
- `datanode_protocol`: what datanodes tell the namenode, and its commands (DatanodeProtocol).
- `inter_datanode`: what clients and other datanodes ask a datanode (ClientDatanodeProtocol, InterDatanodeProtocol).
- `data_transfer`: what is said on a connection that carries a block.

Nodes are called by their names here; where a node can be reached is known by whoever carries the messages.

Not here: bytes. How a message is written for a network is the servers' business.
"""
