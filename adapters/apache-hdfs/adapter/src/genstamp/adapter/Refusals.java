package genstamp.adapter;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.Set;
import org.apache.hadoop.ipc.RemoteException;

/** Names of refusals. */
public final class Refusals {
  private static final Set<String> NO_REFUSALS =
      Set.of(
          ConnectException.class.getSimpleName(),
          SocketTimeoutException.class.getSimpleName(),
          EOFException.class.getSimpleName());

  /**
   * The simple name of the exception with which a call was refused.
   *
   * @throws IllegalStateException if it is a failure of the connection
   */
  public static String name(Throwable refusal) {
    String whole =
        refusal instanceof RemoteException
            ? ((RemoteException) refusal).getClassName()
            : refusal.getClass().getName();
    String name = whole.substring(Math.max(whole.lastIndexOf('.'), whole.lastIndexOf('$')) + 1);
    if (NO_REFUSALS.contains(name)) {
      throw new IllegalStateException("not a refusal of the protocol", refusal);
    }
    return name;
  }

  private Refusals() {}
}
