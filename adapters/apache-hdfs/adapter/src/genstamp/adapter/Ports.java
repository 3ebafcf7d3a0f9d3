package genstamp.adapter;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.apache.hadoop.conf.Configuration;

/**
 * Ports of servers that stop and come back. They lie below those that the system gives to outgoing
 * connections, one of which would be taken at times while its server is down.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int NUMBER = 12_000;

  // Processes begin in different places, since one finds a port free until the other has bound it.
  private static int next = (int) (ProcessHandle.current().pid() * 16 % NUMBER);

  private Ports() {}

  /** A port that nobody listens at; it is given to no other caller of this process. */
  public static synchronized int free() throws IOException {
    IOException last = null;
    for (int i = 0; i < NUMBER; i++) {
      int port = FIRST + next++ % NUMBER;
      try (ServerSocket tried = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
        return tried.getLocalPort();
      } catch (IOException taken) {
        last = taken;
      }
    }
    throw last;
  }

  /** The addresses of a cluster's datanodes, which they keep when they start again. */
  public static Configuration[] ofDatanodes(int datanodes) throws IOException {
    Configuration[] all = new Configuration[datanodes];
    for (int i = 0; i < datanodes; i++) {
      all[i] = new Configuration(false);
      for (String server : new String[] {"", ".ipc", ".http"}) {
        all[i].set("dfs.datanode" + server + ".address", "127.0.0.1:" + free());
      }
    }
    return all;
  }
}
