package genstamp.adapter;

/** The step cannot happen now; nothing has changed. */
public final class NotPossible extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NotPossible(String why) {
    super(why);
  }

  /** Throws if the step cannot happen. */
  public static void needs(boolean holds, String why) {
    if (!holds) {
      throw new NotPossible(why);
    }
  }
}
