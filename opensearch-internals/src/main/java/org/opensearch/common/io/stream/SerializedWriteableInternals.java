package org.opensearch.common.io.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.NullMarked;
import org.opensearch.Version;
import org.opensearch.core.common.bytes.BytesReference;

/** Reads the bytes of a {@link DelayableWriteable} that nobody has read yet. */
@NullMarked
public final class SerializedWriteableInternals {
  private static final VarHandle BYTES = field("serialized", BytesReference.class);
  private static final VarHandle VERSION = field("serializedAtVersion", Version.class);

  private SerializedWriteableInternals() {}

  private static VarHandle field(String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(
              DelayableWriteable.Serialized.class, MethodHandles.lookup())
          .findVarHandle(DelayableWriteable.Serialized.class, name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Returns the bytes, not a copy. */
  public static BytesReference bytes(DelayableWriteable.Serialized<?> serialized) {
    return (BytesReference) BYTES.get(serialized);
  }

  /** Returns the version of the bytes' format. */
  public static Version version(DelayableWriteable.Serialized<?> serialized) {
    return (Version) VERSION.get(serialized);
  }
}
