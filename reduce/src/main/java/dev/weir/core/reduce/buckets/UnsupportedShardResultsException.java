package dev.weir.core.reduce.buckets;

import java.io.IOException;

/**
 * The shards' results cannot be merged bucket by bucket, for example because they differ in their
 * types. The reduction of objects handles them, and reports an error if there is one. Stackless.
 */
final class UnsupportedShardResultsException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsupportedShardResultsException(String message) {
    super(message);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
