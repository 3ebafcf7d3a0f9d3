package genstamp.adapter.lease;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;

/** A datanode that is nothing but its registration. */
final class Faked {
  final int index;
  final String uuid;
  final DatanodeStorage storage;
  DatanodeRegistration registration;

  Faked(int index) {
    this.index = index;
    uuid = UUID.nameUUIDFromBytes(("datanode" + index).getBytes(StandardCharsets.UTF_8)).toString();
    storage = new DatanodeStorage("DS-" + uuid);
  }
}
