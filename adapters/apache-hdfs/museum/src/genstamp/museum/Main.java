package genstamp.museum;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.VersionInfo;

/**
 * {@code Main DIRECTORY NAME...}: shows faults; one JSON object a line on standard output, talk on
 * standard error.
 */
public final class Main {
  private static final Map<String, Fault> FAULTS = new LinkedHashMap<>();

  static {
    FAULTS.put("HDFS-9289", Faults::committedUnderAnOldStamp);
    FAULTS.put("HDFS-9600", Replicas::openBlockIsQueued);
    FAULTS.put("HDFS-9690", Faults::repeatedAddBlock);
    FAULTS.put("HDFS-10240", Faults::completeUnderRecovery);
    FAULTS.put("HDFS-10220", Leases::allLeasesUnderOneLock);
    FAULTS.put("HDFS-10549", Leases::renewedAfterClose);
    FAULTS.put("HDFS-10763", Leases::leaseGoesFirst);
    FAULTS.put("HDFS-11486", Replicas::closedWhileDecommissioning);
    FAULTS.put("HDFS-11499", Replicas::recoveredWhileDecommissioning);
    FAULTS.put("HDFS-11576", Faults::attemptOvertakesAttempt);
    FAULTS.put("HDFS-11817", Leases::monitorDropsLease);
    FAULTS.put("HDFS-11960", Replicas::lateReportEndsTheWait);
    FAULTS.put("HDFS-12070", Recoveries::oneCannotBeUpdated);
    FAULTS.put("HDFS-12299", Replicas::pipelineOfAnUnknownStorage);
    FAULTS.put("HDFS-12886", Recoveries::tooFewStorages);
    FAULTS.put("HDFS-13840", Replicas::oldReplicaIsALocation);
    FAULTS.put("HDFS-14498", Leases::committedEmpty);
    FAULTS.put("HDFS-15704", Leases::monitorStaysWithOneLease);
    FAULTS.put("HDFS-15725", Leases::committedUnfinalized);
  }

  public static void main(String[] arguments) throws Exception {
    ObjectMapper json = new ObjectMapper();
    List<String> names = Arrays.asList(arguments).subList(1, arguments.length);
    for (String name : names) {
      Fault fault = FAULTS.get(name);
      if (fault == null) {
        System.err.println("no fault is called " + name + "; there are " + FAULTS.keySet());
        System.exit(64);
      }
      Seen seen = new Seen();
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("name", name);
      line.put("release", VersionInfo.getVersion());
      try {
        fault.run(new File(arguments[0], name), seen);
      } catch (Throwable failure) {
        failure.printStackTrace();
        line.put("failure", failure.toString());
      }
      line.put("seen", seen.values());
      System.out.println(json.writeValueAsString(line));
      System.out.flush();
    }
    System.exit(0); // MiniDFSCluster leaves threads that are no daemons
  }

  /** Does it on a cluster below the directory, and notes what is seen. */
  private interface Fault {
    void run(File directory, Seen seen) throws Exception;
  }

  private Main() {}
}
