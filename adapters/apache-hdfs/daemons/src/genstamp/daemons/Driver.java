package genstamp.daemons;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.ipc.RemoteException;

/**
 * Carries out runs with real clients. On standard output: "# TEXT", "= NAME VALUE" for what is
 * declared, "! ORDER" for who starts and ends the daemons, who answers each order with a line when
 * it is done.
 */
public final class Driver {
  static final HdfsConfiguration CONF = new HdfsConfiguration();
  static final URI WHERE = FileSystem.getDefaultUri(CONF);
  static final long SEED = Long.getLong("genstamp.seed", 1);
  static final int BASE = Integer.getInteger("genstamp.base", 19_000);
  private static final BufferedReader ANSWERS =
      new BufferedReader(new InputStreamReader(System.in));

  private Driver() {}

  /** A client of its own, with its own lease. */
  static DistributedFileSystem client() throws IOException {
    return (DistributedFileSystem) FileSystem.newInstance(WHERE, CONF);
  }

  static synchronized void order(String what) throws IOException {
    System.out.println("! " + what);
    System.out.flush();
    ANSWERS.readLine();
  }

  static synchronized void say(String what) {
    System.out.println("# " + what);
    System.out.flush();
  }

  /** What the caller compares with what is declared for the run. */
  static synchronized void tell(String name, Object value) {
    System.out.println("= " + name + " " + value);
    System.out.flush();
  }

  static byte[] bytes(int number) {
    byte[] all = new byte[number];
    new Random(SEED + number).nextBytes(all);
    return all;
  }

  static String name(Exception error) {
    Exception told =
        error instanceof RemoteException
            ? ((RemoteException) error).unwrapRemoteException()
            : error;
    return told.getClass().getSimpleName();
  }

  interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Waits for a condition, asked twice a second; refusals and lost connections count as not yet.
   */
  static boolean await(int seconds, Condition condition) throws InterruptedException {
    for (int i = 0; i < 2 * seconds; i++) {
      try {
        if (condition.holds()) {
          return true;
        }
      } catch (Exception notYet) {
        // Asked again below.
      }
      Thread.sleep(500);
    }
    return false;
  }

  static boolean recover(DistributedFileSystem files, String path, int seconds)
      throws InterruptedException {
    return await(seconds, () -> files.recoverLease(new Path(path)));
  }

  /** Waits until the NameNode serves and all datanodes have reported. */
  static void awaitCluster() throws Exception {
    boolean serves =
        await(
            120,
            () -> {
              try (DistributedFileSystem files = client()) {
                return !files.setSafeMode(SafeModeAction.SAFEMODE_GET)
                    && files.getClient().datanodeReport(DatanodeReportType.LIVE).length == 3
                    && Arrays.stream(
                            files.getClient().getDatanodeStorageReport(DatanodeReportType.LIVE))
                        .allMatch(each -> each.getStorageReports().length > 0);
              }
            });
    if (!serves) {
      throw new IOException("the NameNode and three datanodes do not serve after 120 s");
    }
  }

  /** Bytes that a reader gets. */
  static long length(DistributedFileSystem files, String path) throws IOException {
    byte[] buffer = new byte[1 << 16];
    long number = 0;
    try (FSDataInputStream in = files.open(new Path(path))) {
      for (int got = in.read(buffer); got > 0; got = in.read(buffer)) {
        number += got;
      }
    }
    return number;
  }

  public static void main(String[] runs) throws Exception {
    awaitCluster();
    for (String run : runs) {
      say("begin " + run);
      try {
        Runs.BY_NAME.get(run).carryOut();
      } catch (Exception error) {
        tell("failed", error);
        error.printStackTrace();
      }
      say("end " + run);
    }
    order("end");
    Runtime.getRuntime().halt(0);
  }
}
