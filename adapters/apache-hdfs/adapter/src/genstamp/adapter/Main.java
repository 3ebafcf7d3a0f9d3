package genstamp.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * Apache HDFS behind genstamp's adapter protocol, version 2: {@code Main DIRECTORY}, requests on
 * standard input, answers on standard output. The first {@code start} names the system; one process
 * serves one system.
 */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final File directory;
  private String system;
  private Host host;
  private Run run;

  private Main(File directory) {
    this.directory = directory;
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // What Hadoop prints is no answer.
    Fault.install();
    Main adapter = new Main(new File(arguments[0]));
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      JsonNode request = JSON.readTree(line);
      answers.println(JSON.writeValueAsString(adapter.answer(request)));
      answers.flush();
      if (request.get("op").asText().equals("stop")) {
        break;
      }
    }
    Runtime.getRuntime().halt(0); // An orderly end of MiniDFSCluster takes seconds.
  }

  private ObjectNode answer(JsonNode request) {
    ObjectNode answer = JSON.createObjectNode();
    try {
      answer.put("ok", true);
      serve(request, answer);
    } catch (NotPossible notNow) {
      answer.removeAll();
      answer.put("ok", false).put("why", notNow.getMessage());
    } catch (Throwable problem) {
      problem.printStackTrace();
      answer.removeAll();
      answer.put("ok", false).put("error", problem.toString());
    }
    return answer;
  }

  private void serve(JsonNode request, ObjectNode answer) throws Exception {
    String op = request.get("op").asText();
    if (op.equals("start")) {
      if (run != null) {
        run.end();
      }
      run = host(request.get("system").asText()).start(Start.of(request));
      answer
          .put("version", 2)
          .put("first_generation_stamp", run.firstStamp())
          .put("takes_times", host.takesTimes());
    } else if (op.equals("call") || op.equals("fault")) {
      Map<String, String> arguments = new TreeMap<>();
      request
          .get("arguments")
          .fields()
          .forEachRemaining(one -> arguments.put(one.getKey(), one.getValue().asText()));
      begun().step(request.get("event").asText(), arguments);
    } else if (op.equals("tick")) {
      begun().tick(request.get("ms").asLong());
    } else if (!op.equals("events") && !op.equals("stop")) {
      throw new IllegalArgumentException("no request is called " + op);
    }
    if (run != null) {
      answer.set("events", run.told().take());
    }
  }

  private Run begun() {
    if (run == null) {
      throw new IllegalStateException("no run was started");
    }
    return run;
  }

  private Host host(String wanted) throws Exception {
    if (host == null) {
      String type =
          switch (wanted) {
            case "hdfs.recovery", "hdfs.block_recovery" -> "recovery.RecoveryCluster";
            case "hdfs.pipeline" -> "pipeline.PipelineCluster";
            case "hdfs.lease" -> "lease.LeaseCluster";
            case "hdfs.replica" -> "replica.ReplicaCluster";
            default ->
                throw new IllegalArgumentException(
                    wanted
                        + " is not driven on Apache HDFS; hdfs.recovery, hdfs.block_recovery,"
                        + " hdfs.pipeline, hdfs.lease and hdfs.replica are");
          };
      // By name, for of an old release only some of them are compiled.
      Class<?> chosen = Class.forName("genstamp.adapter." + type);
      host = (Host) chosen.getConstructor(File.class).newInstance(directory);
      system = wanted;
    }
    if (!system.equals(wanted)) {
      throw new IllegalArgumentException(
          "this process serves " + system + "; start another one for " + wanted);
    }
    return host;
  }
}
