package org.apache.hadoop.hdfs.server.datanode;

import java.io.IOException;
import net.bytebuddy.asm.Advice;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** What a datanode should refuse, and how. */
public final class DatanodeRepairs {
  /** A set-up comes under a stamp of its own. */
  public static final class AskForANewerStamp {
    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(0) ExtendedBlock block, @Advice.Argument(1) long stamp)
        throws IOException {
      if (stamp <= block.getGenerationStamp()) {
        throw new IOException("the new stamp " + stamp + " is not above that of " + block);
      }
    }
  }

  /** The loop over a command goes on after an IOException only. */
  public static final class RefuseAsIoException {
    @Advice.OnMethodExit(onThrowable = IllegalArgumentException.class)
    static void exit(@Advice.Thrown(readOnly = false) Throwable thrown) {
      if (thrown instanceof IllegalArgumentException) {
        thrown = new IOException(thrown);
      }
    }
  }

  private DatanodeRepairs() {}
}
