package dev.weir.core.reduce.hits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A way to a field that OpenSearch keeps to itself. */
public final class PrivateFieldAccess {
  private PrivateFieldAccess() {}

  /** Finds one, when a class is initialized that needs it. */
  public static VarHandle find(Class<?> owner, String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
          .findVarHandle(owner, name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
