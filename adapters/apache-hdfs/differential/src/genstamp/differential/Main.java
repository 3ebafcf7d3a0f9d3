package genstamp.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.ipc.RemoteException;

/**
 * Makes calls at NameNodes, one for each line of JSON on standard input, and writes each answer as a
 * line: {@code Main DIRECTORY}. The NameNode "apache" runs in this process; {@code connect} names
 * others by their address. Calls of ClientProtocol go to any NameNode, over Hadoop's RPC and without
 * retries; those of datanodes, and what passes with time, to "apache" alone.
 */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ApacheNameNode apache;
  private final Map<String, ClientCalls> clients = new HashMap<>();

  private Main(File directory) throws Exception {
    apache = new ApacheNameNode(directory);
    connect("apache", apache.address(), apache.blockPool());
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // What Hadoop prints is no answer.
    Main main = new Main(new File(arguments[0]));
    answers.println(JSON.writeValueAsString(JSON.createObjectNode().put("ready", true)));
    answers.flush();
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      answers.println(JSON.writeValueAsString(main.answer(JSON.readTree(line))));
      answers.flush();
    }
    Runtime.getRuntime().halt(0); // An orderly end of MiniDFSCluster takes seconds.
  }

  private void connect(String name, InetSocketAddress address, String blockPool) throws Exception {
    ClientProtocol proxy = apache.proxy(address);
    clients.put(name, new ClientCalls(proxy, blockPool));
  }

  /** What the call gives, or the class and the first line of what it is refused with. */
  private ObjectNode answer(JsonNode request) {
    ObjectNode answer = JSON.createObjectNode();
    try {
      answer.set("gives", call(request));
    } catch (RemoteException refusal) {
      answer.put("refused", refusal.getClassName());
      answer.put("message", String.valueOf(refusal.getMessage()).split("\n")[0]);
    } catch (Exception problem) {
      answer.put("refused", "at the caller: " + problem.getClass().getName());
      answer.put("message", String.valueOf(problem.getMessage()).split("\n")[0]);
    }
    return answer;
  }

  private JsonNode call(JsonNode request) throws Exception {
    String to = request.get("to").asText();
    String name = request.get("call").asText();
    if (name.equals("connect")) {
      connect(
          to,
          new InetSocketAddress("127.0.0.1", request.get("port").asInt()),
          request.get("pool").asText());
      return null;
    }
    if (to.equals("apache") && ApacheNameNode.CALLS.contains(name)) {
      return apache.call(name, request);
    }
    return clients.get(to).call(name, request);
  }
}
