package genstamp.daemons;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.apache.hadoop.metrics2.annotation.Metrics;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.StringUtils;

/** A real NameNode whose leases age as it is configured; repaired, if that is asked for. */
@Metrics(context = "dfs") // Not inherited, and asked for when the node registers itself.
public final class ServedNameNode extends NameNode {
  private ServedNameNode(Configuration conf) throws IOException {
    super(conf);
  }

  /** The repair: what the edits have granted is granted, also where no standby becomes active. */
  @Override
  protected void loadNamesystem(Configuration conf) throws IOException {
    super.loadNamesystem(conf);
    if (conf.getBoolean("genstamp.repaired", false)) {
      getNamesystem().getBlockManager().getBlockIdManager().applyImpendingGenerationStamp();
    }
  }

  public static void main(String[] args) throws Exception {
    StringUtils.startupShutdownMessage(NameNode.class, args, LOG);
    HdfsConfiguration conf = new HdfsConfiguration();
    DefaultMetricsSystem.initialize("NameNode");
    ServedNameNode node = new ServedNameNode(conf);
    NameNodeAdapter.setLeasePeriod(
        node.getNamesystem(),
        conf.getLong("genstamp.soft.ms", 60_000),
        conf.getLong("genstamp.hard.ms", 1_200_000));
    node.join();
  }
}
