package org.apache.hadoop.hdfs.server.namenode;

import java.io.IOException;
import net.bytebuddy.asm.Advice;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;

/** What a NameNode should do first in some of its methods. */
public final class NameNodeRepairs {
  /**
   * A NameNode that becomes active goes on from the last stamp in its edits, also without a
   * standby.
   */
  public static final class ApplyGrantedStamps {
    @Advice.OnMethodEnter
    static void enter(@Advice.FieldValue("blockManager") BlockManager blocks) {
      blocks.getBlockIdManager().applyImpendingGenerationStamp();
    }
  }

  /** A recovery whose id is below the block's stamp was overtaken. */
  public static final class RefuseOlderStamp {
    @Advice.OnMethodEnter
    static void enter(
        @Advice.FieldValue("blockManager") BlockManager blocks,
        @Advice.Argument(0) ExtendedBlock block,
        @Advice.Argument(1) long stamp)
        throws IOException {
      BlockInfo stored = blocks.getStoredBlock(block.getLocalBlock());
      if (stored != null && stamp < stored.getGenerationStamp()) {
        throw new IOException("recovery id " + stamp + " is below the stamp of " + stored);
      }
    }
  }

  /** Datanodes that are not known are refused before anything is changed. */
  public static final class FindDatanodesFirst {
    @Advice.OnMethodEnter
    static void enter(
        @Advice.FieldValue("blockManager") BlockManager blocks,
        @Advice.Argument(3) DatanodeID[] nodes,
        @Advice.Argument(4) String[] storages)
        throws IOException {
      blocks.getDatanodeManager().getDatanodeStorageInfos(nodes, storages, "updatePipeline");
    }
  }

  /** Only a block that is being written can be abandoned. */
  public static final class KeepCompleteBlock {
    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(3) INodeFile file) throws IOException {
      if (file.getLastBlock() != null && file.getLastBlock().isComplete()) {
        throw new IOException(file.getLastBlock() + " is COMPLETE");
      }
    }
  }

  /** Only a block that is being written gets another length. */
  public static final class KeepCompleteLength {
    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(0) INodeFile file) throws IOException {
      if (file.getLastBlock() == null || file.getLastBlock().isComplete()) {
        throw new IOException("no block of the file is being written");
      }
    }
  }

  private NameNodeRepairs() {}
}
