package dev.weir.node.mapping;

import java.io.IOException;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * Copies failures, so that each of several listeners may change its own: they add suppressed
 * failures, and metadata.
 */
final class FailureCopier {
  private FailureCopier() {}

  /** Returns the failure as another node would receive it, or the failure itself if that fails. */
  static Exception copy(Exception failure) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeException(failure);
      try (StreamInput in = out.bytes().streamInput()) {
        Exception copy = in.readException();
        return copy == null ? failure : copy;
      }
    } catch (IOException | RuntimeException unwritable) { // exceptions of plugins do anything
      return failure;
    }
  }
}
