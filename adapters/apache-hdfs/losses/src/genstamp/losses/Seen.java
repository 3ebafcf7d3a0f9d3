package genstamp.losses;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.ipc.RemoteException;

/** What was seen, in the order in which it was seen: numbers, booleans, names. */
final class Seen {
  private final Map<String, Object> values = new LinkedHashMap<>();

  void note(String what, Object value) {
    values.put(what, value);
    System.err.println("  " + what + ": " + value);
  }

  /** Notes what a call answers: the simple name of the exception where it is refused. */
  void noteAnswer(String what, Callable<?> call) {
    Object answer;
    try {
      answer = call.call();
    } catch (RemoteException refusal) {
      answer = refusal.getClassName().substring(refusal.getClassName().lastIndexOf('.') + 1);
    } catch (Throwable refusal) {
      answer = refusal.getClass().getSimpleName();
    }
    note(what, answer == null ? "done" : answer);
  }

  Map<String, Object> values() {
    return values;
  }
}
