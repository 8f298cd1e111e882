package dev.weir.rest;

/** What the name of an action says about it. */
public final class ActionNames {
  private static final String WRITES = "indices:data/write/";

  private ActionNames() {}

  /** Returns whether an action changes documents. */
  public static boolean isWrite(String action) {
    return action.startsWith(WRITES);
  }
}
