package org.apache.hadoop.hdfs.server.namenode;

import net.bytebuddy.asm.Advice;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;

/** Makes of each recovery that reports back the current one. */
public final class CommitFault {
  @Advice.OnMethodEnter
  static void enter(
      @Advice.FieldValue("blockManager") BlockManager blocks,
      @Advice.Argument(0) ExtendedBlock block,
      @Advice.Argument(value = 1, readOnly = false) long recoveryId) {
    BlockInfo stored = blocks.getStoredBlock(block.getLocalBlock());
    if (stored != null && stored.getUnderConstructionFeature() != null) {
      recoveryId = stored.getUnderConstructionFeature().getBlockRecoveryId();
    }
  }

  private CommitFault() {}
}
