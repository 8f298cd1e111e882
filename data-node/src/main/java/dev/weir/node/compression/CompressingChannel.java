package dev.weir.node.compression;

import dev.weir.node.channel.ForwardingChannel;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.TransportChannel;

/**
 * Compresses the response of a channel; failures and small responses stay as they are. Counts what
 * its request takes until the response, as the channel itself does with the bytes on the wire.
 */
final class CompressingChannel extends ForwardingChannel {
  /** The response header with the size of the payload before it was compressed, in bytes. */
  static final String HEADER = "weir-zstd";

  private final ThreadContext context;
  private final DecompressedBytes request;
  private final AtomicBoolean isReleased = new AtomicBoolean();

  /**
   * Counts a request until the response.
   *
   * @param request what it takes beyond its bytes on the wire
   */
  CompressingChannel(TransportChannel channel, ThreadContext context, DecompressedBytes request) {
    super(channel);
    this.context = context;
    this.request = request;
    request.add();
  }

  @Override
  public void sendResponse(TransportResponse response) throws IOException {
    try {
      sendCompressed(response);
    } finally {
      release();
    }
  }

  @Override
  public void sendResponse(Exception failure) throws IOException {
    try {
      super.sendResponse(failure);
    } finally {
      release();
    }
  }

  /** Counts the request no more. */
  void release() {
    if (isReleased.compareAndSet(false, true)) {
      request.remove();
    }
  }

  private void sendCompressed(TransportResponse response) throws IOException {
    WrittenResponse written;
    try (ResponseCompressor out = new ResponseCompressor()) {
      out.setVersion(getVersion());
      response.writeTo(out);
      written = out.finish();
    }
    if (!written.isCompressed()) {
      super.sendResponse(written);
      return;
    }
    // a failure that follows, because this response can't be sent, has no header
    ThreadContext.StoredContext before = context.newStoredContext(false);
    try {
      context.addResponseHeader(HEADER, Integer.toString(written.size()));
      super.sendResponse(written);
    } finally {
      before.restore();
    }
  }
}
