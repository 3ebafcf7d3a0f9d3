package genstamp.adapter.pipeline;

import static net.bytebuddy.matcher.ElementMatchers.named;

import genstamp.adapter.recovery.RecoveryCluster;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;

/**
 * Holds the responders of all datanodes: advice on BlockReceiver and its PacketResponder leads
 * their threads to the gate of their datanode. A thread is known by its datanode's group.
 */
public final class Gates {
  private static final String RECEIVER = "org.apache.hadoop.hdfs.server.datanode.BlockReceiver";
  private static final Map<ThreadGroup, Gate> GATES = new ConcurrentHashMap<>();

  private Gates() {}

  static void install() {
    ByteBuddyAgent.install();
    new AgentBuilder.Default()
        .disableClassFormatChanges()
        .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
        .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
        .type(named(RECEIVER))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(Advice.to(Receives.class).on(named("receivePacket"))))
        .type(named(RECEIVER + "$PacketResponder"))
        .transform(
            (builder, type, loader, module, domain) ->
                builder
                    .visit(Advice.to(Finalizes.class).on(named("finalizeBlock")))
                    .visit(Advice.to(Acknowledges.class).on(named("sendAckUpstream"))))
        .installOnByteBuddyAgent();
    DataNodeFaultInjector.set(new Injector());
  }

  static void guard(ThreadGroup threads, Gate gate) {
    GATES.values().remove(gate);
    GATES.put(threads, gate);
  }

  /** Called by advice in threads of datanodes. */
  public static void comeTo(int stop, long sequence, long offset) throws IOException {
    Gate gate = GATES.get(Thread.currentThread().getThreadGroup());
    if (gate != null) {
      gate.pass(Gate.Stop.values()[stop], sequence, offset);
    }
  }

  /** Called by advice in threads of datanodes. */
  public static void received() {
    Gate gate = GATES.get(Thread.currentThread().getThreadGroup());
    if (gate != null) {
      gate.countReceived();
    }
  }

  /** Woven into BlockReceiver. */
  public static final class Receives {
    private Receives() {}

    @Advice.OnMethodExit
    static void exit() {
      received();
    }
  }

  /** Woven into PacketResponder. */
  public static final class Finalizes {
    private Finalizes() {}

    @Advice.OnMethodEnter
    static void enter() throws IOException {
      comeTo(1, 0, 0);
    }
  }

  /** Woven into PacketResponder. */
  public static final class Acknowledges {
    private Acknowledges() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(1) long sequence, @Advice.Argument(3) long offset)
        throws IOException {
      comeTo(2, sequence, offset);
    }
  }

  /** Hadoop's own hook between the bytes that count as acknowledged and the acknowledgement. */
  private static final class Injector extends RecoveryCluster.Parked {
    @Override
    public void delaySendingAckToUpstream(String upstream) throws IOException {
      comeTo(3, 0, 0);
    }
  }
}
