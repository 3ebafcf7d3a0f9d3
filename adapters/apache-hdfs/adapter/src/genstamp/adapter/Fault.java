package genstamp.adapter;

import static net.bytebuddy.matcher.ElementMatchers.named;

import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import org.apache.hadoop.hdfs.server.namenode.CommitFault;

/**
 * Faults that are put into Hadoop on purpose, for a test must find them: property {@code
 * genstamp.fault}.
 */
enum Fault {
  /** The NameNode takes the commit of a recovery that a younger one has overtaken. */
  RECOVERY_ID_NOT_COMPARED(
      "namenode.FSNamesystem",
      Advice.to(CommitFault.class).on(named("commitBlockSynchronization"))),
  /** The NameNode lets a client commit a block that is under recovery (HDFS-10240). */
  COMMIT_UNDER_RECOVERY(
      "blockmanagement.BlockManager",
      MemberSubstitution.relaxed()
          .method(named("isUnderRecovery"))
          .stub()
          .on(named("commitOrCompleteLastBlock"))),
  /** A datanode takes part in a recovery although a younger one has been there. */
  OLDER_RECOVERY_ACCEPTED(
      "datanode.fsdataset.impl.FsDatasetImpl",
      MemberSubstitution.relaxed()
          .method(named("getRecoveryID"))
          .stub()
          .on(named("initReplicaRecoveryImpl"))),
  /** A datanode takes part in a pipeline's recovery, and keeps the stamp that its replica had. */
  STAMP_NOT_RAISED(
      "datanode.fsdataset.impl.FsDatasetImpl",
      MemberSubstitution.relaxed()
          .method(named("bumpReplicaGS"))
          .stub()
          .on(named("recoverRbwImpl")));

  private final String type;
  private final AsmVisitorWrapper change;

  Fault(String type, AsmVisitorWrapper change) {
    this.type = type;
    this.change = change;
  }

  static void install() {
    String wanted = System.getProperty("genstamp.fault");
    if (wanted == null) {
      return;
    }
    Fault fault = valueOf(wanted.toUpperCase(java.util.Locale.ROOT).replace('-', '_'));
    ByteBuddyAgent.install();
    new AgentBuilder.Default()
        .disableClassFormatChanges()
        .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
        .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
        .type(named("org.apache.hadoop.hdfs.server." + fault.type))
        .transform((builder, description, loader, module, domain) -> builder.visit(fault.change))
        .installOnByteBuddyAgent();
  }
}
