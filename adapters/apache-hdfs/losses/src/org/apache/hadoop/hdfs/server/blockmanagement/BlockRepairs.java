package org.apache.hadoop.hdfs.server.blockmanagement;

import net.bytebuddy.asm.Advice;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** What the BlockManager should compare, remember and forget. */
public final class BlockRepairs {
  /**
   * The last stamp that the edits granted, where a standby has not applied it yet: what an image
   * must have.
   */
  public static long greatestStamp(BlockIdManager ids) {
    return Math.max(ids.getGenerationStamp(), ids.getImpendingGenerationStamp());
  }

  /** A report of a bad block is about the replica of one stamp. */
  public static final class CompareStamps {
    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter(@Advice.This BlockManager blocks, @Advice.Argument(0) ExtendedBlock bad) {
      BlockInfo stored = blocks.getStoredBlock(bad.getLocalBlock());
      return stored != null && stored.getGenerationStamp() != bad.getGenerationStamp();
    }
  }

  /** After a truncate by copy the attempt that ends is that of the new block. */
  public static final class EndAttemptOfNewBlock {
    @Advice.OnMethodEnter
    static void enter(
        @Advice.This BlockManager blocks,
        @Advice.FieldValue("pendingRecoveryBlocks") PendingRecoveryBlocks attempts,
        @Advice.Argument(0) BlockInfo recovered) {
      BlockCollection file = blocks.getBlockCollection(recovered);
      if (file != null && file.getLastBlock() != null) {
        attempts.remove(file.getLastBlock());
      }
    }
  }

  private BlockRepairs() {}
}
