package genstamp.losses;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.VersionInfo;

/**
 * {@code Main DIRECTORY [NAME...]}: shows losses, or all; one JSON object a line on standard
 * output, talk on standard error. With the property {@code genstamp.repaired} Hadoop is repaired
 * first, and "all" are the losses that this ends.
 */
public final class Main {
  static final Map<String, Loss> LOSSES = new LinkedHashMap<>();

  static {
    LOSSES.put("stamp-granted-twice", Stamps::grantedTwice);
    LOSSES.put("stamp-granted-twice-by-a-standby", Stamps::grantedTwiceByAStandby);
    LOSSES.put("append-under-the-same-stamp", Stamps::appendUnderTheSameStamp);
    LOSSES.put("bad-block-report-without-a-stamp", Stamps::badBlockReport);
    LOSSES.put("late-commit-after-a-failback", Failback::lateCommit);
    LOSSES.put("truncate-lost-by-a-checkpoint", Truncates::lostByACheckpoint);
    LOSSES.put("truncate-by-copy-lost-by-a-checkpoint", Truncates::copyLostByACheckpoint);
    LOSSES.put("truncate-by-copy-asked-again", Truncates::copyAskedAgain);
    LOSSES.put("complete-forced-by-an-old-attempt", Truncates::completeForced);
    LOSSES.put("overwrite-not-logged", Calls::overwriteNotLogged);
    LOSSES.put("abandon-of-a-complete-block", Calls::abandonOfACompleteBlock);
    LOSSES.put("fsync-of-a-complete-block", Calls::fsyncOfACompleteBlock);
    LOSSES.put("update-pipeline-half-done", Calls::updatePipelineHalfDone);
    LOSSES.put("committed-block-before-the-last", Recoveries::committedBlockBeforeTheLast);
    LOSSES.put("empty-block-dropped-unlogged", Recoveries::emptyBlockDropped);
    LOSSES.put("temporary-loses-the-command", Transfers::temporaryLosesTheCommand);
    LOSSES.put("transfer-rounds-up", Transfers::roundsUp);
    LOSSES.put("failed-transfer-is-a-success", Transfers::failedTransfer);
    LOSSES.put("resent-packet-not-synced", Transfers::resentPacket);
    LOSSES.put("soft-limit-takes-the-file", Holes::softLimitTakesTheFile);
    LOSSES.put("fsync-stops-for-a-recovery", Holes::fsyncStopsForARecovery);
    LOSSES.put("late-fsync-changes-nothing", Holes::lateFsyncChangesNothing);
    LOSSES.put("abandon-looks-at-the-block", Holes::abandonLooksAtTheBlock);
    LOSSES.put("append-to-a-full-block-passes-none", Holes::appendToAFullBlockPassesNone);
    LOSSES.put("answers-are-kept", Holes::answersAreKept);
    LOSSES.put("deletion-spares-snapshots", Holes::deletionSparesSnapshots);
    LOSSES.put("length-is-checked-before-the-stamp", Replicas::lengthIsCheckedBeforeTheStamp);
    LOSSES.put("transfer-spares-a-younger-recovery", Replicas::transferSparesAYoungerRecovery);
    LOSSES.put("create-replaces-only-its-own", Replicas::createReplacesOnlyItsOwn);
    LOSSES.put("half-a-cut-is-enough", Attempts::halfACutIsEnough);
    LOSSES.put("finalized-lengths-need-not-agree", Attempts::finalizedLengthsNeedNotAgree);
    LOSSES.put("recoveries-end-with-their-namenode", Attempts::recoveriesEndWithTheirNameNode);
    LOSSES.put("recovery-id-leaves-unsynced", Attempts::recoveryIdLeavesUnsynced);
    LOSSES.put("waiting-replicas-do-not-decide-alone", Crashes::waitingReplicasDoNotDecideAlone);
    LOSSES.put("unreachable-is-not-empty", Crashes::unreachableIsNotEmpty);
    LOSSES.put("stale-is-not-gone", Crashes::staleIsNotGone);
    LOSSES.put("safe-mode-waits-for-reports", Crashes::safeModeWaitsForReports);
    LOSSES.put("known-bytes-are-not-deleted", Crashes::knownBytesAreNotDeleted);
    LOSSES.put("hflush-waits-for-reports", Crashes::hflushWaitsForReports);
    LOSSES.put("pending-copy-ends-unseen", Reports::pendingCopyEndsUnseen);
    LOSSES.put("excess-outlives-reopening", Reports::excessOutlivesReopening);
    LOSSES.put("stale-replica-joins-a-recovery", Reports::staleReplicaJoinsARecovery);
    LOSSES.put("copies-of-earlier-attempts", Reports::copiesOfEarlierAttempts);
    LOSSES.put("first-answer-counts", Readers::firstAnswerCounts);
    LOSSES.put("restart-keeps-what-was-acknowledged", Readers::restartKeepsWhatWasAcknowledged);
    LOSSES.put("marks-of-length-and-state-stay", Crashes::marksOfLengthAndStateStay);
  }

  public static void main(String[] arguments) throws Exception {
    ObjectMapper json = new ObjectMapper();
    List<String> names = Arrays.asList(arguments).subList(1, arguments.length);
    boolean repaired = Boolean.getBoolean("genstamp.repaired");
    if (repaired) {
      Repairs.install();
    }
    Collection<String> all = repaired ? Repairs.END : LOSSES.keySet();
    for (String name : names.isEmpty() ? all : names) {
      Loss loss = LOSSES.get(name);
      if (loss == null) {
        System.err.println("no loss is called " + name + "; there are " + LOSSES.keySet());
        System.exit(64);
      }
      System.err.println(name);
      Seen seen = new Seen();
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("name", name);
      line.put("release", VersionInfo.getVersion());
      try {
        loss.run(new File(arguments[0], name), seen);
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

  private Main() {}
}
