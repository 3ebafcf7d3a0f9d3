package genstamp.daemons;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.Crash;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * A stamp is granted, the NameNode restarts and grants it again, and a request of the first time
 * arrives late.
 */
final class GrantedTwice {
  private GrantedTwice() {}

  static void carryOut() throws Exception {
    for (int node = 0; node < 3; node++) {
      HoldingProxy.before(node);
    }
    Path path = new Path("/granted");
    DistributedFileSystem writer = Driver.client();
    DistributedFileSystem other = Driver.client();
    try (FSDataOutputStream out = writer.create(path, true, 4096, (short) 3, 131_072)) {
      out.write(Driver.bytes(1000));
    }
    Driver.say("1000 bytes are closed");

    HoldingProxy.hold();
    CompletableFuture<FSDataOutputStream> appended =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                FSDataOutputStream out = writer.append(path);
                out.write(Driver.bytes(1000));
                out.hflush();
                return out;
              } catch (Exception error) {
                throw new IllegalStateException(error);
              }
            });
    HoldingProxy.awaitHeld();
    Driver.say("the request of the append is held before the last datanode");

    Driver.order("kill namenode");
    Driver.order("start namenode");
    Driver.awaitCluster();
    HoldingProxy.fail();
    FSDataOutputStream out = appended.get(90, TimeUnit.SECONDS);
    Driver.tell("acknowledged", 2000);
    Driver.tell("granted", stamp(other, path));

    Driver.say("the held request arrives, answered with " + HoldingProxy.deliver());
    Thread.sleep(3000);
    Crash.crash(writer, out);
    Driver.tell("closed", Driver.recover(other, "/granted", 60));
    Driver.tell("left", Driver.length(other, "/granted"));
  }

  private static long stamp(DistributedFileSystem files, Path path) throws Exception {
    return files
        .getClient()
        .getLocatedBlocks(path.toString(), 0)
        .getLastLocatedBlock()
        .getBlock()
        .getGenerationStamp();
  }
}
