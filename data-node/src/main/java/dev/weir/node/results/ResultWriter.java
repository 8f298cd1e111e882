package dev.weir.node.results;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.TransportService;

/**
 * Writes results and failures of requests as this node writes them in messages of their own.
 * Immutable.
 *
 * @param version that of the gateway
 */
public record ResultWriter(TransportService transport, Version version) {
  /**
   * The first array of a stream, at most: below this size OpenSearch's streams grow by an eighth at
   * a time, with a copy of all that was written, and above by pages.
   */
  private static final int PAGE_BYTES = 16 << 10;

  /** About what an exception takes with its stack traces. */
  private static final int FAILURE_BYTES = 4 << 10;

  /** Creates the failure of a request. */
  public RemoteTransportException failure(String action, @Nullable Exception cause) {
    return new RemoteTransportException(
        transport.getLocalNode().getName(), transport.getLocalNode().getAddress(), action, cause);
  }

  /**
   * Returns the bytes of a result.
   *
   * @param expectedBytes about how many, positive
   */
  public BytesReference write(Writeable written, long expectedBytes) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput((int) Math.min(expectedBytes, PAGE_BYTES));
    out.setVersion(version);
    written.writeTo(out);
    return out.bytes();
  }

  /**
   * Returns the bytes of a failure. In place of one that can't be written, such as one that throws
   * when its message is read, another one has its type: a request without a result would keep its
   * batch open.
   *
   * @param action the action of the request that failed
   */
  public BytesReference writeFailure(String action, Exception failure) {
    try {
      return write(out -> out.writeException(failure), FAILURE_BYTES);
    } catch (IOException | RuntimeException unwritable) {
      String type = ExceptionsHelper.unwrapCause(failure).getClass().getName();
      Exception unknown =
          new IllegalStateException("got a failure that can't be sent: [" + type + "]");
      Exception stub = failure(action, unknown);
      try {
        return write(out -> out.writeException(stub), FAILURE_BYTES);
      } catch (IOException e) {
        e.addSuppressed(unwritable);
        throw new UncheckedIOException(e);
      }
    }
  }
}
