package genstamp.losses;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockIdManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockRepairs;
import org.apache.hadoop.hdfs.server.datanode.DatanodeRepairs;
import org.apache.hadoop.hdfs.server.namenode.NameNodeRepairs;

/** Repairs of one method each, woven into Hadoop's own classes as they are loaded. */
final class Repairs {
  private static final String SERVER = "org.apache.hadoop.hdfs.server.";

  /** The losses that these repairs end, as {@code Main} names them. */
  static final List<String> END =
      List.of(
          "stamp-granted-twice",
          "stamp-granted-twice-by-a-standby",
          "append-under-the-same-stamp",
          "bad-block-report-without-a-stamp",
          "late-commit-after-a-failback",
          "complete-forced-by-an-old-attempt",
          "abandon-of-a-complete-block",
          "fsync-of-a-complete-block",
          "update-pipeline-half-done",
          "temporary-loses-the-command");

  static void install() throws NoSuchMethodException {
    ByteBuddyAgent.install();
    advise(
        "namenode.FSNamesystem", "startActiveServices", NameNodeRepairs.ApplyGrantedStamps.class);
    advise(
        "namenode.FSNamesystem",
        "commitBlockSynchronization",
        NameNodeRepairs.RefuseOlderStamp.class);
    advise(
        "namenode.FSNamesystem",
        "updatePipelineInternal",
        NameNodeRepairs.FindDatanodesFirst.class);
    advise(
        "namenode.FSDirWriteFileOp",
        "unprotectedRemoveBlock",
        NameNodeRepairs.KeepCompleteBlock.class);
    advise(
        "namenode.FileUnderConstructionFeature",
        "updateLengthOfLastBlock",
        NameNodeRepairs.KeepCompleteLength.class);
    advise(
        "blockmanagement.BlockManager",
        "findAndMarkBlockAsCorrupt",
        BlockRepairs.CompareStamps.class);
    advise(
        "blockmanagement.BlockManager",
        "successfulBlockRecovery",
        BlockRepairs.EndAttemptOfNewBlock.class);
    advise(
        "datanode.BlockRecoveryWorker$RecoveryTaskContiguous",
        "recover",
        DatanodeRepairs.RefuseAsIoException.class);
    String dataset = "datanode.fsdataset.impl.FsDatasetImpl";
    weave(
        dataset,
        Advice.to(DatanodeRepairs.AskForANewerStamp.class)
            .on(
                named("append")
                    .and(takesArguments(3))
                    .or(named("recoverCheck"))
                    .or(named("recoverRbw"))));
    weave(
        "namenode.FSImageFormatProtobuf$Saver",
        MemberSubstitution.relaxed()
            .method(named("getGenerationStamp"))
            .replaceWith(BlockRepairs.class.getMethod("greatestStamp", BlockIdManager.class))
            .on(named("saveNameSystemSection")));
  }

  private static void advise(String type, String method, Class<?> repair) {
    weave(type, Advice.to(repair).on(named(method)));
  }

  private static void weave(String type, AsmVisitorWrapper repair) {
    new AgentBuilder.Default()
        .disableClassFormatChanges()
        .with(RedefinitionStrategy.RETRANSFORMATION)
        .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
        .type(named(SERVER + type))
        .transform((builder, description, loader, module, domain) -> builder.visit(repair))
        .installOnByteBuddyAgent();
  }

  private Repairs() {}
}
