package genstamp.daemons;

import static genstamp.daemons.Driver.bytes;
import static genstamp.daemons.Driver.client;
import static genstamp.daemons.Driver.length;
import static genstamp.daemons.Driver.order;
import static genstamp.daemons.Driver.recover;
import static genstamp.daemons.Driver.say;
import static genstamp.daemons.Driver.tell;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.Crash;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** What real clients do while daemons are killed, hung and started. */
final class Runs {
  interface Run {
    void carryOut() throws Exception;
  }

  static final Map<String, Run> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("plain", Runs::plain);
    BY_NAME.put("soft_limit", Runs::softLimit);
    BY_NAME.put("recover_alive", Runs::recoverAlive);
    BY_NAME.put("hard_limit", Runs::hardLimit);
    BY_NAME.put("truncate", Runs::truncate);
    BY_NAME.put("kill_in_pipeline", Runs::killInPipeline);
    BY_NAME.put("kill_then_recover", Runs::killThenRecover);
    BY_NAME.put("hang", Runs::hang);
    BY_NAME.put("all_restart", Runs::allRestart);
    BY_NAME.put("namenode", Runs::nameNode);
    BY_NAME.put("calls", () -> RandomCalls.carryOut(20, false));
    BY_NAME.put("outages", () -> RandomCalls.carryOut(60, true));
    BY_NAME.put("unreachable", () -> lost(2));
    BY_NAME.put("stale", () -> lost(3));
    BY_NAME.put("granted_twice", GrantedTwice::carryOut);
    BY_NAME.put("granted_twice_repaired", GrantedTwice::carryOut);
  }

  private Runs() {}

  private static FSDataOutputStream written(DistributedFileSystem files, String path, int number)
      throws Exception {
    FSDataOutputStream out = files.create(new Path(path), false);
    out.write(bytes(number));
    out.hflush();
    return out;
  }

  private static void plain() throws Exception {
    DistributedFileSystem files = client();
    FSDataOutputStream out = written(files, "/plain/a", 100_000);
    out.write(bytes(200_000));
    out.hsync();
    out.close();
    out = files.append(new Path("/plain/a"));
    out.write(bytes(50_000));
    out.close();
    files.rename(new Path("/plain/a"), new Path("/plain/b"));
    tell("left", length(files, "/plain/b"));
    files.delete(new Path("/plain/b"), false);
  }

  /** The lock of the article: who asks is refused until the soft limit has passed. */
  private static void softLimit() throws Exception {
    DistributedFileSystem holder = client();
    DistributedFileSystem other = client();
    FSDataOutputStream lock = written(holder, "/LOCK", 1000);
    long began = System.nanoTime();
    Crash.crash(holder, lock);
    Map<String, Integer> answers = new LinkedHashMap<>();
    while (true) {
      try {
        FSDataOutputStream out = other.append(new Path("/LOCK"));
        long waited = (System.nanoTime() - began) / 1_000_000_000;
        say("the lock is had after " + waited + " s; before, " + answers);
        tell(
            "waited_for_soft_limit",
            waited >= Driver.CONF.getLong("genstamp.soft.ms", 60_000) / 1000 - 1);
        out.write(bytes(10));
        out.close();
        tell("left", length(other, "/LOCK"));
        return;
      } catch (java.io.IOException refused) {
        answers.merge(Driver.name(refused), 1, Integer::sum);
      }
      Thread.sleep(1000);
    }
  }

  private static void recoverAlive() throws Exception {
    DistributedFileSystem files = client();
    FSDataOutputStream out = written(files, "/alive", 70_000);
    DistributedFileSystem other = client();
    tell("closed", recover(other, "/alive", 60));
    try {
      out.write(bytes(200_000));
      out.hflush();
      out.close();
      tell("fenced", false);
    } catch (java.io.IOException told) {
      tell("fenced", true);
    }
    tell("left", length(other, "/alive"));
  }

  private static void hardLimit() throws Exception {
    DistributedFileSystem files = client();
    Crash.crash(files, written(files, "/hard", 90_000));
    DistributedFileSystem other = client();
    tell("closed", Driver.await(150, () -> other.isFileClosed(new Path("/hard"))));
    tell("left", length(other, "/hard"));
  }

  private static void truncate() throws Exception {
    DistributedFileSystem files = client();
    written(files, "/cut", 300_000).close();
    List<Long> lengths = new ArrayList<>();
    for (long to : new long[] {250_000, 131_072, 100_001, 5}) {
      files.truncate(new Path("/cut"), to);
      Driver.await(60, () -> files.isFileClosed(new Path("/cut")));
      lengths.add(length(files, "/cut"));
      FSDataOutputStream out = files.append(new Path("/cut"));
      out.write(bytes(17));
      out.close();
    }
    tell("left", lengths.toString().replace(" ", ""));
  }

  private static void killInPipeline() throws Exception {
    DistributedFileSystem files = client();
    FSDataOutputStream out = written(files, "/killed", 70_000);
    order("kill 0");
    out.write(bytes(200_000));
    out.close();
    order("start 0");
    out = files.append(new Path("/killed"));
    out.write(bytes(2000));
    out.close();
    tell("left", length(files, "/killed"));
    Driver.awaitCluster();
  }

  private static void killThenRecover() throws Exception {
    DistributedFileSystem files = client();
    Crash.crash(files, written(files, "/down", 70_000));
    order("kill 1");
    DistributedFileSystem other = client();
    tell("closed", recover(other, "/down", 120));
    tell("left", length(other, "/down"));
    order("start 1");
    Driver.awaitCluster();
  }

  private static void hang() throws Exception {
    DistributedFileSystem files = client();
    FSDataOutputStream out = written(files, "/hung", 70_000);
    order("hang 2");
    out.write(bytes(10_000));
    out.close();
    tell("left", length(files, "/hung"));
    order("wake 2");
    Driver.awaitCluster();
  }

  private static void allRestart() throws Exception {
    DistributedFileSystem files = client();
    FSDataOutputStream out = files.create(new Path("/rwr"));
    out.write(bytes(70_000));
    out.hsync();
    Crash.crash(files, out);
    for (int node = 0; node < 3; node++) {
      order("kill " + node);
    }
    for (int node = 0; node < 3; node++) {
      order("start " + node);
    }
    DistributedFileSystem other = client();
    tell("closed", recover(other, "/rwr", 120));
    tell("left", length(other, "/rwr"));
    Driver.awaitCluster();
  }

  private static void nameNode() throws Exception {
    DistributedFileSystem files = client();
    FSDataOutputStream out = written(files, "/kept", 70_000);
    DistributedFileSystem gone = client();
    FSDataOutputStream lost = written(gone, "/left", 70_000);
    order("kill namenode");
    order("start namenode");
    Driver.awaitCluster();
    out.write(bytes(200_000));
    out.close();
    Crash.crash(gone, lost);
    DistributedFileSystem other = client();
    tell("closed", recover(other, "/left", 120));
    tell("left", length(other, "/kept") + length(other, "/left"));
  }

  /**
   * All nodes but one lose what was not synced, and that one does not answer while the file is
   * recovered.
   */
  private static void lost(int nodes) throws Exception {
    DistributedFileSystem files = client();
    DistributedFileSystem other = client();
    String path = "/lost" + nodes;
    FSDataOutputStream out = files.create(new Path(path), true, 4096, (short) nodes, 131_072);
    out.write(bytes(1000));
    out.hflush();
    List<Integer> where = new ArrayList<>();
    for (String name : other.getFileBlockLocations(new Path(path), 0, 1)[0].getNames()) {
      where.add((Integer.parseInt(name.substring(name.indexOf(':') + 1)) - Driver.BASE) / 10 - 1);
    }
    tell("acknowledged", length(other, path));
    Crash.crash(files, out);
    for (int node : where.subList(1, where.size())) {
      order("kill " + node);
      order("empty " + node);
      order("start " + node);
    }
    Thread.sleep(nodes == 3 ? 5_000 : 20_000);
    order("hang " + where.get(0));
    if (nodes == 3) {
      Thread.sleep(40_000);
    }
    tell("closed", recover(other, path, 150));
    order("wake " + where.get(0));
    tell("left", other.getFileStatus(new Path(path)).getLen());
    Driver.awaitCluster();
  }
}
