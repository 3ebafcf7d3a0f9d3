package genstamp.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;

/** Answers as JSON; datanodes are sorted, since their order is drawn at random. */
final class Shown {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Shown() {}

  static JsonNode status(HdfsFileStatus status) {
    if (status == null) {
      return JSON.nullNode();
    }
    ObjectNode shown =
        JSON.objectNode()
            .put("name", status.getLocalName())
            .put("file", status.getFileId())
            .put("directory", status.isDirectory())
            .put("bytes", status.getLen())
            .put("replication", status.getReplication())
            .put("block_size", status.getBlockSize())
            .put("children", status.getChildrenNum())
            .put("modified", status.getModificationTime())
            .put("accessed", status.getAccessTime());
    if (status instanceof HdfsLocatedFileStatus) {
      shown.set("locations", locations(((HdfsLocatedFileStatus) status).getLocatedBlocks()));
    }
    return shown;
  }

  static JsonNode appended(LastBlockWithStatus answer) {
    ObjectNode shown = JSON.objectNode();
    shown.set("block", located(answer.getLastBlock()));
    shown.set("status", status(answer.getFileStatus()));
    return shown;
  }

  static JsonNode listing(DirectoryListing listing) {
    if (listing == null) {
      return JSON.nullNode();
    }
    ArrayNode entries = JSON.arrayNode();
    for (HdfsFileStatus one : listing.getPartialListing()) {
      entries.add(status(one));
    }
    ObjectNode shown = JSON.objectNode().put("remaining", listing.getRemainingEntries());
    shown.set("entries", entries);
    return shown;
  }

  static JsonNode summary(ContentSummary summary) {
    return JSON.objectNode()
        .put("bytes", summary.getLength())
        .put("files", summary.getFileCount())
        .put("directories", summary.getDirectoryCount())
        .put("space", summary.getSpaceConsumed());
  }

  static JsonNode locations(LocatedBlocks all) {
    if (all == null) {
      return JSON.nullNode();
    }
    ArrayNode blocks = JSON.arrayNode();
    all.getLocatedBlocks().forEach(one -> blocks.add(located(one)));
    ObjectNode shown =
        JSON.objectNode()
            .put("bytes", all.getFileLength())
            .put("open", all.isUnderConstruction())
            .put("complete", all.isLastBlockComplete());
    shown.set("blocks", blocks);
    shown.set("last", located(all.getLastLocatedBlock()));
    return shown;
  }

  static JsonNode located(LocatedBlock one) {
    if (one == null) {
      return JSON.nullNode();
    }
    ObjectNode shown =
        block(one.getBlock().getLocalBlock())
            .put("offset", one.getStartOffset())
            .put("corrupt", one.isCorrupt());
    shown.set("nodes", nodes(one.getLocations()));
    return shown;
  }

  static JsonNode recovery(RecoveringBlock one) {
    ObjectNode shown =
        block(one.getBlock().getLocalBlock()).put("recovery", one.getNewGenerationStamp());
    shown.set("cut_to", one.getNewBlock() == null ? JSON.nullNode() : block(one.getNewBlock()));
    shown.set("nodes", nodes(one.getLocations()));
    return shown;
  }

  static JsonNode deletion(Block block, String datanode) {
    return JSON.objectNode()
        .put("block", block.getBlockId())
        .put("stamp", block.getGenerationStamp())
        .put("deletes", datanode);
  }

  private static ObjectNode block(Block block) {
    return JSON.objectNode()
        .put("block", block.getBlockId())
        .put("stamp", block.getGenerationStamp())
        .put("bytes", block.getNumBytes());
  }

  private static ArrayNode nodes(DatanodeInfo[] all) {
    ArrayNode names = JSON.arrayNode();
    Arrays.stream(all == null ? new DatanodeInfo[0] : all)
        .map(DatanodeInfo::getDatanodeUuid)
        .sorted()
        .forEach(names::add);
    return names;
  }
}
