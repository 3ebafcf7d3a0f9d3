package genstamp.daemons;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.Crash;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Three clients call at random on four paths; datanodes are killed and started, if that is asked
 * for.
 */
final class RandomCalls {
  private static final int CLIENTS = 3;
  private static final int PATHS = 4;

  private final Random chance;
  private DistributedFileSystem files = Driver.client();

  private RandomCalls(long seed) throws Exception {
    chance = new Random(seed);
  }

  static void carryOut(int seconds, boolean outages) throws Exception {
    long until = System.currentTimeMillis() + 1000L * seconds;
    ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
    List<Future<?>> all = new ArrayList<>();
    for (int number = 0; number < CLIENTS; number++) {
      RandomCalls caller = new RandomCalls(Driver.SEED * CLIENTS + number);
      all.add(pool.submit(() -> caller.call(until)));
    }
    Random chance = new Random(Driver.SEED);
    while (outages && System.currentTimeMillis() < until - 20_000) {
      int node = chance.nextInt(3);
      Driver.order("kill " + node);
      Thread.sleep(3000 + chance.nextInt(4000));
      Driver.order("start " + node);
      Thread.sleep(8000);
    }
    for (Future<?> one : all) {
      one.get();
    }
    pool.shutdown();
    Driver.awaitCluster();
  }

  private void call(long until) {
    Map<String, Integer> answers = new TreeMap<>();
    while (System.currentTimeMillis() < until) {
      String answer;
      try {
        answer = one(new Path("/random/" + chance.nextInt(PATHS)));
      } catch (Exception refused) {
        answer = Driver.name(refused);
      }
      answers.merge(answer, 1, Integer::sum);
    }
    Driver.say("calls " + answers);
  }

  private String one(Path path) throws Exception {
    switch (chance.nextInt(7)) {
      case 0:
      case 1:
        write(files.create(path, chance.nextBoolean()), chance.nextInt(150_000));
        return "create";
      case 2:
      case 3:
        write(files.append(path), 1 + chance.nextInt(90_000));
        return "append";
      case 4:
        return "recoverLease " + files.recoverLease(path);
      case 5:
        return "truncate "
            + files.truncate(
                path, (long) (chance.nextDouble() * files.getFileStatus(path).getLen()));
      default:
        if (chance.nextInt(3) == 0) {
          return "delete " + files.delete(path, false);
        }
        files.rename(path, new Path("/random/" + chance.nextInt(PATHS)), Options.Rename.OVERWRITE);
        return "rename";
    }
  }

  private void write(FSDataOutputStream out, int number) throws Exception {
    out.write(Driver.bytes(number));
    out.hflush();
    if (chance.nextInt(5) == 0) {
      Crash.crash(files, out);
      files = Driver.client();
    } else {
      out.close();
    }
  }
}
