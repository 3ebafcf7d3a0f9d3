package genstamp.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.Client;

/** Calls of ClientProtocol at one NameNode, whose arguments are the members of a JSON object. */
final class ClientCalls {
  private final ClientProtocol namenode;
  private final String blockPool;
  private int lastCall;

  ClientCalls(ClientProtocol namenode, String blockPool) {
    this.namenode = namenode;
    this.blockPool = blockPool;
  }

  /** Makes a call; one that is "again" has the number of the last one, as a retry has. */
  JsonNode call(String name, JsonNode a) throws Exception {
    boolean again = a.path("again").asBoolean();
    lastCall = again ? lastCall : Client.nextCallId();
    Client.setCallIdAndRetryCount(lastCall, again ? 1 : 0, null);
    return make(name, a);
  }

  private JsonNode make(String name, JsonNode a) throws Exception {
    String path = a.path("path").asText();
    String client = a.path("client").asText();
    switch (name) {
      case "create":
        return Shown.status(
            namenode.create(
                path,
                FsPermission.getFileDefault(),
                client,
                flags(a),
                a.get("parents").asBoolean(),
                (short) a.get("replication").asInt(),
                a.get("block_size").asLong(),
                CryptoProtocolVersion.supported(),
                null,
                null));
      case "append":
        return Shown.appended(namenode.append(path, client, flags(a)));
      case "addBlock":
        return Shown.located(
            namenode.addBlock(
                path,
                client,
                block(a.get("previous")),
                nodes(a.get("excluded")),
                a.get("file").asLong(),
                null,
                EnumSet.noneOf(AddBlockFlag.class)));
      case "abandonBlock":
        namenode.abandonBlock(block(a.get("block")), a.get("file").asLong(), path, client);
        return null;
      case "getAdditionalDatanode":
        return Shown.located(
            namenode.getAdditionalDatanode(
                path,
                a.get("file").asLong(),
                block(a.get("block")),
                nodes(a.get("existing")),
                storages(a.get("existing")),
                nodes(a.get("excluded")),
                a.get("number").asInt(),
                client));
      case "updateBlockForPipeline":
        return Shown.located(namenode.updateBlockForPipeline(block(a.get("block")), client));
      case "updatePipeline":
        namenode.updatePipeline(
            client,
            block(a.get("block")),
            block(a.get("new")),
            nodes(a.get("nodes")),
            storages(a.get("nodes")));
        return null;
      case "complete":
        return is(namenode.complete(path, client, block(a.get("last")), a.get("file").asLong()));
      case "fsync":
        namenode.fsync(path, a.get("file").asLong(), client, a.get("bytes").asLong());
        return null;
      case "renewLease":
        namenode.renewLease(client, null);
        return null;
      case "recoverLease":
        return is(namenode.recoverLease(path, client));
      case "isFileClosed":
        return is(namenode.isFileClosed(path));
      case "truncate":
        return is(namenode.truncate(path, a.get("bytes").asLong(), client));
      case "delete":
        return is(namenode.delete(path, a.get("recursive").asBoolean()));
      case "mkdirs":
        return is(
            namenode.mkdirs(path, FsPermission.getDirDefault(), a.get("parents").asBoolean()));
      case "rename":
        return is(namenode.rename(path, a.get("to_path").asText()));
      case "rename2":
        namenode.rename2(
            path,
            a.get("to_path").asText(),
            a.get("overwrite").asBoolean() ? Options.Rename.OVERWRITE : Options.Rename.NONE);
        return null;
      case "concat":
        namenode.concat(path, texts(a.get("sources")).toArray(new String[0]));
        return null;
      case "setReplication":
        return is(namenode.setReplication(path, (short) a.get("replication").asInt()));
      case "setTimes":
        namenode.setTimes(path, a.get("modification").asLong(), a.get("access").asLong());
        return null;
      case "getFileInfo":
        return Shown.status(namenode.getFileInfo(path));
      case "getLocatedFileInfo":
        return Shown.status(namenode.getLocatedFileInfo(path, false));
      case "getListing":
        return Shown.listing(
            namenode.getListing(path, a.get("after").asText().getBytes("UTF-8"), false));
      case "getContentSummary":
        return Shown.summary(namenode.getContentSummary(path));
      case "getBlockLocations":
        return Shown.locations(
            namenode.getBlockLocations(path, a.get("offset").asLong(), a.get("length").asLong()));
      case "setSafeMode":
        return is(namenode.setSafeMode(SafeModeAction.valueOf(a.get("action").asText()), false));
      default:
        throw new IllegalArgumentException(name + " is no call");
    }
  }

  private static JsonNode is(boolean answer) {
    return BooleanNode.valueOf(answer);
  }

  private static EnumSetWritable<CreateFlag> flags(JsonNode a) {
    EnumSet<CreateFlag> all = EnumSet.noneOf(CreateFlag.class);
    texts(a.get("flags")).forEach(one -> all.add(CreateFlag.valueOf(one)));
    return new EnumSetWritable<>(all, CreateFlag.class);
  }

  private ExtendedBlock block(JsonNode block) {
    return block.isNull()
        ? null
        : new ExtendedBlock(
            blockPool,
            block.get("id").asLong(),
            block.get("bytes").asLong(),
            block.get("stamp").asLong());
  }

  private static List<String> texts(JsonNode all) {
    List<String> found = new ArrayList<>();
    all.forEach(one -> found.add(one.asText()));
    return found;
  }

  private static DatanodeInfo[] nodes(JsonNode names) {
    return texts(names).stream()
        .map(ApacheNameNode::datanode)
        .map(id -> new DatanodeInfoBuilder().setNodeID(id).build())
        .toArray(DatanodeInfo[]::new);
  }

  private static String[] storages(JsonNode names) {
    return texts(names).stream().map(name -> "DS-" + name).toArray(String[]::new);
  }
}
