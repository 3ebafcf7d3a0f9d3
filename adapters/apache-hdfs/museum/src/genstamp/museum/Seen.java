package genstamp.museum;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.ipc.RemoteException;

/** What was seen, in the order in which it was seen. */
final class Seen {
  private final Map<String, Object> values = new LinkedHashMap<>();

  void note(String what, Object value) {
    values.put(what, value);
  }

  /** Notes "done", or the simple name of the exception by which the call is refused. */
  void noteAnswer(String what, Callable<?> call) {
    try {
      call.call();
      note(what, "done");
    } catch (RemoteException refusal) {
      note(what, refusal.getClassName().replaceFirst(".*\\.", ""));
    } catch (Exception refusal) {
      note(what, refusal.getClass().getSimpleName());
    }
  }

  Map<String, Object> values() {
    return values;
  }
}
