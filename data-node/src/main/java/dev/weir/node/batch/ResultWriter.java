package dev.weir.node.batch;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportService;

/**
 * Writes results and failures of requests as this node writes them in messages of their own.
 * Immutable.
 *
 * @param version that of the gateway
 */
record ResultWriter(TransportService transport, Version version) {
  private static final Logger LOG = LogManager.getLogger(ResultWriter.class);

  /** Creates the failure of a request. */
  RemoteTransportException failure(String action, @Nullable Exception cause) {
    return new RemoteTransportException(
        transport.getLocalNode().getName(), transport.getLocalNode().getAddress(), action, cause);
  }

  /** Returns the bytes of a result. */
  BytesReference write(Writeable written) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    out.setVersion(version);
    written.writeTo(out);
    return out.bytes();
  }

  /** Returns the bytes of a failure. */
  BytesReference writeFailure(Exception failure) {
    try {
      return write(out -> out.writeException(failure));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // an exception that a node can't write stays a stub
    }
  }

  /** Sends a response, or why it can't be sent. */
  static void send(TransportChannel channel, ShardBatchResponse response) {
    try {
      channel.sendResponse(response);
    } catch (IOException | RuntimeException e) {
      try {
        channel.sendResponse(e);
      } catch (IOException | RuntimeException again) {
        e.addSuppressed(again);
        LOG.warn("can't send results of a batch", e);
      }
    }
  }
}
