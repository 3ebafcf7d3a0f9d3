package genstamp.adapter.lease;

import genstamp.adapter.Call;
import genstamp.adapter.NotPossible;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo.BlockStatus;

/** Datanodes that stop and return, and restarts of the NameNode. */
final class OutageSteps {
  private final LeaseRun run;
  private final LeaseCluster cluster;

  OutageSteps(LeaseRun run) {
    this.run = run;
    cluster = run.cluster;
  }

  void datanodeStops(String datanode, Map<String, String> a) throws Exception {
    run.up(datanode);
    NotPossible.needs(!run.inSafeMode(), "in safe mode the namenode takes no datanode for dead");
    run.storedThere.put(datanode, knownAt(datanode));
    run.running.remove(datanode);
    run.led.keySet().removeIf(key -> key.get(0).equals(datanode));
    BlockAccess.dies(cluster.bm(), cluster.known(run.faked(datanode)));
    if (cluster.known(run.faked(datanode)).isAlive()) {
      throw new IllegalStateException(datanode + " was to be dead");
    }
    run.event(datanode, "node", datanode, "datanode_stops", a);
  }

  void datanodeReturns(String datanode, Map<String, String> a) throws Exception {
    NotPossible.needs(!run.running.contains(datanode), datanode + " is up");
    run.running.add(datanode);
    Set<Long> known = run.storedThere.remove(datanode);
    comesBack(datanode, known == null ? Set.of() : known);
    run.event(datanode, "node", datanode, "datanode_returns", a);
  }

  void comesBack(String datanode, Set<Long> known) throws Exception {
    cluster.register(run.faked(datanode));
    run.heard(datanode);
    for (long id : new TreeSet<>(known)) {
      BlockInfo block = cluster.bm().getStoredBlock(new Block(id));
      if (block != null && block.isComplete()) {
        run.tell(datanode, block, BlockStatus.RECEIVED_BLOCK);
      }
    }
  }

  /**
   * The blocks of which a replica at the datanode stays known: none of them is the last of its
   * file.
   */
  Set<Long> knownAt(String datanode) {
    Set<Long> before = new HashSet<>();
    for (String file : run.files) {
      INodeFile inode = run.inode(file);
      BlockInfo[] blocks = inode == null ? BlockInfo.EMPTY_ARRAY : inode.getBlocks();
      for (int i = 0; i < blocks.length - 1; i++) {
        if (run.running.contains(datanode)
            ? BlockAccess.stored(cluster.bm(), blocks[i]).contains(run.faked(datanode).uuid)
            : run.storedThere.getOrDefault(datanode, Set.of()).contains(blocks[i].getBlockId())) {
          before.add(blocks[i].getBlockId());
        }
      }
    }
    return before;
  }

  void namenodeRestart(Map<String, String> a) throws Exception {
    List<BlockInfo> lasts = new ArrayList<>();
    for (String file : run.files) {
      INodeFile inode = run.inode(file);
      if (inode != null && inode.isUnderConstruction() && inode.getLastBlock() != null) {
        lasts.add(inode.getLastBlock());
      }
    }
    boolean some =
        lasts.stream()
            .anyMatch(last -> !last.isComplete() && run.unlogged.contains(last.getBlockId()));
    NotPossible.needs(!some || lasts.size() <= 1, "a commit is in no edit");
    Map<String, Set<Long>> known = new HashMap<>();
    run.datanodes.forEach(one -> known.put(one, knownAt(one)));
    if (!some) {
      cluster.nn.setSafeMode(SafeModeAction.SAFEMODE_ENTER, false);
      Call.latest(ClientProtocol.class, cluster.nn, "saveNamespace", 0L, 0L);
    }
    FSNamesystem old = cluster.fsn;
    cluster.mini.restartNameNode(0, false);
    cluster.forget(old);
    cluster.connect();
    cluster.bm().setBlockRecoveryTimeout(run.gateMs);
    for (String one : run.datanodes) {
      if (run.running.contains(one)) {
        comesBack(one, known.get(one));
      } else {
        run.storedThere.put(one, known.get(one));
      }
    }
    run.event("namenode", "node", "namenode", "namenode_restart", a);
  }

  void safeModeEnds() throws Exception {
    NotPossible.needs(run.inSafeMode(), "the namenode is not in safe mode");
    for (String file : run.files) {
      BlockInfo last = run.last(file);
      NotPossible.needs(
          last == null || !last.isComplete() || !BlockAccess.stored(cluster.bm(), last).isEmpty(),
          "the namenode waits for reports");
    }
    cluster.nn.setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
    for (String one : run.running) {
      run.heard(one);
    }
  }
}
