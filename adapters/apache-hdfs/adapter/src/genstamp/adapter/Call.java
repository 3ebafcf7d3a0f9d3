package genstamp.adapter;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Calls of methods to which releases of Hadoop have added parameters at the end: an older release is
 * given those that it knows.
 */
public final class Call {
  private Call() {}

  /**
   * Calls the method of a type that takes most of the arguments, and gives its answer.
   *
   * @throws IOException if the call is refused
   */
  public static Object latest(Class<?> type, Object on, String name, Object... arguments)
      throws IOException {
    Method latest =
        Arrays.stream(type.getMethods())
            .filter(one -> one.getName().equals(name))
            .filter(one -> one.getParameterCount() <= arguments.length)
            .max(Comparator.comparingInt(Method::getParameterCount))
            .orElseThrow();
    try {
      return latest.invoke(on, Arrays.copyOf(arguments, latest.getParameterCount()));
    } catch (InvocationTargetException thrown) {
      Throwable cause = thrown.getCause();
      if (cause instanceof IOException refusal) {
        throw refusal;
      }
      throw new IllegalStateException(cause);
    } catch (IllegalAccessException closed) {
      throw new IllegalStateException(closed);
    }
  }
}
