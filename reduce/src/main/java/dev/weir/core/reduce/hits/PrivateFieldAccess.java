package dev.weir.core.reduce.hits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Gives access to a private field of an OpenSearch class. */
public final class PrivateFieldAccess {
  private PrivateFieldAccess() {}

  /** Returns a handle of the field. Called when the class that needs it is initialized. */
  public static VarHandle find(Class<?> owner, String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
          .findVarHandle(owner, name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
